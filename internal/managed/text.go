package managed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// HashedBlock is a marked part whose text changes. Its begin mark ends with the hash of the text, which
// tells a text of ours from one that somebody changed by hand.
type HashedBlock struct {
	Begin     string // the begin mark up to the hash
	AfterHash string // what follows the hash
	End       string // the line after the text
}

// MemoryBlock is the part of an instruction file that has memory.
func MemoryBlock() HashedBlock {
	return HashedBlock{Begin: "<!-- memctl:begin memory ", AfterHash: " -->", End: "<!-- memctl:end memory -->"}
}

// BlankOutside returns src with empty lines in place of all that is outside the part; nil where src has no part as memctl wrote it.
func (t HashedBlock) BlankOutside(src []byte) []byte {
	old, there, err := t.findBlock(src)
	if err != nil || !there {
		return nil
	}
	at, _, _ := old.find(src)
	return append(bytes.Repeat([]byte{'\n'}, bytes.Count(src[:at.body], []byte{'\n'})), src[at.body:at.end]...)
}

// Has reports whether the part is in src. Errors: ErrBadMarks, ErrChangedByHand.
func (t HashedBlock) Has(src []byte) (bool, error) {
	_, there, err := t.findBlock(src)
	return there, err
}

// Set returns src with the text in its part, at the end of src where there was none, and without
// the part where the text is "". src is nil where there is no file. Errors: ErrBadMarks, ErrChangedByHand.
func (t HashedBlock) Set(src []byte, text string) ([]byte, error) {
	old, there, err := t.findBlock(src)
	switch {
	case err != nil:
		return nil, err
	case text == "" && !there:
		return src, nil
	case text == "":
		return old.Remove(src)
	}
	fresh := Block{Begin: t.beginLine(text), End: t.End, Body: text}
	if !there {
		return fresh.Install(src)
	}
	at, _, err := old.find(src)
	if err != nil {
		return nil, err
	}
	lines := strings.ReplaceAll(fresh.Begin+"\n"+text, "\n", at.newline)
	return append(append(bytes.Clone(src[:at.begin]), lines...), src[at.end:]...), nil
}

func (t HashedBlock) beginLine(text string) string {
	sum := sha256.Sum256([]byte(text))
	return t.Begin + hex.EncodeToString(sum[:4]) + t.AfterHash
}

// findBlock returns the part as it is in src.
func (t HashedBlock) findBlock(src []byte) (b Block, there bool, err error) {
	b.Begin, b.End = t.Begin+"\n", t.End // no line is that
	for line := range bytes.Lines(src) {
		text := strings.TrimRight(string(line), "\r\n")
		if strings.HasPrefix(text, t.Begin) && strings.HasSuffix(text, t.AfterHash) {
			if there {
				return b, false, ErrBadMarks
			}
			b.Begin, there = text, true
		}
	}
	at, there, err := b.find(src)
	if err != nil || !there {
		return b, false, err
	}
	b.Body = strings.ReplaceAll(string(src[at.body:at.end]), at.newline, "\n")
	if t.beginLine(b.Body) != b.Begin {
		return b, false, ErrChangedByHand
	}
	return b, true, nil
}
