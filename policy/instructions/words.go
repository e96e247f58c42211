package instructions

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// maxWords caps how many words of one text the phrases look at; what is longer
// is too long to be stored anyway.
const maxWords = 8000

// word is a word of a text: a range in it. at counts in thirds of a word, so that a
// character of a script without spaces is one third, and grows at the end of a sentence.
type word struct {
	from, to int
	at       int
	key      uint64 // the first eight bytes from here
	joined   bool   // it has a sign that joins words: a path, a setting, an address
	host     bool   // it is an address, or has one, that is not on this machine
	secret   bool   // it is the name of a variable with a secret in it
	stop     bool   // a sentence ends after it
	line     bool   // its line ends, which is the end of a sentence in a list
	forbids  bool
}

const (
	wordWeight     = 3
	sentenceWeight = 6 * wordWeight
)

// Words is a text cut into words.
type Words struct {
	lower string
	list  []word
}

// Cut cuts a text into words. Addresses, paths and settings stay whole; a character of a script
// that has no spaces is a word.
func Cut(p *chars.Part) Words { return cut(p, nil) }

func cut(p *chars.Part, list []word) Words {
	lower := p.Lower
	if !p.ASCII {
		lower = plainForm(p.Text)
	}
	at := 0
	for i := 0; i < len(lower) && len(list) < maxWords; {
		r, n := utf8.DecodeRuneInString(lower[i:])
		switch {
		case breaksWord(r):
			if last := len(list) - 1; last >= 0 && strings.ContainsRune("\n!?;。！？", r) {
				if !list[last].stop && !list[last].line {
					at += sentenceWeight
				}
				list[last].line = true
				list[last].stop = list[last].stop || r != '\n' && r != ';' && (r >= utf8.RuneSelf || i+1 == len(lower) || lower[i+1] <= ' ')
			}
			i += n
			continue
		case spelling.Unspaced(r):
			list = append(list, word{from: i, to: i + n, at: at, key: keyOf(lower[i:])})
			at++
			i += n
			continue
		}
		end, joined, letters := i, false, false
		for end < len(lower) && chars.Class(lower[end])&chars.Breaks == 0 {
			if r, n = utf8.DecodeRuneInString(lower[end:]); n > 1 && (breaksWord(r) || spelling.Unspaced(r)) {
				break
			}
			joined, letters = joined || end > i && joint(r), letters || !joint(r)
			end += n
		}
		w := word{from: i, to: end, at: at, joined: joined, stop: lower[end-1] == '.'}
		for w.to > w.from && strings.IndexByte(".:'*_", lower[w.to-1]) >= 0 {
			w.to--
		}
		for w.to > w.from && strings.IndexByte("'*_", lower[w.from]) >= 0 {
			w.from++
		}
		if i = end; w.to == w.from || !letters {
			continue
		}
		w.stop = w.stop && (w.to-w.from > 2 || chars.Span(lower[w.from:], chars.Digits, 2) < w.to-w.from) // not "1. Dezember"
		w.key, w.forbids = keyOf(lower[w.from:]), spelling.Forbids(lower[w.from:w.to])
		if joined {
			w.host, w.secret = otherHost(lower[w.from:w.to]), secretName(lower[w.from:w.to])
		}
		list = append(list, w)
		if at += wordWeight; w.stop {
			at += sentenceWeight
		}
	}
	return Words{lower, list}
}

// joint reports whether a sign joins words.
func joint(r rune) bool {
	return r < utf8.RuneSelf && chars.Class(byte(r))&(chars.Underline|chars.Slash|chars.Dot|chars.Colon|chars.Equals|chars.Dash|chars.Hash|chars.Tilde) != 0
}

// breaksWord reports whether a character stands between words.
func breaksWord(r rune) bool {
	if r < utf8.RuneSelf {
		return chars.Class(byte(r))&chars.Breaks != 0
	}
	return strings.ContainsRune("\u00a0«»“”„，。；：、（）「」『』！？…—–·", r)
}

// after is the first word after word i that begins at end or later.
func (w Words) after(i, end int) int {
	for i++; i < len(w.list) && w.list[i].from < end; i++ {
	}
	return i
}

func (w Words) text(i int) string { return w.lower[w.list[i].from:w.list[i].to] }

// otherHost reports whether a word is an address, or has one, that is not on this machine.
func otherHost(w string) bool {
	if strings.IndexByte(w, '.') < 0 {
		return false
	}
	if _, rest, ok := strings.Cut(w, "://"); ok {
		w = rest
	} else if _, rest, ok := strings.Cut(w, "git@"); ok {
		w = rest
	}
	w, _, _ = strings.Cut(w, "/")
	w, _, _ = strings.Cut(w, ":")
	if strings.ContainsAny(w, "=$@*_") {
		_, w, _ = strings.Cut(w, "@")
	}
	first, _, _ := strings.Cut(w, ".")
	last := w[strings.LastIndexByte(w, '.')+1:]
	if strings.Count(w, ".") == 3 && strings.Trim(w, "0123456789.") == "" && !strings.Contains(w, "..") && last != "" {
		return first != "" && first != "127" && first != "10" && w != "0.0.0.0" && !strings.HasPrefix(w, "192.168.")
	}
	return first != "" && first != w && slices.Contains(orderTable().topDomains, last)
}

// secretName reports whether a word is the name of a variable with a secret in it.
func secretName(w string) bool {
	k := strings.LastIndexByte(w, '_')
	if k < 0 {
		return false
	}
	switch w[k+1:] {
	case "key", "token", "secret", "password", "pass", "credentials":
		return true
	}
	return false
}

// plainForm folds compatibility forms and case, and drops what is invisible.
func plainForm(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}
		switch {
		case r == '’' || r == '‘' || r == 'ʼ':
			return '\''
		case r >= 0xe0020 && r <= 0xe007e: // tags spell ASCII
			return unicode.ToLower(r - 0xe0000)
		case spelling.Invisible(r) || unicode.Is(unicode.Mn, r) && r < 0x370:
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}

// stem is what a word of a text has to begin with, or to be where whole is set. Its first bytes are also
// a number, because a text is compared with hundreds.
type stem struct {
	key   uint64
	text  string
	whole bool
}

func newStem(word string, whole bool) stem {
	text, full := strings.CutSuffix(word, ".")
	// Longer words begin with three letters by chance.
	const short = 3
	whole = whole || full || len(text) <= short && chars.Span(text, chars.Lowers, short) == len(text)
	return stem{keyOf(text), text, whole}
}

func keyOf(s string) (key uint64) {
	if len(s) >= 8 {
		return binary.LittleEndian.Uint64([]byte(s[:8]))
	}
	for i := range len(s) {
		key |= uint64(s[i]) << (8 * i)
	}
	return key
}

// haveSamePrefix reports whether two keys have the same first n bytes, of one to eight.
func haveSamePrefix(a, b uint64, n int) bool {
	return (a^b)<<((64-8*n)&63) == 0
}

// fits reports whether the word begins with the stem. A stem that ends in "," or ":" has that mark after it.
func (s *stem) fits(lower string, w *word) bool {
	n := len(s.text)
	return haveSamePrefix(w.key, s.key, min(n, 8)) && (n <= 8 || strings.HasPrefix(lower[w.from:], s.text)) && (!s.whole || w.from+n == w.to)
}
