package yamltext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml/parser"
)

// TestSecondOpinion holds our reading against goccy/go-yaml's on random texts
// of the kind that people write: what both accept, both read alike.
func TestSecondOpinion(t *testing.T) {
	both := 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := randomYAML(r, 0, "")
		n, err := Parse(Source{Text: text, To: len(text), Line: 1})
		if err != nil {
			continue
		}
		file, err := goccy.ParseBytes([]byte(text), 0)
		if err != nil || len(file.Docs) != 1 || n == nil {
			continue
		}
		both++
		if err := Second(text, n); err != nil {
			t.Fatalf("seed %d\n%s\n%v", seed, text, err)
		}
	}
	if both < 2000 {
		t.Fatalf("only %d texts were read by both", both)
	}
}

func randomYAML(r *rand.Rand, depth int, indent string) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	scalar := func() string {
		return pick("a", "a b", "1.10", "0123", "NULL", "yes", "\"x: y\"", "'it''s'", "~", "a:b", "a#b", "- b", "x, y", "{a: 1, b: [c]}", "[]", "[a, 'b']",
			"two\n"+indent+"   lines", "\"two\n"+indent+"   lines\"", "|\n"+indent+"   lit\n"+indent+"     deep", ">-\n"+indent+"   fold\n"+indent+"   ed")
	}
	if depth > 3 || r.IntN(4) == 0 {
		return scalar() + "\n"
	}
	var b strings.Builder
	step := strings.Repeat(" ", 1+r.IntN(3))
	isList := r.IntN(2) == 0
	for i := range 1 + r.IntN(3) {
		if depth > 0 || i > 0 {
			b.WriteString(indent)
		}
		if isList {
			b.WriteString("- ")
		} else {
			fmt.Fprintf(&b, "%s%d:", pick("k", "'q'", "a b"), i)
		}
		if r.IntN(8) == 0 {
			b.WriteString(" # note")
		}
		if r.IntN(2) == 0 {
			b.WriteString(" " + scalar() + pick("", "", "\n") + "\n")
		} else if inner := randomYAML(r, depth+1, indent+step); strings.HasPrefix(inner, indent+step) {
			b.WriteString("\n" + inner)
		} else {
			b.WriteString(" " + inner)
		}
	}
	return b.String()
}

// TestSecondSeesDifferences gives each text the reading of another one.
func TestSecondSeesDifferences(t *testing.T) {
	texts := []string{"a: b\n", "a: c\n", "b: b\n", "a: [b]\n", "a: {b: c}\n", "a:\n", "a: \"~\"\n", "- a\n", "- a\n- b\n", "a: b\nc: d\n", "plain\n"}
	for i, of := range texts {
		n, err := Parse(Source{Text: of, To: len(of), Line: 1})
		if err != nil {
			t.Fatal(err)
		}
		for j, text := range texts {
			if err := Second(text, n); (err == nil) != (i == j) {
				t.Errorf("%q read as %q: %v", text, of, err)
			}
		}
	}
	for _, broken := range []string{"a: [b\n", "a: 'b\n", "a: b: c\n"} {
		if err := Second(broken, nil); err == nil {
			t.Errorf("%q: no difference seen", broken)
		}
	}
}

// show prints a node for comparisons in tests.
func show(n *Node) string {
	var b strings.Builder
	switch n.Kind {
	case List:
		for _, e := range n.Entries {
			b.WriteString("-" + show(e.Value) + ";")
		}
		return "[" + b.String() + "]"
	case Map:
		for _, e := range n.Entries {
			b.WriteString(e.Key.Text + "=" + show(e.Value) + ";")
		}
		return "{" + b.String() + "}"
	}
	if n.Style <= Plain && TypeOf(n.Text) == Null {
		return "null"
	}
	return fmt.Sprintf("%q", n.Text)
}
