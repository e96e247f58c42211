// Package yamltext reads and writes the small, strict part of YAML that memory
// files use, and knows where every byte of it stands.
//
// Words. A node is a scalar, a list or a map. Its style is how it was written.
// The part of YAML is: block and flow lists and maps, and scalars in all five
// styles; no anchors, aliases, tags, directives, complex keys or second
// documents. Whatever YAML itself forbids is refused here too, so what this
// package accepts means the same to any YAML 1.2 reader.
//
// The reader is our own rather than a library's, because splicing needs exact
// byte ranges, the time must be linear in any input, and a library that accepts
// broken text would need every one of these checks anyway. Tests hold it against
// goccy/go-yaml.
package yamltext

import "fmt"

// Limits of what Parse reads. They are far above any real memory file and low
// enough that no input costs noticeable time or space.
const (
	MaxBytes    = 1 << 20 // of the whole text
	MaxDepth    = 64      // of lists and maps inside each other
	MaxNodes    = 200_000 // scalars, lists and maps in all
	MaxKeyBytes = 1024    // of a map's key, as YAML 1.2 has it
)

// Kind says what a node is.
type Kind uint8

// The kinds of node.
const (
	Scalar Kind = iota
	List
	Map
)

// Style says how a node was written.
type Style uint8

// The styles. Empty is a scalar of no characters ("key:"); Block and Flow are
// for lists and maps.
const (
	Empty Style = iota
	Plain
	Single
	Double
	Literal
	Folded
	Block
	Flow
)

// Node is one value. Offsets are bytes in the text given to Parse.
type Node struct {
	Kind  Kind
	Style Style
	// Text is a scalar's text: as written when plain, unquoted and unescaped
	// when quoted, folded as YAML folds it.
	Text string
	// Start and End bound what was written, quotes and brackets included; for
	// a block list or map from its first dash or key to the end of its last
	// value. An empty scalar stands where it would begin, Start == End.
	Start, End int
	// Line and EndLine are the first and last line, 1-based; Column is of
	// Start, 1-based, in bytes.
	Line, EndLine, Column int
	Entries               []Entry // of a list or map
}

// Entry is one element of a list or one field of a map.
type Entry struct {
	Key   *Node // nil in a list
	Start int   // of the dash or the key (of the value, in a flow list)
	Value *Node
}

// Field returns the value of the map's field of that name, or nil.
func (n *Node) Field(name string) *Node {
	if n == nil || n.Kind != Map {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key.Text == name {
			return e.Value
		}
	}
	return nil
}

// Rules that an Error can name.
const (
	RuleSyntax    = "yaml-syntax"      // not YAML
	RuleFeature   = "yaml-feature"     // YAML that memory files do not allow
	RuleDuplicate = "yaml-duplicate"   // a field stands twice in one map
	RuleTooDeep   = "too-deep"         // more than MaxDepth
	RuleTooLarge  = "too-large"        // more than MaxBytes or MaxNodes
	RuleEncoding  = "invalid-encoding" // not UTF-8, or characters YAML forbids
)

// Error is why a text was not read, at one place. The message never repeats
// more of the text than one character.
type Error struct {
	Rule         string
	Line, Column int // 1-based; the column in bytes
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
