package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

// reviewKey is one key that a person can press in a review, and what it does.
type reviewKey struct {
	key    rune
	label  string // as the question names it
	help   string // what ? says about it
	action string // of review.Decision; empty for edit, skip and quit
	choice int
}

// reviewKeys returns the keys for one thing that waits. No key means the opposite for
// another kind: a choice between two values has keys of its own.
func reviewKeys(w view.Waiting) []reviewKey {
	var keys []reviewKey
	mine, others := w.Choice()
	var forget reviewKey
	switch {
	case len(others) > 0:
		own := shortValue(plain(mine))
		keys = append(keys, reviewKey{key: 'm', label: "keep mine (" + own + ")", help: "keep your value, and drop the other", action: "keep"})
		for i, v := range others[:min(len(others), 9)] {
			k := reviewKey{
				key: rune('1' + i), label: fmt.Sprintf("take %s", shortValue(plain(v))),
				help: "put this value in place of yours", action: "keep", choice: i + 1,
			}
			if len(others) == 1 {
				k.key, k.label = 't', "take theirs ("+shortValue(plain(v))+")"
			}
			keys = append(keys, k)
		}
	case w.ID != "":
		keys = append(keys, reviewKey{key: 'k', label: "save", help: "save it as your own statement", action: "keep"})
		if w.Session != "" {
			keys = append(keys, reviewKey{key: 'a', label: "save all of this session", help: "save this and all other proposals from that session", action: "keep"})
		}
		forget = reviewKey{label: "drop", help: "drop it: nothing is saved"}
	case w.Why == view.WaitsForgotten:
		keys = append(keys, reviewKey{key: 'k', label: "bring back", help: "bring the item back", action: "keep"})
		forget = reviewKey{label: "leave forgotten", help: "leave the item forgotten, and drop this value"}
	default:
		keys = append(keys, reviewKey{key: 'k', label: "keep", help: "keep it, as your own statement", action: "keep"})
		if a := w.Against; a != nil && a.Tier == w.Tier && a.Scope == w.Scope {
			keys = append(keys, reviewKey{key: 'r', label: "replace " + inert(a.Key), help: "keep it as your own statement, in place of the older fact", action: "replace"})
		}
		forget = reviewKey{label: "forget", help: "forget it"}
	}
	keys = append(keys, reviewKey{key: 'e', label: "edit", help: "give it another value"})
	if forget.label != "" {
		forget.key, forget.action = 'f', "forget"
		keys = append(keys, forget)
	}
	return append(keys, reviewKey{key: 's', label: "skip", help: "decide nothing: the next review shows it again"},
		reviewKey{key: 'q', label: "quit", help: "end the review and keep your decisions"})
}

// chooseKey asks for one of the keys, until it gets one. Errors: errQuit at the end of the input
// and on Ctrl-C.
func (s *session) chooseKey(keys []reviewKey) (reviewKey, error) {
	for {
		fmt.Fprint(s.streams.Err, keysQuestion(keys))
		key, err := s.streams.ReadKey(s.ctx)
		if s.streams.InTerminal && err == nil && key >= ' ' {
			fmt.Fprintf(s.streams.Err, "%c\n", key)
		}
		switch {
		case errors.Is(err, term.ErrInterrupted), errors.Is(err, io.EOF):
			fmt.Fprintln(s.streams.Err)
			return reviewKey{}, errQuit
		case err != nil:
			return reviewKey{}, err
		case key == '?':
			fmt.Fprint(s.streams.Err, keysHelp(keys))
			continue
		}
		if i := slices.IndexFunc(keys, func(k reviewKey) bool { return k.key == unicode.ToLower(key) }); i >= 0 {
			return keys[i], nil
		}
	}
}

// keysQuestion names every key and what it does.
func keysQuestion(keys []reviewKey) string {
	var names []string
	for _, k := range keys {
		names = append(names, fmt.Sprintf("[%c] %s", k.key, k.label))
	}
	return strings.Join(names, ", ") + ", [?] help: "
}

// keysHelp is a line about each key.
func keysHelp(keys []reviewKey) string {
	var b strings.Builder
	var t term.Table
	for _, k := range keys {
		t.Row("    "+string(k.key), k.label+": "+k.help)
	}
	_ = t.Write(&b, false)
	return "\n" + b.String()
}

// valueLines are the values that a decision is about.
func valueLines(w view.Waiting) []string {
	if w.Stated != nil {
		return []string{
			"mine:   " + plain(w.Stated.Value) + "  (" + inert(w.Stated.Scope) + ")",
			"theirs: " + plain(w.Value) + "  (" + inert(w.Scope) + ")",
		}
	}
	if len(w.Conflict) == 0 {
		return []string{plain(w.Value)}
	}
	lines := []string{"mine:   " + plain(w.Value)}
	for i, rival := range w.Conflict {
		name := "theirs: "
		if len(w.Conflict) > 1 {
			name = fmt.Sprintf("%d:      ", i+1)
		}
		lines = append(lines, name+plain(rival.Value)+rivalFacts(rival))
	}
	return lines
}

// againstText says which older memory a fact contradicts or repeats.
func againstText(a *view.Against) string {
	verb := "contradicts"
	if a.Repeats {
		verb = "repeats"
	}
	return fmt.Sprintf("%s %s %s (%s): %s", verb, inert(a.Tier), inert(a.Key), inert(a.Scope), inert(a.Text))
}

// shortValue cuts a value for the question; the lines above it have all of it.
func shortValue(text string) string {
	return policy.Cut(text, 40)
}
