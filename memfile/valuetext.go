package memfile

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Plain is the value on one line for people and for the profile: a string's
// text; lists joined with ", "; maps as "name: text; name: text". Line breaks and
// tabs become single spaces. (Defusing of control characters is the printer's job.)
func (v Value) Plain() string {
	switch v.Kind {
	case List:
		parts := make([]string, len(v.List))
		for i, e := range v.List {
			parts[i] = e.Plain()
		}
		return strings.Join(parts, ", ")
	case Map:
		parts := make([]string, len(v.Map))
		for i, f := range v.Map {
			parts[i] = oneLine(f.Name) + ": " + f.Value.Plain()
		}
		return strings.Join(parts, "; ")
	}
	return oneLine(v.Text)
}

// IsBreak reports whether a character ends a line, or parts a text as a tab does.
func IsBreak(r rune) bool {
	return r >= '\t' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

func oneLine(s string) string {
	if strings.IndexFunc(s, IsBreak) < 0 {
		return strings.TrimSpace(s)
	}
	parts := strings.FieldsFunc(s, IsBreak)
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, " ")
}

// Text is one string and where it stands.
type Text struct{ Where, Text string }

// Strings lists every string in the value with its place ("value",
// "value.issue", "value[0]"), scalars of other kinds and map names included, at
// every depth. A name that is not short and simple stands in a place as its
// number ("value.#2"), since it may be the very secret that is looked for.
func (v Value) Strings() []Text { return v.StringsAt("value") }

// StringsAt is Strings of a value that stands at a place.
func (v Value) StringsAt(where string) []Text { return v.appendStrings(nil, where) }

func (v Value) appendStrings(list []Text, where string) []Text {
	switch v.Kind {
	case List:
		for i, e := range v.List {
			list = e.appendStrings(list, where+"["+strconv.Itoa(i)+"]")
		}
		return list
	case Map:
		for i, f := range v.Map {
			place := FieldPlace(where, i, f.Name)
			list = append(list, Text{place, f.Name})
			list = f.Value.appendStrings(list, place)
		}
		return list
	}
	return append(list, Text{where, v.Text})
}

// FieldPlace is the place of a map's field: with its number, where its name may be what is objected to.
func FieldPlace(where string, i int, name string) string {
	if !simpleName(name) {
		return where + ".#" + strconv.Itoa(i)
	}
	return where + "." + name
}

// simpleName reports whether a field's name can be repeated in a message: short
// and in lower-case words, as no secret is.
func simpleName(s string) bool {
	return s != "" && len(s) <= 24 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_-") == ""
}

// Same reports whether both say the same: equal after NFKC, case folding and
// collapsing of spaces for scalars, or equal as canonical JSON.
func Same(a, b Value) bool {
	if a.scalar() && b.scalar() {
		return a.Text == b.Text || NormalText(a.Text) == NormalText(b.Text) || a.Kind == Null && b.Kind == Null
	}
	return a.scalar() == b.scalar() && a.Canonical() == b.Canonical()
}

func (v Value) scalar() bool { return v.Kind != List && v.Kind != Map }

// Equal reports whether both are exactly the same value, texts and order included.
func Equal(a, b Value) bool {
	return a.Kind == b.Kind && a.Text == b.Text &&
		slices.EqualFunc(a.List, b.List, Equal) && slices.EqualFunc(a.Map, b.Map, equalField)
}

func equalField(a, b Field) bool { return a.Name == b.Name && Equal(a.Value, b.Value) }

// Clone is a copy that shares nothing with the value.
func (v Value) Clone() Value {
	v.List = slices.Clone(v.List)
	for i := range v.List {
		v.List[i] = v.List[i].Clone()
	}
	v.Map = cloneFields(v.Map)
	return v
}

func cloneFields(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Value = fields[i].Value.Clone()
	}
	return fields
}

// NormalText is NFKC, case folded, runs of white space one space, trimmed.
func NormalText(s string) string {
	if !isASCII(s) {
		s = norm.NFKC.String(s)
		s = norm.NFKC.String(strings.Map(foldRune, s))
	} else {
		s = strings.ToLower(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// foldRune maps all runes that differ in case alone to one of them, the lower
// case of the smallest.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}
