package txn

import (
	"cmp"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// MergeNotes says what the two sides of a merge could not both have, a line for each reason, with the keys
// made harmless: they may be anybody's text.
func MergeNotes(list []merge.Aside) []fault.Note {
	var notes []fault.Note
	addNote := func(why, code, text string) {
		var keys []string
		for _, a := range list {
			if a.Why == why {
				keys = append(keys, cmp.Or(policy.Inert(string(policy.Redact([]byte(a.Key)))), "a text that was forgotten"))
			}
		}
		if len(keys) == 1 {
			text = strings.Replace(text, "restore KEY", "restore "+keys[0], 1)
		}
		if len(keys) > 0 {
			notes = append(notes, fault.NewNote(code, strings.Replace(text, "KEYS", strings.Join(keys, ", "), 1)))
		}
	}
	addNote(merge.AsideConflict, "both-kept", "changed on both sides; both values kept: KEYS; memctl review lists them")
	addNote(merge.AsideForgotten, "forgotten-one-side", "forgotten on one side and changed on the other; forgotten now: KEYS; the tombstone keeps a value that a person set, and memctl restore KEY restores it")
	addNote(merge.AsideKept, "kept-one-side", "removed on one side and changed on the other; kept: KEYS")
	addNote(merge.AsideField, "unknown-field", "unknown fields, changed on both sides; one value kept: KEYS; git has the other")
	addNote(merge.AsideLacking, "missing-kept", "missing from the damaged file, and kept: KEYS")
	return notes
}

// EntryMergeNotes are what a merge of an entry says, each with a text before it.
func EntryMergeNotes(before string, said []string) (notes []fault.Note) {
	for _, text := range said {
		notes = append(notes, fault.NewNote("entry-merged", before+strings.TrimSpace(text)))
	}
	return notes
}
