package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/memory/view"
)

// chooseKey asks for one of the keys, until it gets one. Errors: errQuit at the end of the input
// and on Ctrl-C.
func (s *session) chooseKey(keys []review.Key) (review.Key, error) {
	for {
		fmt.Fprint(s.streams.Err, keysQuestion(keys))
		key, err := s.streams.ReadKey(s.ctx)
		if s.streams.InTerminal && err == nil && key >= ' ' {
			fmt.Fprintf(s.streams.Err, "%c\n", key)
		}
		switch {
		case errors.Is(err, term.ErrInterrupted), errors.Is(err, io.EOF):
			fmt.Fprintln(s.streams.Err)
			return review.Key{}, errQuit
		case err != nil:
			return review.Key{}, err
		case key == '?':
			fmt.Fprint(s.streams.Err, keysHelp(keys))
			continue
		}
		if i := slices.IndexFunc(keys, func(k review.Key) bool { return k.Key == unicode.ToLower(key) }); i >= 0 {
			return keys[i], nil
		}
	}
}

// keysQuestion names every key and what it does.
func keysQuestion(keys []review.Key) string {
	var names []string
	for _, k := range keys {
		names = append(names, fmt.Sprintf("[%c] %s", k.Key, k.Label))
	}
	return strings.Join(names, ", ") + ", [?] help: "
}

// keysHelp is a line about each key.
func keysHelp(keys []review.Key) string {
	var b strings.Builder
	var t term.Table
	for _, k := range keys {
		t.Row("    "+string(k.Key), k.Label+": "+k.Help)
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
