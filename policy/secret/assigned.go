package secret

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// secretStems are the words of rules.txt that tell of a secret: what a password is called in any language, and the lists "stem-…". After
// all but "stem-password", the value must look machine-made.
var secretStems = sync.OnceValue(func() *chars.WordIndex[cueWord] {
	var list []cueWord
	for _, kind := range [...]string{"password", "secret", "token", "api-key", "credential", "client-id"} {
		list = appendCues(list, "stem-"+kind, kind, kind != passwordCue)
	}
	return indexCues(slices.DeleteFunc(appendCues(list, "password-words", passwordCue, true), func(c cueWord) bool {
		return c.onlyRandom && c.kind == passwordCue && (strings.HasPrefix(c.text, "pass") || len(c.text) <= 3)
	}))
})

// NamesSecret reports whether a name tells of a secret.
func NamesSecret(name *chars.Part) bool { return secretStems().HasWord(name) }

// hasWordBoundary reports whether the stem begins or ends a word of its own at this
// place: "apiKey", "API_KEY", "key" and not "monkey", "keyboard", "compass".
func (s *cueWord) hasWordBoundary(text string, at int) bool {
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
		return chars.ClassOf(after)&chars.Letters == 0 && chars.ClassOf(before)&chars.Lowers == 0 ||
			chars.ClassOf(after)&chars.Letters == 0 && at >= 2 && strings.Contains("dbpgmysmtp", chars.LowerASCII(text[at-2:at]))
	case "token":
		return !isInList("token-of", wordBefore(text[:at]))
	case "auth":
		return chars.ClassOf(after)&chars.Lowers == 0 && after != '0' // the service Auth0
	case "key", "login", "dsn", "access", "private", "pwd":
		// A lower-case letter after it makes another word of it.
		return chars.ClassOf(after)&chars.Lowers == 0 && !(s.text == "key" && isInList("key-of", wordBefore(text[:at])))
	case "pw":
		return chars.ClassOf(after)&chars.Alnum == 0 && chars.ClassOf(before)&chars.Letters == 0
	case "signature":
		return before == '-' || before == '&' || before == '?' || before == '_'
	case "pat":
		return chars.ClassOf(after)&(chars.Letters|chars.Digits) == 0 && before == '_'
	case "cred":
		return chars.ClassOf(before)&chars.Lowers == 0 || chars.ClassOf(text[at])&chars.Uppers != 0
	}
	return true
}

// wordBefore is the word that ends before a place, in small letters: "page" of "nextPageToken", "NEXT_PAGE_TOKEN".
func wordBefore(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-20):], "_- ")
	k := len(text)
	for k > 0 && chars.ClassOf(text[k-1])&chars.LowAlnum != 0 {
		k--
	}
	for small := k < len(text); k > 0 && chars.ClassOf(text[k-1])&chars.Uppers != 0; k-- {
		if small {
			k--
			break
		}
	}
	return chars.LowerASCII(text[k:])
}

// findValueOf finds the value given for the stem at this place: password: …, API_KEY=…, "the password is …".
func (s *cueWord) findValueOf(_ []Hit, p *chars.Part, at int) (Hit, bool) {
	text, lower := p.Text, p.Lower
	if !s.hasWordBoundary(text, at) || isInPath(text, at) || s.isInBase64(text, at) {
		return Hit{}, false
	}
	end := at + len(s.text)
	// The rest of the name: "secret_access_key", "password_prod".
	n := chars.SpanLen(text[end:], chars.Word|chars.Dot|chars.Dash, 64)
	name := text[end : end+n]
	if h, ok := s.findInName(text, end, name); ok {
		return h, true
	}
	if rest := chars.LowerASCII(name); isAboutSecret(rest) || s.onlyRandom && !IsQualifier(rest) && !(s.kind == "password" && len(rest) <= 3) {
		return Hit{}, false
	}
	end += n
	g, ok := readGiven(text, end)
	if g.separator < sepMark && (s.kind == passwordCue || s.isWeakName(text, end, &g)) { // prose knows the passwords that sentences give
		return Hit{}, false
	}
	if ok && (s.onlyRandom && g.isHomePath(text) || s.text == "key" && isItemKey(text, lower, at, &g)) {
		return Hit{}, false
	}
	if ok && (s.isSecretValue(&g) || !s.onlyRandom && g.isInEnvironment(text)) {
		return Hit{g.start, g.end, s.kind}, true
	}
	return s.findAfterWord(text, lower, end)
}

