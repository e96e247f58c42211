package secret

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// cueWord is a word near which people write down a secret; rules.txt lists them by kind.
type cueWord struct {
	text, kind string
	onlyRandom bool // of a stem: the value must look machine-made; else any value that is no word counts
}

// The kinds of cues in sentences.
const (
	passwordCue = "password"
	loginCue    = "login"
	keyCue      = "key"
)

// appendCues adds a cue for each word of a list. "_" is a space in the words of sentences.
func appendCues(cues []cueWord, list, kind string, strict bool) []cueWord {
	for _, w := range wordsOf(list) {
		if !strings.HasPrefix(list, "stem-") {
			w = strings.ReplaceAll(w, "_", " ")
		}
		cues = append(cues, cueWord{w, kind, strict})
	}
	return cues
}

func indexCues(list []cueWord) *chars.WordIndex[cueWord] {
	return chars.NewIndex(list, func(c *cueWord) []string { return []string{c.text} })
}

var sentenceCues = sync.OnceValue(func() *chars.WordIndex[cueWord] {
	var list []cueWord
	list = appendCues(list, "wifi-words", passwordCue, false)
	for _, kind := range [...]string{passwordCue, loginCue, keyCue} {
		list = appendCues(list, kind+"-words", kind, false)
	}
	return indexCues(list)
})

