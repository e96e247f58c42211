package secret

import (
	_ "embed" // the list of services
	"slices"
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// findServiceTokens finds machine-made tokens that stand right after the name of a
// service whose keys have no shape of their own: "wandb 0123…", "codecov: …".
// Text without a long token costs nothing.
func findServiceTokens(hits []Hit, text, lower string) []Hit {
	for i := 0; i < len(text); {
		n := chars.SpanLen(text[i:], chars.Opaque, len(text))
		if n < 20 {
			i += max(n, 1)
			continue
		}
		start := i
		if k := strings.LastIndexByte(strings.TrimRight(text[i:i+n], "="), '='); k >= 0 {
			start += k + 1
		}
		i += n
		if name := chars.SpanLen(lower[start:i], chars.Lowers, 24); name >= 4 && start+name < i && chars.ClassOf(lower[start+name])&(chars.Dash|chars.Underline) != 0 && isService(lower[start:start+name]) {
			// refiner-… : the service's name is the first part of the token.
			if v := text[start+name+1 : i]; len(v) <= maxReadBytes && (looksRandom(v, 24) || isChecksum(v)) && chars.CountBytes(v).Digits >= 4 && !isPlaceholder(v) {
				hits = append(hits, Hit{start, i, "service-key"})
				continue
			}
		}
		if v := text[start:i]; !overlaps(hits, start, i) && (isPrefixedToken(v) && !hasKnownPrefix(v) || isDottedKey(v)) {
			hits = append(hits, Hit{start, i, "api-key"})
			continue
		}
		if v := text[start:i]; len(v) <= maxReadBytes && isServiceBefore(lower, start) && looksRandom(v, 20) && chars.CountBytes(v).Digits >= 4 && !isPlaceholder(v) && !isKebabCase(v) {
			hits = append(hits, Hit{start, i, "service-key"})
		}
	}
	return hits
}

// isPrefixedToken reports whether a text is a name in small letters, an underline, and a long random run, as most issuers make tokens since
// 2021. What an id is made of is shorter.
func isPrefixedToken(v string) bool {
	k := strings.IndexByte(v, '_')
	for k > 0 && strings.IndexByte(v[k+1:], '_') >= 0 && strings.IndexByte(v[k+1:], '_') < 12 {
		k += 1 + strings.IndexByte(v[k+1:], '_')
	}
	if k < 2 || chars.SpanLen(v, chars.LowAlnum|chars.Underline, k) < k || chars.ClassOf(v[0])&chars.Lowers == 0 {
		return false
	}
	c := chars.CountBytes(v[k+1:])
	const least = 32
	return len(v)-k-1 >= least && c.Others == 0 && !c.Hex && c.Digits >= 3 && c.Uppers >= 5 && c.Lowers >= 5 && c.Distinct >= 15 && !isCodeName(v[k+1:]) && !isPlaceholder(v) && !strings.HasPrefix(v, "sha")
}

// hasKnownPrefix reports whether a token begins like a known credential. The rest of it is not like one, or FindShaped would
// have found it.
func hasKnownPrefix(v string) bool {
	return slices.ContainsFunc(shapes()[v[0]], func(s credentialShape) bool { return len(s.prefix) >= 4 && strings.HasPrefix(v, s.prefix) })
}

func overlaps(hits []Hit, start, end int) bool {
	return slices.ContainsFunc(hits, func(h Hit) bool { return h.Start < end && start < h.End })
}

// isDottedKey reports whether a text is an id of 32 hexadecimal digits and what makes a key of it.
func isDottedKey(v string) bool {
	if len(v) < 49 || chars.SpanLen(v, chars.HexLow, 33) != 32 {
		return false
	}
	rest := chars.CountBytes(v[33:])
	return len(v) == 49 && v[32] == '.' && rest.Others == 0 && rest.Uppers > 1 && rest.Lowers > 1 ||
		len(v) == 50 && v[32] == '-' && v[41] == '-' && chars.SpanLen(v[33:], chars.HexLow, 9) == 8 && chars.SpanLen(v[42:], chars.HexLow, 9) == 8
}

// isServiceBefore reports whether one of the two words before a place, or a part
// of one, is the name of a service.
func isServiceBefore(lower string, at int) bool {
	end := at
	for range 2 {
		for end > 0 && chars.ClassOf(lower[end-1])&chars.LowAlnum == 0 {
			if c := lower[end-1]; c == '\n' || c == '/' || c == '#' || at-end > 8 {
				return false
			}
			end--
		}
		start := end
		for start > 0 && end-start < 24 && chars.ClassOf(lower[start-1])&chars.LowAlnum != 0 {
			start--
		}
		switch w := lower[start:end]; {
		case isInList("things", w):
			return false // what follows names it
		case len(w) >= 3 && isService(w):
			return true
		}
		end = start
	}
	return false
}

// isKebabCase reports whether a text is words joined by dashes, as addresses of previews and machines are.
func isKebabCase(v string) bool {
	parts, plain := 0, 0
	for p := range strings.SplitSeq(v, "-") {
		parts++
		if HasByteOf(p, chars.Lowers) && chars.SpanLen(p, chars.Lowers, len(p)) == len(p) && looksLikeWords(p) {
			plain++
		}
	}
	return parts >= 4 && plain*2 >= parts
}

func isService(w string) bool { return strings.Contains(services, "\n"+w+"\n") }

//go:embed services.txt
var services string
