package capture

import "strings"

// blockKind says what a block of Markdown is, as far as import cares.
type blockKind uint8

const (
	heading blockKind = iota
	paragraph
	bullet
	gap // code, a table, a quotation: ends a lead-in and is no item itself
)

// block is one heading, paragraph or list item.
type block struct {
	kind    blockKind
	level   int // of a heading, 1 to 6; of a bullet or a paragraph, its column
	ordered bool
	lines   int      // how many lines of text it has
	code    []string // the lines of code below a list item
	inCode  []int    // the parts of that code
	late    int      // how many of these lines belong to it for sure; the code after them ends the list, if no step follows
	lateIn  int      // how many of the parts
	text    string
	line    int
	parts   []int // the parts that hold its lines
}

// How the marks around the parts begin that memctl writes into files of others. Import leaves these parts out.
const (
	oursBegin = "<!-- memctl:begin"
	oursEnd   = "<!-- memctl:end"
)

// scanner reads Markdown line by line. Nothing is nested deeper than a list in
// a list, so that its cost is the length of the text.
type scanner struct {
	blocks  []block
	parts   []Part
	fence   string // what closes the code block under way; "" outside one
	ends    int    // the line of the last mark that ends a part of memctl's own, or 0
	ours    bool   // the line is in such a part
	comment bool
	open    bool // the last block takes more lines
	blank   bool // the line before was empty
}

// scan takes a text apart, and adds its parts to those of the input. first is the number of its first line.
func (r *reading) scan(text string, first int) []block {
	s := scanner{parts: r.parts}
	if at := strings.LastIndex("\n"+text, "\n"+oursEnd); at >= 0 {
		s.ends = first + strings.Count(text[:at], "\n")
	}
	n := first
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n \t"); line == "" {
			s.blank = s.fence == ""
		} else {
			s.line(line, n)
		}
		n++
	}
	for i := len(r.parts); i < len(s.parts); i++ {
		s.parts[i].File = r.file
	}
	r.parts = s.parts
	return s.blocks
}

func (s *scanner) line(raw string, n int) {
	if s.fence == "" && s.isOurs(raw, n) {
		return
	}
	line := s.uncommented(strings.ReplaceAll(raw, "\t", "    "))
	text := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if s.fence != "" {
		s.take(n, partCode, false)
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]) == "" {
			s.fence = ""
		} else if s.inList() {
			last := &s.blocks[len(s.blocks)-1]
			if last.code = append(last.code, text); len(last.inCode) == last.lateIn {
				last.late++
			}
		}
		return
	}
	if text == "" {
		s.take(n, partComment, s.blank || !s.lastPart(partComment, n))
		s.blank = true
		return
	}
	if fence := opensFence(text); fence != "" {
		s.fence = fence
		s.take(n, partCode, true)
		s.isCode(indent)
		s.blank = false
		return
	}
	level, title := headingOf(text)
	mark, rest := bulletOf(text)
	switch {
	case indent < 4 && level > 0:
		s.push(block{kind: heading, level: level, text: title, line: n}, partHeading, false)
	case isUnderline(text) && s.lastIs(paragraph) && !s.blank && s.open:
		last := &s.blocks[len(s.blocks)-1]
		last.kind, last.level, s.open = heading, 2, false
		if text[0] == '=' {
			last.level = 1
		}
		for _, at := range last.parts {
			s.parts[at].Kind = partHeading
		}
		s.own(last, n, partHeading)
	case kindOf(text) != "":
		s.aside(kindOf(text), indent, n)
	case mark != "" && (indent < 4 || s.inList() || s.lastIs(paragraph) && s.blocks[len(s.blocks)-1].level > 0):
		s.push(block{kind: bullet, level: indent, ordered: mark != "-", text: rest, line: n, lines: 1}, partItem, true)
	case s.continues(indent):
		s.extend(text, n)
	case indent >= 4:
		s.aside(partCode, 0, n)
	default:
		s.push(block{kind: paragraph, level: indent, text: text, line: n, lines: 1}, partText, true)
	}
	s.blank = false
}

