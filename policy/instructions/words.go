package instructions

import (
	"cmp"
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

// token is one word of a text in its plain form, as a number in the
// vocabulary; 0 is a word that no phrase names. Marks that end a sentence are
// words too, so that a phrase does not run over them.
type token uint16

// tokenize cuts a text into words: compatibility forms folded, case folded,
// invisible characters dropped, look-alike letters and leetspeak read as what
// they look like, letters that stand apart joined.
func (v *Vocabulary) Tokenize(text, lower string, ascii bool, buf []token) []token {
	if !ascii {
		lower = plainForm(text)
	}
	var few [16]byte
	spelled := few[:0] // letters that stood apart, one after the other
	from := 0          // where their words begin in buf
	for i := 0; i < len(lower) && len(buf) < maxWords; {
		c := lower[i]
		if c < 0x80 && !wordByte(c) {
			if (c == '.' || c == '!' || c == '?') && (i+1 == len(lower) || lower[i+1] <= ' ') {
				buf = append(buf, v.stop)
			}
			i++
			continue
		}
		n := wordLen(lower[i:])
		w := lower[i : i+n]
		if w[0] == '\'' || w[n-1] == '\'' {
			w = strings.Trim(w, "'")
		}
		i += n
		if w == "" {
			continue
		}
		if len(w) == 1 || len(w) <= 4 && utf8.RuneCountInString(w) == 1 {
			if len(spelled) == 0 {
				from = len(buf)
			}
			spelled = append(spelled, w...)
			buf = append(buf, v.look(w))
			continue
		}
		if len(spelled) > 0 {
			buf = v.respell(spelled, buf, from)
			spelled = spelled[:0]
		}
		buf = append(buf, v.look(w))
	}
	return v.respell(spelled, buf, from)
}

func wordByte(c byte) bool { return chars.Class(c)&chars.Wordish != 0 }

func wordLen(s string) int {
	n := 0
	for n < len(s) {
		if s[n] < 0x80 {
			if !wordByte(s[n]) {
				break
			}
			n++
			continue
		}
		r, k := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			if n == 0 {
				return k
			}
			break
		}
		n += k
	}
	return n
}

// look finds a word in the vocabulary, if need be by what it looks like.
func (v *Vocabulary) look(w string) token {
	if t := v.find(w); t != 0 || len(w) > 32 || len(w) < 2 {
		return t
	}
	folded, changed := unleet(w)
	if changed {
		if t := v.find(folded); t != 0 {
			return t
		}
	}
	if len(folded) >= 6 && (folded[0] == 'd' || folded[0] == 'i' || folded[0] == 'p') {
		return v.misspelt(folded)
	}
	return 0
}

// read finds a word as it stands, or as its signs look.
func (v *Vocabulary) read(w string) (token, bool) {
	t := v.find(w)
	if t == 0 {
		if folded, changed := unleet(w); changed {
			t = v.find(folded)
		}
	}
	return t, t != 0
}

// misspelt finds the few words that every override needs, with one letter
// wrong, missing or too much.
func (v *Vocabulary) misspelt(w string) token {
	for _, right := range [...]string{"instructions", "instruction", "ignore", "previous", "disregard", "prompt"} {
		if oneOff(w, right) {
			return v.find(right)
		}
	}
	return 0
}

// oneOff reports whether one letter changed, added or left out makes b of a.
func oneOff(a, b string) bool {
	if len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch {
	case len(a) > len(b):
		return a[1:] == b
	case len(b) > len(a):
		return a == b[1:]
	}
	return len(a) > 0 && (a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:])
}

// unleet reads digits, signs and look-alike letters as Latin letters.
func unleet(w string) (string, bool) {
	changed := false
	for i := 0; i < len(w); i++ {
		if c := w[i]; c < 'a' || c > 'z' {
			changed = true
		}
	}
	if !changed {
		return w, false
	}
	letters := 0
	b := make([]byte, 0, len(w))
	for _, r := range w {
		if r >= 'a' && r <= 'z' {
			letters++
		}
		if k := strings.IndexRune("01345789@$", r); k >= 0 && r < 0x80 {
			b = append(b, "oieastbgas"[k])
			continue
		}
		if l := cmp.Or(spelling.Lookalike(r), unmarked(r)); l != 0 {
			b = append(b, l)
			continue
		}
		if r < 0x80 && r != '\'' {
			b = append(b, byte(r))
		}
	}
	return string(b), letters > 0 || !IsASCII(w)
}

// unmarked returns the small Latin letter under a letter with a mark (é, ø); 0
// where there is none.
func unmarked(r rune) byte {
	switch r {
	case 'đ':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ł':
		return 'l'
	case 'ø':
		return 'o'
	case 'ß':
		return 's'
	}
	if letter := norm.NFD.String(string(r)); len(letter) > 1 && 'a' <= letter[0] && letter[0] <= 'z' {
		return letter[0]
	}
	return 0
}

// IsASCII reports whether the text has ASCII characters alone.
func IsASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainForm folds compatibility forms and case, and drops what is invisible.
func plainForm(s string) string {
	s = norm.NFKC.String(s)
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
		case r == '。' || r == '！' || r == '？':
			return '.'
		case r >= 0xe0020 && r <= 0xe007e: // tags spell ASCII
			return unicode.ToLower(r - 0xe0000)
		case spelling.Invisible(r) || unicode.Is(unicode.Mn, r) && r < 0x370:
			return -1
		}
		if unicode.IsUpper(r) && unicode.Is(unicode.Greek, r) && spelling.Lookalike(r) != 0 {
			return rune(spelling.Lookalike(r)) // its small form looks like another letter
		}
		return unicode.ToLower(r)
	}, s)
}

// respell puts the words that four or more single letters make in the place of
// the letters.
func (v *Vocabulary) respell(spelled []byte, buf []token, from int) []token {
	if len(spelled) < 4 {
		return buf
	}
	buf = buf[:from]
	s := string(spelled[:min(len(spelled), 400)])
	for len(s) > 0 {
		n := min(len(s), 16)
		for ; n > 1; n-- {
			if t, ok := v.read(s[:n]); ok {
				buf = append(buf, t)
				break
			}
		}
		s = s[max(n, 1):]
	}
	return buf
}
