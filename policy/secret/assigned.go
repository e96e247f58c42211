package secret

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// stems are the words of rules.txt that tell of a secret: what a password is called in any language, and the lists "stem-…". After
// all but "stem-password", the value must look machine-made.
var stems = sync.OnceValue(func() *chars.Index[cue] {
	var list []cue
	for _, kind := range [...]string{"password", "secret", "token", "api-key", "credential", "client-id"} {
		list = withCues(list, "stem-"+kind, kind, kind != passwordCue)
	}
	return newCues(slices.DeleteFunc(withCues(list, "password-words", passwordCue, true), func(c cue) bool {
		return c.strict && c.kind == passwordCue && (strings.HasPrefix(c.text, "pass") || len(c.text) <= 3)
	}))
})

// NamesSecret reports whether a name tells of a secret.
func NamesSecret(name *chars.Part) bool { return stems().HasWord(name) }

// assigned finds values given for a telling name: password: …, API_KEY=…, "the password is …".
func assigned(hits []Hit, p *chars.Part) []Hit { return walk(hits, p, stems(), (*cue).assigned) }

// hasWordBoundary reports whether the stem begins or ends a word of its own at this
// place: "apiKey", "API_KEY", "key" and not "monkey", "keyboard", "compass".
func (s *cue) hasWordBoundary(text string, at int) bool {
	end := at + len(s.text)
	before, after := byte(' '), byte(' ')
	if at > 0 {
		before = text[at-1]
	}
	if end < len(text) {
		after = text[end]
	}
	switch s.text {
	case "pass":
		return chars.Class(after)&chars.Letters == 0 && chars.Class(before)&chars.Lowers == 0 ||
			chars.Class(after)&chars.Letters == 0 && at >= 2 && strings.Contains("dbpgmysmtp", chars.LowerASCII(text[at-2:at]))
	case "token":
		return !listed("token-of", wordBefore(text[:at]))
	case "auth":
		return chars.Class(after)&chars.Lowers == 0 && after != '0' // the service Auth0
	case "key", "login", "dsn", "access", "private", "pwd":
		// A lower-case letter after it makes another word of it.
		return chars.Class(after)&chars.Lowers == 0 && !(s.text == "key" && listed("key-of", wordBefore(text[:at])))
	case "pw":
		return chars.Class(after)&chars.Alnum == 0 && chars.Class(before)&chars.Letters == 0
	case "signature":
		return before == '-' || before == '&' || before == '?' || before == '_'
	case "pat":
		return chars.Class(after)&(chars.Letters|chars.Digits) == 0 && before == '_'
	case "cred":
		return chars.Class(before)&chars.Lowers == 0 || chars.Class(text[at])&chars.Uppers != 0
	}
	return true
}

// wordBefore is the word that ends before a place, in small letters: "page" of "nextPageToken", "NEXT_PAGE_TOKEN".
func wordBefore(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-20):], "_- ")
	k := len(text)
	for k > 0 && chars.Class(text[k-1])&chars.LowAlnum != 0 {
		k--
	}
	for small := k < len(text); k > 0 && chars.Class(text[k-1])&chars.Uppers != 0; k-- {
		if small {
			k--
			break
		}
	}
	return chars.LowerASCII(text[k:])
}

// assigned looks for what is given for the stem at this place.
func (s *cue) assigned(_ []Hit, p *chars.Part, at int) (Hit, bool) {
	text, lower := p.Text, p.Lower
	if !s.hasWordBoundary(text, at) || inPath(text, at) || s.inBlob(text, at) {
		return Hit{}, false
	}
	end := at + len(s.text)
	// The rest of the name: "secret_access_key", "password_prod".
	n := chars.Span(text[end:], chars.Word|chars.Dot|chars.Dash, 64)
	name := text[end : end+n]
	if h, ok := s.inName(text, end, name); ok {
		return h, true
	}
	if rest := chars.LowerASCII(name); tellsOfName(rest) || s.strict && !Qualifies(rest) && !(s.kind == "password" && len(rest) <= 3) {
		return Hit{}, false
	}
	end += n
	g, ok := readGiven(text, end)
	if g.sep < sepMark && (s.kind == passwordCue || s.isWeakName(text, end, &g)) { // prose knows the passwords that sentences give
		return Hit{}, false
	}
	if ok && (s.strict && g.atHome(text) || s.text == "key" && itemsKey(text, lower, at, &g)) {
		return Hit{}, false
	}
	if ok && (s.isSecretValue(&g) || !s.strict && g.inEnvironment(text)) {
		return Hit{g.start, g.stop, s.kind}, true
	}
	return s.findAfterWord(text, lower, end)
}