// kindOf is the kind of a line that is no text, or "".
func kindOf(text string) string {
	switch {
	case isRule(text):
		return partRule
	case text[0] == '|':
		return partTable
	case text[0] == '>':
		return partQuote
	case text[0] == '<':
		return partHTML
	}
	return ""
}

// aside notes a line of a table, a quotation or the like. Below a list item it does not end the list.
func (s *scanner) aside(kind string, indent, n int) {
	inside := s.inList() && indent > s.blocks[len(s.blocks)-1].level
	if !s.lastPart(kind, n) || s.blank || kind == partRule {
		s.take(n, kind, true)
		if !inside {
			s.blocks, s.open = append(s.blocks, block{kind: gap, line: n}), false
		}
	} else {
		s.take(n, kind, false)
	}
}

// isOurs notes the lines of a part that memctl wrote, with its marks. A mark that nothing ends is a comment.
func (s *scanner) isOurs(raw string, n int) bool {
	if !s.ours && (n >= s.ends || !strings.HasPrefix(raw, oursBegin)) {
		return false
	}
	s.take(n, partOurs, !s.ours)
	if !s.ours {
		s.blocks, s.open = append(s.blocks, block{kind: gap, line: n}), false
	}
	s.ours = !strings.HasPrefix(raw, oursEnd)
	return true
}

// take gives a line to the last part, or to a fresh one.
func (s *scanner) take(n int, kind string, fresh bool) int {
	if fresh || len(s.parts) == 0 {
		s.parts = append(s.parts, Part{Line: n, Kind: kind})
	}
	at := len(s.parts) - 1
	s.parts[at].Last = n
	return at
}

// lastPart reports whether the line before is of the kind.
func (s *scanner) lastPart(kind string, n int) bool {
	at := len(s.parts) - 1
	return at >= 0 && s.parts[at].Kind == kind && s.parts[at].Last == n-1
}

// own gives a line to a block, in a part of its own where code came between.
func (s *scanner) own(b *block, n int, kind string) {
	fresh := len(b.parts) == 0 || b.parts[len(b.parts)-1] != len(s.parts)-1
	if at := s.take(n, kind, fresh); fresh {
		b.parts = append(b.parts, at)
	}
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

func (s *scanner) push(b block, kind string, open bool) {
	s.own(&b, b.line, kind)
	s.blocks, s.open, s.blank = append(s.blocks, b), open, false
}

// isCode notes that a code block begins: in the list item above it, or by itself.
func (s *scanner) isCode(indent int) {
	if at := len(s.parts) - 1; s.inList() {
		last := &s.blocks[len(s.blocks)-1]
		if outside := s.blank && indent <= last.level; !outside && len(last.inCode) == last.lateIn {
			last.lateIn++
		}
		last.inCode = append(last.inCode, at)
		return
	}
	s.blocks, s.open, s.blank = append(s.blocks, block{kind: gap}), false, false
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

func (s *scanner) extend(text string, n int) {
	last := &s.blocks[len(s.blocks)-1]
	kind := partText
	if last.kind == bullet {
		kind = partItem
	}
	s.own(last, n, kind)
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

// plainInline takes off the marks of bold text. Code and links stay as they are.
func plainInline(text string) string {
	if len(text) > maxText || !strings.Contains(text, "**") {
		return text // what is longer is refused as it stands
	}
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = strings.ReplaceAll(parts[i], "**", "")
	}
	return strings.TrimSpace(strings.Join(parts, "`"))
}

// withoutTargets is a text with the labels of its links alone.
func withoutTargets(text string) string {
	if len(text) > maxText || !strings.Contains(text, "](") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		label, size := link(text[i:])
		b.WriteString(label)
		i += size
	}
	return b.String()
}

// link reads a link at the start of text: its label and how many bytes it takes. Of any other text it is
// the first byte.
func link(text string) (label string, size int) {
	end := strings.IndexByte(text, ']')
	if text[0] != '[' || end < 0 || end+1 >= len(text) || text[end+1] != '(' {
		return text[:1], 1
	}
	stop := strings.IndexByte(text[end:], ')')
	if stop < 0 {
		return text[:1], 1
	}
	return text[1:end], end + stop + 1
}
