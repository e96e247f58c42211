package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxSentences is how many sentences of a message are looked at.
	maxSentences = 400
	// maxClauseWords is how many words of a clause are looked at.
	maxClauseWords = 80
	// minPart is how many words after a semicolon make a sentence of their own.
	minPart = 4
	// maxShown is the length in characters up to which the whole sentence is shown, not the clause.
	maxShown = 180
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// sentences splits a text at line ends and at the marks that end a sentence.
func sentences(text string) []span {
	var out []span
	from := 0
	add := func(to int) {
		s := trimmed(text, span{from, to})
		if s.to > s.from {
			out = append(out, s)
		}
	}
	for i, r := range text {
		if len(out) >= maxSentences {
			return out
		}
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			size = 1
		}
		if r == '\n' && !wrapped(text, i) || ends(text, i, r, size) {
			add(i + size)
			from = i + size
		}
	}
	add(len(text))
	return out
}

// wrapped reports whether the line end is within a sentence: the next line goes on with a small
// letter, as where an editor breaks lines.
func wrapped(text string, i int) bool {
	next, _ := utf8.DecodeRuneInString(text[i+1:])
	before := strings.TrimRight(text[:i], " \r")
	return unicode.IsLower(next) && before != "" && !strings.HasSuffix(before, "\n") && !strings.ContainsAny(before[len(before)-1:], ".:;!?")
}

// ends reports whether the sign ends a sentence.
func ends(text string, i int, r rune, size int) bool {
	switch r {
	case '。', '！', '？', '؟', '；':
		return true
	case ';':
		rest := text[i+size:]
		if end := strings.IndexAny(rest, ".!?;\n"); end >= 0 {
			rest = rest[:end]
		}
		return strings.HasPrefix(rest, " ") && len(strings.Fields(rest)) >= minPart
	case '.', '!', '?':
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		if i+size < len(text) && !unicode.IsSpace(next) {
			return false
		}
		return r != '.' || !abbreviation(text[:i])
	}
	return false
}

// abbreviation reports whether the text ends in a word whose dot ends no sentence.
func abbreviation(text string) bool {
	if i := strings.LastIndexAny(text, " \n(,"); i >= 0 {
		text = text[i+1:]
	}
	switch strings.ToLower(text) {
	case "e.g", "i.e", "etc", "vs", "mr", "mrs", "dr", "no", "z.b", "p.ej", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		return true
	}
	return false
}

// trimmed is the span without the white space, bullets and quotes around it.
func trimmed(text string, s span) span {
	left := strings.TrimLeft(text[s.from:s.to], " \t\r\n-*•>#\"'`“”)")
	s.from = s.to - len(left)
	return span{s.from, s.from + len(strings.TrimRight(left, " \t\r\n\"'`“”("))}
}

// clauses splits the words of a sentence where a new thought begins: at a comma, a
// semicolon, a dash or a conjunction that is followed by a subject or a verb.
func clauses(text string, s span) [][]word {
	words := unquoted(text, s, wordsOf(text[s.from:s.to], s.from))
	var out [][]word
	from := 0
	for i := 1; i < len(words); i++ {
		gap := text[words[i-1].to:words[i].from]
		if i-from >= maxClauseWords || strings.ContainsAny(gap, ",;:，、；：—()") || strings.Contains(gap, " - ") || i-from > 2 && words[i].is(conjunction) {
			out = append(out, words[from:i])
			from = i
		}
	}
	if from < len(words) {
		out = append(out, words[from:])
	}
	return joined(text, out)
}

// unquoted clears the classes of words between two quotation marks. They quote a text to show or an error, so the person
// does not state them.
func unquoted(text string, s span, words []word) []word {
	quoted := quotations(text, s)
	for i := range words {
		for len(quoted) > 0 && quoted[0].to <= words[i].from {
			quoted = quoted[1:]
		}
		if len(quoted) > 0 && quoted[0].from < words[i].from {
			words[i].entries = ""
		}
	}
	return words
}

// closing are the marks that end a quotation, by the mark that begins it.
var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」"}

// quotations are the parts of a sentence between two quotation marks that belong together. A mark that stands right before
// the sentence or after it counts, since a sentence is cut without it.
func quotations(text string, s span) (list []span) {
	if before, size := utf8.DecodeLastRuneInString(text[:s.from]); closing[before] != "" {
		s.from -= size
	}
	_, size := utf8.DecodeRuneInString(text[s.to:])
	s.to += size
	open, ends := 0, ""
	for i, r := range text[s.from:s.to] {
		at := s.from + i
		switch {
		case ends != "" && strings.ContainsRune(ends, r):
			list, ends = append(list, span{open, at}), ""
		case ends == "" && closing[r] != "" && !(r == '"' && at > 0 && text[at-1] >= '0' && text[at-1] <= '9'): // 27" are inches
			open, ends = at, closing[r]
		}
	}
	return list
}

// joined puts clauses of one or two words to the next one: an address or an
// introduction ("from now on, …") belongs to what follows.
func joined(text string, parts [][]word) [][]word {
	var out [][]word
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		for i+1 < len(parts) && (len(p) < 4 || introduces(p)) && len(p)+len(parts[i+1]) <= maxClauseWords {
			i++
			p = append(p[:len(p):len(p)], parts[i]...)
		}
		out = append(out, p)
	}
	if n := len(out); n > 1 && len(out[n-1]) < 3 { // "…, please"
		out[n-2] = append(out[n-2][:len(out[n-2]):len(out[n-2])], out[n-1]...)
		out = out[:n-1]
	}
	return out
}

// introduces reports whether the clause is only an introduction of the next.
func introduces(p []word) bool {
	return len(p) <= 6 && p[0].is(introduction) && !(classify(p).has(asks) && content(p) > 1)
}
