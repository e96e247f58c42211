package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// The ways in which a value may follow a name, by strength.
const (
	sepNone  = iota
	sepSpace // a space, a bracket, a comma
	sepMark  // = : =>
)

// givenValue is a value that follows a name, and the way in which it does.
type givenValue struct {
	value      string
	start, end int
	separator  int
	quote      byte // what stands before the value, 0 for none
	endsLine   bool // nothing follows on the line
}

// readGiven reads what follows a name that ends at i.
func readGiven(text string, i int) (givenValue, bool) {
	g := givenValue{}
	g.separator, g.quote, i = skipSeparator(text, i)
	if i >= len(text) {
		return g, false
	}
	g.start, g.end = valueRange(text, i, g.quote)
	g.value = text[g.start:g.end]
	rest := text[g.end:]
	g.endsLine = rest == "" || rest[0] == '\n' || rest[0] == '\r' || g.quote != 0 && len(rest) == 1
	return g, g.value != ""
}

// skipSeparator skips what stands between a name and its value. Where something
// else than a value follows, next is the length of the text.
func skipSeparator(text string, i int) (sep int, quote byte, next int) {
	for from := i; i < len(text) && i-from < 40; i++ {
		switch c := text[i]; c {
		case '=', ':':
			sep, quote = sepMark, 0
		case '>', '|', '~', ' ', '\t', '\\', '@', '(', '[':
			sep = max(sep, sepSpace)
		case '"', '\'', '`':
			quote = c
		case '\n', '\r':
			// What an XML element holds may stand on the next line.
			if sep != sepSpace || text[i-1] != '>' && text[i-1] != '\r' {
				return sep, quote, i
			}
		case '.':
			if sep == sepNone || !strings.HasPrefix(text[i:], ".=") {
				return sep, quote, i
			}
		case ')', ',', ']':
			if sep != sepNone {
				return sep, quote, len(text)
			}
			sep = sepSpace
		default:
			if c == '-' && sep != sepNone && strings.HasPrefix(text[i:], "- ") {
				continue
			}
			if n := typeLen(text[i:]); n > 0 {
				i += n - 1
				continue
			}
			return sep, quote, i
		}
	}
	return sep, quote, i
}

// typeLen is the length of what code puts between a name and its value: "?=", or a type.
func typeLen(s string) int {
	for _, w := range [...]string{"?=", "string ", "str ", "String "} {
		if strings.HasPrefix(s, w) && (w == "?=" || strings.HasPrefix(s[len(w):], "=")) {
			return len(w) - 1
		}
	}
	return 0
}

// maxReadBytes is how far a value is read, in bytes: as far as a token may go.
const maxReadBytes = 300

// valueRange is the range of the value that begins at i.
func valueRange(text string, i int, quote byte) (start, stop int) {
	quoted := quote != 0 && i > 0 && text[i-1] == quote
	for stop = i; stop < len(text) && stop-i < maxReadBytes; stop++ {
		c := text[stop]
		if quoted && (c == quote || c == '\n') {
			break
		}
		if !quoted && chars.ClassOf(c)&chars.Alnum == 0 && endsValue(text, stop, c) {
			break
		}
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
		return i+1 >= len(text) || !chars.IsAlnum(text[i+1])
	case '=':
		return i+1 < len(text) && chars.ClassOf(text[i+1])&chars.Letters != 0
	}
	return false
}

// isSecretValue reports whether what is given is the secret itself.
func (s *cueWord) isSecretValue(g *givenValue) bool {
	likely := false
	if s.onlyRandom {
		likely = isMachineMade(g) && (s.kind != "client-id" || s.isClientID(g)) || s.acceptsQuoted(g) || s.kind == "password" && isPlausible(g.value)
	} else {
		likely = looksLikePassword(g)
	}
	return likely && !isPlaceholder(g.value) && !mentionsSecret(g.value)
}

// isClientID reports whether a value is the id that a service gave a client:
// made by a machine like a token, and no UUID, which names all sorts of things.
func (s *cueWord) isClientID(g *givenValue) bool {
	v := g.value
	return g.separator == sepMark && len(v) >= 20 && !isChecksum(v) && chars.SpanLen(v, chars.Dotted, len(v)) == len(v)
}

