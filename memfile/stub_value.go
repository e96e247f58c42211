package memfile

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

// ParseValue reads s as one small YAML value (for `add --yaml`). Same limits
// as a block; scalars only inside lists and maps is the caller's check.
func ParseValue(s string) (Value, error) { panic("stub") }

// MarshalJSON writes the value in its file order of fields. A number is a JSON
// number only where its text is a canonical JSON number, else a string; so for
// true/false ("True" is the string) and null ("NULL" is the string; "", "~" and "null" are null).
func (v Value) MarshalJSON() ([]byte, error) { panic("stub") }

// UnmarshalJSON is the inverse for data that memctl wrote (local state, JSON in).
func (v *Value) UnmarshalJSON(b []byte) error { panic("stub") }

// Canonical is the value's canonical JSON: map keys sorted, no spaces. It
// orders rivals and feeds digests.
func (v Value) Canonical() string { panic("stub") }

// Plain is the value on one line for people and for the profile: a string's
// text; lists joined with ", "; maps as "name: text; name: text". Line breaks and
// tabs become single spaces. (Defusing of control characters is the printer's job.)
func (v Value) Plain() string { panic("stub") }

// Strings lists every string in the value with its place ("value",
// "value.issue", "value[0]"), map names included, at every depth.
func (v Value) Strings() []Text { panic("stub") }

// Text is one string and where it stands.
type Text struct{ Where, Text string }

// Same reports whether both say the same: equal after NFKC, case folding and
// collapsing of spaces for scalars, or equal as canonical JSON.
func Same(a, b Value) bool { panic("stub") }

// Equal reports whether both are exactly the same value, texts and order included.
func Equal(a, b Value) bool { panic("stub") }

// NormalText is NFKC, case folded, runs of white space one space, trimmed.
func NormalText(s string) string { panic("stub") }
