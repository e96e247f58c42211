package review

import (
	"fmt"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

// Key is one key that a person can press in a review, and what it does.
type Key struct {
	Key    rune
	Label  string // as the question names it
	Help   string // what ? says about it
	Action string // of a Decision; empty for edit, skip and quit
	Choice int    // of a Decision
}

// Keys returns the keys for one thing that waits. No key means the opposite for
// another kind: a choice between two values has keys of its own.
func Keys(w view.Waiting) []Key {
	var keys []Key
	mine, others := w.Choice()
	var forget Key
	switch {
	case len(others) > 0:
		of := func(i int, value string) string { return w.Names()[i] + " (" + value + ")" }
		keys = append(keys, Key{Key: 'm', Label: "keep " + of(0, shortValue(mine)), Help: "keep this value, and drop the other", Action: "keep"})
		for i, v := range others[:min(len(others), 9)] {
			k := Key{
				Key: rune('1' + i), Label: fmt.Sprintf("take %s", shortValue(v)),
				Help: "put this value in its place", Action: "keep", Choice: i + 1,
			}
			if len(others) == 1 {
				k.Key, k.Label = 't', "take "+of(1, shortValue(v))
			}
			keys = append(keys, k)
		}
	case w.ID != "":
		keys = append(keys, Key{Key: 'k', Label: "save", Help: "save it as your own statement", Action: "keep"})
		if w.Session != "" {
			keys = append(keys, Key{Key: 'a', Label: "save all of this session", Help: "save this and all other proposals from that session", Action: "keep"})
		}
		forget = Key{Label: "drop", Help: "drop it: nothing is saved"}
	case w.Why == view.WaitsForgotten:
		keys = append(keys, Key{Key: 'k', Label: "bring back", Help: "bring the item back", Action: "keep"})
		forget = Key{Label: "leave forgotten", Help: "leave the item forgotten, and drop this value"}
	default:
		keys = append(keys, Key{Key: 'k', Label: "keep", Help: "keep it, as your own statement", Action: "keep"})
		if a := w.Against; a != nil && a.Tier == w.Tier && a.Scope == w.Scope {
			keys = append(keys, Key{Key: 'r', Label: "replace " + policy.Inert(a.Key), Help: "keep it as your own statement, in place of the older fact", Action: "replace"})
		}
		forget = Key{Label: "forget", Help: "forget it"}
	}
	keys = append(keys, Key{Key: 'e', Label: "edit", Help: "give it another value"})
	if forget.Label != "" {
		forget.Key, forget.Action = 'f', "forget"
		keys = append(keys, forget)
	}
	return append(keys, Key{Key: 's', Label: "skip", Help: "decide nothing: the next review shows it again"},
		Key{Key: 'q', Label: "quit", Help: "end the review and keep your decisions"})
}

// shortValue is a value for a question; the text above it has all of the value.
func shortValue(v memfile.Value) string {
	return policy.Cut(policy.Inert(v.Plain()), 40)
}
