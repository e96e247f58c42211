package memfile

import "bytes"

// head is the name that opens the block.
const head = "saved_memory"

// IsMemory reports whether a file of the memory file's name is one, however damaged: one of its lines begins with saved_memory,
// behind no more than the marks of a list, a fence or a damaged disk.
func IsMemory(src []byte) bool {
	for line := range bytes.FieldsFuncSeq(src, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if bytes.HasPrefix(bytes.TrimLeft(line, "\x00\ufeff \t\r\"'-*+>#?{`"), []byte(head)) {
			return true
		}
	}
	return false
}

// IsPage reports whether a file of the memory file's name that does not parse may be somebody's own: IsMemory is false, and it
// is neither empty nor in UTF-16. White space, a byte order mark and NULs are what is left of a memory file.
func IsPage(src []byte) bool {
	return !IsMemory(src) && !isUTF16(src) && len(bytes.TrimSpace(bytes.Trim(src, "\x00\ufeff"))) > 0
}

func isUTF16(src []byte) bool {
	return bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff"))
}
