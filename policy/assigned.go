package policy

import "strings"

// stem is a word that tells of a secret when something is given for it.
type stem struct {
	text   string
	kind   string
	strict bool // the value must look machine-made; else any value that is no word counts
}

var stems = []stem{
	{"passw", "password", false},
	{"passphrase", "password", false},
	{"passcode", "password", false},
	{"pwd", "password", false},
	{"pass", "password", false},
	{"secret", "secret", true},
	{"token", "token", true},
	{"key", "api-key", true},
	{"cred", "credential", true},
	{"auth", "credential", true},
	{"private", "secret", true},
	{"login", "credential", true},
	{"dsn", "credential", true},
	{"signature", "credential", true},
	{"access", "credential", true},
	{"pat", "token", true},
}

// assigned finds values given for a telling name: password: …, API_KEY=…,
// "the password is …". Cost: one search a stem, then bounded looks around each
// place where one stands.
func assigned(hits []hit, text, lower string) []hit {
	for i := range stems {
		s := &stems[i]
		for from := 0; ; {
			k := strings.Index(lower[from:], s.text)
			if k < 0 {
				break
			}
			at := from + k
			from = at + len(s.text)
			if !s.stands(text, at) {
				continue
			}
			if h, ok := s.value(text, lower, at); ok {
				hits = append(hits, h)
				from = max(from, h.end)
			}
		}
	}
	return hits
}

// stands reports whether the stem begins or ends a word of its own at this
// place: "apiKey", "API_KEY", "key" and not "monkey", "keyboard", "compass".
func (s *stem) stands(text string, at int) bool {
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
		return class(after)&letters == 0 && class(before)&lowers == 0 ||
			class(after)&letters == 0 && at >= 2 && strings.Contains("dbpgmysmtp", lowerASCII(text[at-2:at]))
	case "key", "auth", "login", "dsn", "access", "private", "pwd":
		// A lower-case letter after it makes another word of it.
		return class(after)&lowers == 0 && !(s.text == "key" && harmlessKey(lowerASCII(text[max(0, at-12):at])))
	case "signature":
		return before == '-' || before == '&' || before == '?' || before == '_'
	case "pat":
		return class(after)&(letters|digits) == 0 && before == '_'
	case "cred":
		return class(before)&lowers == 0 || class(text[at])&uppers != 0
	}
	return true
}

