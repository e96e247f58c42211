package capture

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How the marks around the parts begin that memctl writes into files of others. Import leaves these parts out.
const (
	oursBegin = "<!-- memctl:begin"
	oursEnd   = "<!-- memctl:end"
)

// block is a run of lines of a Markdown file. Each line that is not blank is in one block.
type block struct {
	kind        string
	first, last int
	level       int      // of a heading, 1 to 6; else the column at which it begins
	number      string   // of a numbered list item
	text        string   // its lines joined with spaces; of code as it stands
	near        bool     // no blank line is above it
	quoted      bool     // it is in a quotation
	tags        []string // the tags that are open around it
}

// hasText reports whether a block has text of its own.
func (b block) hasText() bool {
	return b.kind == partText || b.kind == partItem || b.kind == partQuote || b.kind == partTable
}

// blockReader reads Markdown line by line. Of its structure it knows what labels and items need, so its cost is the length of the
// text.
type blockReader struct {
	list   []block
	n      int
	until  string // what ends the code, the comment or memctl's part under way
	blank  bool   // the line before was empty
	tags   []string
	closes map[string]int // the last line that closes a tag
	ends   int            // the last line that ends a part of memctl's own
	tag    *regexp.Regexp
}

// blocksOf takes a text apart that begins at a line.
func blocksOf(body string, first int) []block {
	r := &blockReader{n: first, blank: true, closes: map[string]int{}, tag: regexp.MustCompile(`^<(/?)([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)>`)}
	n := first
	for line := range strings.Lines(body) {
		for _, part := range strings.Split(line, "</")[1:] {
			name, _, _ := strings.Cut(part, ">")
			r.closes[name] = n
		}
		if strings.HasPrefix(line, oursEnd) {
			r.ends = n
		}
		n++
	}
	for line := range strings.Lines(body) {
		r.line(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r\n"))
		r.n++
	}
	return r.list
}

func (r *blockReader) push(b block) {
	b.first, b.last, b.near = r.n, r.n, !r.blank
	b.tags = slices.Clone(r.tags)
	r.list, r.blank = append(r.list, b), false
}

// extend gives the line to the last block.
func (r *blockReader) extend(text string) {
	at := &r.list[len(r.list)-1]
	at.last, r.blank = r.n, false
	if len(at.text) <= maxSource {
		at.text += text
	}
}

// continuesBlock reports whether the line before is in the last block, which is of the kind.
func (r *blockReader) continuesBlock(kind string) bool {
	at := len(r.list) - 1
	return at >= 0 && r.list[at].kind == kind && r.list[at].last == r.n-1
}

func (r *blockReader) line(line string) {
	if r.until != "" {
		r.readOpenPart(line)
		return
	}
	text := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	quoted := false
	for strings.HasPrefix(text, ">") {
		rest := strings.TrimPrefix(text[1:], " ")
		text, indent, quoted = strings.TrimSpace(rest), len(rest)-len(strings.TrimLeft(rest, " ")), true
	}
	switch {
	case text == "" && !quoted:
		r.blank = true
		return
	case text == "":
		if r.continuesBlock(partQuote) {
			r.extend("")
		} else {
			r.push(block{kind: partQuote, quoted: true})
		}
		r.blank = true
		return
	case strings.HasPrefix(line, oursBegin) && r.n < r.ends:
		r.push(block{kind: partOurs})
		r.until = oursEnd
		return
	}
	if before, after, found := strings.Cut(text, "<!--"); found && strings.Count(before, "`")%2 == 0 {
		_, rest, closed := strings.Cut(after, "-->")
		if text = strings.TrimSpace(before + rest); !closed {
			text, r.until = strings.TrimSpace(before), "-->"
		}
		if text == "" {
			r.push(block{kind: partComment})
			return
		}
	}
	if text = r.untagged(text); text == "" {
		return
	}
	if len(r.list) > 0 && r.list[len(r.list)-1].quoted != quoted {
		r.blank = true // a quotation ends a paragraph
	}
	r.text(text, indent, quoted)
}

// readOpenPart takes a line of the code, the comment or memctl's part under way.
func (r *blockReader) readOpenPart(line string) {
	text := strings.TrimSpace(line)
	switch {
	case r.until == "-->":
		before, after, found := strings.Cut(line, "-->")
		if found {
			r.until = ""
			if strings.TrimSpace(after) != "" {
				r.line(after)
				return
			}
		}
		switch {
		case strings.TrimSpace(before) == "" && !found:
		case r.continuesBlock(partComment):
			r.extend("")
		default:
			r.push(block{kind: partComment})
		}
	case r.until == oursEnd:
		r.extend("")
		if strings.HasPrefix(line, oursEnd) {
			r.until, r.blank = "", true
		}
	default:
		r.extend("\n" + line)
		if text = strings.TrimLeft(text, "> "); strings.HasPrefix(text, r.until) && strings.Trim(text, r.until[:1]) == "" {
			r.until = ""
		}
	}
}

// text takes a line that is in no code and no comment.
func (r *blockReader) text(text string, indent int, quoted bool) {
	var last block
	if len(r.list) > 0 {
		last = r.list[len(r.list)-1]
	}
	kind := partText
	if quoted {
		kind = partQuote
	}
	open := !r.blank && (last.kind == partItem || last.kind == kind) // the line can go on with the block above it
	level, title := headingOf(text)
	number, item, listed := itemOf(text)
	switch {
	case opensFence(text) != "":
		r.until = opensFence(text)
		r.push(block{kind: partCode, level: indent, text: text})
	case level > 0 && indent < 4:
		r.push(block{kind: partHeading, level: level, text: title})
	case open && last.kind == kind && isUnderline(text) && last.first == last.last && !boldLine(last.text):
		r.extend("")
		at := &r.list[len(r.list)-1]
		if at.kind, at.level = partHeading, 2; text[0] == '=' {
			at.level = 1
		}
		r.blank = true
	case isRule(text):
		r.push(block{kind: partRule})
	case text[0] == '|', isDelimiter(text) && open && strings.Contains(last.text, "|"), r.continuesBlock(partTable) && strings.Contains(text, "|"):
		if isDelimiter(text) && open && last.kind == kind && last.first == last.last {
			r.list[len(r.list)-1].kind = partTable
		}
		r.push(block{kind: partTable, level: indent, text: text})
	case listed && (!open || last.kind == partItem || number == "" && text[0] < utf8.RuneSelf || number == "1" || strings.HasSuffix(last.text, ":") || labelLine(last.text)):
		r.push(block{kind: partItem, level: indent, number: number, text: item, quoted: quoted})
	case open && !boldLine(last.text) && !startsLine(text, last.text):
		r.extend(" " + text)
	case r.blank && last.kind == partItem && indent >= last.level+2 && !labelLine(last.text):
		r.extend(" " + text)
	case r.blank && indent >= 4 && !r.inList(indent):
		r.push(block{kind: partCode, level: indent, text: text})
	case indent >= 4 && r.continuesBlock(partCode) && !r.inList(indent):
		r.extend("\n" + text)
	default:
		r.push(block{kind: kind, level: indent, text: text, quoted: quoted})
	}
}

// inList reports whether a line at the column is below a list item.
func (r *blockReader) inList(indent int) bool {
	for _, b := range slices.Backward(r.list) {
		switch {
		case b.kind == partItem:
			return indent >= b.level+2
		case b.kind != partText && b.kind != partCode && b.kind != partTable && b.kind != partComment || b.level == 0:
			return false
		}
	}
	return false
}

// layout are the tags of HTML that are for the looks alone. They are no labels.
const layout = " a b center code details div em font i kbd li ol p pre section span strong sub summary sup table tbody td th thead tr u ul "

// untagged takes the tags off the beginning and the end of a line, and notes which are open. A line of tags alone is a block.
func (r *blockReader) untagged(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	rest, whole := text, false
	for m := r.tag.FindStringSubmatch(rest); m != nil; m = r.tag.FindStringSubmatch(rest) {
		name, label := m[2], strings.TrimSpace(m[2]+m[3])
		after := strings.TrimSpace(rest[len(m[0]):])
		switch {
		case m[1] == "/":
			if after != "" && !strings.HasPrefix(after, "<") {
				r.close(name)
				return after
			}
			r.close(name)
		case (name == "summary" || name == "h2" || name == "h3" || name == "strong" || name == "b") && strings.HasSuffix(after, "</"+name+">") && strings.Count(after, "<") == 1:
			return "**" + strings.TrimSuffix(after, "</"+name+">") + "**"
		case r.closes[name] >= r.n && len(r.tags) < 8 && (after == "" || r.closes[name] > r.n || strings.HasSuffix(after, "</"+name+">")):
			if r.tags = append(r.tags, label); after != "" {
				r.blank = true
			}
		case after != "" && !strings.HasPrefix(after, "<"):
			return text // a placeholder at the beginning of a sentence
		}
		rest, whole = after, true
	}
	if rest == "" {
		r.push(block{kind: partHTML})
		r.blank = true
		return ""
	}
	end := strings.LastIndex(rest, "</")
	if end > 0 && strings.HasSuffix(rest, ">") && strings.Count(rest[:end], "`")%2 == 0 {
		if name := strings.TrimSuffix(rest[end+2:], ">"); r.opened(name) >= 0 {
			r.text(strings.TrimSpace(rest[:end]), 0, false)
			r.close(name)
			return ""
		}
	}
	if whole {
		return rest
	}
	return text
}

// opened is the place of an open tag, or -1.
func (r *blockReader) opened(name string) int {
	for i, tag := range slices.Backward(r.tags) {
		if open, _, _ := strings.Cut(tag, " "); open == name {
			return i
		}
	}
	return -1
}

func (r *blockReader) close(name string) {
	if i := r.opened(name); i >= 0 {
		r.tags, r.blank = r.tags[:i:i], true
	}
}

// opensFence is the run of marks that a code block begins with.
func opensFence(text string) string {
	for _, mark := range [...]string{"`", "~"} {
		if rest := strings.TrimLeft(text, mark); len(text)-len(rest) >= 3 && !strings.Contains(rest, "`") {
			return text[:len(text)-len(rest)]
		}
	}
	return ""
}

func headingOf(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	if level = len(text) - len(rest); level == 0 || level > 6 || !strings.HasPrefix(rest, " ") {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "#"))
}