// acceptsQuoted takes what right after this very word, between quotes, is a secret
// though it does not look made by a machine: a long number for a token, a word
// with signs in it for a secret.
func (s *cueWord) acceptsQuoted(g *givenValue) bool {
	v := g.value
	if g.separator != sepMark || g.quote == 0 || len(v) < 8 {
		return false
	}
	switch s.text {
	case "token":
		return len(v) >= 15 && len(v) <= 24 && chars.SpanLen(v, chars.Digits, len(v)) == len(v)
	case "secret":
		return strings.ContainsAny(v[1:], "#!@%^*") && !strings.ContainsAny(v, " /(){}[]<>:,;\\") && HasByteOf(v, chars.Letters)
	}
	return false
}

// isMachineMade reports whether a value could be a key or a token.
func isMachineMade(g *givenValue) bool {
	v := g.value
	if g.isExpression() {
		return false
	}
	if !looksRandom(v, 8) {
		return false
	}
	if g.separator == sepMark {
		return true
	}
	return chars.CountBytes(v).Digits >= 2 && !strings.ContainsAny(v, "_/") || len(v) >= 18
}

// looksLikePassword: people's passwords are short and half made of words, so the
// way in which one is given has to tell.
func looksLikePassword(g *givenValue) bool {
	v := g.value
	if len(v) < 4 || g.isExpression() || isCommonWord(v) || g.quote == 0 && strings.ContainsAny(v, "(){}[]") || IsVersion(v) || isWordPath(v) {
		return false
	}
	c := chars.CountBytes(v)
	mixed := c.Digits > 0 && c.Digits < len(v) || c.Lowers+c.Uppers > 0 && strings.ContainsAny(v, "!@#$%^&*?~+")
	spaces := strings.Count(v, " ")
	switch {
	case spaces > 0 && !mixed:
		return g.quote != 0 && len(v) <= 24 && spaces <= 2 &&
			!chars.ContainsAny(chars.LowerASCII(v), "enter", "your", "type", "new ", "old ", "confirm", "password", "forgot", "incorrect", "wrong", "is ", "the ")
	case spaces > 4 || spaces > 0 && chars.ContainsAny(chars.LowerASCII(v), "cannot ", "must ", "at least", "characters"):
		return false // a message about one
	}
	return mixed || (g.quote != 0 || g.endsLine) && isOneWord(v)
}

// isExpression reports whether what follows goes on as code: joined to a string,
// or the next name that something is given for.
func (g *givenValue) isExpression() bool {
	v := g.value
	if g.quote != 0 && v[0] == '+' {
		return true
	}
	k := strings.IndexByte(v, '=')
	return g.separator <= sepSpace && k > 0 && k+1 < len(v) && v[k+1] != '=' && k <= 20 && chars.SpanLen(v, chars.Letters|chars.Dash, k) == k
}

// isOneWord reports whether a text is letters alone, as many as a password has.
func isOneWord(v string) bool {
	return len(v) >= 5 && len(v) <= 64 && !strings.ContainsAny(v, " ./_")
}

// isInEnvironment: NAME=value with nothing between, as an environment is written,
// makes any word a value.
func (g *givenValue) isInEnvironment(text string) bool {
	return g.start >= 2 && text[g.start-1] == '=' && chars.ClassOf(text[g.start-2])&chars.Uppers != 0 && isOneWord(strings.ReplaceAll(g.value, "_", "")) &&
		!isCommonWord(g.value) && !isPlaceholder(g.value) && !mentionsSecret(g.value)
}

// isHomePath reports whether what is given is a path in somebody's home: where a key is kept.
func (g *givenValue) isHomePath(text string) bool {
	return g.start > 0 && strings.HasPrefix(text[g.start-1:], "~/")
}

// mentionsSecret reports whether a value only talks about the secret.
func mentionsSecret(v string) bool { return isAboutSecretWord(v) || isWordPath(v) }

func isAboutSecretWord(v string) bool {
	l := chars.LowerASCII(v)
	return isPasswordName(l) || l == "secret" || isSamplePassword(l) || strings.Contains(v, "://") && !strings.Contains(v, "@")
}
