package secret

import (
	"iter"
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// findKeyLines finds the body of a private key that came without its header: lines of
// base64, as long as PEM and OpenSSH make them, one after the other. What stands
// under a header is judged by that.
func findKeyLines(hits []Hit, text string) []Hit {
	const fewest = 2
	lines, start, end := 0, 0, 0
	for at, line := range trimmedLines(text) {
		switch {
		case isKeyLine(line):
			if lines++; lines == 1 {
				start = at
			}
			end = at + len(line)
			continue
		case lines >= fewest && len(line) <= 70 && chars.SpanLen(line, chars.Base64, len(line)) == len(line) && (HasByteOf(line, chars.Digits) || strings.HasSuffix(line, "=")):
			end = at + len(line) // the last line is shorter
		}
		if lines >= fewest && !hasOpenHeader(text[:start]) {
			hits = append(hits, Hit{start, end, "private-key"})
		}
		lines = 0
	}
	if lines >= fewest && !hasOpenHeader(text[:start]) {
		hits = append(hits, Hit{start, end, "private-key"})
	}
	return hits
}

// trimmedLines are a text's lines with where each begins, without what may stand around
// one in a quotation or in YAML.
func trimmedLines(text string) iter.Seq2[int, string] {
	const around = " \t\r\n\"'`,>|"
	return func(yield func(int, string) bool) {
		at := 0
		for line := range strings.Lines(text) {
			inner := strings.TrimLeft(line, around)
			if !yield(at+len(line)-len(inner), strings.TrimRight(inner, around)) {
				return
			}
			at += len(line)
		}
	}
}

func isKeyLine(s string) bool {
	if len(s) != 64 && len(s) != 70 || chars.SpanLen(s, chars.Base64, len(s)) != len(s) {
		return false
	}
	c := chars.CountBytes(s)
	return c.Uppers >= 8 && c.Lowers >= 8 && c.Digits >= 2 && c.Distinct >= 20
}

// hasOpenHeader reports whether a header stands open before this place.
func hasOpenHeader(before string) bool {
	k := strings.LastIndex(before, "-----BEGIN")
	return k >= 0 && !strings.Contains(before[k:], "-----END")
}

// findWrapped finds a token with a shape that a line end cut in two.
func findWrapped(hits []Hit, text string) []Hit {
	const most, least = 255, 8
	for from := 0; ; {
		k := strings.IndexByte(text[from:], '\n')
		if k < 0 {
			return hits
		}
		at := from + k
		from = at + 1
		end := at
		if end > 0 && text[end-1] == '\r' {
			end--
		}
		start := end
		for start > 0 && end-start < most && chars.ClassOf(text[start-1])&chars.URLSafe != 0 {
			start--
		}
		n := chars.SpanLen(text[from:], chars.URLSafe, most)
		if end-start < least || n < least {
			continue
		}
		left := end - start
		for _, h := range FindShaped(nil, text[start:end]+text[from:from+n]) {
			if h.Start < left && h.End > left {
				hits = append(hits, Hit{start + h.Start, from + h.End - left, h.Kind})
			}
		}
	}
}
