package memfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/spelling"
)

// head is the name that opens the block.
const head = "saved_memory"

// Traces reports whether the bytes show any trace of a memory file (the word saved_memory).
func Traces(src []byte) bool { return bytes.Contains(src, []byte(head)) }

// Ours reports whether a file of the memory file's name is one, however damaged: it shows
// a trace, or it has lost its head, and what stands below is memory's; in UTF-16, too. Any
// other is somebody's page.
func Ours(src []byte) bool {
	if text, wide := FromUTF16(src); wide {
		src = text
	}
	return Traces(src) || headless(string(src))
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
