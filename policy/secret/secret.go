// Package secret finds credentials: by the shape that their issuers give them, by the name
// that they are assigned to, and by the place where they stand.
package secret

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// Hit is one secret in a text: its range, and what it is.
type Hit struct {
	Start, End int
	Kind       string
}

// Find lists the secrets of a text, and of what decoding it gives: a secret is none the less one
// for being encoded or written in look-alike letters.
func Find(p *chars.Part, readings []chars.Reading) []Hit {
	hits := findUndecoded(p)
	known := len(hits) // what the others found is not looked into again
	for _, r := range readings {
		if overlaps(hits[:known], r.Start, r.End) {
			continue
		}
		inside := chars.NewPart(p.Where, r.Text)
		if found := findUndecoded(&inside); len(found) > 0 || r.Encoding == "base64" && isLogin(r.Text) {
			kind := "encoded-secret"
			if r.Encoding == "look-alikes" {
				kind = found[0].Kind
			}
			hits = append(hits, Hit{r.Start, r.End, kind})
		}
	}
	return hits
}

// isLogin: "user:password" as basic authorization has it, and what docker logs in to registries with.
func isLogin(plain string) bool {
	if k := strings.Index(plain, `"auth":"`); k >= 0 && strings.Contains(plain, `"auths"`) && !strings.HasPrefix(plain[k+8:], `"`) {
		return true
	}
	user, pass, ok := strings.Cut(plain, ":")
	return ok && len(user) >= 3 && len(user) <= 40 && len(pass) >= 6 && len(pass) <= 40 &&
		!strings.ContainsAny(plain, " \n/{}\"") && HasByteOf(pass, chars.Digits) && HasByteOf(pass, chars.Letters)
}

func findUndecoded(p *chars.Part) []Hit {
	var hits []Hit
	if p.HasLongRun {
		hits = FindShaped(hits, p.Text)
	}
	hits = findAtCues(FindStructured(hits, p), p, secretStems(), (*cueWord).findValueOf)
	if p.HasLongRun && p.HasDigit {
		hits = findServiceTokens(hits, p.Text, p.Lower)
	}
	return hits
}

// FindStructured finds secrets by the structure around them.
func FindStructured(hits []Hit, p *chars.Part) []Hit {
	if len(p.Text) < 8 {
		return hits
	}
	hits = findDoorCodes(findInProse(FindSeedPhrases(findByRules(hits, p), p.Lower), p), p)
	if p.HasLongRun && p.HasDigit && strings.IndexByte(p.Text, '\n') >= 0 {
		hits = findWrapped(findKeyLines(hits, p.Text), p.Text)
	}
	return hits
}

// FindShaped finds what begins as known credentials begin.
func FindShaped(hits []Hit, text string) []Hit {
	for i := 0; i < len(text); {
		// Whatever is shorter than the shortest shape is passed over whole.
		n := chars.SpanLen(text[i:], chars.Opaque, len(text))
		if n < chars.MinCredential {
			i += max(n, 1)
			continue
		}
		for end := i + n; i < end; {
			if h, ok := matchShapeAt(text, i); ok {
				hits = append(hits, h)
				i = h.End
				continue
			}
			for i++; i < end && chars.IsAlnum(text[i-1]); i++ {
			}
		}
	}
	return hits
}

// isDocumentedSample reports whether a credential is one that its issuer prints in its own samples, where everybody has it. They stand in
// rules.txt by digest, so that other scanners are not alarmed by it.
func isDocumentedSample(credential string) bool {
	h := fnv.New64a()
	h.Write([]byte(credential))
	return isInList("documented", strconv.FormatUint(h.Sum64(), 16))
}

func matchShapeAt(text string, i int) (Hit, bool) {
	if i > 0 && chars.IsAlnum(text[i-1]) || text[i] >= 0x80 {
		return Hit{}, false
	}
	list := shapes()[text[i]]
	for k := range list {
		s := &list[k]
		if !strings.HasPrefix(text[i:], s.prefix) {
			continue
		}
		if i > 0 && text[i-1] == '.' && strings.HasSuffix(s.prefix, "-") {
			continue // the end of a file's name and its checksum: icon.ico-…
		}
		if end, ok := s.match(text, i); ok {
			return Hit{i, end, s.kind}, true
		}
	}
	return Hit{}, false
}

