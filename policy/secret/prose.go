package secret

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// cue is a word near which people write down a secret; rules.txt lists them by kind.
type cue struct {
	text, kind string
	strict     bool // of a stem: the value must look machine-made; else any value that is no word counts
}

// The kinds of cues in sentences.
const (
	passwordCue = "password"
	loginCue    = "login"
	keyCue      = "key"
)

// withCues adds a cue for each word of a list. "_" is a space in the words of sentences.
func withCues(cues []cue, list, kind string, strict bool) []cue {
	for _, w := range wordsOf(list) {
		if !strings.HasPrefix(list, "stem-") {
			w = strings.ReplaceAll(w, "_", " ")
		}
		cues = append(cues, cue{w, kind, strict})
	}
	return cues
}

func newCues(list []cue) *chars.Index[cue] {
	return chars.NewIndex(list, func(c *cue) []string { return []string{c.text} })
}

var cues = sync.OnceValue(func() *chars.Index[cue] {
	var list []cue
	list = withCues(list, "wifi-words", passwordCue, false)
	for _, kind := range [...]string{passwordCue, loginCue, keyCue} {
		list = withCues(list, kind+"-words", kind, false)
	}
	return newCues(list)
})

// walk looks for what is given at each place where a cue stands. Cost: one search a cue that the text may have, then
// bounded looks around each place.
func walk(hits []Hit, p *chars.Part, cues *chars.Index[cue], given func(*cue, []Hit, *chars.Part, int) (Hit, bool)) []Hit {
	for c := range cues.In(p) {
		for from := 0; ; {
			k := strings.Index(p.Lower[from:], c.text)
			if k < 0 {
				break
			}
			from += k + len(c.text)
			if h, ok := given(c, hits, p, from-len(c.text)); ok {
				hits, from = append(hits, h), max(from, h.End)
			}
		}
	}
	return hits
}

// prose finds what people write down in sentences: a password, a name and its password, a key.
func prose(hits []Hit, p *chars.Part) []Hit {
	if !p.Digit && !strings.ContainsAny(p.Text, "!@#$%^&*?") && !p.HoldsAny("wifi", "wlan", "wi-fi") {
		return hits
	}
	return walk(hits, p, cues(), (*cue).findInSentence)
}

// standsAlone reports whether the cue is a word of its own here, or one with an s after it.
func (c *cue) standsAlone(lower string, at int) bool {
	if c.text[0] >= utf8.RuneSelf {
		return true
	}
	end := at + len(c.text)
	after := strings.TrimPrefix(lower[end:], "s")
	if c.text == "pass" && !strings.HasSuffix(lower[:at], ", ") && !strings.HasPrefix(strings.TrimLeft(after, " "), ":") && !strings.HasPrefix(strings.TrimLeft(after, " "), "=") {
		return false // to pass something on
	}
	return (at == 0 || chars.Class(lower[at-1])&(chars.Alnum|chars.Underline) == 0) && (after == "" || chars.Class(after[0])&(chars.Alnum|chars.Underline) == 0 || after[0] >= utf8.RuneSelf)
}

// spoken is a word after a cue that could be the secret.
type spoken struct {
	text   string // in Latin letters
	start  int
	end    int
	n      int  // of the words that are no small ones
	linked bool // by a sign or by a small word, such as "is"
	paired bool // after a slash or an "and": the password of a name
	guard  bool // a word before it says that something about the secret follows
	last   bool // nothing follows
	quoted bool // and a small word gives it
}

// reach is how far from its cue a secret may stand, in bytes.
const reach = 110

