package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cellsOf takes a row of a table apart.
func cellsOf(row string) (cells []string) {
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	from, code := 0, false
	for i := range len(row) {
		switch {
		case row[i] == '`':
			code = !code
		case row[i] == '|' && !code && (i == 0 || row[i-1] != '\\'):
			cells, from = append(cells, plainInline(row[from:i])), i+1
		}
	}
	return append(cells, plainInline(row[from:]))
}

// trimEndMarks is a label without the marks at its end.
func trimEndMarks(text string) string { return strings.TrimRight(text, ":：.。;；, ") }

// sentencesOf takes a text apart after each sentence. An abbreviation ends none: a full stop counts after a word of four letters and
// before one that does not begin with a small letter.
func sentencesOf(text string) (list []string) {
	from := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		rest, spaced := strings.CutPrefix(text[end:], " ")
		next, _ := utf8.DecodeRuneInString(rest)
		word := text[strings.LastIndexByte(text[:i], ' ')+1 : i]
		full := strings.ContainsRune("!?؟।", r) || r == '.' && utf8.RuneCountInString(word) > 3 && !strings.Contains(word, ".")
		if strings.ContainsRune("。！？", r) || full && spaced && !unicode.IsLower(next) && strings.Count(text[from:i], "`")%2 == 0 {
			list, from = append(list, strings.TrimSpace(text[from:end])), end
		}
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// piecesOf puts as many sentences of a text together as there is room for.
func piecesOf(text string, room int) (list []string) {
	if len(text) <= room {
		return []string{text}
	}
	for _, s := range sentencesOf(text) {
		if n := len(list); n > 0 && len(list[n-1])+1+len(s) <= room {
			list[n-1] += " " + s
		} else {
			list = append(list, s)
		}
	}
	return list
}

// withoutCode is a text without its code.
func withoutCode(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	return strings.Join(parts, " ")
}

// plainInline takes off the marks of bold text. Code and links stay as they are.
func plainInline(text string) string {
	text = strings.TrimSpace(text)
	if boldLine(text) {
		text = strings.ReplaceAll(strings.Trim(text, "*_"), "  ", " ")
	}
	if len(text) > maxSource || !strings.Contains(text, "**") {
		return text
	}
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 { // the others are code
		parts[i] = strings.ReplaceAll(parts[i], "**", "")
	}
	return strings.TrimSpace(strings.Join(parts, "`"))
}

// withoutTargets is a text with the labels of its links alone.
func withoutTargets(text string) string {
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

// onlyLink reports whether a text is a link and nothing else.
func onlyLink(text string) bool {
	_, size := link(text + " ")
	return size > 1 && strings.Trim(text[min(size, len(text)):], " .;,") == ""
}

// endsInColon reports whether a text ends in a colon of any script.
func endsInColon(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "*_ "))
	return strings.ContainsRune(":：︰﹕∶꞉፡", last)
}

// endsSentence reports whether a text ends as sentences of any script do.
func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "*_)\"”»」 "))
	return strings.ContainsRune(".!?。！？।؟", last)
}

// boldLine reports whether all of a text is bold or in italics, but for signs such as those of pictures.
func boldLine(text string) bool {
	text = strings.TrimFunc(text, func(r rune) bool {
		return r != '*' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '`'
	})
	for _, mark := range [...]string{"**", "__", "*", "_"} {
		inner, ok := strings.CutPrefix(text, mark)
		if inner, end := strings.CutSuffix(inner, mark); ok && end {
			return inner != "" && !strings.Contains(inner, mark)
		}
	}
	return false
}

// labelLine reports whether a text is a label by its form.
func labelLine(text string) bool { return endsInColon(text) || boldLine(text) }

// startsLine reports whether a line begins a statement of its own within a paragraph: both lines begin with a sign such as a
// picture, or with a bold label.
func startsLine(line, before string) bool {
	sign := func(s string) bool {
		r, _ := utf8.DecodeRuneInString(s)
		return unicode.In(r, unicode.So)
	}
	label := func(s string) bool {
		inner, ok := strings.CutPrefix(s, "**")
		inner, rest, _ := strings.Cut(inner, "**")
		return ok && (endsInColon(inner) || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "："))
	}
	return sign(line) && sign(before) || label(line) && label(before)
}
