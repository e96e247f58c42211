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
	from, to     int
	at           int
	key          uint64 // the first eight bytes from here
	hasJoint     bool   // it has a sign that joins words: a path, a setting, an address
	isOtherHost  bool   // it is an address, or has one, that is not on this machine
	isSecretName bool   // it is the name of a variable with a secret in it
	endsSentence bool   // a sentence ends after it
	endsLine     bool   // its line ends, which is the end of a sentence in a list
	forbids      bool
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
				if !list[last].endsSentence && !list[last].endsLine {
					at += sentenceWeight
				}
				list[last].endsLine = true
				list[last].endsSentence = list[last].endsSentence || r != '\n' && r != ';' && (r >= utf8.RuneSelf || i+1 == len(lower) || lower[i+1] <= ' ')
			}
			i += n
			continue
		case spelling.IsUnspaced(r):
			list = append(list, word{from: i, to: i + n, at: at, key: firstBytes(lower[i:])})
			at++
			i += n
			continue
		}
		end, joined, letters := i, false, false
		for end < len(lower) && chars.ClassOf(lower[end])&chars.Breaks == 0 {
			if r, n = utf8.DecodeRuneInString(lower[end:]); n > 1 && (breaksWord(r) || spelling.IsUnspaced(r)) {
				break
			}
			joined, letters = joined || end > i && isJoint(r), letters || !isJoint(r)
			end += n
		}
		w := word{from: i, to: end, at: at, hasJoint: joined, endsSentence: lower[end-1] == '.'}
		for w.to > w.from && strings.IndexByte(".:'*_", lower[w.to-1]) >= 0 {
			w.to--
		}
		for w.to > w.from && strings.IndexByte("'*_", lower[w.from]) >= 0 {
			w.from++
		}
		if i = end; w.to == w.from || !letters {
			continue
		}
		w.endsSentence = w.endsSentence && (w.to-w.from > 2 || chars.SpanLen(lower[w.from:], chars.Digits, 2) < w.to-w.from) // not "1. Dezember"
		w.key, w.forbids = firstBytes(lower[w.from:]), spelling.IsProhibition(lower[w.from:w.to])
		if joined {
			w.isOtherHost, w.isSecretName = isOtherHost(lower[w.from:w.to]), isSecretName(lower[w.from:w.to])
		}
		list = append(list, w)
		if at += wordWeight; w.endsSentence {
			at += sentenceWeight
		}
	}
	return Words{lower, list}
}

// isJoint reports whether a sign joins words.
func isJoint(r rune) bool {
	return r < utf8.RuneSelf && chars.ClassOf(byte(r))&(chars.Underline|chars.Slash|chars.Dot|chars.Colon|chars.Equals|chars.Dash|chars.Hash|chars.Tilde) != 0
}

// breaksWord reports whether a character stands between words.
func breaksWord(r rune) bool {
	if r < utf8.RuneSelf {
		return chars.ClassOf(byte(r))&chars.Breaks != 0
	}
	return strings.ContainsRune("\u00a0«»“”„，。；：、（）「」『』！？…—–·", r)
}

// firstFrom is the first word after word i that begins at end or later.
func (w Words) firstFrom(i, end int) int {
	for i++; i < len(w.list) && w.list[i].from < end; i++ {
	}
	return i
}

func (w Words) text(i int) string { return w.lower[w.list[i].from:w.list[i].to] }

// isOtherHost reports whether a word is an address, or has one, that is not on this machine.
func isOtherHost(w string) bool {
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

// isSecretName reports whether a word is the name of a variable with a secret in it.
func isSecretName(w string) bool {
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
		case spelling.IsInvisible(r) || unicode.Is(unicode.Mn, r) && r < 0x370:
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}

// prefix is what a word of a text has to begin with, or to be where whole is set. Its first bytes are also
// a number, because a text is compared with hundreds.
type prefix struct {
	key   uint64
	text  string
	whole bool
}

func newPrefix(word string, whole bool) prefix {
	text, full := strings.CutSuffix(word, ".")
	// Longer words begin with three letters by chance.
	const short = 3
	whole = whole || full || len(text) <= short && chars.SpanLen(text, chars.Lowers, short) == len(text)
	return prefix{firstBytes(text), text, whole}
}

func firstBytes(s string) (key uint64) {
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

// matches reports whether the word begins with the prefix. A prefix that ends in "," or ":" has that mark after it.
func (s *prefix) matches(lower string, w *word) bool {
	n := len(s.text)
	return haveSamePrefix(w.key, s.key, min(n, 8)) && (n <= 8 || strings.HasPrefix(lower[w.from:], s.text)) && (!s.whole || w.from+n == w.to)
}
