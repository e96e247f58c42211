package merge

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTextDiff(t *testing.T) {
	show := func(parts []Part) string {
		var b strings.Builder
		for _, p := range parts {
			switch {
			case p.Gone:
				b.WriteString("[-" + p.Text + "-]")
			case p.New:
				b.WriteString("{+" + p.Text + "+}")
			default:
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":           {"as it was", "as it was", "as it was"},
		"a word more":       {"run the tests", "run all the tests", "run {+all +}the tests"},
		"another word":      {"use tabs here", "use spaces here", "use [-tabs-]{+spaces+} here"},
		"nothing in common": {"abc", "xyz", "[-abc-]{+xyz+}"},
		"whole words":       {"immer größer", "immer grüner", "immer [-größer-]{+grüner+}"},
		"no spaces":         {"漢字を書く", "漢字を読む", "漢字を[-書く-]{+読む+}"},
	} {
		if got := show(TextDiff(c.before, c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The old text is what is not new, the new one what is not gone, whatever the
// bytes.
func TestTextDiffLosesNothing(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := func() string {
			var b strings.Builder
			for range r.IntN(40) {
				b.WriteString([]string{"a", "b ", "ü", "漢", "\xff", "word "}[r.IntN(6)])
			}
			return b.String()
		}
		before, after := text(), text()
		var was, is strings.Builder
		for _, p := range TextDiff(before, after) {
			if !p.New {
				was.WriteString(p.Text)
			}
			if !p.Gone {
				is.WriteString(p.Text)
			}
		}
		if was.String() != before || is.String() != after {
			t.Fatalf("seed %d: %q and %q, want %q and %q", seed, was.String(), is.String(), before, after)
		}
	}
}
