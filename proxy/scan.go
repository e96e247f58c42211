package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"slices"
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

// maxDepth is how deep values may be nested.
const maxDepth = 512

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// skipString returns the place after a string that begins at i, or -1.
func skipString(b []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(b[min(i, len(b)):], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipValue returns the place after the value that begins at i, or -1 where there is none. It
// checks no more than it needs to find the end: the rest is for the server.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	from := i
	for i < len(b) && !isSpace(b[i]) && !bytes.ContainsRune([]byte(`,]}":[{`), rune(b[i])) {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	var open []byte
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			if open = append(open, c+2); len(open) > maxDepth { // the closing sign is two after
				return -1
			}
		case '}', ']':
			if open[len(open)-1] != c {
				return -1
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// children yields the members or elements of the container at a span. An element has no name.
// ok is false after the last one where the text is not well formed.
func children(b []byte, at span, ok *bool) iter.Seq2[span, span] {
	return func(yield func(name, value span) bool) {
		*ok = false
		i, object := at.from+1, b[at.from] == '{'
		end := at.to - 1
		if i = skipSpace(b, i); i == end {
			*ok = true
			return
		}
		for {
			var name, value span
			if object {
				if i >= end || b[i] != '"' {
					return
				}
				name = span{i, skipString(b, i)}
				if name.to < 0 {
					return
				}
				if i = skipSpace(b, name.to); i >= end || b[i] != ':' {
					return
				}
				i = skipSpace(b, i+1)
			}
			value = span{i, skipValue(b, i)}
			if value.to < 0 || value.to > end {
				return
			}
			if !yield(name, value) {
				*ok = true
				return
			}
			if i = skipSpace(b, value.to); i == end {
				*ok = true
				return
			}
			if b[i] != ',' {
				return
			}
			i = skipSpace(b, i+1)
		}
	}
}

// object has the members of an object by name. ok is false where it is none, or has a name twice:
// which of the two counts is for the server to say.
func object(b []byte, at span) (fields map[string]span, ok bool) {
	if at.first(b) != '{' {
		return nil, false
	}
	fields = map[string]span{}
	twice := false
	for name, value := range children(b, at, &ok) {
		key := text(b, name)
		_, known := fields[key]
		twice = twice || known
		fields[key] = value
	}
	return fields, ok && !twice
}

// array has the elements of an array.
func array(b []byte, at span) (list []span, ok bool) {
	if at.first(b) != '[' {
		return nil, false
	}
	for _, value := range children(b, at, &ok) {
		list = append(list, value)
	}
	return list, ok
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

// inside is the text as it stands within a JSON string.
func inside(text string) string {
	q := quoted(text)
	return q[1 : len(q)-1]
}

// appended adds an element to the end of an array, or a member to the end of an object.
func appended(body []byte, container span, child string) splice {
	at := container.to - 1
	for at > container.from+1 && isSpace(body[at-1]) {
		at--
	}
	if at > container.from+1 {
		child = "," + child
	}
	return insert(at, child)
}

// prepended adds an element to the beginning of an array.
func prepended(body []byte, container span, child string) splice {
	if skipSpace(body, container.from+1) < container.to-1 {
		child += ","
	}
	return insert(container.from+1, child)
}