// harmlessKey: keys of tables, maps and keyboards, and halves that are public.
func harmlessKey(before string) bool {
	before = strings.TrimRight(before, "_- ")
	for _, w := range []string{"primary", "foreign", "public", "sort", "partition", "cache", "hot", "shortcut", "composite", "unique", "row", "map", "json", "yaml", "i18n", "translation", "routing", "issuer", "idempotency", "blind", "x509_pub", "pub"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// value looks for what is given for the stem at this place.
func (s *stem) value(text, lower string, at int) (hit, bool) {
	if inPath(text, at) {
		return hit{}, false
	}
	end := at + len(s.text)
	// The rest of the name: "secret_access_key", "password_prod".
	n := span(text[end:], word|dot|dash, 64)
	name := text[end : end+n]
	// "key-1234…", "TOKEN_ab12…": the value stands in the name's own run.
	if v := strings.TrimLeft(name, "-_."); len(v) >= 12 && len(v) < len(name)+1 && opaque(v, 12) && !wordy(v) && (v != name || n > 20) {
		start := end + n - len(v)
		stop := start + span(text[start:], opaques, 400)
		if !placeholder(text[start:stop]) {
			return hit{start, stop, s.kind}, true
		}
	}
	if rest := lowerASCII(name); tellsOfName(rest) || s.strict && !qualifies(rest) {
		return hit{}, false
	}
	i := end + n
	sep, quote, i := separator(text, i)
	if i >= len(text) {
		return hit{}, false
	}
	start, stop := valueAt(text, i, quote)
	if start == stop {
		return hit{}, false
	}
	v := text[start:stop]
	if s.accepts(v, sep, quote, text, start, stop) {
		return hit{start, stop, s.kind}, true
	}
	if h, ok := s.apart(text, lower, end+n); ok {
		return h, true
	}
	if sep == sepSpace || sep == sepIs {
		return s.later(text, lower, end+n)
	}
	return hit{}, false
}

// inPath reports whether the name that holds this place is a part of a path or
// an anchor and names nothing that is given here.
func inPath(text string, at int) bool {
	for n := 0; at > 0 && n < 64; n++ {
		at--
		if class(text[at])&(word|dash) == 0 {
			return text[at] == '/' && (at == 0 || text[at-1] != '/') || text[at] == '#'
		}
	}
	return false
}

// apart looks past the word that stands between a name and what is given for it
// in files of settings: name: API_KEY, value: "…".
func (s *stem) apart(text, lower string, from int) (hit, bool) {
	near := lower[from:min(len(lower), from+40)]
	for _, w := range []string{"value", "default"} {
		k := strings.Index(near, w)
		if k < 0 || has(near[:k], alnum) {
			continue
		}
		sep, quote, i := separator(text, from+k+len(w))
		if sep != sepMark || i >= len(text) {
			continue
		}
		a, b := valueAt(text, i, quote)
		if a < b && s.accepts(text[a:b], sep, quote, text, a, b) {
			return hit{a, b, s.kind}, true
		}
	}
	return hit{}, false
}

// tellsOfName: names that end so hold something about the secret, not it.
func tellsOfName(rest string) bool {
	for _, w := range []string{"_name", "name", "_id", "_path", "path", "_file", "file", "_url", "url", "_uri", "_type", "type",
		"_length", "length", "_size", "size", "_count", "_ttl", "_field", "_header", "_label", "label", "_policy", "_regex",
		"_expiry", "_expires", "_version", "version", "_hash", "_prefix", "_format", "_algorithm", "_env", "_var", "_ref",
		"_hint", "_manager", "_reset", "_code", "word_hash", "ize", "ized", "izer", "izing"} {
		if strings.HasSuffix(rest, w) {
			return true
		}
	}
	return false
}

// qualifies reports whether the rest of a name only says which secret it is.
func qualifies(rest string) bool {
	for rest != "" {
		n := span(rest, underline|dash|dot|digits, len(rest))
		rest = rest[n:]
		if rest == "" {
			return true
		}
		cut := 0
		for _, w := range []string{"base", "value", "production", "prod", "development", "dev", "staging", "stage", "test", "live", "main", "default",
			"string", "tokens", "token", "keys", "key", "secret", "access", "api", "s", "ential", "entials", "sandbox", "v", "orization", "encoded", "b64", "data", "admin", "master", "read", "write", "old", "new", "backup", "client", "user", "bot", "app", "account", "private", "pat"} {
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

// The ways in which a value may follow a name, by strength.
const (
	sepNone = iota
	sepSpace
	sepIs
	sepMark // = : =>
)

// separator skips what stands between a name and its value.
func separator(text string, i int) (sep int, quote byte, next int) {
	from := i
	for i < len(text) && i-from < 40 {
		c := text[i]
		switch {
		case c == '=' || c == ':':
			sep = sepMark
			quote = 0
		case c == '>' || c == '|' || c == '~':
			if sep == 0 {
				sep = sepSpace
			}
		case c == ' ' || c == '\t' || c == '\\' || c == '@':
			if sep == 0 {
				sep = sepSpace
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == ']' || c == '(' || c == '[' || c == ',' || c == ')':
			if sep == 0 {
				sep = sepSpace
			} else if c == ')' || c == ',' || c == ']' {
				return sep, quote, len(text)
			}
		case c == '-' && sep != 0 && i+1 < len(text) && text[i+1] == ' ':
		default:
			if sep == sepSpace {
				if rest := text[i:]; strings.HasPrefix(rest, "is ") || strings.HasPrefix(rest, "as ") || strings.HasPrefix(rest, "to ") || strings.HasPrefix(rest, "was ") {
					sep = sepIs
					i += strings.IndexByte(rest, ' ') + 1
					continue
				}
			}
			return sep, quote, i
		}
		i++
	}
	return sep, quote, i
}

// valueAt is the range of the value that begins at i.
func valueAt(text string, i int, quote byte) (start, stop int) {
	stop = i
	for stop < len(text) && stop-i < 300 {
		c := text[stop]
		if quote != 0 && text[i-1] == quote {
			if c == quote || c == '\n' {
				break
			}
		} else if class(c)&alnum == 0 && endsValue(text, stop, c) {
			break
		}
		stop++
	}
	for stop > i && (text[stop-1] == '.' || text[stop-1] == '\\') {
		stop--
	}
	return i, stop
}

// endsValue reports whether a mark ends a value that stands without quotes. An
// equals sign before more of it begins the next value.
func endsValue(text string, i int, c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '"', '\'', '`', '<', '>', '|', '&':
		return true
	case ',', ';', ')', '}', ']':
		return i+1 >= len(text) || !isAlnum(text[i+1])
	case '=':
		return i+1 < len(text) && class(text[i+1])&letters != 0
	}
	return false
}

func (s *stem) accepts(v string, sep int, quote byte, text string, start, stop int) bool {
	if !s.strict {
		return passwordValue(v, sep, quote, text, stop) && !placeholder(v) && !about(v)
	}
	return s.machineMade(v, sep, quote) && !placeholder(v) && !about(v)
}

// machineMade reports whether a value could be a key or a token.
func (s *stem) machineMade(v string, sep int, quote byte) bool {
	if quote != 0 && sep == sepMark && len(v) >= 24 && strings.IndexByte(v, ' ') < 0 {
		// Between quotes any sign may be part of it.
		if c := count(v); c.others >= 3 && c.digits >= 2 && c.distinct >= 14 && !wordPath(v) {
			return true
		}
	}
	if sep == sepMark || sep == sepIs {
		return opaque(v, 8)
	}
	return opaque(v, 8) && (count(v).digits >= 2 || len(v) >= 18)
}

// passwordValue: people's passwords are short and half made of words, so the
// way in which one is given has to tell.
func passwordValue(v string, sep int, quote byte, text string, stop int) bool {
	if len(v) < 4 || strings.ContainsAny(v, "(){}") && quote == 0 || common(v) {
		return false
	}
	c := count(v)
	mixed := c.digits > 0 && c.digits < len(v) || c.others > 0 && c.lowers+c.uppers > 0 && strings.ContainsAny(v, "!@#$%^&*?~+")
	last := stop >= len(text) || text[stop] == '\n' || quote != 0 && stop+1 >= len(text)
	switch sep {
	case sepMark:
		if mixed {
			return !version(v) && !wordPath(v)
		}
		if quote != 0 && strings.Count(v, " ") > 0 {
			return len(v) <= 24 && strings.Count(v, " ") <= 2 && !containsAny(lowerASCII(v), "enter", "your", "type", "new ", "old ", "confirm", "password", "forgot", "incorrect", "wrong", "is ", "the ")
		}
		return (quote != 0 || last || envName(text, stop-len(v))) && !common(v) && !strings.ContainsAny(v, " ./_") && len(v) <= 64 && len(v) >= 5
	case sepIs:
		return mixed && !version(v) && !wordPath(v) && len(v) >= 5 || quote != 0 && !common(v) && strings.IndexByte(v, ' ') < 0
	case sepSpace:
		return mixed && c.digits > 0 && len(v) >= 6 && c.lowers+c.uppers > 0 && !version(v) && !wordPath(v) && !wordy(v) && !measure(v)
	}
	return false
}

// envName: NAME=value with nothing between, as an environment is written.
func envName(text string, start int) bool {
	return start >= 2 && text[start-1] == '=' && class(text[start-2])&uppers != 0
}

// later looks a few words on: "the password for the staging server is …".
func (s *stem) later(text, lower string, from int) (hit, bool) {
	stop := min(len(text), from+80)
	if nl := strings.IndexByte(text[from:stop], '\n'); nl >= 0 {
		stop = from + nl
	}
	if dot := strings.Index(text[from:stop], ". "); dot >= 0 {
		stop = from + dot
	}
	if s.strict {
		// One or two words between, and then what no sentence has.
		at := from
		for range 3 {
			for at < stop && strings.IndexByte(" \t\"'`:=", text[at]) >= 0 {
				at++
			}
			if at >= stop {
				break
			}
			a, b := valueAt(text, at, 0)
			if a == b {
				break
			}
			if v := text[a:b]; opaque(v, 20) && count(v).digits >= 3 && !checksum(v) && !placeholder(v) {
				return hit{a, b, s.kind}, true
			}
			at = b
		}
	}
	for _, link := range []string{" is ", " are ", " = ", ": ", " to "} {
		k := strings.Index(lower[from:stop], link)
		if k < 0 {
			continue
		}
		_, quote, i := separator(text, from+k+len(link)-1)
		if i >= len(text) {
			continue
		}
		a, b := valueAt(text, i, quote)
		if a == b {
			continue
		}
		v := text[a:b]
		if (!s.strict && passwordValue(v, sepIs, quote, text, b) && (count(v).digits > 0 || quote != 0) || opaque(v, 16)) &&
			!placeholder(v) && !about(v) {
			return hit{a, b, s.kind}, true
		}
	}
	return hit{}, false
}

// about reports whether a value only talks about the secret.
func about(v string) bool {
	return namesPassword(lowerASCII(v)) || lowerASCII(v) == "secret" || strings.Contains(v, "://") && !strings.Contains(v, "@") || wordPath(v)
}
