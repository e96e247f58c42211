package txn

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// AsideNote says what the two sides could not both have, with the key made
// harmless: it may be anybody's text.
func AsideNote(a merge.Aside) string {
	key := policy.Inert(string(policy.Redact([]byte(a.Key))))
	switch a.Why {
	case merge.AsideConflict:
		return "two values for " + key + ": the other is in its conflict; memctl confirm " + key + " settles it"
	case merge.AsideForgotten:
		return "forgotten on one side and changed on the other: " + key + "; the changed value is on its tombstone: memctl restore " + key + " brings it back"
	case merge.AsideKept:
		return "taken out on one side and changed on the other, so it stays: " + key
	case merge.AsideLacking:
		return "missing from the damaged file, and kept: " + cmp.Or(key, "a text that was forgotten")
	}
	return "two values for the field " + key + ": the other is in the history"
}

// AsideName is the path of a deleted entry: memories/entries/C/F is
// memories/entries/deleted/C/F.
func AsideName(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) < 3 || slices.Contains(parts, "deleted") {
		return name
	}
	return path.Join(append([]string{parts[0], parts[1], "deleted"}, parts[2:]...)...)
}
