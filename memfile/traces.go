package memfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/spelling"
)

// head is the name that opens the block.
const head = "saved_memory"

// HasTraces reports whether the bytes show a trace of a memory file: a line that begins with
// saved_memory and a colon, or that ends with it, as one that was torn there; or, wherever
// it stands, with the parts of the block after it: line ends get lost, and numbers come
// before lines. The word in a sentence is none.
func HasTraces(src []byte) bool {
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(head))
		if i < 0 {
			return false
		}
		i += at
		at = i + len(head)
		before := src[bytes.LastIndexByte(src[:i], '\n')+1 : i]
		after, _, _ := bytes.Cut(src[at:], []byte("\n"))
		named := bytes.HasPrefix(bytes.TrimLeft(after, "\\\"' \t"), []byte(":"))
		if canPrecedeHead(before) && (named || len(bytes.TrimSpace(after)) == 0) || named && hasParts(src[at:]) {
			return true
		}
	}
}

// hasParts reports whether a part of the block is named in the text, as in YAML or JSON.
func hasParts(src []byte) bool {
	for _, part := range []string{"items", "deletions", "announce_writes"} {
		for rest := src; ; {
			_, after, ok := bytes.Cut(rest, []byte(part))
			if !ok {
				break
			}
			if bytes.HasPrefix(bytes.TrimLeft(after, "\\\"' \t"), []byte(":")) {
				return true
			}
			rest = after
		}
	}
	return false
}

// canPrecedeHead reports whether the head can count as the first word of its line after these
// bytes: a mark of a list or a map, a fence whose line end was lost, remains of a damaged disk.
func canPrecedeHead(before []byte) bool {
	if i := bytes.Index(before, []byte("```")); i >= 0 {
		info := bytes.ToLower(bytes.TrimLeft(before[i:], "`"))
		info = bytes.TrimPrefix(bytes.TrimPrefix(info, []byte("yaml")), []byte("yml"))
		before = slices.Concat(before[:i], info)
	}
	before = bytes.Trim(before, "\x00\ufeff \t\r\"'-*+>#?")
	return len(before) == 0 || before[0] == '{'
}

// IsMemory reports whether a file of the memory file's name is one, however damaged: it shows
// a trace, or it has lost its head, and what stands below is memory's; or it ends within the
// head.
func IsMemory(src []byte) bool {
	return HasTraces(src) || cutHead(src) || headless(string(src))
}

// cutHead reports whether a text is the beginning of the template's own head.
func cutHead(src []byte) bool {
	text := bytes.ReplaceAll(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	text = bytes.TrimRight(text, "\x00\r\n ")
	return len(text) > 0 && strings.HasPrefix(Template[:strings.IndexByte(Template, ':')], string(text))
}

// MeantHead reports whether a name is saved_memory, or that misspelled.
func MeantHead(name string) bool {
	word := lettersOf(name)
	return len(name) <= 40 && word != "" && spelling.Distance(word, lettersOf(head)) <= 3
}

// headless reports whether a text has an item or a tombstone in memory's own form, or a
// misspelled head with parts of the block beside it.
func headless(src string) bool {
	lines := strings.Split(src, "\n")
	named, parts := false, false
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if isKeyItem(text) && ownEntry(lines[i+1:]) {
			return true
		}
		name, rest, ok := strings.Cut(text, ":")
		if rest, _, _ = strings.Cut(rest, "#"); !ok {
			continue
		}
		switch name {
		case "items", "deletions", "settings", "announce_writes":
			parts = true
		default:
			named = named || strings.TrimSpace(rest) == "" && MeantHead(name)
		}
	}
	return named && parts
}

// ownEntry reports whether the lines below "- key: area.name" are the fields of an item or
// of a tombstone: two of them make it one.
func ownEntry(lines []string) bool {
	known := 0
	for _, line := range lines[:min(len(lines), 8)] {
		text := strings.TrimSpace(line)
		if text == "" || isBullet(text) && isKeyItem(text) {
			break
		}
		name, _, ok := strings.Cut(text, ":")
		if ok && slices.Contains([]string{"value", "added", "source", "confidence", "removed", "reason"}, name) {
			known++
		}
	}
	return known >= 2
}

// lettersOf are the letters of a name, in lower case: neither a hyphen nor a capital makes it
// another one.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
