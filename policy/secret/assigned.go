package secret

import (
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// stem is a word that tells of a secret when something is given for it.
type stem struct {
	Text   string
	kind   string
	strict bool // the value must look machine-made; else any value that is no word counts
}

// Stems are the beginnings of names that hold a secret.
var Stems = []stem{
	{"passw", "password", false},
	{"passphrase", "password", false},
	{"passcode", "password", false},
	{"pwd", "password", false},
	{"pass", "password", false},
	{"pw", "password", false},
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
	{"reporter_id", "api-key", true},
	{"client_id", "client-id", true},
	{"client.id", "client-id", true},
	{"client-id", "client-id", true},
	{"clientid", "client-id", true},
	// As people say it elsewhere. A capital is another letter where it is none of
	// ASCII's.
	{"mot de passe", "password", true},
	{"contraseña", "password", true},
	{"contrasena", "password", true},
	{"wachtwoord", "password", true},
	{"kennwort", "password", true},
	{"senha", "password", true},
	{"palavra-passe", "password", true},
	{"parola d'ordine", "password", true},
	{"parola", "password", true},
	{"parolă", "password", true},
	{"adgangskode", "password", true},
	{"lösenord", "password", true},
	{"passord", "password", true},
	{"salasana", "password", true},
	{"kata sandi", "password", true},
	{"heslo", "password", true},
	{"hasło", "password", true},
	{"Hasło", "password", true},
	{"jelszó", "password", true},
	{"şifre", "password", true},
	{"Şifre", "password", true},
	{"mật khẩu", "password", true},
	{"пароль", "password", true},
	{"Пароль", "password", true},
	{"密码", "password", true},
	{"密碼", "password", true},
	{"口令", "password", true},
	{"パスワード", "password", true},
	{"暗証番号", "password", true},
	{"비밀번호", "password", true},
	{"암호", "password", true},
	{"كلمة المرور", "password", true},
	{"كلمة السر", "password", true},
	{"पासवर्ड", "password", true},
	{"סיסמה", "password", true},
	{"κωδικός", "password", true},
}

// assigned finds values given for a telling name: password: …, API_KEY=…,
// "the password is …". Cost: one search a stem, then bounded looks around each
// place where one stands.
func Assigned(hits []Hit, p *chars.Part) []Hit {
	text, lower := p.Text, p.Lower
	for i := range Stems {
		s := &Stems[i]
		if p.ASCII && s.Text[0] >= 0x80 || !p.Pairs.May(s.Text) {
			continue
		}
		for from := 0; ; {
			k := strings.Index(lower[from:], s.Text)
			if k < 0 {
				break
			}
			at := from + k
			from = at + len(s.Text)
			if !s.stands(text, at) {
				continue
			}
			if h, ok := s.value(text, lower, at); ok {
				hits = append(hits, h)
				from = max(from, h.End)
			}
		}
	}
	return hits
}

// stands reports whether the stem begins or ends a word of its own at this
// place: "apiKey", "API_KEY", "key" and not "monkey", "keyboard", "compass".
func (s *stem) stands(text string, at int) bool {
	end := at + len(s.Text)
	before, after := byte(' '), byte(' ')
	if at > 0 {
		before = text[at-1]
	}
	if end < len(text) {
		after = text[end]
	}
	switch s.Text {
	case "pass":
		return chars.Class(after)&chars.Letters == 0 && chars.Class(before)&chars.Lowers == 0 ||
			chars.Class(after)&chars.Letters == 0 && at >= 2 && strings.Contains("dbpgmysmtp", chars.LowerASCII(text[at-2:at]))
	case "token":
		return !strings.HasSuffix(strings.TrimRight(chars.LowerASCII(text[max(0, at-12):at]), "_- "), "publickey")
	case "key", "auth", "login", "dsn", "access", "private", "pwd":
		// A lower-case letter after it makes another word of it.
		return chars.Class(after)&chars.Lowers == 0 && !(s.Text == "key" && harmlessKey(chars.LowerASCII(text[max(0, at-12):at])))
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

// harmlessKey: keys of tables, maps and keyboards, and halves that are public.
func harmlessKey(before string) bool {
	before = strings.TrimRight(before, "_- ")
	for _, w := range []string{"primary", "foreign", "public", "sort", "partition", "cache", "hot", "shortcut", "composite", "unique", "row", "map", "json", "yaml", "i18n", "translation", "routing", "issuer", "idempotency", "blind", "x509_pub", "pub", "websocket", "lookup", "dict", "group"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// value looks for what is given for the stem at this place.
func (s *stem) value(text, lower string, at int) (Hit, bool) {
	if inPath(text, at) || s.inBlob(text, at) {
		return Hit{}, false
	}
	end := at + len(s.Text)
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
	g, ok := giving(text, end)
	if g.sep < sepIs && s.weak(text, end, &g) {
		return Hit{}, false
	}
	if s.Text == "pass" && g.sep < sepMark && !strings.HasPrefix(lower[end:], " is ") {
		return Hit{}, false // to pass something on
	}
	if ok && (s.strict && g.atHome(text) || s.Text == "key" && itemsKey(text, lower, at, &g)) {
		return Hit{}, false
	}
	if ok && (s.accepts(&g) || !s.strict && g.inEnvironment(text)) {
		return Hit{g.start, g.stop, s.kind}, true
	}
	if h, found := s.passphrase(text, &g); ok && found {
		return h, true
	}
	if ok && s.Text == "passphrase" && g.sep >= sepSpace && strings.Count(g.value, "-") >= 2 && Has(g.value, chars.Digits) && Has(g.value, chars.Letters) && !placeholder(g.value) && !date(g.value) {
		return Hit{g.start, g.stop, s.kind}, true
	}
	if h, ok := s.apart(text, lower, end); ok {
		return h, true
	}
	if g.sep == sepSpace || g.sep == sepIs {
		return s.later(text, lower, end)
	}
	return Hit{}, false
}

// weak reports whether the name alone does not make a secret of what only
// stands beside it: "a private subnet-…", the arguments of a call, a path.
func (s *stem) weak(text string, end int, g *given) bool {
	if end < len(text) && (text[end] == '/' || text[end] == ',' && !s.strict) {
		return true
	}
	switch s.Text {
	case "private", "access", "login":
		k := strings.IndexByte(g.value, '-')
		return len(g.value) < 20 || k >= 3 && chars.Span(g.value, chars.Lowers, k) == k // subnet-…
	}
	return false
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
func (s *stem) inName(text string, end int, name string) (Hit, bool) {
	v := strings.TrimLeft(name, "-_.")
	if len(v) < 12 || v == name && len(v) <= 20 || !opaque(v, 12) {
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
			return text[at] == '/' && (at == 0 || text[at-1] != '/') || text[at] == '#'
		}
	}
	return false
}

// inBlob reports whether the stem only happens to stand in a long run of base64.
func (s *stem) inBlob(text string, at int) bool {
	const most = 80
	start, end := at, at+len(s.Text)
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

// apart looks past the word that stands between a name and what is given for it
// in files of settings: name: API_KEY, value: "…".
func (s *stem) apart(text, lower string, from int) (Hit, bool) {
	near := lower[from:min(len(lower), from+40)]
	for _, w := range []string{"value", "default"} {
		k := strings.Index(near, w)
		if k < 0 || Has(near[:k], chars.Alnum) {
			continue
		}
		if g, ok := giving(text, from+k+len(w)); ok && g.sep == sepMark && s.accepts(&g) {
			return Hit{g.start, g.stop, s.kind}, true
		}
	}
	return Hit{}, false
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
func Qualifies(rest string) bool {
	for rest != "" {
		n := chars.Span(rest, chars.Underline|chars.Dash|chars.Dot|chars.Digits, len(rest))
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
