package index

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"

	"github.com/memctl/memctl/internal/spelling"
)

// analyzerVersion changes with the rules of this file and the fields of a record. An index of
// another version is built anew.
const analyzerVersion = 8

// maxTermBytes is the length in bytes that longer terms are cut to.
const maxTermBytes = 64

// Token is one term and where its word stands in the text.
type Token struct {
	Term string
	Pos  int    // which word, counted from 0; parts of a word share its number
	Part bool   // a part of the last word that was given whole
	Word string // in lower case; "" for pairs of letters and whole names
}

// Analyzer cuts texts into terms. It remembers words: most of a text are words that
// were there before.
type Analyzer struct {
	cachedWords map[string]analyzedWord
	emit        func(Token)
	pos         int
}

// analyzedWord is the terms of a word, with positions from its beginning, and how many
// positions it takes.
type analyzedWord struct {
	tokens []Token
	length int
}

// maxCachedWords bounds what an Analyzer remembers.
const maxCachedWords = 1 << 16

// Analyze cuts a text into terms: words in lower case and stemmed, without stop
// words; identifiers (camelCase, snake_case, paths, versions) whole, however they are
// written, and in parts;
// pairs of neighbouring letters where a script has no spaces.
func (a *Analyzer) Analyze(text string, emit func(Token)) {
	a.emit, a.pos = emit, 0
	text = withoutAccents(text)
	for text != "" {
		start := strings.IndexFunc(text, isWordRune)
		if start < 0 {
			return
		}
		text = text[start:]
		end := wordEnd(text)
		a.emitCached(text[:end])
		text = text[end:]
	}
}

// emitCached gives the terms of a word, from memory if it can.
func (a *Analyzer) emitCached(word string) {
	w, ok := a.cachedWords[word]
	if !ok {
		var made analyzedWord // its own variable, because the function below moves it to the heap
		emit, pos := a.emit, a.pos
		a.emit, a.pos = func(t Token) { made.tokens = append(made.tokens, t) }, 0
		a.emitWord(word)
		made.length = a.pos
		a.emit, a.pos = emit, pos
		if a.cachedWords == nil || len(a.cachedWords) >= maxCachedWords {
			a.cachedWords = map[string]analyzedWord{}
		}
		w = made
		a.cachedWords[strings.Clone(word)] = w
	}
	for _, t := range w.tokens {
		t.Pos += a.pos
		a.emit(t)
	}
	a.pos += w.length
}

// WithoutAccents is a text without accents and compatibility forms, as terms have it.
func WithoutAccents(text string) string { return withoutAccents(text) }

