package capture

import "strings"

// blockKind says what a block of Markdown is, as far as import cares.
type blockKind uint8

const (
	heading blockKind = iota
	paragraph
	bullet
	gap // code, a table, a quotation: what ends a lead-in and is no item itself
)

// block is one heading, paragraph or list item.
type block struct {
	kind    blockKind
	level   int // of a heading, 1 to 6; of a bullet, its column
	ordered bool
	lines   int // how many lines of text it has
	code    bool
	text    string
	line    int
}

// scanner reads Markdown line by line. Nothing is nested deeper than a list in
// a list, so that its cost is the length of the text.
type scanner struct {
	blocks  []block
	fence   string // what closes the code block under way; "" outside one
	comment bool
	open    bool // the last block takes more lines
	blank   bool // the line before was empty
}

// scan takes a text apart. first is the number of its first line.
func scan(text string, first int) []block {
	var s scanner
	n := first
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\r\n \t"), n)
		n++
	}
	return s.blocks
}

func (s *scanner) line(raw string, n int) {
	line := s.uncommented(strings.ReplaceAll(raw, "\t", "    "))
	text := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if s.fence != "" {
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]) == "" {
			s.fence = ""
		}
		return
	}
	if fence := opensFence(text); fence != "" {
		s.fence = fence
		s.isCode(n)
		return
	}
	level, title := headingOf(text)
	mark, rest := bulletOf(text)
	switch {
	case text == "":
		s.blank = true
		return
	case indent < 4 && level > 0:
		s.push(block{kind: heading, level: level, text: title, line: n}, false)
	case isUnderline(text) && s.lastIs(paragraph) && !s.blank:
		last := &s.blocks[len(s.blocks)-1]
		last.kind, last.level, s.open = heading, 2, false
		if text[0] == '=' {
			last.level = 1
		}
	case isRule(text), text[0] == '|', text[0] == '>', text[0] == '<':
		s.push(block{kind: gap, line: n}, false)
	case mark != "" && (indent < 4 || s.inList()):
		s.push(block{kind: bullet, level: indent, ordered: mark != "-", text: rest, line: n, lines: 1}, true)
	case s.continues(indent):
		s.extend(text)
	case indent >= 4:
		s.push(block{kind: gap, line: n}, false) // indented code
	default:
		s.push(block{kind: paragraph, text: text, line: n, lines: 1}, true)
	}
	s.blank = false
}

// uncommented takes HTML comments out, which may run over lines.
func (s *scanner) uncommented(line string) string {
	if s.fence != "" {
		return line
	}
	var b strings.Builder
	for line != "" {
		if s.comment {
			_, after, found := strings.Cut(line, "-->")
			if !found {
				break
			}
			line, s.comment = after, false
			continue
		}
		before, after, found := strings.Cut(line, "<!--")
		b.WriteString(before)
		line, s.comment = after, found
	}
	return b.String()
}

func (s *scanner) push(b block, open bool) {
	s.blocks, s.open, s.blank = append(s.blocks, b), open, false
}

// isCode notes that a code block stands here: in the list item above it, or by
// itself.
func (s *scanner) isCode(n int) {
	if s.inList() {
		s.blocks[len(s.blocks)-1].code = true
		return
	}
	s.push(block{kind: gap, line: n}, false)
}

func (s *scanner) lastIs(k blockKind) bool {
	return len(s.blocks) > 0 && s.blocks[len(s.blocks)-1].kind == k
}

func (s *scanner) inList() bool { return s.lastIs(bullet) }

// continues reports whether a line belongs to the block above it.
func (s *scanner) continues(indent int) bool {
	if !s.open {
		return false
	}
	return !s.blank || s.inList() && indent > s.blocks[len(s.blocks)-1].level
}

func (s *scanner) extend(text string) {
	last := &s.blocks[len(s.blocks)-1]
	if len(last.text) <= maxText { // what is longer is refused anyway
		last.text += " " + text
	}
	last.lines++
}

// opensFence is the run of marks that a code block begins with.
func opensFence(text string) string {
	for _, mark := range [...]byte{'`', '~'} {
		n := 0
		for n < len(text) && text[n] == mark {
			n++
		}
		if n >= 3 && strings.IndexByte(text[n:], '`') < 0 {
			return text[:n]
		}
	}
	return ""
}

func headingOf(text string) (level int, title string) {
	for level < len(text) && level < 7 && text[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level == len(text) || text[level] != ' ' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(text[level:], "#"))
}

// bulletOf takes a list item's mark off: "-" for every bullet, else its number.
func bulletOf(text string) (mark, rest string) {
	mark, rest, found := strings.Cut(text, " ")
	if !found {
		return "", ""
	}
	rest = strings.TrimSpace(rest)
	switch mark {
	case "-", "*", "+", "•":
		return "-", rest
	}
	number := strings.TrimRight(mark, ".)")
	if len(mark) == len(number)+1 && len(number) <= 3 && strings.Trim(number, "0123456789") == "" {
		return number, rest
	}
	return "", ""
}

func isUnderline(text string) bool {
	return len(text) >= 2 && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}

func isRule(text string) bool {
	for _, mark := range [...]string{"-", "*", "_"} {
		if bare := strings.ReplaceAll(text, " ", ""); len(bare) >= 3 && strings.Trim(bare, mark) == "" {
			return true
		}
	}
	return false
}

// plainInline takes off the marks that say how a text looks: bold, and links'
// targets inside the project. Code keeps its backticks, because they tell a name
// from a word.
func plainInline(text string) string {
	if len(text) > maxText || !strings.ContainsAny(text, "*[") {
		return text // what is longer is refused as it stands
	}
	var b strings.Builder
	code := false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '`':
			code = !code
			b.WriteByte(c)
			i++
		case !code && strings.HasPrefix(text[i:], "**"):
			i += 2
		case !code && c == '[':
			label, size := link(text[i:])
			b.WriteString(label)
			i += size
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.TrimSpace(b.String())
}

// link reads a link at the start of text: its label and how many bytes it
// takes. A target in the web stays beside the label, for it is often the point.
func link(text string) (label string, size int) {
	end := strings.IndexByte(text, ']')
	if end < 0 || end+1 >= len(text) || text[end+1] != '(' {
		return text[:1], 1
	}
	stop := strings.IndexByte(text[end:], ')')
	if stop < 0 {
		return text[:1], 1
	}
	label, target := text[1:end], text[end+2:end+stop]
	if strings.HasPrefix(target, "https://") && target != label {
		label += " (" + target + ")"
	}
	return strings.ReplaceAll(label, "**", ""), end + stop + 1
}
