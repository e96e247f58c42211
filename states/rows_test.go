package states

// allRows are the states, in the order of the docs.
func allRows() []row {
	var rows []row
	for _, g := range []struct {
		name string
		rows []row
	}{
		{"Where the repository stands", places()},
		{"How it is kept", forms()},
		{"Who commits", people()},
		{"Hooks and settings", rules()},
		{"Who may write", permissions()},
		{"The memory file itself", files()},
		{"Begun and not ended", append(operations(), underWay()...)},
		{"Locks, and writers at the same time", locks()},
	} {
		for _, r := range g.rows {
			r.group = g.name
			rows = append(rows, r)
		}
	}
	return rows
}
