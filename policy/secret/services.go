package secret

import (
	_ "embed" // the list of services
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// serviced finds machine-made tokens that stand right after the name of a
// service whose keys have no shape of their own: "wandb 0123…", "codecov: …".
// Text without a long token costs nothing.
func serviced(hits []Hit, text, lower string) []Hit {
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
		if v := text[start:i]; len(v) <= maxValue && opaque(v, 20) && chars.Count(v).Digits >= 4 && !placeholder(v) && !kebab(v) && serviceBefore(lower, start) {
			hits = append(hits, Hit{start, i, "service-key"})
		}
	}
	return hits
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
		switch w := lower[start:end]; w {
		case "release", "commit", "version", "build", "revision", "sha", "ref", "deploy", "deployment", "image", "tag", "digest":
			return false // what follows names a state of the code
		default:
			if len(w) >= 3 && isService(w) {
				return true
			}
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
