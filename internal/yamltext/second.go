package yamltext

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	goccy "github.com/goccy/go-yaml/parser"
)

// ErrReadersDiffer says that another YAML reader takes a text for something
// else than this package does.
var ErrReadersDiffer = errors.New("another YAML reader reads this differently")

// Second reads the text a second time, with goccy/go-yaml, and holds its answer
// against n, which Parse gave for the same text. It costs several times what
// Parse does: it is for what memctl writes, and for validate, not for reading.
// A map of more than maxSecondFields is not read again: that reader takes the
// square of their number. Errors: ErrReadersDiffer, with the line in the text.
func Second(text string, n *Node) error {
	if widest(n) > maxSecondFields {
		return nil
	}
	file, err := goccy.ParseBytes([]byte(text), 0)
	if err != nil {
		return fmt.Errorf("%w: it refuses it", ErrReadersDiffer)
	}
	if len(file.Docs) != 1 {
		return fmt.Errorf("%w: %d documents", ErrReadersDiffer, len(file.Docs))
	}
	return agree(n, file.Docs[0].Body)
}

const maxSecondFields = 1000

// widest is the number of fields of the largest map.
func widest(n *Node) int {
	if n == nil {
		return 0
	}
	most := 0
	if n.Kind == Map {
		most = len(n.Entries)
	}
	for _, e := range n.Entries {
		most = max(most, widest(e.Value))
	}
	return most
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

func (n *Node) differs() error { return fmt.Errorf("%w: line %d", ErrReadersDiffer, n.Line) }
