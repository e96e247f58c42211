package memfile

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/yamltext"
)

// misnamed reports an unknown field as damage if a part of the block would be lost with it: it is a part in the wrong place,
// or it has entries.
func (r *reader) misnamed(e yamltext.Entry, where string) bool {
	message := quoteName(e.Key.Text) + " " + where
	switch {
	case slices.Contains([]string{"deletions", "items", "settings", "enabled", "announce_writes"}, e.Key.Text):
		message += ", where memctl does not read it"
	case holdsEntries(e.Value, "key"):
		message += " contains entries, but memctl reads entries only under \"items\" and \"deletions\""
	default:
		return false
	}
	r.damage("section-name", e.Key.Start, message)
	return true
}

// misplaced reports a list that slid into the entry above it.
func (r *reader) misplaced(e yamltext.Entry, where string) bool {
	switch e.Key.Text {
	case "items", "deletions":
		return holdsEntries(e.Value, "key") && r.misnamed(e, where)
	}
	return holdsEntries(e.Value, "key", "removed") && r.misnamed(e, where)
}

// holdsEntries reports whether a list has a map with all those fields.
func holdsEntries(n *yamltext.Node, fields ...string) bool {
	if n == nil || n.Kind != yamltext.List {
		return false
	}
	for _, e := range n.Entries {
		all := true
		for _, name := range fields {
			all = all && e.Value.Field(name) != nil
		}
		if all {
			return true
		}
	}
	return false
}

// lockedMark begins a file that git-crypt keeps locked: who has its key unlocks it.
const lockedMark = "\x00GITCRYPT\x00"

// IsPage reports whether a file of the memory file's name that does not parse is somebody's page:
// IsMemory is false, and it has something to read. An empty file, white space, a byte order mark,
// NULs and other binary data are no page: they are what is left of a memory file.
func IsPage(src []byte) bool {
	if IsMemory(src) {
		return false
	}
	return readsAsText(src) || bytes.HasPrefix(src, []byte(lockedMark))
}

// MayBeEncrypted reports whether a file that is neither a memory file nor text has something in
// it: encrypted or packed, it may be whole, and only who has the key can tell.
func MayBeEncrypted(src []byte) bool {
	if IsMemory(src) {
		return false
	}
	return !readsAsText(src) && len(bytes.Trim(bytes.TrimLeft(src, "\ufeff\xff\xfe"), "\x00 \t\r\n\v\f")) > 0
}

// mostControls is how many of the characters of a text at least stand to one that no
// text has. Compressed and encrypted data have one in ten.
const mostControls = 32

// readsAsText reports whether there is a letter, a digit or a sign in the bytes, and they
// are no binary data. An encoding other than UTF-8 counts as text: it has letters of its
// own, and no control characters.
func readsAsText(src []byte) bool {
	signs, other, controls, all := 0, 0, 0, 0
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		src, all = src[size:], all+1
		switch {
		case r == utf8.RuneError && size == 1:
			other++
		case r == utf8.RuneError, unicode.IsControl(r) && !bytes.ContainsRune([]byte("\t\n\v\f\r\b\x1b\u0085"), r):
			controls++
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.So, r):
			signs++
		}
	}
	return (signs > 0 || other > len("\ufeff")) && controls*mostControls <= all
}
