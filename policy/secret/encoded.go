package secret

import (
	"encoding/base64"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
)

// encoded looks once into base64: a secret is none the less one for that.
func encoded(hits []Hit, text string) []Hit {
	known := len(hits) // what the others found is not looked into again
	if known > 1 {
		sort.Slice(hits, func(a, b int) bool { return hits[a].Start < hits[b].Start })
	}
	next := 0
	for i := 0; i < len(text); {
		if chars.Class(text[i])&chars.Alnum == 0 {
			i++
			continue
		}
		n := chars.Span(text[i:], chars.Alnum|chars.Plus|chars.Slash|chars.Underline|chars.Dash, len(text))
		for next < known && hits[next].End <= i {
			next++
		}
		if n >= 24 && !(next < known && hits[next].Start <= i) {
			if secretInBase64(text[i : i+n]) {
				stop := i + n + chars.Span(text[i+n:], chars.Equals, 2)
				hits = append(hits, Hit{i, stop, "encoded-secret"})
			}
		}
		i += n
	}
	return hits
}

func secretInBase64(token string) bool {
	if len(token) > 1<<16 {
		token = token[:1<<16]
	}
	c := chars.Count(token)
	if c.Hex || c.Uppers == 0 || c.Lowers == 0 {
		return false
	}
	plain, ok := Decoded(token)
	if !ok {
		return false
	}
	inside := chars.NewPart("", plain)
	hits := Assigned(Structured(Shaped(nil, plain), &inside), &inside)
	if len(hits) > 0 {
		return true
	}
	if k := strings.Index(plain, `"auth":"`); k >= 0 && strings.Contains(plain, `"auths"`) && !strings.HasPrefix(plain[k+8:], `"`) {
		return true // what docker logs in to registries with
	}
	// "user:password", as basic authorization has it.
	user, pass, ok := strings.Cut(plain, ":")
	return ok && len(user) >= 3 && len(user) <= 40 && len(pass) >= 6 && len(pass) <= 40 &&
		!strings.ContainsAny(plain, " \n/{}\"") && Has(pass, chars.Digits) && Has(pass, chars.Letters)
}

// decoded is the text in a base64 token, where it is text.
func Decoded(token string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(token, "-_") {
		enc = base64.RawURLEncoding
	}
	raw, err := unpadded(enc, token)
	if err != nil || len(raw) < 12 {
		return "", false
	}
	raw = raw[:len(raw)-trimPartial(raw)]
	if !utf8.Valid(raw) {
		return "", false
	}
	for _, b := range raw {
		if b < 0x20 && b != '\n' && b != '\r' && b != '\t' {
			return "", false
		}
	}
	return string(raw), true
}

// trimPartial is how many bytes at the end belong to a cut character.
func trimPartial(b []byte) int {
	for n := 1; n <= 3 && n <= len(b); n++ {
		if utf8.RuneStart(b[len(b)-n]) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