// findInSentence finds what a sentence gives for the cue at a place.
func (c *cue) findInSentence(hits []Hit, p *chars.Part, at int) (Hit, bool) {
	if !c.standsAlone(p.Lower, at) || c.text == "pass" && p.Text[at] == 'P' && p.Text[at+3] == 'S' {
		return Hit{}, false
	}
	end := at + len(c.text)
	if c.kind == keyCue && (end < len(p.Text) && strings.IndexByte(":=", p.Text[end]) >= 0 || listed("key-of", wordBefore(p.Text[:at]))) {
		return Hit{}, false // assigned knows what a key is given; or it is no secret
	}
	for _, v := range words(p.Text, end) {
		if c.isSecretWord(p, at, &v) && !overlaps(hits, v.start, v.end) {
			return Hit{v.start, v.end, c.gives()}, true
		}
		if user, pass, ok := strings.Cut(v.text, ":"); ok && (c.kind == passwordCue || c.kind == loginCue) && len(user) >= 2 && plausible(pass) && !strings.Contains(pass, "/") && simpleName(strings.ReplaceAll(user, ".", "-")) && !date(v.text) {
			return Hit{v.start, v.end, "credential"}, true
		}
	}
	if c.kind == keyCue {
		return Hit{}, false
	}
	// "Use … to log in", "… as the password", "admin/… gets you into".
	const near = 60
	for _, v := range words(p.Text[:at], max(0, at-near)) {
		if user, pass, ok := strings.Cut(v.text, "/"); ok && c.kind == loginCue && len(user) >= 2 && plausible(pass) && !strings.ContainsAny(pass, "/.") {
			return Hit{v.start, v.end, "credential"}, true
		}
		if c.kind == loginCue && v.paired && v.n > 0 && strong(v.text) {
			return Hit{v.start, v.end, passwordCue}, true
		}
		before := chars.LowerASCII(p.Text[max(0, v.start-8):v.start])
		_, use, _ := strings.Cut(strings.TrimRight(before, " \"'`"), " ")
		if plausible(v.text) && (listed("using", use) || listed("using", strings.TrimSpace(before)) || strings.Contains(p.Lower[v.start:at], " as ")) {
			return Hit{v.start, v.end, passwordCue}, true
		}
	}
	return Hit{}, false
}

// gives is the kind of what a cue gives.
func (c *cue) gives() string {
	if c.kind == keyCue {
		return "api-key"
	}
	return passwordCue
}

// isSecretWord reports whether a word near the cue is the secret.
func (c *cue) isSecretWord(p *chars.Part, at int, v *spoken) bool {
	switch c.kind {
	case passwordCue:
		return (v.linked || v.n == 0) && !v.guard && (plausible(v.text) || v.linked && !listed("ambiguous", c.text) && numbered(v.text)) || strong(v.text) || v.linked && (v.last && mentionsWireless(p.Lower, at) && wifiWord(v.text) || v.quoted && oneWord(v.text) && !unlikely(v.text))
	case loginCue:
		if (c.text == "admin" || c.text == "root" || c.text == "administrator") && !v.paired {
			return false // a word of every manual
		}
		return v.paired && strong(v.text) && strings.ContainsAny(v.text, "!#$%^&*?") || v.n > 0 && ((v.paired || v.n == 1 && c.text[:4] == "cred") && plausible(v.text) || strong(v.text)) || strong(v.text) && strings.ContainsAny(v.text, "!#$%^&*?")
	case keyCue:
		least := 20
		if v.linked {
			least = 16
		}
		return v.n < 5 && opaque(v.text, least) && chars.Count(v.text).Digits >= 3 && !checksum(v.text) && !unlikely(v.text) && !wordFirst(v.text)
	}
	return false
}

// words lists the words after a place, up to the end of the sentence or the line.
func words(text string, from int) (list []spoken) {
	v := spoken{linked: from > 0 && from < len(text) && strings.IndexByte(":=", text[from]) >= 0}
	n, foreign, said := 0, 0, false // foreign words are none of n
	for i := from; i < len(text) && i-from < reach && n < 12 && text[i] != '\n'; {
		k := wordEnd(text, i)
		if k == i {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == '。' {
				break
			}
			v.linked = v.linked || strings.ContainsRune("：—–→是为為はが는은", r)
			v.paired = v.paired || strings.ContainsRune("和与と、", r)
			i += size
			continue
		}
		w := strings.TrimRight(text[i:k], ".:")
		trimmed := strings.TrimLeft(w, ":=")
		small := strings.ToLower(trimmed)
		known := len(small) == 0 || listed("pairing", small) || listed("links", small)
		start := i + len(w) - len(trimmed)
		if !known && latin(w) != w {
			if foreign++; !Has(w, chars.Digits) {
				v.linked, v.paired, said, i = strings.HasSuffix(text[i:k], ":"), false, false, k
				continue
			}
			trimmed = latin(trimmed)
		}
		switch {
		case trimmed == "":
			v.linked = true
		case trimmed == "/" || trimmed == "|" || listed("pairing", small):
			v.paired = true
		case trimmed == "-" || trimmed == "->" || trimmed == "=>" || trimmed == "==" || listed("links", small):
			v.linked, said = true, true
		case k < len(text) && text[k] == '(': // a call
			v.linked = false
		default:
			v.linked = v.linked || start > i
			v.text, v.start, v.end, v.n, v.last = trimmed, start, i+len(w), n, strings.Trim(text[k:], " .!\"'`\n") == ""
			if trimmed != text[start:v.end] {
				v.n += foreign - 1
			}
			v.quoted = said && v.start > 0 && strings.IndexByte("\"'`", text[v.start-1]) >= 0
			list = append(list, v)
			n, said = n+1, false
			v.guard = v.guard || listed("about", small)
			v.linked, v.paired = strings.HasSuffix(text[i:k], ":"), false
		}
		if strings.HasSuffix(text[i:k], ".") && k < len(text) && text[k] == ' ' {
			break
		}
		i = k
	}
	return list
}