// isWeakName reports whether the name is too weak to make a secret of the value beside it: "a
// private subnet-…", arguments of a call, a path.
func (s *cueWord) isWeakName(text string, end int, g *givenValue) bool {
	if end < len(text) && text[end] == '/' || isMachineName(g.value) {
		return true
	}
	switch s.text {
	case "private", "access", "login":
		k := strings.IndexByte(g.value, '-')
		return len(g.value) < 20 || k >= 3 && chars.SpanLen(g.value, chars.Lowers, k) == k // subnet-…
	}
	return false
}

// isMachineName reports whether a text is a name as machines and pods have it, a word and then what was made up: auth-service-7d9f8b6c5-x2k4q.
func isMachineName(v string) bool {
	first, rest, ok := strings.Cut(v, "-")
	return ok && len(first) >= 3 && chars.SpanLen(first, chars.Lowers, len(first)) == len(first) && strings.ContainsAny(first, "aeiou") && looksLikeWords(first) && chars.SpanLen(rest, chars.LowAlnum|chars.Dash, len(rest)) == len(rest)
}

// isItemKey reports whether what is given is the key of an item or a tombstone,
// on a line of its own as they stand in a memory file. Between its dots such a
// key is made of words, where a token joins long runs.
func isItemKey(text, lower string, at int, g *givenValue) bool {
	begin := at
	for begin > 0 && at-begin < 64 && strings.IndexByte(" \t-", text[begin-1]) >= 0 {
		begin--
	}
	if begin > 0 && text[begin-1] != '\n' || !strings.HasPrefix(lower[at:], "key: ") || !g.endsLine || !memfile.KeyForm(g.value) {
		return false
	}
	for w := range strings.FieldsFuncSeq(g.value, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		if len(w) >= 16 && HasByteOf(w, chars.Digits) {
			return false
		}
	}
	return true
}

// findInName finds a value that stands in the name's own run: "key-1234…".
func (s *cueWord) findInName(text string, end int, name string) (Hit, bool) {
	v := strings.TrimLeft(name, "-_.")
	if len(v) < 12 || v == name && len(v) <= 20 || !looksRandom(v, 12) || isMachineName(v) {
		return Hit{}, false
	}
	start := end + len(name) - len(v)
	stop := start + chars.SpanLen(text[start:], chars.Opaque, maxReadBytes)
	return Hit{start, stop, s.kind}, !isPlaceholder(text[start:stop])
}

// isInPath reports whether the name that holds this place is a part of a path or
// an anchor and names nothing that is given here.
func isInPath(text string, at int) bool {
	for n := 0; at > 0 && n < 64; n++ {
		at--
		if chars.ClassOf(text[at])&(chars.Word|chars.Dash) == 0 {
			if run := text[max(0, at-80):at]; text[at] == ':' && strings.HasPrefix(run[strings.LastIndexAny(run, " \"'=")+1:], "arn:") {
				return true
			}
			return text[at] == '/' && (at == 0 || text[at-1] != '/') || text[at] == '#'
		}
	}
	return false
}

// isInBase64 reports whether the stem only happens to stand in a long run of base64.
func (s *cueWord) isInBase64(text string, at int) bool {
	const most = 80
	start, end := at, at+len(s.text)
	for start > 0 && at-start < most && chars.ClassOf(text[start-1])&(chars.Alnum|chars.Plus|chars.Slash) != 0 {
		start--
	}
	end += chars.SpanLen(text[end:], chars.Alnum|chars.Plus|chars.Slash, most)
	if end-start < 40 {
		return false
	}
	c := chars.CountBytes(text[start:end])
	return c.Uppers >= 4 && c.Lowers >= 4 && c.Digits >= 2 && !isCodeName(text[start:end]) && !isWordPath(text[start:end])
}

// findAfterWord looks past the word that stands between a name and what is given for it
// in files of settings: name: API_KEY, value: "…".
func (s *cueWord) findAfterWord(text, lower string, from int) (Hit, bool) {
	near := lower[from:min(len(lower), from+40)]
	for _, w := range []string{"value", "default"} {
		k := strings.Index(near, w)
		if k < 0 || HasByteOf(near[:k], chars.Alnum) {
			continue
		}
		if g, ok := readGiven(text, from+k+len(w)); ok && g.separator == sepMark && s.isSecretValue(&g) {
			return Hit{g.start, g.end, s.kind}, true
		}
	}
	return Hit{}, false
}

// isAboutSecret reports whether a name that ends so holds something about the secret, and not the secret.
func isAboutSecret(rest string) bool {
	return slices.ContainsFunc(wordsOf("of-the-name"), func(w string) bool { return strings.HasSuffix(rest, w) })
}

// IsQualifier reports whether the rest of a name only says which secret it is.
func IsQualifier(rest string) bool {
	for rest != "" {
		n := chars.SpanLen(rest, chars.Underline|chars.Dash|chars.Dot|chars.Digits, len(rest))
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
