package memfile

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// KeyForm reports whether key has the form that memctl writes: at least two
// parts joined by dots, each of lower-case words and digits joined by single
// '-' or '_', the whole beginning with a letter, at most MaxKeyBytes bytes.
func KeyForm(key string) bool {
	if len(key) > MaxKeyBytes || key == "" || !isLower(key[0]) {
		return false
	}
	dots, joined := 0, true // joined: a separator stands before
	for i := range len(key) {
		switch c := key[i]; {
		case isLower(c) || isDigit(c):
			joined = false
		case c == '.' || c == '-' || c == '_':
			if joined {
				return false
			}
			joined = true
			if c == '.' {
				dots++
			}
		default:
			return false
		}
	}
	return dots > 0 && !joined
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// NormalKey trims, lower-cases and turns spaces to '-'; nearest is the nearest
// key that has the form ("" where none can be made).
func NormalKey(key string) (normal, nearest string) {
	normal = strings.Join(strings.Fields(strings.ToLower(key)), "-")
	if KeyForm(normal) {
		return normal, normal
	}
	return normal, nearestKey(normal)
}

// nearestKey keeps letters without their accents and digits, makes one
// separator of each run of anything else, and joins a single part to
// "general", because a key needs two.
func nearestKey(s string) string {
	var b strings.Builder
	sep := byte(0) // the separator that waits for the next letter
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if b.Len() == 0 && r <= '9' {
				continue // the first character is a letter
			}
			if sep != 0 && b.Len() > 0 {
				b.WriteByte(sep)
			}
			sep = 0
			b.WriteRune(r)
		case r == '.' || r == '/' || r == ':':
			sep = '.'
		case r == '_' && (sep == 0 || sep == '_'):
			sep = '_'
		case r >= 0x300 && r < 0x370: // an accent of the letter before
		case sep != '.':
			sep = '-'
		}
	}
	key := b.String()
	if key != "" && !strings.Contains(key, ".") {
		key = "general." + key
	}
	if len(key) > MaxKeyBytes {
		key = strings.TrimRight(key[:MaxKeyBytes], ".-_")
	}
	if !KeyForm(key) {
		return ""
	}
	return key
}
