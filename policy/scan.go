package policy

import (
	"bytes"
	"sort"
	"strings"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/secret"
)

// Scan looks for secrets in bytes that memctl did not write, all of them, of
// any encoding. Findings carry line and column, in the order of the file. Its
// cost grows with the length and nothing else.
func Scan(src []byte) []Finding {
	text := string(src)
	var list []Finding
	line, begin, from := 1, 0, 0 // begin: where the line begins
	for _, h := range findAllSecrets(text) {
		for {
			k := strings.IndexByte(text[from:h.Start], '\n')
			if k < 0 {
				break
			}
			line++
			from += k + 1
			begin = from
		}
		from = h.Start
		f := secretFinding(h.Kind, "")
		f.Line = line
		f.Column = h.Start - begin + 1
		list = append(list, f)
	}
	return list
}

// Redact replaces each secret that Scan finds with "[redacted: KIND]". The
// result holds none that Scan would find; without one, src comes back.
func Redact(src []byte) []byte {
	return replaceSecrets(src, func(kind string) string { return "[redacted: " + kind + "]" })
}

// CutSecrets is Redact with the mark redactedMark, by which HasPurgedPart knows the value around it.
func CutSecrets(src []byte) []byte {
	return replaceSecrets(src, func(string) string { return redactedMark })
}

func replaceSecrets(src []byte, mark func(kind string) string) []byte {
	for range 8 {
		text := string(src)
		hits := findAllSecrets(text)
		if len(hits) == 0 {
			break
		}
		var b bytes.Buffer
		from := 0
		for _, h := range hits {
			b.WriteString(text[from:h.Start])
			b.WriteString(mark(h.Kind))
			from = h.End
		}
		b.WriteString(text[from:])
		src = b.Bytes()
	}
	return src
}

// findAllSecrets returns the secrets of a text in its order, overlapping ones made one.
func findAllSecrets(text string) []secret.Hit {
	p := chars.NewPart("", text)
	hits := secret.Find(&p, chars.Readings(&p))
	sort.SliceStable(hits, func(a, b int) bool { return hits[a].Start < hits[b].Start })
	out := hits[:0]
	for _, h := range hits {
		if n := len(out); n > 0 && h.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, h.End)
			continue
		}
		out = append(out, h)
	}
	return out
}
