package jsontext

import (
	"bytes"
	"strings"
)

// emptyContainerMark is the lead by which RemoveChild knows that AppendChild found the container
// empty, and so that it must stay. No formatter writes two spaces there.
const emptyContainerMark = "  "

// Value is a value to be written: a string, a number that stands as it is
// (Raw), an object of Members or an array of Items.
type Value struct {
	Raw     string // printed as it is; must be one JSON value
	Members []Member
	Items   []Value
}

// Member is a named value to be written.
type Member struct {
	Name  string
	Value Value
}

// AppendChild adds a member (name is not "") or an element to the container of src,
// after its last child, and returns the new text. The container's node must
// come from parsing src. RemoveChild takes it away again, to the byte.
func AppendChild(src []byte, container *Node, name string, value Value) []byte {
	l := layoutOf(src)
	multi := len(container.Children) == 0 && (l.multiline || container.Start == rootStart(src))
	indent := l.lineIndent(src, container.Start) + l.indent
	lead, tail := " ", ""
	if len(container.Children) > 0 {
		first := container.Children[0]
		if at := bytes.LastIndexByte(src[container.Start:first.Start], '\n'); at >= 0 {
			multi, indent = true, l.lineIndent(src, first.Start)
		}
	}
	switch {
	case len(container.Children) > 0 && multi, container.endsInLineComment:
		lead = l.newline + indent
	case multi:
		lead = emptyContainerMark + l.newline + indent
		tail = l.newline + l.lineIndent(src, container.Start)
	case len(container.Children) == 0:
		lead = emptyContainerMark
	}
	p := printer{indent: l.indent, newline: l.newline, flat: !multi}
	text := lead + p.printMember(Member{name, value}, indent) + tail
	if container.trailingComma {
		text += ","
	}
	var out []byte
	if n := len(container.Children); n > 0 && !container.trailingComma {
		end := container.Children[n-1].Value.End
		out = append(append(append(out, src[:end]...), ','), src[end:container.contentEnd]...)
	} else {
		out = append(out, src[:container.contentEnd]...)
	}
	return append(append(out, text...), src[container.contentEnd:]...)
}

func rootStart(src []byte) int {
	at := 0
	if bytes.HasPrefix(src, []byte(bom)) {
		at = len(bom)
	}
	for at < len(src) && isSpace(src[at]) {
		at++
	}
	return at
}

// PrintFile returns the text of a file that holds the object alone, with a line end.
func PrintFile(members []Member) []byte {
	p := printer{indent: "  ", newline: "\n"}
	return []byte(p.printValue(Value{Members: members}, "") + "\n")
}

// RemoveChild takes the i-th child out of the container, with its lead and one
// comma. Where the container would be left empty, and nothing shows that it
// was there before its child (see AppendChild), alone is true and src is returned
// as it is: the caller removes the container instead.
func RemoveChild(src []byte, container *Node, i int) (out []byte, alone bool) {
	c := container.Children[i]
	lead := string(src[c.previousEnd:c.Start])
	end := c.Value.End
	comma := c.commaAt
	if len(container.Children) == 1 {
		keep := strings.HasPrefix(lead, emptyContainerMark)
		if !keep && !container.hasComments {
			return src, true
		}
		l := layoutOf(src)
		if tail := l.newline + l.lineIndent(src, container.Start); keep && len(lead) > len(emptyContainerMark) && bytes.HasPrefix(src[end:], []byte(tail)) {
			end += len(tail)
		}
	} else if comma < 0 {
		comma = container.Children[i-1].commaAt
	}
	from := c.previousEnd
	if c.afterLineComment && !endsLine(src[end:], comma == end) {
		// The comment must not swallow what follows.
		from += strings.IndexAny(lead, "\r\n") + 1
	}
	return removeRange(src, from, end, comma), false
}

// endsLine reports whether nothing but blanks, and one comma where there is
// one, stands before the line's end.
func endsLine(rest []byte, comma bool) bool {
	if comma {
		rest = rest[1:]
	}
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r')
}

// removeRange removes src[from:to] and the comma.
func removeRange(src []byte, from, to, comma int) []byte {
	out := make([]byte, 0, len(src))
	for i, c := range src {
		if i >= from && i < to || i == comma {
			continue
		}
		out = append(out, c)
	}
	return out
}

// layout is how a text is laid out.
type layout struct {
	newline   string
	indent    string // one step of indentation
	multiline bool   // there is more than one line
}

func layoutOf(src []byte) layout {
	l := layout{newline: "\n", indent: "  "}
	at := bytes.IndexByte(src, '\n')
	if at < 0 {
		return l
	}
	if at > 0 && src[at-1] == '\r' {
		l.newline = "\r\n"
	}
	l.multiline = len(bytes.TrimSpace(src[at:])) > 0
	for line := range bytes.Lines(src[at+1:]) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 {
			l.indent = string(line[:n])
			break
		}
	}
	return l
}

// lineIndent is the white space at the beginning of the line of src[at].
func (l layout) lineIndent(src []byte, at int) string {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	line := src[start:at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// printer writes new values.
type printer struct {
	indent, newline string
	flat            bool // all on one line
}

func (p printer) printMember(m Member, indent string) string {
	if m.Name == "" {
		return p.printValue(m.Value, indent)
	}
	return Quote(m.Name) + ": " + p.printValue(m.Value, indent)
}

func (p printer) printValue(v Value, indent string) string {
	open, closing := "{", "}"
	var parts []string
	inside := indent + p.indent
	switch {
	case v.Raw != "":
		return v.Raw
	case v.Items != nil:
		open, closing = "[", "]"
		for _, item := range v.Items {
			parts = append(parts, p.printValue(item, inside))
		}
	default:
		for _, m := range v.Members {
			parts = append(parts, p.printMember(m, inside))
		}
	}
	if p.flat {
		return open + strings.Join(parts, ", ") + closing
	}
	sep := p.newline + inside
	return open + sep + strings.Join(parts, ","+sep) + p.newline + indent + closing
}

// Quote is text as a JSON string, with no more escapes than JSON asks for.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			const hex = "0123456789abcdef"
			b.WriteString(`\u00` + string(hex[r>>4]) + string(hex[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
