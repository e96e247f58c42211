// Package managed keeps a marked part in a text file that is somebody else's:
// the lines between two marks are ours, every other byte is theirs.
package managed

import (
	"bytes"
	"errors"
	"strings"
)

// Block is the part: two mark lines and the text between them.
type Block struct {
	Begin, End    string // whole lines, without a line end
	Body          string // lines, each with a "\n"; the same text for every file
	EarlierBodies []string
}

// The ways in which a marked part is not as we left it.
var (
	ErrBadMarks      = errors.New("the file must have exactly one pair of memctl's marks; remove the others by hand")
	ErrChangedByHand = errors.New("the part that memctl marked was changed by hand; remove it by hand")
)

// How the marks begin that memctl writes into Markdown files.
const (
	beginMark = "<!-- memctl:begin"
	endMark   = "<!-- memctl:end"
)

// BlankMarkedParts returns the text of a Markdown file with empty lines for those between memctl's marks and for the marks.
func BlankMarkedParts(text string) string {
	if !strings.Contains(text, beginMark) {
		return text
	}
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if inside = inside || strings.HasPrefix(line, beginMark); inside {
			inside = !strings.HasPrefix(line, endMark)
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// blockRange is where a block stands.
type blockRange struct {
	begin, body, end int // the begin mark; the text after it; the end mark
	after            int // behind the end mark and its line end
	newline          string
}

// Status reports whether the block stands in src, and whether its text is the
// current one. A block that lost one of its marks or both is known by its text. Errors: ErrBadMarks, ErrChangedByHand.
func (b Block) Status(src []byte) (there, current bool, err error) {
	at, there, err := b.find(src)
	if err != nil || !there {
		return false, false, err
	}
	body, err := b.knownBody(src, at)
	return err == nil, body == b.Body, err
}

// Install returns src with the block at its end, or with its text made the
// current one where it stands. src is nil where there is no file. Errors:
// ErrBadMarks, ErrChangedByHand.
func (b Block) Install(src []byte) ([]byte, error) {
	at, there, err := b.find(src)
	if err != nil {
		return nil, err
	}
	if !there {
		newline := newlineOf(src)
		text := strings.ReplaceAll(b.Begin+"\n"+b.Body+b.End+"\n", "\n", newline)
		if src != nil {
			// One line end, whatever the file ends with: Remove takes one away.
			text = newline + text
		}
		return append(bytes.Clone(src), text...), nil
	}
	old, err := b.knownBody(src, at)
	if err != nil || old == b.Body {
		return src, err
	}
	old = strings.ReplaceAll(old, "\n", at.newline)
	body := strings.ReplaceAll(b.Body, "\n", at.newline)
	return append(append(bytes.Clone(src[:at.body]), body...), src[at.body+len(old):]...), nil
}

// Remove returns src without the block and the line end before it; nil where
// Install had made the file and nothing else is in it. Lines that came to
// stand between our text and the end mark stay: programs that add to the end
// of a file do that. Errors: ErrBadMarks, ErrChangedByHand.
func (b Block) Remove(src []byte) ([]byte, error) {
	at, there, err := b.find(src)
	if err != nil || !there {
		return src, err
	}
	body, err := b.knownBody(src, at)
	if err != nil {
		return nil, err
	}
	between := src[at.body+len(strings.ReplaceAll(body, "\n", at.newline)) : at.end]
	before := src[:at.begin]
	if at.begin == 0 && len(between) == 0 && at.after == len(src) {
		return nil, nil
	}
	rest := append(bytes.Clone(between), src[at.after:]...)
	before = WithoutLineEnd(before, rest, at.newline, at.begin < at.body)
	out := append(bytes.Clone(before), rest...)
	if out == nil {
		out = []byte{} // the file was there before us
	}
	return out, nil
}

// WithoutLineEnd removes from before the line end that Install added. It keeps one that parts a line of before from rest.
// marked says that the begin mark follows, so that Install surely added one.
func WithoutLineEnd(before, rest []byte, newline string, marked bool) []byte {
	short, ok := bytes.CutSuffix(before, []byte(newline))
	if ok && (len(short) == 0 || bytes.HasSuffix(short, []byte("\n")) || marked && len(rest) == 0) {
		return short
	}
	return before
}

// knownBody is the text of ours, current or earlier, with which the block begins.
func (b Block) knownBody(src []byte, at blockRange) (string, error) {
	inside := strings.ReplaceAll(string(src[at.body:at.end]), at.newline, "\n")
	for _, body := range append([]string{b.Body}, b.EarlierBodies...) {
		if strings.HasPrefix(inside, body) {
			return body, nil
		}
	}
	return "", ErrChangedByHand
}

func (b Block) find(src []byte) (at blockRange, there bool, err error) {
	begins, ends, pos := 0, 0, 0
	for line := range bytes.Lines(src) {
		text := strings.TrimRight(string(line), "\r\n")
		switch text {
		case b.Begin:
			begins++
			at.begin, at.body = pos, pos+len(line)
			at.newline = string(line[len(text):])
		case b.End:
			ends++
			at.end, at.after = pos, pos+len(line)
		}
		pos += len(line)
	}
	switch {
	case begins == 1 && ends == 1 && at.end >= at.body:
		return at, true, nil
	case begins > 1 || ends > 1 || begins+ends == 2:
		return at, false, ErrBadMarks
	}
	if at, there = b.findWithoutMarks(src); !there && begins+ends > 0 {
		err = ErrBadMarks
	}
	return at, there, err
}

// findWithoutMarks finds a block without one of its marks or both by its text.
func (b Block) findWithoutMarks(src []byte) (at blockRange, there bool) {
	for _, body := range append([]string{b.Body}, b.EarlierBodies...) {
		for _, newline := range []string{"\n", "\r\n"} {
			text := strings.ReplaceAll(body, "\n", newline)
			i := bytes.Index(src, []byte(text))
			if body == "" || i < 0 || i > 0 && src[i-1] != '\n' {
				continue
			}
			at = blockRange{i, i, i + len(text), i + len(text), newline}
			if mark := b.Begin + newline; bytes.HasSuffix(src[:i], []byte(mark)) {
				at.begin -= len(mark)
			}
			if mark := b.End + newline; bytes.HasPrefix(src[at.end:], []byte(mark)) {
				at.after += len(mark)
			}
			return at, true
		}
	}
	return at, false
}

// newlineOf is the line end that the text uses.
func newlineOf(src []byte) string {
	if at := bytes.IndexByte(src, '\n'); at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