// isWeakName reports whether the name is too weak to make a secret of the value beside it: "a
// private subnet-…", arguments of a call, a path.
func (s *cue) isWeakName(text string, end int, g *given) bool {
	if end < len(text) && text[end] == '/' || wordFirst(g.value) {
		return true
	}
	switch s.text {
	case "private", "access", "login":
		k := strings.IndexByte(g.value, '-')
		return len(g.value) < 20 || k >= 3 && chars.Span(g.value, chars.Lowers, k) == k // subnet-…
	}
	return false
}

// wordFirst: a name as machines and pods have it, a word and then what was made up: auth-service-7d9f8b6c5-x2k4q.
func wordFirst(v string) bool {
	first, rest, ok := strings.Cut(v, "-")
	return ok && len(first) >= 3 && chars.Span(first, chars.Lowers, len(first)) == len(first) && strings.ContainsAny(first, "aeiou") && readable(first) && chars.Span(rest, chars.LowAlnum|chars.Dash, len(rest)) == len(rest)
}

// itemsKey reports whether what is given is the key of an item or a tombstone,
// on a line of its own as they stand in a memory file. Between its dots such a
// key is made of words, where a token joins long runs.
func itemsKey(text, lower string, at int, g *given) bool {
	begin := at
	for begin > 0 && at-begin < 64 && strings.IndexByte(" \t-", text[begin-1]) >= 0 {
		begin--
	}
	if begin > 0 && text[begin-1] != '\n' || !strings.HasPrefix(lower[at:], "key: ") || !g.last || !memfile.KeyForm(g.value) {
		return false
	}
	for w := range strings.FieldsFuncSeq(g.value, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		if len(w) >= 16 && Has(w, chars.Digits) {
			return false
		}
	}
	return true
}

// inName finds a value that stands in the name's own run: "key-1234…".
func (s *cue) inName(text string, end int, name string) (Hit, bool) {
	v := strings.TrimLeft(name, "-_.")
	if len(v) < 12 || v == name && len(v) <= 20 || !opaque(v, 12) || wordFirst(v) {
		return Hit{}, false
	}
	start := end + len(name) - len(v)
	stop := start + chars.Span(text[start:], chars.Opaque, maxValue)
	return Hit{start, stop, s.kind}, !placeholder(text[start:stop])
}

// inPath reports whether the name that holds this place is a part of a path or
// an anchor and names nothing that is given here.
func inPath(text string, at int) bool {
	for n := 0; at > 0 && n < 64; n++ {
		at--
		if chars.Class(text[at])&(chars.Word|chars.Dash) == 0 {
			if run := text[max(0, at-80):at]; text[at] == ':' && strings.HasPrefix(run[strings.LastIndexAny(run, " \"'=")+1:], "arn:") {
				return true
			}
			return text[at] == '/' && (at == 0 || text[at-1] != '/') || text[at] == '#'
		}
	}
	return false
}

// inBlob reports whether the stem only happens to stand in a long run of base64.
func (s *cue) inBlob(text string, at int) bool {
	const most = 80
	start, end := at, at+len(s.text)
	for start > 0 && at-start < most && chars.Class(text[start-1])&(chars.Alnum|chars.Plus|chars.Slash) != 0 {
		start--
	}
	end += chars.Span(text[end:], chars.Alnum|chars.Plus|chars.Slash, most)
	if end-start < 40 {
		return false
	}
	c := chars.Count(text[start:end])
	return c.Uppers >= 4 && c.Lowers >= 4 && c.Digits >= 2 && !codeName(text[start:end]) && !wordPath(text[start:end])
}

// findAfterWord looks past the word that stands between a name and what is given for it
// in files of settings: name: API_KEY, value: "…".
func (s *cue) findAfterWord(text, lower string, from int) (Hit, bool) {
	near := lower[from:min(len(lower), from+40)]
	for _, w := range []string{"value", "default"} {
		k := strings.Index(near, w)
		if k < 0 || Has(near[:k], chars.Alnum) {
			continue
		}
		if g, ok := readGiven(text, from+k+len(w)); ok && g.sep == sepMark && s.isSecretValue(&g) {
			return Hit{g.start, g.stop, s.kind}, true
		}
	}
	return Hit{}, false
}

// tellsOfName: names that end so hold something about the secret, not it.
func tellsOfName(rest string) bool {
	return slices.ContainsFunc(wordsOf("of-the-name"), func(w string) bool { return strings.HasSuffix(rest, w) })
}

// Qualifies reports whether the rest of a name only says which secret it is.
func Qualifies(rest string) bool {
	for rest != "" {
		n := chars.Span(rest, chars.Underline|chars.Dash|chars.Dot|chars.Digits, len(rest))
		rest = rest[n:]
		if rest == "" {
			return true
		}
		cut := 0
		for _, w := range wordsOf("which") {
			if strings.HasPrefix(rest, w) {
				cut = max(cut, len(w))
			}
		}
		if cut == 0 {
			return false
		}
		rest = rest[cut:]
	}
	return true
}
