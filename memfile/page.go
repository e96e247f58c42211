package memfile

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// lockedMark begins a file that git-crypt keeps locked: who has its key unlocks it.
const lockedMark = "\x00GITCRYPT\x00"

// IsPage reports whether a file of the memory file's name that does not parse is somebody's
// page: it is not Ours, and it has something to read. An empty file, white space, a byte
// order mark, NULs and other binary data are nobody's: that is what is left of a memory
// file.
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
