package jsontext

import (
	"bytes"
	"strings"
)

// kept is the lead by which Remove knows that Append found the container
// empty, and so that it must stay. No formatter writes two spaces there.
const kept = "  "

// Item is a value to be written: a string, a number that stands as it is
// (Raw), an object of Members or an array of Items.
type Item struct {
	Raw     string // printed as it is; must be one JSON value
	Members []Member
	Items   []Item
}

// Member is a named value to be written.
type Member struct {
	Name  string
	Value Item
}

// Append adds a member (name is not "") or an element to the container of src,
// after its last child, and returns the new text. The container's node must
// come from parsing src. Remove takes it away again, to the byte.
func Append(src []byte, container *Node, name string, value Item) []byte {
	l := layoutOf(src)
	multi := len(container.Children) == 0 && (l.lines || container.Start == rootStart(src))
	indent := l.lineIndent(src, container.Start) + l.unit
	lead, tail := " ", ""
	if len(container.Children) > 0 {
		first := container.Children[0]
		if at := bytes.LastIndexByte(src[container.Start:first.Start], '\n'); at >= 0 {
			multi, indent = true, l.lineIndent(src, first.Start)
		}
	}
	switch {
	case len(container.Children) > 0 && multi, container.line:
		lead = l.newline + indent
	case multi:
		lead = kept + l.newline + indent
		tail = l.newline + l.lineIndent(src, container.Start)
	case len(container.Children) == 0:
		lead = kept
	}
	p := printer{unit: l.unit, newline: l.newline, flat: !multi}
	text := lead + p.child(Member{name, value}, indent) + tail
	if container.trailing {
		text += ","
	}
	var out []byte
	if n := len(container.Children); n > 0 && !container.trailing {
		end := container.Children[n-1].Value.End
		out = append(append(append(out, src[:end]...), ','), src[end:container.inner]...)
	} else {
		out = append(out, src[:container.inner]...)
	}
	return append(append(out, text...), src[container.inner:]...)
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

// New is the text of a file that holds the object alone, with a line end.
func New(members []Member) []byte {
	p := printer{unit: "  ", newline: "\n"}
	return []byte(p.item(Item{Members: members}, "") + "\n")
}

// Remove takes the i-th child out of the container, with its lead and one
// comma. Where the container would be left empty, and nothing shows that it
// was there before its child (see Append), alone is true and src is returned
// as it is: the caller removes the container instead.
func Remove(src []byte, container *Node, i int) (out []byte, alone bool) {
	c := container.Children[i]
	lead := string(src[c.before:c.Start])
	end := c.Value.End
	comma := c.comma
	if len(container.Children) == 1 {
		keep := strings.HasPrefix(lead, kept)
		if !keep && !container.comments {
			return src, true
		}
		l := layoutOf(src)
		if tail := l.newline + l.lineIndent(src, container.Start); keep && len(lead) > len(kept) && bytes.HasPrefix(src[end:], []byte(tail)) {
			end += len(tail)
		}
	} else if comma < 0 {
		comma = container.Children[i-1].comma
	}
	from := c.before
	if c.noted && !endsLine(src[end:], comma == end) {
		// The comment must not swallow what follows.
		from += strings.IndexAny(lead, "\r\n") + 1
	}
	return cut(src, from, end, comma), false
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

// cut removes src[from:to] and the comma.
func cut(src []byte, from, to, comma int) []byte {
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
	newline string
	unit    string // one step of indentation
	lines   bool   // there is more than one line
}

func layoutOf(src []byte) layout {
	l := layout{newline: "\n", unit: "  "}
	at := bytes.IndexByte(src, '\n')
	if at < 0 {
		return l
	}
	if at > 0 && src[at-1] == '\r' {
		l.newline = "\r\n"
	}
	l.lines = len(bytes.TrimSpace(src[at:])) > 0
	for line := range bytes.Lines(src[at+1:]) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 {
			l.unit = string(line[:n])
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
	unit, newline string
	flat          bool // all on one line
}

func (p printer) child(m Member, indent string) string {
	if m.Name == "" {
		return p.item(m.Value, indent)
	}
	return Quote(m.Name) + ": " + p.item(m.Value, indent)
}

func (p printer) item(v Item, indent string) string {
	open, closing := "{", "}"
	var parts []string
	inside := indent + p.unit
	switch {
	case v.Raw != "":
		return v.Raw
	case v.Items != nil:
		open, closing = "[", "]"
		for _, item := range v.Items {
			parts = append(parts, p.item(item, inside))
		}
	default:
		for _, m := range v.Members {
			parts = append(parts, p.child(m, inside))
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
