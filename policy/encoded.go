package policy

import (
	"encoding/base64"
	"sort"
	"strings"
	"unicode/utf8"
)

// encoded looks once into base64: a secret is none the less one for that.
func encoded(hits []hit, text string) []hit {
	known := len(hits) // what the others found is not looked into again
	if known > 1 {
		sort.Slice(hits, func(a, b int) bool { return hits[a].start < hits[b].start })
	}
	next := 0
	for i := 0; i < len(text); {
		if class(text[i])&alnum == 0 {
			i++
			continue
		}
		n := span(text[i:], alnum|plus|slash|underline|dash, len(text))
		for next < known && hits[next].end <= i {
			next++
		}
		if n >= 24 && !(next < known && hits[next].start <= i) {
			if secretInBase64(text[i : i+n]) {
				stop := i + n + span(text[i+n:], equals, 2)
				hits = append(hits, hit{i, stop, "encoded-secret"})
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
	c := count(token)
	if c.hex || c.uppers == 0 || c.lowers == 0 {
		return false
	}
	plain, ok := decoded(token)
	if !ok {
		return false
	}
	inside := newPart("", plain)
	hits := assigned(structured(shaped(nil, plain), &inside), &inside)
	if len(hits) > 0 {
		return true
	}
	if k := strings.Index(plain, `"auth":"`); k >= 0 && strings.Contains(plain, `"auths"`) && !strings.HasPrefix(plain[k+8:], `"`) {
		return true // what docker logs in to registries with
	}
	// "user:password", as basic authorization has it.
	user, pass, ok := strings.Cut(plain, ":")
	return ok && len(user) >= 3 && len(user) <= 40 && len(pass) >= 6 && len(pass) <= 40 &&
		!strings.ContainsAny(plain, " \n/{}\"") && has(pass, digits) && has(pass, letters)
}

// decoded is the text in a base64 token, where it is text.
func decoded(token string) (string, bool) {
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