func (s *credentialShape) match(text string, at int) (end int, ok bool) {
	from := at + len(s.prefix)
	n := chars.SpanLen(text[from:], s.alphabet, s.max+1)
	// A full stop or an equals sign after the token belongs to the sentence.
	for n > 0 && (text[from+n-1] == '.' || text[from+n-1] == '=' && s.alphabet&chars.Equals == 0) {
		n--
	}
	if n < s.min || n > s.max {
		return 0, false
	}
	rest := text[from : from+n]
	if s.requiredBytes != 0 && !HasByteOf(rest, s.requiredBytes) {
		return 0, false
	}
	if s.requiredBytes&chars.Digits != 0 && isMadeOfWords(rest) {
		return 0, false
	}
	if isDocumentedSample(text[at:from+n]) || isPlaceholder(rest) || isCutShort(text[from+n:]) {
		return 0, false
	}
	return from + n, true
}

// isCutShort reports whether somebody wrote only the beginning of a secret, and
// marks for the rest.
func isCutShort(rest string) bool {
	return strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "**") ||
		strings.HasPrefix(rest, "##") || strings.HasPrefix(rest, "<")
}

// HasByteOf reports whether the text has a byte of the alphabet.
func HasByteOf(s string, alphabet uint32) bool {
	for i := 0; i < len(s); i++ {
		if chars.ClassOf(s[i])&alphabet != 0 {
			return true
		}
	}
	return false
}

// isMadeOfWords reports whether a token is put together from plain words, as long
// identifiers and kebab-case names are: parts of letters alone with at most one
// short number among them.
func isMadeOfWords(s string) bool {
	numbers, parts := 0, 0
	for len(s) > 0 {
		n := chars.SpanLen(s, chars.Alnum, len(s))
		if n == 0 {
			s = s[1:]
			continue
		}
		p := s[:n]
		s = s[n:]
		parts++
		switch d := chars.CountBytes(p).Digits; {
		case d == 0:
			if !looksLikeWords(p) {
				return false
			}
		case d == len(p) && d <= 4:
			numbers++
		default:
			if d > 3 || len(p) > 12 || !looksLikeWords(strings.TrimRight(p, "0123456789")) {
				return false
			}
			numbers++
		}
	}
	return parts > 1 && numbers <= 2
}

// looksLikeWords guesses whether letters could be words: vowels where words have
// them, and case that changes only where camel case does.
func looksLikeWords(s string) bool {
	if len(s) <= 3 {
		return true
	}
	vowels, ys, consonants, flips, ladder := 0, 0, 0, 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if i > 0 && (c == s[i-1]|0x20+1 || c+1 == s[i-1]|0x20) {
			// Rows of the alphabet are in keys that people invent, in no word.
			if ladder++; ladder >= 5 {
				return false
			}
		} else {
			ladder = 0
		}
		if strings.IndexByte("aeiouy", c) >= 0 {
			vowels++
			if c == 'y' {
				ys++
			}
			consonants = 0
		} else if consonants++; consonants > 5 {
			return false
		}
		if i > 1 && chars.ClassOf(s[i])&chars.Lowers != 0 && chars.ClassOf(s[i-1])&chars.Uppers != 0 && chars.ClassOf(s[i-2])&chars.Uppers != 0 {
			flips++
		}
	}
	humps := 0
	for i := 1; i < len(s); i++ {
		if chars.ClassOf(s[i])&chars.Uppers != 0 && chars.ClassOf(s[i-1])&chars.Lowers != 0 {
			humps++
		}
	}
	if len(s) >= 16 && (vowels-ys)*9 < len(s)*2 {
		return false
	}
	return vowels*6 >= len(s) && flips <= 1+len(s)/12 && humps*4 <= len(s)
}