// withoutAccents brings text to one form: compatibility forms as ordinary letters, accents
// off. ASCII, which is most text, is as it was.
func withoutAccents(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			var b strings.Builder
			for _, r := range norm.NFKD.String(text) {
				switch {
				case r == '’':
					b.WriteByte('\'')
				case r == 'ı': // Turkish sets no dot on it
					b.WriteByte('i')
				case !unicode.Is(unicode.Mn, r):
					b.WriteRune(r)
				}
			}
			return norm.NFC.String(b.String())
		}
	}
	return text
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordEnd is where the word ends that text begins with. A dot, an apostrophe, a
// hyphen or a slash between two letters belongs to it. Letters of a script without spaces
// are a word of their own.
func wordEnd(text string) int {
	last := rune(0)
	for i, r := range text {
		if isWordRune(r) {
			if i > 0 && isUnspaced(r) != isUnspaced(last) {
				return i
			}
			last = r
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if r == utf8.RuneError || !joinsWord(r, last, next) {
			return i
		}
	}
	return len(text)
}

func joinsWord(r, last, next rune) bool {
	if !isWordRune(last) || !isWordRune(next) {
		return false
	}
	switch r {
	case '\'', '/', '-', '.':
		return true
	}
	return false
}

// emitWord gives the terms of one word with all that joins it.
func (a *Analyzer) emitWord(emitWord string) {
	whole := strings.ToLower(emitWord)
	parts := splitParts(emitWord)
	if len(parts) == 1 && len(parts[0]) == len(emitWord) {
		a.emitSimple(whole, false)
		return
	}
	// A name of many parts is found whole and by its parts. A word with a hyphen
	// ("in-person"), or words with a slash, are just their parts.
	named := len(parts) > 1 && (strings.ContainsAny(whole, "._") || !strings.ContainsAny(whole, "-/'"))
	if named {
		a.emit(Token{Term: wholeTerm(whole, parts), Pos: a.pos})
	}
	for _, p := range parts {
		a.emitSimple(strings.ToLower(p), named)
	}
}

// wholeTerm is the term of a name of many parts: GitHub, github and git_hub are one.
// Where a part is a number, as in a version, what stands between the parts counts.
func wholeTerm(whole string, parts []string) string {
	if slices.ContainsFunc(parts, isNumber) {
		return "=" + cutToMaxTerm(strings.TrimPrefix(whole, "v"))
	}
	return stem(strings.ToLower(strings.Join(parts, "")))
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// minNameBytes is how many bytes of a name stand before its number ("Docker20"), which otherwise is a part of it ("sha256").
const minNameBytes = 4

// splitParts cuts at joining signs, at underscores, between lower and upper case
// (parseHTTPHeader: parse, HTTP, Header), and between a name and its number. An apostrophe's end ("'s") is dropped.
func splitParts(word string) []string {
	var parts []string
	for _, piece := range strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '-' || r == '_' || r == '.' }) {
		if head, _, ok := strings.Cut(piece, "'"); ok {
			piece = head
		}
		parts = append(parts, splitCase(piece)...)
	}
	return parts
}

func splitCase(piece string) []string {
	var parts []string
	start, before, last := 0, rune(0), rune(0)
	for i, r := range piece {
		switch {
		case unicode.IsLower(last) && unicode.IsUpper(r), unicode.IsDigit(r) && unicode.IsLower(last) && i-start >= minNameBytes:
			parts, start = append(parts, piece[start:i]), i
		case unicode.IsUpper(before) && unicode.IsUpper(last) && unicode.IsLower(r) && i-start > 2:
			cut := i - utf8.RuneLen(last)
			// "APIs" is API, not AP and Is.
			if !(r == 's' && i+1 == len(piece)) {
				parts, start = append(parts, piece[start:cut]), cut
			}
		}
		before, last = last, r
	}
	return append(parts, piece[start:])
}

// emitSimple gives the term of a word without inner joints, or the letter pairs of a
// script without spaces.
func (a *Analyzer) emitSimple(word string, part bool) {
	if word == "" {
		return
	}
	if r, _ := utf8.DecodeRuneInString(word); isUnspaced(r) {
		a.emitPairs(word)
		return
	}
	if !isStopWord(word) {
		a.emit(Token{Term: stem(word), Pos: a.pos, Part: part, Word: word})
	}
	a.pos++
}

// isUnspaced reports whether words are looked for by pairs of letters: Korean sets spaces, but joins its particles to the words.
func isUnspaced(r rune) bool { return spelling.IsUnspaced(r) || unicode.Is(unicode.Hangul, r) }

func (a *Analyzer) emitPairs(word string) {
	runes := []rune(word)
	for i := range runes[:max(len(runes)-1, 1)] {
		a.emit(Token{Term: string(runes[i:min(i+2, len(runes))]), Pos: a.pos + i})
	}
	a.pos += len(runes)
}

// stem is the word's stem where it is an English one; other words stay.
func stem(word string) string {
	word = cutToMaxTerm(word)
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	plain := word
	if form, ok := irregularStems()[word]; ok {
		plain = form
	}
	return english.Stem(plain, true)
}

func cutToMaxTerm(term string) string { return cutToBytes(term, maxTermBytes) }

