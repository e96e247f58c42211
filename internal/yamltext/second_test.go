package yamltext

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
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
		if err := second(text, n); err != nil {
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
			if err := second(text, n); (err == nil) != (i == j) {
				t.Errorf("%q read as %q: %v", text, of, err)
			}
		}
	}
	for _, broken := range []string{"a: [b\n", "a: 'b\n", "a: b: c\n"} {
		if err := second(broken, nil); err == nil {
			t.Errorf("%q: no difference seen", broken)
		}
	}
}

// errReadersDiffer says that another YAML reader takes a text for something
// else than this package does.
var errReadersDiffer = errors.New("another YAML reader reads this differently")

// second reads the text with goccy/go-yaml, and holds its answer against n, which Parse gave for
// the same text. Errors: errReadersDiffer, with the line in the text.
func second(text string, n *Node) error {
	file, err := goccy.ParseBytes([]byte(text), 0)
	if err != nil {
		return fmt.Errorf("%w: it refuses it", errReadersDiffer)
	}
	if len(file.Docs) != 1 {
		return fmt.Errorf("%w: %d documents", errReadersDiffer, len(file.Docs))
	}
	return agree(n, file.Docs[0].Body)
}

// agree compares one node with the other reader's.
func agree(n *Node, theirs ast.Node) error {
	if n == nil {
		n = &Node{}
	}
	switch theirs := theirs.(type) {
	case *ast.SequenceNode:
		if n.Kind != List || len(n.Entries) != len(theirs.Values) {
			return n.differs()
		}
		for i, e := range n.Entries {
			if err := agree(e.Value, theirs.Values[i]); err != nil {
				return err
			}
		}
		return nil
	case *ast.MappingNode:
		return agreeMap(n, theirs.Values)
	case *ast.MappingValueNode:
		return agreeMap(n, []*ast.MappingValueNode{theirs})
	}
	if n.Kind != Scalar {
		return n.differs()
	}
	text, null := scalarOf(theirs)
	ours := n.Style <= Plain && TypeOf(n.Text) == Null
	if ours != null || !null && text != n.Text {
		return n.differs()
	}
	return nil
}

func agreeMap(n *Node, theirs []*ast.MappingValueNode) error {
	if n.Kind != Map || len(n.Entries) != len(theirs) {
		return n.differs()
	}
	for i, e := range n.Entries {
		if e.Key.Text != theirs[i].Key.GetToken().Value {
			return e.Key.differs()
		}
		if err := agree(e.Value, theirs[i].Value); err != nil {
			return err
		}
	}
	return nil
}

// scalarOf is the other reader's text of a scalar, and whether it is a null,
// which has no text of its own where none was written.
func scalarOf(n ast.Node) (text string, null bool) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "", true
	case *ast.LiteralNode:
		return n.Value.Value, false
	}
	return n.GetToken().Value, false
}

func (n *Node) differs() error { return fmt.Errorf("%w: line %d", errReadersDiffer, n.Line) }

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
