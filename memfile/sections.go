package memfile

import (
	"slices"

	"github.com/memctl/memctl/internal/yamltext"
)

// misnamed reports an unknown field as damage if a part of the block would be lost with it: it is a part in the wrong place,
// or it has entries.
func (r *reader) misnamed(e yamltext.Entry, where string) bool {
	message := quoteName(e.Key.Text) + " " + where
	switch {
	case slices.Contains([]string{"deletions", "items", "settings", "enabled", "announce_writes"}, e.Key.Text):
		message += ", where memctl does not read it"
	case holdsEntries(e.Value, "key"):
		message += " contains entries, but memctl reads entries only under \"items\" and \"deletions\""
	default:
		return false
	}
	r.damage("section-name", e.Key.Start, message)
	return true
}

// misplaced reports a list that slid into the entry above it.
func (r *reader) misplaced(e yamltext.Entry, where string) bool {
	switch e.Key.Text {
	case "items", "deletions":
		return holdsEntries(e.Value, "key") && r.misnamed(e, where)
	}
	return holdsEntries(e.Value, "key", "removed") && r.misnamed(e, where)
}

// holdsEntries reports whether a list has a map with all those fields.
func holdsEntries(n *yamltext.Node, fields ...string) bool {
	if n == nil || n.Kind != yamltext.List {
		return false
	}
	for _, e := range n.Entries {
		all := true
		for _, name := range fields {
			all = all && e.Value.Field(name) != nil
		}
		if all {
			return true
		}
	}
	return false
}
