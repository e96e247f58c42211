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
		n := chars.Span(text[i:], chars.Opaque, len(text))
		if n < 20 {
			i += max(n, 1)
			continue
		}
		start := i
		if k := strings.LastIndexByte(strings.TrimRight(text[i:i+n], "="), '='); k >= 0 {
			start += k + 1
		}
		i += n
		if name := chars.Span(lower[start:i], chars.Lowers, 24); name >= 4 && start+name < i && chars.Class(lower[start+name])&(chars.Dash|chars.Underline) != 0 && isService(lower[start:start+name]) {
			// refiner-… : the service's name is the first part of the token.
			if v := text[start+name+1 : i]; len(v) <= maxValue && (opaque(v, 24) || checksum(v)) && chars.Count(v).Digits >= 4 && !placeholder(v) {
				hits = append(hits, Hit{start, i, "service-key"})
				continue
			}
		}
		if v := text[start:i]; !overlaps(hits, start, i) && (prefixed(v) && !hasKnownPrefix(v) || dottedKey(v)) {
			hits = append(hits, Hit{start, i, "api-key"})
			continue
		}
		if v := text[start:i]; len(v) <= maxValue && serviceBefore(lower, start) && opaque(v, 20) && chars.Count(v).Digits >= 4 && !placeholder(v) && !kebab(v) {
			hits = append(hits, Hit{start, i, "service-key"})
		}
	}
	return hits
}

// prefixed: a name in small letters, an underline, and a long random run, as most issuers make tokens since
// 2021. What an id is made of is shorter.
func prefixed(v string) bool {
	k := strings.IndexByte(v, '_')
	for k > 0 && strings.IndexByte(v[k+1:], '_') >= 0 && strings.IndexByte(v[k+1:], '_') < 12 {
		k += 1 + strings.IndexByte(v[k+1:], '_')
	}
	if k < 2 || chars.Span(v, chars.LowAlnum|chars.Underline, k) < k || chars.Class(v[0])&chars.Lowers == 0 {
		return false
	}
	c := chars.Count(v[k+1:])
	const least = 32
	return len(v)-k-1 >= least && c.Others == 0 && !c.Hex && c.Digits >= 3 && c.Uppers >= 5 && c.Lowers >= 5 && c.Distinct >= 15 && !codeName(v[k+1:]) && !placeholder(v) && !strings.HasPrefix(v, "sha")
}

// hasKnownPrefix reports whether a token begins like a known credential. The rest of it is not like one, or Shaped would
// have found it.
func hasKnownPrefix(v string) bool {
	return slices.ContainsFunc(shapes()[v[0]], func(s shape) bool { return len(s.prefix) >= 4 && strings.HasPrefix(v, s.prefix) })
}

func overlaps(hits []Hit, start, end int) bool {
	return slices.ContainsFunc(hits, func(h Hit) bool { return h.Start < end && start < h.End })
}

// dottedKey: an id of 32 hexadecimal digits and what makes a key of it.
func dottedKey(v string) bool {
	if len(v) < 49 || chars.Span(v, chars.HexLow, 33) != 32 {
		return false
	}
	rest := chars.Count(v[33:])
	return len(v) == 49 && v[32] == '.' && rest.Others == 0 && rest.Uppers > 1 && rest.Lowers > 1 ||
		len(v) == 50 && v[32] == '-' && v[41] == '-' && chars.Span(v[33:], chars.HexLow, 9) == 8 && chars.Span(v[42:], chars.HexLow, 9) == 8
}

// serviceBefore reports whether one of the two words before a place, or a part
// of one, is the name of a service.
func serviceBefore(lower string, at int) bool {
	end := at
	for range 2 {
		for end > 0 && chars.Class(lower[end-1])&chars.LowAlnum == 0 {
			if c := lower[end-1]; c == '\n' || c == '/' || c == '#' || at-end > 8 {
				return false
			}
			end--
		}
		start := end
		for start > 0 && end-start < 24 && chars.Class(lower[start-1])&chars.LowAlnum != 0 {
			start--
		}
		switch w := lower[start:end]; {
		case listed("things", w):
			return false // what follows names it
		case len(w) >= 3 && isService(w):
			return true
		}
		end = start
	}
	return false
}

// kebab: words joined by dashes, as addresses of previews and machines are.
func kebab(v string) bool {
	parts, plain := 0, 0
	for p := range strings.SplitSeq(v, "-") {
		parts++
		if Has(p, chars.Lowers) && chars.Span(p, chars.Lowers, len(p)) == len(p) && readable(p) {
			plain++
		}
	}
	return parts >= 4 && plain*2 >= parts
}

func isService(w string) bool { return strings.Contains(services, "\n"+w+"\n") }

//go:embed services.txt
var services string
