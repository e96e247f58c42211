package jsontext

import "bytes"

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// maxSkippedDepth is how deep the values may be nested that ValueEnd passes over.
const maxSkippedDepth = 512

// VisitChildren calls each with the members of the object or the elements of the array that begins at from, and returns the
// place after it; -1 where it is not whole, after what is before the fault. An element has no name. The text is JSON
// without comments, of which no more is checked than it takes to find the children: that is about ten times as fast as
// encoding/json.
func VisitChildren(b []byte, from int, each func(name, value Span)) (end int) {
	object, closing := b[from] == '{', b[from]+2 // the closing sign is two after
	i := SpaceEnd(b, from+1)
	if i < len(b) && b[i] == closing {
		return i + 1
	}
	for i < len(b) {
		var name Span
		if object {
			if b[i] != '"' {
				return -1
			}
			if name = (Span{i, stringEnd(b, i)}); name.To < 0 {
				return -1
			}
			if i = SpaceEnd(b, name.To); i >= len(b) || b[i] != ':' {
				return -1
			}
			i = SpaceEnd(b, i+1)
		}
		value := Span{i, ValueEnd(b, i)}
		if value.To < 0 {
			return -1
		}
		each(name, value)
		switch i = SpaceEnd(b, value.To); {
		case i < len(b) && b[i] == closing:
			return i + 1
		case i >= len(b) || b[i] != ',':
			return -1
		}
		i = SpaceEnd(b, i+1)
	}
	return -1
}

// SpaceEnd returns the place of the first byte from i on that is no white space.
func SpaceEnd(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// ValueEnd returns the place after the value that begins at i, -1 where there is none.
func ValueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return containerEnd(b, i)
	}
	from := i
	for i < len(b) && !isSpace(b[i]) && bytes.IndexByte([]byte(`,]}":[{`), b[i]) < 0 {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// stringEnd returns the place after the string that begins at i, -1 where it has no end.
func stringEnd(b []byte, i int) int {
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

func containerEnd(b []byte, i int) int {
	var open []byte
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			if i = stringEnd(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			if open = append(open, c+2); len(open) > maxSkippedDepth {
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