// cutToBytes returns at most so many bytes of a text, of whole letters.
func cutToBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// isStopWord reports whether a word only holds a sentence together.
func isStopWord(w string) bool {
	switch w {
	case "a", "an", "the", "and", "or", "but", "if", "nor", "so", "than", "then", "that", "this", "these", "those",
		"of", "in", "on", "at", "by", "for", "with", "about", "to", "from", "as", "into", "onto", "upon", "between", "during", "through",
		"is", "am", "are", "was", "were", "be", "been", "being", "do", "does", "did", "doing", "done", "has", "have", "had", "having",
		"can", "could", "will", "would", "shall", "should", "may", "might", "must",
		"i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "he", "him", "his", "she", "her", "hers",
		"it", "its", "they", "them", "their", "theirs", "who", "whom", "whose", "what", "which", "when", "where", "why", "how",
		"there", "here", "not", "no", "too", "very", "just", "also", "some", "any", "such", "only", "own", "same", "both", "each",
		"s", "t", "d", "m", "ll", "re", "ve", "don", "isn", "doesn", "didn", "wasn", "aren", "won", "im", "ive":
		return true
	}
	return false
}

// Terms are the terms of a text, in their order: what two texts have in common for
// recall.
func Terms(text string) []string {
	var list []string
	(&Analyzer{}).Analyze(text, func(t Token) { list = append(list, t.Term) })
	return list
}

// StopWords are the stop words of a text, in their order.
func StopWords(text string) (list []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if isStopWord(word) {
			list = append(list, word)
		}
	}
	return list
}

// irregularStems gives the plain form of forms that no rule for endings brings together.
var irregularStems = sync.OnceValue(func() map[string]string {
	forms := map[string]string{}
	for entry := range strings.FieldsSeq(irregularForms) {
		plain, rest, _ := strings.Cut(entry, "=")
		for form := range strings.SplitSeq(rest, ",") {
			forms[form] = plain
		}
	}
	return forms
})

// Verbs and nouns of everyday texts. Forms that are words of their own ("saw",
// "left", "found" stay in: they are verbs far more often) were weighed one by one. So
// were "lives" and "leaves", which are forms of live and leave far more often than of life
// and leaf, and end as verbs do: they are left out.
const irregularForms = `
go=went,gone buy=bought think=thought bring=brought teach=taught catch=caught fight=fought seek=sought
find=found get=got,gotten give=gave,given take=took,taken make=made come=came become=became see=saw,seen
know=knew,known grow=grew,grown throw=threw,thrown fly=flew,flown draw=drew,drawn show=shown blow=blew,blown
say=said tell=told sell=sold hold=held hear=heard keep=kept sleep=slept feel=felt meet=met leave=left lose=lost
send=sent spend=spent build=built lend=lent bend=bent learn=learnt mean=meant deal=dealt dream=dreamt
pay=paid lay=laid sit=sat win=won run=ran begin=began,begun sing=sang,sung swim=swam,swum drink=drank,drunk
ring=rang,rung write=wrote,written ride=rode,ridden drive=drove,driven rise=rose,risen choose=chose,chosen
speak=spoke,spoken break=broke,broken wake=woke,woken steal=stole,stolen freeze=froze,frozen forget=forgot,forgotten
eat=ate,eaten fall=fell,fallen stand=stood understand=understood wear=wore,worn tear=tore,torn swear=swore,sworn
bear=bore,born,borne hide=hid,hidden bite=bit,bitten shake=shook,shaken stick=stuck strike=struck hang=hung
lead=led feed=fed speed=sped read=reads shoot=shot shine=shone sweep=swept weep=wept creep=crept spin=spun dig=dug
child=children person=people man=men woman=women foot=feet tooth=teeth mouse=mice wife=wives knife=knives
shelf=shelves wolf=wolves half=halves loaf=loaves thief=thieves index=indices,indexes vertex=vertices
datum=data criterion=criteria analysis=analyses`
