package states

// allRows are the states, in the order of the docs.
func allRows() []row {
	var rows []row
	for _, g := range []struct {
		name string
		rows []row
	}{
		{"The repository", places()},
		{"Storage formats", forms()},
		{"Identity and signing", people()},
		{"Hooks and settings", rules()},
		{"Permissions", permissions()},
		{"The memory file itself", files()},
		{"Operations in progress", append(operations(), underWay()...)},
		{"Locks", locks()},
	} {
		for _, r := range g.rows {
			r.group = g.name
			rows = append(rows, r)
		}
	}
	return rows
}
