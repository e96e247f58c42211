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
		return "two values for " + key + "; the other is stored in its conflict; memctl confirm " + key + " resolves it"
	case merge.AsideForgotten:
		return "forgotten on one side and changed on the other: " + key + "; its tombstone has the changed value; memctl restore " + key + " restores it"
	case merge.AsideKept:
		return "removed on one side and changed on the other, so it is kept: " + key
	case merge.AsideLacking:
		return "missing from the damaged file, and kept: " + cmp.Or(key, "a text that was forgotten")
	}
	return "two values for the field " + key + "; git's history has the other"
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
