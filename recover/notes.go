package recovery

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// The parts of the line above each original. Its length makes Originals exact,
// whatever the original holds and however it ends.
const (
	noteStart    = "The file as it was before it was recovered"
	noteOn       = " on "
	noteSize     = ", in "
	noteBytes    = " bytes"
	noteRedacted = ", secrets redacted"
	noteEnd      = ":"
)

// original is a file as it was, for the notes.
type original struct {
	bytes    []byte
	redacted bool
}

// newOriginal is what the notes say of a source: the source itself, without
// its secrets where it has any.
func newOriginal(src []byte) original {
	if !holdsSecret(src) {
		return original{bytes: src}
	}
	return original{bytes: policy.Redact(src), redacted: true}
}

// holdsSecret reports whether the policy finds a secret in the bytes. What it
// finds in a line that names a key in our form is none: keys are ruled on by
// themselves, and a made-up one (recovered.x1a2b3c4d) looks like a token.
func holdsSecret(src []byte) bool {
	found := policy.Scan(src)
	if len(found) == 0 {
		return false
	}
	lines := bytes.Split(src, []byte("\n"))
	for _, f := range found {
		if f.Line < 1 || f.Line > len(lines) || !namesItem(string(lines[f.Line-1])) {
			return true
		}
	}
	return false
}

// namesItem reports whether a line is "key: …" with a key in our form.
func namesItem(l string) bool {
	l = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "-"))
	name, text, ok := field(l)
	return ok && name == "key" && memfile.KeyForm(text)
}

// writeNotes appends the notes section: the new original, if there is one, and
// below it what the old section held, unchanged.
func writeNotes(b *bytes.Buffer, orig original, old []byte, today string) {
	if len(orig.bytes) == 0 {
		if len(old) > 0 {
			b.WriteByte('\n')
			b.Write(old)
		}
		return
	}
	fmt.Fprintf(b, "\n%s\n\n%s%s%s%s%d%s", memfile.NotesHeading, noteStart, noteOn, today, noteSize, len(orig.bytes), noteBytes)
	if orig.redacted {
		b.WriteString(noteRedacted)
	}
	b.WriteString(noteEnd + "\n\n")
	mark := fenceFor(orig.bytes)
	b.WriteString(mark + "text\n")
	b.Write(orig.bytes)
	if last := orig.bytes[len(orig.bytes)-1]; last != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(mark + "\n")
	b.Write(withoutHeading(old))
}

// withoutHeading is an old notes section below its heading, which the new one
// already has.
func withoutHeading(old []byte) []byte {
	if len(old) == 0 {
		return nil
	}
	_, rest, _ := bytes.Cut(old, []byte("\n"))
	if len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		return append([]byte("\n"), rest...)
	}
	return rest
}

// fenceFor is a fence longer than any run of its character in the text, of
// backticks or, where that is shorter, tildes.
func fenceFor(text []byte) string {
	ticks, tildes := longestRun(text, '`'), longestRun(text, '~')
	if tildes < ticks && ticks >= 16 {
		return strings.Repeat("~", max(3, tildes+1))
	}
	return strings.Repeat("`", max(3, ticks+1))
}

func longestRun(text []byte, c byte) int {
	longest, run := 0, 0
	for _, b := range text {
		if b != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// Originals returns the files that the notes of a recovered file hold, newest
// first, each byte for byte as it went in (or redacted, where it held a
// secret). Notes that somebody changed are read as far as they still fit.
func Originals(result []byte) [][]byte {
	start, end := memfile.SplitNotes(result)
	rest := result[start:end]
	var out [][]byte
	for len(rest) > 0 {
		var l []byte
		l, rest = cutLine(rest)
		size, ok := noteHeader(l)
		if !ok {
			continue
		}
		body, after, ok := fenced(rest, size)
		if !ok {
			continue
		}
		out = append(out, body)
		rest = after
	}
	return out
}

// cutLine returns the first line, without its ending, and what follows.
func cutLine(b []byte) (l, rest []byte) {
	l, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(l, []byte("\r")), rest
}

// noteHeader reads the line above an original: the original's size in bytes.
func noteHeader(l []byte) (int, bool) {
	s := string(l)
	if !strings.HasPrefix(s, noteStart+noteOn) || !strings.HasSuffix(s, noteEnd) {
		return 0, false
	}
	_, s, _ = strings.Cut(s, noteSize)
	s, _, ok := strings.Cut(s, noteBytes)
	size, err := strconv.Atoi(s)
	return size, ok && err == nil && size > 0
}

// fenced reads an original of that size below its header.
func fenced(rest []byte, size int) (body, after []byte, ok bool) {
	blank, rest := cutLine(rest)
	open, rest := cutLine(rest)
	mark, isText := bytes.CutSuffix(open, []byte("text"))
	if len(blank) != 0 || !isText || len(mark) < 3 || size > len(rest) {
		return nil, nil, false
	}
	body, after = rest[:size], rest[size:]
	if body[size-1] != '\n' {
		after = bytes.TrimPrefix(after, []byte("\n"))
	}
	end, after := cutLine(after)
	return body, after, bytes.Equal(end, mark)
}
