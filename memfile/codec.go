package memfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

// Wrong is a problem with a field of a record in a file; the zero Wrong is none.
type Wrong struct {
	Rule, Message, Hint string
	Lost                bool // the field counts as missing, or not all of it was read
}

// ReadField reads a field of an item or of an entry. A text that has not the form of the field stays.
func ReadField(f labels.Field, n *yamltext.Node) Wrong {
	wrong := readField(f, n)
	if wrong.Message != "" {
		wrong.Message = quoteName(f.Name) + wrong.Message
	}
	return wrong
}

// readField is ReadField, with messages that the field's name begins.
func readField(f labels.Field, n *yamltext.Node) Wrong {
	switch at := f.At.(type) {
	case *bool:
		if on, ok := boolOf(n); ok {
			*at = on
			return Wrong{}
		}
		return Wrong{Rule: "field-type", Message: " is neither true nor false, so it counts as false", Lost: true}
	case *int:
		if count, err := strconv.Atoi(n.Text); n.Kind == yamltext.Scalar && err == nil && count > 0 {
			*at = count
			return Wrong{}
		}
		return Wrong{Rule: "field-type", Message: " is not a positive whole number", Lost: true}
	case *[]string:
		return readTexts(f, at, n)
	case *string:
		if n.Kind != yamltext.Scalar {
			return Wrong{Rule: "field-type", Message: " is not text", Lost: true}
		}
		if !n.IsNull() {
			*at = n.Text
		}
		return wrongForm(f.Form, *at)
	}
	return Wrong{}
}

// wrongForm is what is wrong with a text of a fixed form.
func wrongForm(form labels.Form, text string) Wrong {
	switch form {
	case labels.Day:
		if !isDay(text) {
			return Wrong{Rule: "field-day", Message: " is not a day", Hint: "write it as 2006-01-02"}
		}
	case labels.Level:
		if labels.ConfidenceRank(text) == 0 {
			return Wrong{Rule: "confidence", Message: " is not low, medium or high"}
		}
	case labels.Writer:
		if text != "" && text != ByRelayed && text != ByAutomatic {
			return Wrong{Rule: "field-type", Message: " is neither relayed nor automatic"}
		}
	}
	return Wrong{}
}

// readTexts reads a list of texts; a single text counts as a list of one.
func readTexts(f labels.Field, at *[]string, n *yamltext.Node) Wrong {
	*at = nil
	switch {
	case n.IsNull():
		return Wrong{}
	case n.Kind == yamltext.Scalar:
		*at = []string{n.Text}
	case n.Kind == yamltext.List:
		for _, e := range n.Entries {
			if e.Value.Kind == yamltext.Scalar {
				*at = append(*at, e.Value.Text)
			}
		}
	}
	switch {
	case n.Kind != yamltext.List || len(*at) < len(n.Entries):
		return Wrong{Rule: "field-type", Message: " is not a list of texts", Hint: "write it as " + f.Name + ": [a, b]", Lost: n.Kind != yamltext.Scalar}
	case f.Form == labels.Globs && slices.ContainsFunc(*at, func(glob string) bool { return strings.TrimSpace(glob) == "" }):
		return Wrong{Rule: "field-empty", Message: " has an empty glob", Hint: "remove it"}
	}
	return Wrong{}
}

// WriteField is a field of an item or of an entry as it is written; ok is false for one without a value.
func WriteField(f labels.Field) (field Field, ok bool) {
	field.Name = f.Name
	switch at := f.At.(type) {
	case *bool:
		field.Value, ok = boolValue(*at), *at
	case *int:
		field.Value, ok = Value{Kind: Number, Text: strconv.Itoa(*at)}, *at != 0
	case *[]string:
		field.Value, ok = Value{Kind: List}, len(*at) > 0
		for _, s := range *at {
			field.Value.List = append(field.Value.List, Str(s))
		}
	case *string:
		if field.Value, ok = Str(*at), *at != ""; f.Form == labels.Day {
			field.Value = dayValue(*at)
		}
	}
	return field, ok
}

// dayValue is a day as a Number, which is how the printer knows that it is written without quotes.
func dayValue(s string) Value {
	if yamltext.IsDay(s) {
		return Value{Kind: Number, Text: s}
	}
	return Str(s)
}

func boolValue(b bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(b)} }
