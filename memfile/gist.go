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
	// maxOrdinal is how long the number of a list's line is.
	maxOrdinal = 4
)

// Gist is what a line says: its normal text without the marks of a list, a heading or
// a quotation before it, the quotes, brackets and emphasis around it, and the
// punctuation at its end. A text of several lines is taken for one.
func Gist(text string) string {
	s := NormalText(text)
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
	for line := range strings.FieldsFuncSeq(text, isBreak) {
		if g := Gist(line); g != "" {
			list = append(list, g)
		}
	}
	return list
}
