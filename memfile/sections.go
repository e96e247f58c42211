package memfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/yamltext"
)

// deletionWords are other names under which people and agents list what was
// forgotten.
var deletionWords = []string{"deleted", "deletes", "removed", "removals", "forgotten", "forget", "tombstones"}

// MeantSection returns the part of the block that a name means, be it misspelled: "items",
// "deletions", "settings", "enabled" or "announce_writes"; "" for any other name.
func MeantSection(name string) string {
	word := lettersOf(name)
	if len(name) > 40 || word == "" {
		return ""
	}
	switch {
	case slices.Contains(deletionWords, word):
		return "deletions"
	case word == "disabled" || word == "disable":
		return "enabled"
	case word == "announce":
		return "announce_writes"
	}
	for _, section := range []string{"deletions", "items", "settings", "enabled", "announce_writes"} {
		reach := 2
		if len(section) < len("enabled") {
			reach = 1 // so that it is no other short word
		}
		if spelling.Distance(word, strings.ReplaceAll(section, "_", "")) <= reach {
			return section
		}
	}
	return ""
}

// lettersOf are the letters of a name, in lower case: neither a hyphen nor a capital makes it
// another one.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// misnamed reports an unknown field as damage if a part of the block would be lost with it: its
// name is that of a part, misspelled or in the wrong place, or its entries are those of a part.
func (r *reader) misnamed(e yamltext.Entry, where string) bool {
	meant := MeantSection(e.Key.Text)
	if meant == "" && !holdsEntries(e.Value, "key") {
		return false
	}
	message := quoteName(e.Key.Text) + " " + where
	switch {
	case meant == "":
		message += " contains entries, but memctl reads entries only under \"items\" and \"deletions\""
	case meant == e.Key.Text:
		message += ", where memctl does not read it"
	default:
		message += ": did you mean " + strconv.Quote(meant) + "?"
	}
	r.damage("section-name", e.Key.Start, message)
	return true
}

// misplaced reports a list that slid into the entry above it.
func (r *reader) misplaced(e yamltext.Entry, where string) bool {
	switch MeantSection(e.Key.Text) {
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
