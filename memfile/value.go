package memfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/yamltext"
)

// Kind says what a value is. Scalars keep their text as written: 1.10, 0123,
// NULL and yes come back as they stand.
type Kind uint8

// The kinds of value.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// Value is one YAML value. For scalars Text is the scalar's text, unquoted and
// unescaped for quoted strings, exactly as written for plain ones.
type Value struct {
	Kind Kind
	Text string
	List []Value
	Map  []Field
}

// Field is one name with its value.
type Field struct {
	Name  string
	Value Value
}

// Str is a String value.
func Str(s string) Value { return Value{Kind: String, Text: s} }

// ParseValue reads s as one small YAML value (for `add --yaml`), within the
// limits of a block; an empty s is null. A number that YAML 1.1 and 1.2 readers
// do not read alike (0123, 1e3, -0) is the string of its text. That lists and
// maps hold scalars only is the caller's check. The error names line and column.
func ParseValue(s string) (Value, error) {
	n, err := yamltext.Parse(yamltext.Source{Text: s, To: len(s), Line: 1})
	if err != nil {
		return Value{}, err
	}
	if n == nil {
		return Value{}, nil
	}
	return ValueOf(n).forWriting(), nil
}

// ValueOf is the value that a parsed node has.
func ValueOf(n *yamltext.Node) Value {
	switch n.Kind {
	case yamltext.List:
		v := Value{Kind: List, List: make([]Value, 0, len(n.Entries))}
		for _, e := range n.Entries {
			v.List = append(v.List, ValueOf(e.Value))
		}
		return v
	case yamltext.Map:
		v := Value{Kind: Map, Map: make([]Field, 0, len(n.Entries))}
		for _, e := range n.Entries {
			v.Map = append(v.Map, Field{e.Key.Text, ValueOf(e.Value)})
		}
		return v
	}
	if n.Style != yamltext.Plain && n.Style != yamltext.Empty {
		return Str(n.Text)
	}
	return Value{Kind: plainKind(n.Text), Text: n.Text}
}

func plainKind(text string) Kind {
	switch yamltext.TypeOf(text) {
	case yamltext.Null:
		return Null
	case yamltext.Bool:
		return Bool
	case yamltext.Number:
		return Number
	}
	return String
}

// MarshalJSON writes the value in its file order of fields. A number is a JSON
// number only where its text is the one way to write it (1.5, not 1.50 or 15e-1),
// else a string; so for true/false ("True" is the string) and null ("NULL" is
// the string; "", "~" and "null" are null).
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil, false), nil }

// Canonical is the value's canonical JSON: map keys sorted, no spaces. It
// orders rivals and feeds digests.
func (v Value) Canonical() string { return string(v.appendJSON(nil, true)) }

func (v Value) appendJSON(b []byte, sorted bool) []byte {
	switch v.Kind {
	case List:
		b = append(b, '[')
		for i, e := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.appendJSON(b, sorted)
		}
		return append(b, ']')
	case Map:
		fields := v.Map
		if sorted {
			fields = slices.Clone(fields)
			slices.SortStableFunc(fields, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
		}
		b = append(b, '{')
		for i, f := range fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONString(b, f.Name), ':')
			b = f.Value.appendJSON(b, sorted)
		}
		return append(b, '}')
	}
	if v.bareJSON() {
		if v.Kind == Null {
			return append(b, "null"...)
		}
		return append(b, v.Text...)
	}
	return appendJSONString(b, v.Text)
}

// bareJSON reports whether a scalar stands in JSON without quotes.
func (v Value) bareJSON() bool {
	switch v.Kind {
	case Null:
		return v.Text == "" || v.Text == "~" || v.Text == "null"
	case Bool:
		return v.Text == "true" || v.Text == "false"
	case Number:
		return canonicalNumber(v.Text)
	}
	return false
}

// canonicalNumber reports whether any JSON reader that uses 64-bit floating
// point gives back the same text.
func canonicalNumber(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || s == "-0" || !json.Valid([]byte(s)) {
		return false
	}
	return strconv.FormatFloat(f, 'f', -1, 64) == s
}

func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c == '\n':
				b = append(b, '\\', 'n')
			case c == '\t':
				b = append(b, '\\', 't')
			case c < 0x20 || c == 0x7f:
				b = fmt.Appendf(b, `\u%04x`, c)
			default:
				b = append(b, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, `\ufffd`...)
		case r == 0x2028 || r == 0x2029:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}

// UnmarshalJSON reads what MarshalJSON wrote: the result has the same JSON. A
// scalar that MarshalJSON had to write as a string comes back as a String; who
// needs the very same value keeps YAML() and reads it with ParseValue.
func (v *Value) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	got, err := decodeJSON(d, 0)
	if err != nil {
		return err
	}
	*v = got.forWriting()
	return nil
}

func decodeJSON(d *json.Decoder, depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, fmt.Errorf("more than %d levels", MaxDepth)
	}
	tok, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Value{}, err
	}
	switch t := tok.(type) {
	case json.Delim:
		return decodeJSONGroup(d, t, depth)
	case string:
		return Str(t), nil
	case json.Number:
		return Value{Kind: Number, Text: t.String()}, nil
	case bool:
		return Value{Kind: Bool, Text: strconv.FormatBool(t)}, nil
	}
	return Value{Kind: Null, Text: "null"}, nil
}

func decodeJSONGroup(d *json.Decoder, open json.Delim, depth int) (Value, error) {
	v := Value{Kind: List}
	if open == '{' {
		v.Kind = Map
	}
	for d.More() {
		var name string
		if v.Kind == Map {
			tok, err := d.Token()
			if err != nil {
				return Value{}, err
			}
			name, _ = tok.(string)
		}
		e, err := decodeJSON(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		if v.Kind == Map {
			v.Map = append(v.Map, Field{name, e})
		} else {
			v.List = append(v.List, e)
		}
	}
	_, err := d.Token()
	return v, err
}

// decimal is a number that readers of YAML 1.1 and 1.2 take for the same one:
// without a leading zero, which makes octal in 1.1, and with a fraction and a
// signed exponent or none, since 1.1 takes 1e3 and -.5 for text.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+][0-9]+)?)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
})

// sureNumber reports whether every reader takes the plain text for the same number.
func sureNumber(text string) bool {
	if !decimal().MatchString(text) || text == "-0" || text == "+0" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || text[len(text)-1] < '0' || text[len(text)-1] > '9'
}

// forWriting turns each number that is not sure into the string of its text, as
// which it will be written.
func (v Value) forWriting() Value {
	if v.Kind == Number && !sureNumber(v.Text) {
		return Str(v.Text)
	}
	for i, e := range v.List {
		v.List[i] = e.forWriting()
	}
	for i, f := range v.Map {
		v.Map[i].Value = f.Value.forWriting()
	}
	return v
}
