package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentences is how many sentences of a message are looked at.
const maxSentences = 400

// span is a part of a text, in bytes.
type span struct{ from, to int }

// sentences splits a text at line ends and at the marks that end a sentence.
func sentences(text string) (out []span) {
	from := 0
	add := func(to int) {
		s := strings.TrimLeft(text[from:to], " \t\r\n-*•>#`)")
		if trimmed := strings.TrimRight(s, " \t\r\n"); trimmed != "" && len(out) < maxSentences {
			out = append(out, span{to - len(s), to - len(s) + len(trimmed)})
		}
		from = to
	}
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\n' && !unicode.IsLower(next), strings.ContainsRune("。！？؟", r): // a small letter goes on with a wrapped line
			add(i + size)
		case strings.ContainsRune(".!?", r) && (rest == "" || unicode.IsSpace(next)) && !abbreviated(text[:i]):
			add(i + size)
		}
	}
	add(len(text))
	return out
}

// abbreviated reports whether a text ends in a word whose dot ends no sentence.
func abbreviated(text string) bool {
	last := text[strings.LastIndexAny(text, " \n(,")+1:]
	return strings.Contains(" e.g i.e etc vs mr mrs dr no z.b d.h p.ej 1 2 3 4 5 6 7 8 9 ", " "+strings.ToLower(last)+" ")
}

// normal is a text in lower case with single spaces around its words.
func normal(text string) string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`,;.!?()"“”„«»，。、；！？؟`, r)
	})
	return " " + strings.ReplaceAll(strings.Join(words, " "), "：", ":") + " "
}

// isInsideWord reports whether two texts meet within a word. Scripts without spaces have no such place.
func isInsideWord(before, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(after)
	within := func(r rune) bool {
		return r < '\u0e00' && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'')
	}
	return within(a) && within(b)
}

// unquoted is a sentence without what stands between two quotation marks: a text to show, or somebody else's words.
func unquoted(sentence string) string {
	var out strings.Builder
	closing := ""
	for i, r := range sentence {
		before, _ := utf8.DecodeLastRuneInString(sentence[:i])
		switch {
		case closing != "":
			if strings.ContainsRune(closing, r) {
				closing = ""
			}
			continue
		case r == '"' && unicode.IsDigit(before): // 27" are inches
		case strings.ContainsRune(`"“„«「『`, r) && strings.ContainsAny(sentence[i+utf8.RuneLen(r):], closers(r)):
			closing = closers(r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// closers are the marks that end a quotation that begins with a mark.
func closers(r rune) string {
	switch r {
	case '"':
		return `"`
	case '«':
		return "»"
	case '「':
		return "」"
	case '『':
		return "』"
	}
	return "“”"
}

// trimCourtesies takes a request to remember, address and politeness off both ends of a statement.
func trimCourtesies(text string, cues cueList) string {
	const marks = " \t\r\n,;:-–—*：，。！、!"
	for {
		before := text
		text = strings.TrimRight(text, marks+".")
		for text = strings.TrimLeft(text, marks); strings.HasPrefix(text, ". ") || strings.HasPrefix(text, ".."); { // ".env" keeps its dot
			text = strings.TrimLeft(text, marks+".")
		}
		for _, c := range cues {
			n := len(c.phrase)
			if c.class != "ask" && c.class != "polite" || len(text) <= n {
				continue
			}
			end := len(text) - n
			switch {
			case strings.EqualFold(text[:n], c.phrase) && (!isInsideWord(text[:n], text[n:]) || c.prefix):
				text = text[n:]
			case c.class == "ask" && strings.EqualFold(text[end:], c.phrase) && !isInsideWord(text[:end], c.phrase):
				text = text[:end]
			default:
				continue
			}
			break
		}
		if text == before {
			return strings.Join(strings.Fields(text), " ")
		}
	}
}