// itemOf takes the mark off a list item: a bullet, or a number in digits of any script.
func itemOf(text string) (number, rest string, listed bool) {
	first, size := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("-*+•·‣◦▪●–—・", first) {
		rest = text[size:]
		return "", strings.TrimSpace(rest), rest != "" && rest[0] == ' '
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if end <= 0 || utf8.RuneCountInString(text[:end]) > 3 {
		return "", "", false
	}
	for _, r := range text[:end] {
		number += string(rune('0' + digit(r)))
	}
	mark, size := utf8.DecodeRuneInString(text[end:])
	rest = text[end+size:]
	listed = (mark == '.' || mark == ')') && strings.HasPrefix(rest, " ") || strings.ContainsRune("、．）", mark) && rest != ""
	return number, strings.TrimSpace(rest), listed
}

// digit is the value of a digit of any script: each has ten in a row, and begins with zero.
func digit(r rune) int {
	zero := r
	for zero > r-9 && unicode.IsDigit(zero-1) {
		zero--
	}
	if r <= '9' {
		zero = '0'
	}
	return int(r - zero)
}

func isUnderline(text string) bool {
	return len(text) >= 2 && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}

func isRule(text string) bool {
	for _, mark := range [...]string{"-", "*", "_", "="} {
		if strings.Trim(text, mark+" ") == "" && strings.Count(text, mark) >= 3 {
			return true
		}
	}
	return false
}

// isDelimiter reports whether a line is the one below a table's header.
func isDelimiter(text string) bool {
	return strings.Contains(text, "-") && strings.Contains(text, "|") && strings.Trim(text, "|-: ") == ""
}