// findAtCues looks for what is given at each place where a cue stands. Cost: one search a cue that the text may have, then
// bounded looks around each place.
func findAtCues(hits []Hit, p *chars.Part, cues *chars.WordIndex[cueWord], given func(*cueWord, []Hit, *chars.Part, int) (Hit, bool)) []Hit {
	for c := range cues.FindIn(p) {
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

// findInProse finds what people write down in sentences: a password, a name and its password, a key.
func findInProse(hits []Hit, p *chars.Part) []Hit {
	if !p.HasDigit && !strings.ContainsAny(p.Text, "!@#$%^&*?") && !p.ContainsAny("wifi", "wlan", "wi-fi") {
		return hits
	}
	return findAtCues(hits, p, sentenceCues(), (*cueWord).findInSentence)
}

// standsAlone reports whether the cue is a word of its own here, or one with an s after it.
func (c *cueWord) standsAlone(lower string, at int) bool {
	if c.text[0] >= utf8.RuneSelf {
		return true
	}
	end := at + len(c.text)
	after := strings.TrimPrefix(lower[end:], "s")
	if c.text == "pass" && !strings.HasSuffix(lower[:at], ", ") && !strings.HasPrefix(strings.TrimLeft(after, " "), ":") && !strings.HasPrefix(strings.TrimLeft(after, " "), "=") {
		return false // to pass something on
	}
	return (at == 0 || chars.ClassOf(lower[at-1])&(chars.Alnum|chars.Underline) == 0) && (after == "" || chars.ClassOf(after[0])&(chars.Alnum|chars.Underline) == 0 || after[0] >= utf8.RuneSelf)
}

// wordAfterCue is a word after a cue that could be the secret.
type wordAfterCue struct {
	text          string // in Latin letters
	start         int
	end           int
	position      int  // among the words that are no small ones
	isLinked      bool // by a sign or by a small word, such as "is"
	isPaired      bool // after a slash or an "and": the password of a name
	isAboutSecret bool // a word before it says that something about the secret follows
	isLast        bool // nothing follows
	quoted        bool // and a small word gives it
}

// maxCueDistance is how far from its cue a secret may stand, in bytes.
const maxCueDistance = 110

// findInSentence finds what a sentence gives for the cue at a place.
func (c *cueWord) findInSentence(hits []Hit, p *chars.Part, at int) (Hit, bool) {
	if !c.standsAlone(p.Lower, at) || c.text == "pass" && p.Text[at] == 'P' && p.Text[at+3] == 'S' {
		return Hit{}, false
	}
	end := at + len(c.text)
	if c.kind == keyCue && (end < len(p.Text) && strings.IndexByte(":=", p.Text[end]) >= 0 || isInList("key-of", wordBefore(p.Text[:at]))) {
		return Hit{}, false // assigned knows what a key is given; or it is no secret
	}
	for _, v := range wordsAfter(p.Text, end) {
		if c.isSecretWord(p, at, &v) && !overlaps(hits, v.start, v.end) {
			return Hit{v.start, v.end, c.secretKind()}, true
		}
		if user, pass, ok := strings.Cut(v.text, ":"); ok && (c.kind == passwordCue || c.kind == loginCue) && len(user) >= 2 && isPlausible(pass) && !strings.Contains(pass, "/") && isSimpleName(strings.ReplaceAll(user, ".", "-")) && !isDate(v.text) {
			return Hit{v.start, v.end, "credential"}, true
		}
	}
	if c.kind == keyCue {
		return Hit{}, false
	}
	// "Use … to log in", "… as the password", "admin/… gets you into".
	const near = 60
	for _, v := range wordsAfter(p.Text[:at], max(0, at-near)) {
		if user, pass, ok := strings.Cut(v.text, "/"); ok && c.kind == loginCue && len(user) >= 2 && isPlausible(pass) && !strings.ContainsAny(pass, "/.") {
			return Hit{v.start, v.end, "credential"}, true
		}
		if c.kind == loginCue && v.isPaired && v.position > 0 && isStrong(v.text) {
			return Hit{v.start, v.end, passwordCue}, true
		}
		before := chars.LowerASCII(p.Text[max(0, v.start-8):v.start])
		_, use, _ := strings.Cut(strings.TrimRight(before, " \"'`"), " ")
		if isPlausible(v.text) && (isInList("using", use) || isInList("using", strings.TrimSpace(before)) || strings.Contains(p.Lower[v.start:at], " as ")) {
			return Hit{v.start, v.end, passwordCue}, true
		}
	}
	return Hit{}, false
}

// secretKind is the kind of the secret that follows a cue.
func (c *cueWord) secretKind() string {
	if c.kind == keyCue {
		return "api-key"
	}
	return passwordCue
}

// isSecretWord reports whether a word near the cue is the secret.
func (c *cueWord) isSecretWord(p *chars.Part, at int, v *wordAfterCue) bool {
	switch c.kind {
	case passwordCue:
		return (v.isLinked || v.position == 0) && !v.isAboutSecret && (isPlausible(v.text) || v.isLinked && !isInList("ambiguous", c.text) && isNumberedWords(v.text)) || isStrong(v.text) || v.isLinked && (v.isLast && mentionsWireless(p.Lower, at) && isWifiPassword(v.text) || v.quoted && isOneWord(v.text) && !isUnlikely(v.text))
	case loginCue:
		if (c.text == "admin" || c.text == "root" || c.text == "administrator") && !v.isPaired {
			return false // a word of every manual
		}
		return v.isPaired && isStrong(v.text) && strings.ContainsAny(v.text, "!#$%^&*?") || v.position > 0 && ((v.isPaired || v.position == 1 && c.text[:4] == "cred") && isPlausible(v.text) || isStrong(v.text)) || isStrong(v.text) && strings.ContainsAny(v.text, "!#$%^&*?")
	case keyCue:
		least := 20
		if v.isLinked {
			least = 16
		}
		return v.position < 5 && looksRandom(v.text, least) && chars.CountBytes(v.text).Digits >= 3 && !isChecksum(v.text) && !isUnlikely(v.text) && !isMachineName(v.text)
	}
	return false
}

// wordsAfter lists the words after a place, up to the end of the sentence or the line.
func wordsAfter(text string, from int) (list []wordAfterCue) {
	v := wordAfterCue{isLinked: from > 0 && from < len(text) && strings.IndexByte(":=", text[from]) >= 0}
	n, foreign, said := 0, 0, false // foreign words are none of n
	for i := from; i < len(text) && i-from < maxCueDistance && n < 12 && text[i] != '\n'; {
		k := wordEnd(text, i)
		if k == i {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == '。' {
				break
			}
			v.isLinked = v.isLinked || strings.ContainsRune("：—–→是为為はが는은", r)
			v.isPaired = v.isPaired || strings.ContainsRune("和与と、", r)
			i += size
			continue
		}
		w := strings.TrimRight(text[i:k], ".:")
		trimmed := strings.TrimLeft(w, ":=")
		small := strings.ToLower(trimmed)
		known := len(small) == 0 || isInList("pairing", small) || isInList("links", small)
		start := i + len(w) - len(trimmed)
		if !known && toLatin(w) != w {
			if foreign++; !HasByteOf(w, chars.Digits) {
				v.isLinked, v.isPaired, said, i = strings.HasSuffix(text[i:k], ":"), false, false, k
				continue
			}
			trimmed = toLatin(trimmed)
		}
		switch {
		case trimmed == "":
			v.isLinked = true
		case trimmed == "/" || trimmed == "|" || isInList("pairing", small):
			v.isPaired = true
		case trimmed == "-" || trimmed == "->" || trimmed == "=>" || trimmed == "==" || isInList("links", small):
			v.isLinked, said = true, true
		case k < len(text) && text[k] == '(': // a call
			v.isLinked = false
		default:
			v.isLinked = v.isLinked || start > i
			v.text, v.start, v.end, v.position, v.isLast = trimmed, start, i+len(w), n, strings.Trim(text[k:], " .!\"'`\n") == ""
			if trimmed != text[start:v.end] {
				v.position += foreign - 1
			}
			v.quoted = said && v.start > 0 && strings.IndexByte("\"'`", text[v.start-1]) >= 0
			list = append(list, v)
			n, said = n+1, false
			v.isAboutSecret = v.isAboutSecret || isInList("about", small)
			v.isLinked, v.isPaired = strings.HasSuffix(text[i:k], ":"), false
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
		if r <= ' ' || r == 0x7f || strings.ContainsRune("\"'`<>,;()[]{}", r) || r >= utf8.RuneSelf && (!unicode.IsLetter(r) || spelling.IsUnspaced(r) || unicode.Is(unicode.Hangul, r)) {
			break
		}
		i += n
	}
	return i
}

// toLatin spells a word in Latin letters, one for each letter, as the shapes of values know no others.
func toLatin(w string) string {
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

// isNumberedWords reports whether a text is words with a number between them, as people join them for a password: lemons.4471.south.
func isNumberedWords(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("._-", r) })
	number := 0
	for i, p := range parts {
		switch {
		case i > 0 && i < len(parts)-1 && len(p) >= 2 && chars.SpanLen(p, chars.Digits, len(p)) == len(p):
			number++
		case len(p) < 3 || chars.SpanLen(p, chars.Lowers, len(p)) < len(p):
			return false
		}
	}
	return number == 1
}

// isPlausible: what a small word or a sign gives as a password.
func isPlausible(v string) bool {
	c := chars.CountBytes(v)
	mixed := c.Digits > 0 && c.Lowers+c.Uppers > 0 || c.Lowers+c.Uppers > 0 && strings.ContainsAny(v, "!@#$^&*?")
	if len(v) < 5 || len(v) > 80 || !mixed || c.Lowers == 0 && c.Digits < 3 || isUnlikely(v) || isVersionedName(v) && c.Digits < 2 && !(c.Digits == 1 && c.Uppers > 0 && strings.Contains(v, "-")) {
		return false
	}
	t := strings.TrimRight(v, "!#?$*")
	return !isMadeOfWords(v) || c.Uppers > 0 && c.Digits > 0 && c.Others > 0 || chars.ClassOf(t[len(t)-1])&chars.Digits != 0 && chars.ClassOf(t[len(t)-2])&chars.Digits != 0
}

// isStrong: what is a password wherever it stands in a sentence about one.
func isStrong(v string) bool {
	c := chars.CountBytes(v)
	sign := strings.ContainsAny(v, "!@#$%^&*?") && c.Digits > 0 && c.Lowers+c.Uppers > 1
	return len(v) >= 6 && len(v) <= 80 && !isUnlikely(v) && (sign && strings.Trim(v, "0123456789%") != "" || looksRandom(v, 9) && !isChecksum(v) && !isCodeName(v))
}

func isUnlikely(v string) bool {
	if v == "" {
		return true
	}
	k := strings.IndexByte(v, '=')
	joined := isWordPath(v) && (strings.Contains(v, "/") || chars.ClassOf(v[0])&chars.Uppers == 0 || chars.ClassOf(v[len(v)-1])&chars.Digits == 0)
	return isPlaceholder(v) || strings.Contains(v, "<<") || k > 0 && strings.Trim(v[k:], "=") != "" || isAboutSecretWord(v) || isCommonWord(v) || IsVersion(v) || isHexConstant(v) || joined || isMeasure(v) || isDate(v) || strings.ContainsAny(v, "(){}|\\") || strings.Contains(v, "://") ||
		strings.HasPrefix(v, "-") || strings.HasPrefix(v, "@") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "#") || strings.Contains(v, "@") && strings.Contains(v, ".")
}

func mentionsWireless(lower string, at int) bool {
	return chars.ContainsAny(lower[max(0, at-16):min(len(lower), at+24)], "wifi", "wlan", "wi-fi", "hotspot")
}

// isWifiPassword reports whether a text is a plain word as the password of a network, and no word that says something about it.
func isWifiPassword(v string) bool {
	l := chars.LowerASCII(v)
	return len(v) >= 7 && chars.SpanLen(l, chars.Lowers|chars.Dash, len(l)) == len(l) && !isCommonWord(v) && !isPlaceholder(v) && !isInList("about", l) && !chars.ContainsAny(l, "ed", "vault", "board", "office", "secret", "router")
}