// wordEnd is where the word ends that begins at a place; a word of a script without spaces is none.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r <= ' ' || r == 0x7f || strings.ContainsRune("\"'`<>,;()[]{}", r) || r >= utf8.RuneSelf && (!unicode.IsLetter(r) || spelling.Unspaced(r) || unicode.Is(unicode.Hangul, r)) {
			break
		}
		i += n
	}
	return i
}

// latin spells a word in Latin letters, one for each letter, as the shapes of values know no others.
func latin(w string) string {
	return strings.Map(func(r rune) rune {
		l := unicode.ToLower(r)
		switch {
		case r < utf8.RuneSelf:
			return r
		case l >= 'а' && l <= 'я':
			l = rune("abvgdezzijklmnoprstufhccssqyqeua"[l-'а'])
		default:
			l = 'a'
		}
		if unicode.IsUpper(r) {
			l = unicode.ToUpper(l)
		}
		return l
	}, w)
}

// numbered: words with a number between them, as people join them for a password: lemons.4471.south.
func numbered(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("._-", r) })
	number := 0
	for i, p := range parts {
		switch {
		case i > 0 && i < len(parts)-1 && len(p) >= 2 && chars.Span(p, chars.Digits, len(p)) == len(p):
			number++
		case len(p) < 3 || chars.Span(p, chars.Lowers, len(p)) < len(p):
			return false
		}
	}
	return number == 1
}

// plausible: what a small word or a sign gives as a password.
func plausible(v string) bool {
	c := chars.Count(v)
	mixed := c.Digits > 0 && c.Lowers+c.Uppers > 0 || c.Lowers+c.Uppers > 0 && strings.ContainsAny(v, "!@#$^&*?")
	if len(v) < 5 || len(v) > 80 || !mixed || c.Lowers == 0 && c.Digits < 3 || unlikely(v) || isVersionedName(v) && c.Digits < 2 && !(c.Digits == 1 && c.Uppers > 0 && strings.Contains(v, "-")) {
		return false
	}
	t := strings.TrimRight(v, "!#?$*")
	return !isMadeOfWords(v) || c.Uppers > 0 && c.Digits > 0 && c.Others > 0 || chars.Class(t[len(t)-1])&chars.Digits != 0 && chars.Class(t[len(t)-2])&chars.Digits != 0
}

// strong: what is a password wherever it stands in a sentence about one.
func strong(v string) bool {
	c := chars.Count(v)
	sign := strings.ContainsAny(v, "!@#$%^&*?") && c.Digits > 0 && c.Lowers+c.Uppers > 1
	return len(v) >= 6 && len(v) <= 80 && !unlikely(v) && (sign && strings.Trim(v, "0123456789%") != "" || opaque(v, 9) && !checksum(v) && !codeName(v))
}

func unlikely(v string) bool {
	if v == "" {
		return true
	}
	k := strings.IndexByte(v, '=')
	joined := wordPath(v) && (strings.Contains(v, "/") || chars.Class(v[0])&chars.Uppers == 0 || chars.Class(v[len(v)-1])&chars.Digits == 0)
	return placeholder(v) || strings.Contains(v, "<<") || k > 0 && strings.Trim(v[k:], "=") != "" || talks(v) || isCommonWord(v) || IsVersion(v) || isHexConstant(v) || joined || measure(v) || date(v) || strings.ContainsAny(v, "(){}|\\") || strings.Contains(v, "://") ||
		strings.HasPrefix(v, "-") || strings.HasPrefix(v, "@") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "#") || strings.Contains(v, "@") && strings.Contains(v, ".")
}

func mentionsWireless(lower string, at int) bool {
	return chars.ContainsAny(lower[max(0, at-16):min(len(lower), at+24)], "wifi", "wlan", "wi-fi", "hotspot")
}

// wifiWord: a plain word as the password of a network, and no word that says something about it.
func wifiWord(v string) bool {
	l := chars.LowerASCII(v)
	return len(v) >= 7 && chars.Span(l, chars.Lowers|chars.Dash, len(l)) == len(l) && !isCommonWord(v) && !placeholder(v) && !listed("about", l) && !chars.ContainsAny(l, "ed", "vault", "board", "office", "secret", "router")
}
