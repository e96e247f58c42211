package recovery

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestTheOriginalComesBackByteForByte(t *testing.T) {
	for name, src := range map[string]string{
		"no final newline":                 "# page",
		"CR LF":                            "# page\r\n\r\ntext\r\n",
		"CR LF without the last":           "# page\r\ntext\r",
		"a NUL and bytes that are no text": "a\x00b\xff\xfe\n",
		"a byte order mark":                "\ufeff```yaml\n- `\n",
		"fences longer than any":           strings.Repeat("`", 9) + "yaml\n" + strings.Repeat("~", 12) + "\n",
		"many backticks":                   strings.Repeat("`", 5000) + "\n" + strings.Repeat("~", 5) + "\n",
		"spaces alone":                     "  \n\t\n",
		"newlines alone":                   "\n\n\n",
		"a line like the one above a note": noteStart + noteOn + today + noteSize + "5" + noteBytes + noteEnd + "\n\n```text\nabcd\n```\n",
		"a heading like ours, in a fence":  "```\n" + memfile.NotesHeading + "\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			recoverSound(t, []byte(src), Options{Today: today})
		})
	}
}

func TestNotesMoveAndDoNotNest(t *testing.T) {
	one := "first `damage`\n"
	res := recoverSound(t, []byte(one), Options{Today: today})
	two := "    - Stray: above\n"
	broken := append([]byte(two), res.Bytes...)
	broken = bytes.Replace(broken, []byte("  items: []\n"), []byte("  items:\n    - `second`\n"), 1)
	again := recoverSound(t, broken, Options{Today: "2026-11-22"})
	got := Originals(again.Bytes)
	body := outsideNotes(broken)
	if len(got) != 2 || !bytes.Equal(got[0], body) || string(got[1]) != one {
		t.Fatalf("originals: %q", got)
	}
	if n := bytes.Count(again.Bytes, []byte(memfile.NotesHeading)); n != 1 {
		t.Errorf("%d headings:\n%s", n, again.Bytes)
	}
	start, end := memfile.SplitNotes(res.Bytes)
	old := res.Bytes[start+len(memfile.NotesHeading) : end]
	if !bytes.HasSuffix(again.Bytes, old) {
		t.Errorf("the old notes changed:\n%s", again.Bytes)
	}
}

func TestNothingIsReadFromNotes(t *testing.T) {
	src := "no block\n\n" + memfile.NotesHeading + "\n\n" + head + tone + tail + "    - Stray: text\n"
	res := recoverSound(t, []byte(src), Options{Today: today})
	if len(res.Document.Items) != 0 {
		t.Errorf("got %v", res.Document.Items)
	}
	if !bytes.Contains(res.Bytes, []byte(tone)) {
		t.Error("the notes are gone")
	}
}

func TestASecretIsRedactedInTheNotesAndKeptOutOfTheBlock(t *testing.T) {
	secret := "ghp_" + "k7Yd2LmQ9vXc4RtB1nZs8WpE6uHa3J" + "0gTfGM"
	src := head + "    - `a`\n    - CI: the token is " + secret + "\n    - key: ci.token\n      value: " + secret +
		"\n      added: 2026-01-02\n      source: user\n      confidence: high\n" + tail
	res := recoverSound(t, []byte(src), Options{Today: today})
	if !res.Secret {
		t.Error("the secret was not seen")
	}
	if bytes.Contains(res.Bytes, []byte(secret)) {
		t.Errorf("the secret is in the result:\n%s", res.Bytes)
	}
	if len(res.SetAside) != 2 || !strings.Contains(res.SetAside[0].Why, "secret") {
		t.Errorf("set aside: %v", res.SetAside)
	}
}

func TestAKeyThatLooksLikeATokenIsNoSecret(t *testing.T) {
	src := head + "    - `a`\n    - 東京\n    - key: recovered.x1a2b3c4d\n      value: c\n      added: 2026-01-02\n      source: recovered\n      confidence: low\n      tags: [needs-confirmation]\n" + tail
	res := recoverSound(t, []byte(src), Options{Today: today})
	if res.Secret || len(res.Document.Items) != 3 {
		t.Errorf("secret %v, items %v", res.Secret, res.Document.Items)
	}
}

// outsideNotes is what a recovery of the source keeps as the original.
func outsideNotes(src []byte) []byte {
	start, end := ownNotes(src)
	return append(append([]byte{}, src[:start]...), src[end:]...)
}

// Agents append at the end of the file, and after a recovery that is below the
// notes.
func TestWhatIsAppendedBelowTheNotesIsSaved(t *testing.T) {
	first := recoverSound(t, []byte(head+"    - key: a.b\n      value: `x`\n"+tail), Options{Today: today})
	appended := "    - Test rule: run them all\n    - key: c.d\n      value: e\n      confidence: high\n"
	res := recoverSound(t, append(append([]byte{}, first.Bytes...), appended...), Options{Today: today})
	var keys []string
	for _, it := range res.Document.Items {
		keys = append(keys, it.Key)
		if it.Key != "a.b" && !it.HasTag(memfile.TagNeedsConfirmation) {
			t.Errorf("%s does not wait for confirmation", it.Key)
		}
	}
	if got := strings.Join(keys, " "); got != "a.b c.d recovered.test-rule" {
		t.Errorf("items %s\n%s", got, res.Bytes)
	}
	if got := Originals(res.Bytes); len(got) != 2 || !bytes.HasSuffix(got[0], []byte(appended)) {
		t.Errorf("originals: %q", got)
	}
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
