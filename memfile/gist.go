package memfile

import "strings"

const (
	// gistQuotes are the signs that stand around a text and say nothing: quotes,
	// brackets, emphasis, the bars of a table.
	gistQuotes = "\"'`“”„‟‘’‚‛«»‹›()[]{}<>*_~|"
	// gistEnds are the signs that end a sentence.
	gistEnds = ".,;:!?…"
	// gistMarks begin the line of a list, a heading or a quotation, where a space
	// follows.
	gistMarks = "-+*#>•‣◦▪·–—=→"
	// wordOpens and wordEnds are the signs at a word's edges that say nothing within a
	// text: no sign that begins a flag, a negation or a file's name, as in "-1",
	// "--force", "!x" and ".env".
	wordOpens = "\"'`“”„‟‘’‚‛«»‹›([{¿¡–"
	wordEnds  = "\"'`“”„‟‘’‚‛«»‹›)]}([{,;:!?…-–"
	// maxOrdinal is how long the number of a list's line is.
	maxOrdinal = 4
)

// Gist is what a line says: without markup, invisible characters, letter case and the
// difference between letters that look alike, without the marks of a list, a heading or
// a quotation before it, the quotes, brackets and emphasis around it, and the
// punctuation, quotes, brackets and dashes at the edges of its words. A text of several
// lines is taken for one.
func Gist(text string) string {
	const rounds = 8 // marks may be wrapped in one another; more than this nobody writes
	s := text
	for range rounds {
		was := s
		if s = bare(readable(s)); s == was {
			break
		}
	}
	return s
}

// bare takes the marks off a text in normal form until none is left.
func bare(s string) string {
	for {
		was := s
		s = withoutMarks(s)
		if words := bareWords(s); words != "" { // a rule across the page stays one
			s = words
		}
		if s == was {
			return s
		}
	}
}

// withoutMarks takes off what stands around a line.
func withoutMarks(s string) string {
	for {
		was := s
		s = strings.Trim(s, gistQuotes+" ")
		s = strings.TrimRight(s, gistEnds+gistQuotes+" ")
		s = withoutMark(s)
		if s == was {
			return s
		}
	}
}

// bareWords takes off what stands at the edges of words, and the words that are
// nothing else. A long dash parts two words, with spaces or without.
func bareWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '—' || r == '―' })
	bare := words[:0]
	for _, w := range words {
		if isASCIIAlphanumeric(w[0]) && isASCIIAlphanumeric(w[len(w)-1]) { // nothing is at its edges
			bare = append(bare, w)
			continue
		}
		w = strings.TrimLeft(w, wordOpens)
		end := strings.TrimRight(w, wordEnds+".")
		if strings.HasSuffix(end, "/") { // "./..."
			end = strings.TrimRight(w, wordEnds)
		}
		if end != "" {
			bare = append(bare, end)
		}
	}
	return strings.Join(bare, " ")
}

// isASCIIAlphanumeric reports whether a byte is a letter or a digit of ASCII, as a normal text has them.
func isASCIIAlphanumeric(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

// withoutMark takes one mark of a list off: a sign, a number or the box of a task.
func withoutMark(s string) string {
	head, rest, found := strings.Cut(s, " ")
	switch {
	case !found:
		return s
	case strings.Trim(head, gistMarks+gistQuotes) == "":
		return rest
	case len(head) <= maxOrdinal && len(head) > 1 && strings.Trim(head[:len(head)-1], "0123456789") == "" && strings.ContainsAny(head[len(head)-1:], ".)"):
		return rest
	case head == "x]": // of a task's box, whose bracket is off
		return rest
	}
	return s
}

// Gists are the gists of a text's lines, without those that say nothing.
func Gists(text string) []string {
	var list []string
	for line := range strings.FieldsFuncSeq(text, IsBreak) {
		if g := Gist(line); g != "" {
			list = append(list, g)
		}
	}
	return list
}
