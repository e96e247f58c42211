package txn

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// MergeNotes says what the two sides of a merge could not both have, a line for each reason, with the keys
// made harmless: they may be anybody's text.
func MergeNotes(list []merge.Aside) []string {
	var notes []string
	for _, why := range []struct{ why, text string }{
		{merge.AsideConflict, "changed on both sides; both values kept: %s; memctl review lists them"},
		{merge.AsideForgotten, "forgotten on one side and changed on the other; forgotten now: %s; the tombstone keeps a value that a person set, and memctl restore KEY restores it"},
		{merge.AsideKept, "removed on one side and changed on the other; kept: %s"},
		{merge.AsideField, "unknown fields, changed on both sides; one value kept: %s; git has the other"},
		{merge.AsideLacking, "missing from the damaged file, and kept: %s"},
	} {
		var keys []string
		for _, a := range list {
			if a.Why == why.why {
				keys = append(keys, cmp.Or(policy.Inert(string(policy.Redact([]byte(a.Key)))), "a text that was forgotten"))
			}
		}
		if len(keys) > 0 {
			note := fmt.Sprintf(why.text, strings.Join(keys, ", "))
			if len(keys) == 1 {
				note = strings.Replace(note, "restore KEY", "restore "+keys[0], 1)
			}
			notes = append(notes, note)
		}
	}
	return notes
}
