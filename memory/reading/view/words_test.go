package view

import (
	"strings"
	"testing"

	"github.com/sergi/go-diff/diffmatchpatch"
)

func TestWordChanges(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"a word in between":  {"run the tests", "run all the tests", "run +[all ]the tests"},
		"the last word":      {"be brief and kind", "be brief and precise", "be brief and -[kind]+[precise]"},
		"words at the end":   {"be kind", "be kind now", "be kind+[ now]"},
		"nothing in common":  {"tabs", "open", "-[tabs]+[open]"},
		"the same":           {"a b", "a b", "a b"},
		"letters of a word":  {"kind", "kinder", "-[kind]+[kinder]"},
		"lines":              {"a b\nc d", "a b\nc e", "a b\nc -[d]+[e]"},
		"more than one word": {"a b c d", "a x c y", "a -[b]+[x] c -[d]+[y]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, p := range WordChanges(c.before, c.after) {
				switch p.Type {
				case diffmatchpatch.DiffDelete:
					got.WriteString("-[" + p.Text + "]")
				case diffmatchpatch.DiffInsert:
					got.WriteString("+[" + p.Text + "]")
				default:
					got.WriteString(p.Text)
				}
			}
			if got.String() != c.want {
				t.Errorf("got %q, want %q", got.String(), c.want)
			}
		})
	}
}
