package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
)

// A request is changed in place: its bytes stay as the client wrote them, because the provider's
// cache compares them, and a request may have megabytes. So the proxy looks for places in the
// text and does not decode it.

// span is a JSON value in a body, or nothing where to is 0.
type span struct{ from, to int }

func (s span) of(body []byte) []byte { return body[s.from:s.to] }

// first is the value's first byte, 0 where there is no value.
func (s span) first(body []byte) byte {
	if s.to == 0 {
		return 0
	}
	return body[s.from]
}

// object has the members of an object by name. ok is false where it is none, or has a name twice:
// which of the two counts is for the server to say.
func object(b []byte, at span) (fields map[string]span, ok bool) {
	if at.first(b) != '{' {
		return nil, false
	}
	fields = map[string]span{}
	twice := false
	end := jsontext.VisitChildren(b, at.from, func(name, value jsontext.Span) {
		key := text(b, span{name.From, name.To})
		_, known := fields[key]
		twice = twice || known
		fields[key] = span{value.From, value.To}
	})
	return fields, end == at.to && !twice
}

// array has the elements of an array.
func array(b []byte, at span) (list []span, ok bool) {
	if at.first(b) != '[' {
		return nil, false
	}
	end := jsontext.VisitChildren(b, at.from, func(_, value jsontext.Span) { list = append(list, span{value.From, value.To}) })
	return list, end == at.to
}

// text is a string's value; "" of any other value.
func text(b []byte, at span) string {
	if at.first(b) != '"' {
		return ""
	}
	raw := b[at.from+1 : at.to-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var s string
	if json.Unmarshal(at.of(b), &s) != nil {
		return ""
	}
	return s
}

// splice puts text in place of the bytes of a span, which may be empty.
type splice struct {
	span
	text []byte
}

// edited are the parts of the body with the edits made, none of which overlap. The body itself
// is not copied.
func edited(body []byte, edits []splice) (parts [][]byte, size int) {
	slices.SortStableFunc(edits, func(a, b splice) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	at := 0
	add := func(part []byte) {
		if len(part) > 0 {
			parts, size = append(parts, part), size+len(part)
		}
	}
	for _, e := range edits {
		add(body[at:e.from])
		add(e.text)
		at = e.to
	}
	add(body[at:])
	return parts, size
}

// insert is an edit that adds text at a place.
func insert(at int, text string) splice { return splice{span{at, at}, []byte(text)} }

// quoted is the text as a JSON string.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return `""` // never: any text can be encoded
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// escapeJSON is the text as it stands within a JSON string.
func escapeJSON(text string) string {
	q := quoted(text)
	return q[1 : len(q)-1]
}

// appended adds an element to the end of an array, or a member to the end of an object.
func appended(body []byte, container span, child string) splice {
	at := container.to - 1
	at = container.from + 1 + len(bytes.TrimRight(body[container.from+1:at], " \n\t\r"))
	if at > container.from+1 {
		child = "," + child
	}
	return insert(at, child)
}

// prepended adds an element to the beginning of an array.
func prepended(body []byte, container span, child string) splice {
	if jsontext.SpaceEnd(body, container.from+1) < container.to-1 {
		child += ","
	}
	return insert(container.from+1, child)
}
