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

// given is a value that follows a name, and the way in which it does.
type given struct {
	value       string
	start, stop int
	sep         int
	quote       byte // what stands before the value, 0 for none
	last        bool // nothing follows on the line
}

// readGiven reads what follows a name that ends at i.
func readGiven(text string, i int) (given, bool) {
	g := given{}
	g.sep, g.quote, i = separator(text, i)
	if i >= len(text) {
		return g, false
	}
	g.start, g.stop = valueAt(text, i, g.quote)
	g.value = text[g.start:g.stop]
	rest := text[g.stop:]
	g.last = rest == "" || rest[0] == '\n' || rest[0] == '\r' || g.quote != 0 && len(rest) == 1
	return g, g.value != ""
}

// separator skips what stands between a name and its value. Where something
// else than a value follows, next is the length of the text.
func separator(text string, i int) (sep int, quote byte, next int) {
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
			if n := typed(text[i:]); n > 0 {
				i += n - 1
				continue
			}
			return sep, quote, i
		}
	}
	return sep, quote, i
}

// typed is the length of what code puts between a name and its value: "?=", or a type.
func typed(s string) int {
	for _, w := range [...]string{"?=", "string ", "str ", "String "} {
		if strings.HasPrefix(s, w) && (w == "?=" || strings.HasPrefix(s[len(w):], "=")) {
			return len(w) - 1
		}
	}
	return 0
}

// maxValue is how far a value is read, in bytes: as far as a token may go.
const maxValue = 300

// valueAt is the range of the value that begins at i.
func valueAt(text string, i int, quote byte) (start, stop int) {
	quoted := quote != 0 && i > 0 && text[i-1] == quote
	for stop = i; stop < len(text) && stop-i < maxValue; stop++ {
		c := text[stop]
		if quoted && (c == quote || c == '\n') {
			break
		}
		if !quoted && chars.Class(c)&chars.Alnum == 0 && endsValue(text, stop, c) {
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
		return i+1 < len(text) && chars.Class(text[i+1])&chars.Letters != 0
	}
	return false
}

// isSecretValue reports whether what is given is the secret itself.
func (s *cue) isSecretValue(g *given) bool {
	likely := false
	if s.strict {
		likely = machineMade(g) && (s.kind != "client-id" || s.isClientID(g)) || s.acceptsQuoted(g) || s.kind == "password" && plausible(g.value)
	} else {
		likely = passwordLike(g)
	}
	return likely && !placeholder(g.value) && !mentionsSecret(g.value)
}

// isClientID reports whether a value is the id that a service gave a client:
// made by a machine like a token, and no UUID, which names all sorts of things.
func (s *cue) isClientID(g *given) bool {
	v := g.value
	return g.sep == sepMark && len(v) >= 20 && !checksum(v) && chars.Span(v, chars.Dotted, len(v)) == len(v)
}

// acceptsQuoted takes what right after this very word, between quotes, is a secret
// though it does not look made by a machine: a long number for a token, a word
// with signs in it for a secret.
func (s *cue) acceptsQuoted(g *given) bool {
	v := g.value
	if g.sep != sepMark || g.quote == 0 || len(v) < 8 {
		return false
	}
	switch s.text {
	case "token":
		return len(v) >= 15 && len(v) <= 24 && chars.Span(v, chars.Digits, len(v)) == len(v)
	case "secret":
		return strings.ContainsAny(v[1:], "#!@%^*") && !strings.ContainsAny(v, " /(){}[]<>:,;\\") && Has(v, chars.Letters)
	}
	return false
}

// machineMade reports whether a value could be a key or a token.
func machineMade(g *given) bool {
	v := g.value
	if g.expression() {
		return false
	}
	if !opaque(v, 8) {
		return false
	}
	if g.sep == sepMark {
		return true
	}
	return chars.Count(v).Digits >= 2 && !strings.ContainsAny(v, "_/") || len(v) >= 18
}

// passwordLike: people's passwords are short and half made of words, so the
// way in which one is given has to tell.
func passwordLike(g *given) bool {
	v := g.value
	if len(v) < 4 || g.expression() || isCommonWord(v) || g.quote == 0 && strings.ContainsAny(v, "(){}[]") || IsVersion(v) || wordPath(v) {
		return false
	}
	c := chars.Count(v)
	mixed := c.Digits > 0 && c.Digits < len(v) || c.Lowers+c.Uppers > 0 && strings.ContainsAny(v, "!@#$%^&*?~+")
	spaces := strings.Count(v, " ")
	switch {
	case spaces > 0 && !mixed:
		return g.quote != 0 && len(v) <= 24 && spaces <= 2 &&
			!chars.ContainsAny(chars.LowerASCII(v), "enter", "your", "type", "new ", "old ", "confirm", "password", "forgot", "incorrect", "wrong", "is ", "the ")
	case spaces > 4 || spaces > 0 && chars.ContainsAny(chars.LowerASCII(v), "cannot ", "must ", "at least", "characters"):
		return false // a message about one
	}
	return mixed || (g.quote != 0 || g.last) && oneWord(v)
}

// expression reports whether what follows goes on as code: joined to a string,
// or the next name that something is given for.
func (g *given) expression() bool {
	v := g.value
	if g.quote != 0 && v[0] == '+' {
		return true
	}
	k := strings.IndexByte(v, '=')
	return g.sep <= sepSpace && k > 0 && k+1 < len(v) && v[k+1] != '=' && k <= 20 && chars.Span(v, chars.Letters|chars.Dash, k) == k
}

// oneWord: letters alone, as many as a password has.
func oneWord(v string) bool {
	return len(v) >= 5 && len(v) <= 64 && !strings.ContainsAny(v, " ./_")
}

// inEnvironment: NAME=value with nothing between, as an environment is written,
// makes any word a value.
func (g *given) inEnvironment(text string) bool {
	return g.start >= 2 && text[g.start-1] == '=' && chars.Class(text[g.start-2])&chars.Uppers != 0 && oneWord(strings.ReplaceAll(g.value, "_", "")) &&
		!isCommonWord(g.value) && !placeholder(g.value) && !mentionsSecret(g.value)
}

// atHome reports whether what is given is a path in somebody's home: where a key is kept.
func (g *given) atHome(text string) bool {
	return g.start > 0 && strings.HasPrefix(text[g.start-1:], "~/")
}

// mentionsSecret reports whether a value only talks about the secret.
func mentionsSecret(v string) bool { return talks(v) || wordPath(v) }

func talks(v string) bool {
	l := chars.LowerASCII(v)
	return namesPassword(l) || l == "secret" || isSamplePassword(l) || strings.Contains(v, "://") && !strings.Contains(v, "@")
}
