package memfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
)

// scalarText prints a scalar so that every reader takes it for the same: a
// number that they do not read alike becomes a string.
func scalarText(v Value, inFlow bool) string {
	switch v.Kind {
	case Null:
		if v.Text != "" && yamltext.TypeOf(v.Text) == yamltext.Null {
			return v.Text
		}
		if inFlow {
			return "null"
		}
		return ""
	case Bool:
		if plainKind(v.Text) == Bool {
			return v.Text
		}
	case Number:
		if sureNumber(v.Text) || yamltext.IsDay(v.Text) {
			return v.Text
		}
	}
	return yamltext.Quote(v.Text, inFlow)
}

// flowText prints a value on one line, as it stands inside brackets.
func flowText(v Value) string {
	switch v.Kind {
	case List:
		parts := make([]string, len(v.List))
		for i, e := range v.List {
			parts[i] = flowText(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Map:
		return flowMap(v.Map)
	}
	return scalarText(v, true)
}

func flowMap(fields []Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.YAML()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// YAML is the field on one line of YAML, as it stands inside braces.
func (f Field) YAML() string { return yamltext.Quote(f.Name, true) + ": " + flowText(f.Value) }

// YAML is the value on one line of YAML. ParseValue reads it back as an Equal
// value (an empty null becomes "null", and a number that not all readers read alike
// a string).
func (v Value) YAML() string { return flowText(v) }

// InlineYAML prints a value for the line of its key, where memctl writes it there:
// scalars, lists of scalars, and what is empty.
func (v Value) InlineYAML() (text string, ok bool) {
	switch v.Kind {
	case List:
		for _, e := range v.List {
			if !e.scalar() {
				return "", false
			}
		}
		return flowText(v), true
	case Map:
		return "{}", len(v.Map) == 0
	}
	return scalarText(v, false), true
}

// BlockWriter gathers lines of block YAML.
type BlockWriter struct {
	EOL string // ends each line
	b   strings.Builder
}

// String is what was written so far.
func (l *BlockWriter) String() string { return l.b.String() }

func (l *BlockWriter) add(indent int, text string) {
	for range indent {
		l.b.WriteByte(' ')
	}
	l.b.WriteString(text)
	l.b.WriteString(l.EOL)
}

// Field writes "name: value" at an indentation; first stands in its place on
// the first line, for the dash of a list item.
func (l *BlockWriter) Field(first string, indent int, f Field) {
	lead := strings.Repeat(" ", indent)
	if first != "" {
		lead = first
	}
	name := yamltext.Quote(f.Name, false) + ":"
	if text, ok := f.Value.InlineYAML(); ok {
		l.add(0, strings.TrimRight(lead+name+" "+text, " "))
		return
	}
	l.add(0, lead+name)
	l.Nested(indent+2, f.Value)
}

// Nested writes a list or map that does not fit on the line of its key.
func (l *BlockWriter) Nested(indent int, v Value) {
	if v.Kind == Map {
		for _, f := range v.Map {
			l.Field("", indent, f)
		}
		return
	}
	for _, e := range v.List {
		l.Entry(indent, 2, e)
	}
}

// Entry writes one list item, its text offset columns after the dash.
func (l *BlockWriter) Entry(indent, offset int, v Value) {
	dash := strings.Repeat(" ", indent) + "-" + strings.Repeat(" ", offset-1)
	if text, ok := v.InlineYAML(); ok {
		l.add(0, strings.TrimRight(dash+text, " "))
		return
	}
	if v.Kind == List {
		l.add(0, strings.TrimRight(dash, " "))
		l.Nested(indent+offset, v)
		return
	}
	for i, f := range v.Map {
		lead := ""
		if i == 0 {
			lead = dash
		}
		l.Field(lead, indent+offset, f)
	}
}

// RenderItem prints one item as block YAML, as Rewrite would insert it in the template's layout.
func RenderItem(it Item) string {
	l := BlockWriter{EOL: "\n"}
	l.Entry(4, 2, Value{Kind: Map, Map: ItemFields(it)})
	return l.String()
}

// ErrUnwritable says that a document cannot be written: what it says and what
// would be read back differ, as with text that is not UTF-8, a key that stands
// for nothing, or more than a memory file may hold.
var ErrUnwritable = errors.New("the file would not read back the same")

// ErrFull is the ErrUnwritable of a block that would have more than MaxBlockBytes.
var ErrFull = errors.New("the block would be too large")

// New renders a whole new memory file for the document (recovery's and the
// template's form). A Version of 0 counts as 1, an Updated of "" as NeverUpdated.
// Lines, columns and allowances of items are not used. The error is an
// ErrUnwritable.
func New(doc Document) ([]byte, error) {
	if doc.Version == 0 {
		doc.Version = 1
	}
	if doc.Updated == "" {
		doc.Updated = NeverUpdated
	}
	l := BlockWriter{EOL: "\n"}
	l.add(0, "```yaml")
	l.add(0, "saved_memory:")
	l.add(2, "version: "+strconv.Itoa(doc.Version))
	l.Field("", 2, Field{"updated", dayValue(doc.Updated)})
	l.add(2, "settings:")
	for _, f := range SettingFields(doc.Settings) {
		l.Field("", 4, f)
	}
	items := Value{Kind: List}
	for _, it := range doc.Items {
		items.List = append(items.List, Value{Kind: Map, Map: ItemFields(it)})
	}
	l.Field("", 2, Field{"items", items})
	tombs := Value{Kind: List}
	for _, t := range doc.Deletions {
		tombs.List = append(tombs.List, Value{Kind: Map, Map: TombstoneFields(t)})
	}
	l.topList("deletions", tombs)
	l.add(0, "```")
	return checkRoundTrip(FileName, []byte(l.String()), doc)
}

// topList writes the deletions, whose items stand two columns in like all else.
func (l *BlockWriter) topList(name string, v Value) { l.Field("", 0, Field{name, v}) }

// checkRoundTrip parses what was written and compares it with what was meant.
func checkRoundTrip(name string, src []byte, want Document) ([]byte, error) {
	f, problems := Parse(name, src)
	if f == nil {
		return nil, DamageError(problems)
	}
	if where := FirstDifference(f.doc, want); where != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnwritable, where)
	}
	return src, nil
}

// DamageError is an ErrUnwritable that names the first damage among the problems.
func DamageError(problems []Problem) error {
	for _, p := range problems {
		if p.Damage {
			if p.Rule == yamltext.RuleTooLarge {
				return fmt.Errorf("%w: %w", ErrUnwritable, ErrFull)
			}
			return fmt.Errorf("%w: %s (line %d)", ErrUnwritable, p.Rule, p.Line)
		}
	}
	return ErrUnwritable
}
