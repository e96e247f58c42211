package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// NormalText is the form in which two facts are the same fact: NFC, runs of
// white space one space, trimmed.
func NormalText(text string) string {
	return strings.Join(strings.Fields(norm.NFC.String(text)), " ")
}

// ContentID is the id of a fact: a version 8 UUID of the SHA-256 of its text in
// normal form, so that the same fact is the same file on every branch.
func ContentID(text string) string { return uuid(NormalText(text)) }

// FactIDs is how many ids a text can have: the first is ContentID, and the others are
// for where a file of that id says something else, since a person changed it by hand.
const FactIDs = 4

// FactID is the nth id of a fact, from 0.
func FactID(text string, n int) string { return factID(NormalText(text), n) }

func factID(normal string, n int) string {
	if n > 0 {
		normal += "\n" + strconv.Itoa(n+1)
	}
	return uuid(normal)
}

// IsFactID reports whether an id is one that the text can have.
func IsFactID(id, text string) bool {
	text = NormalText(text)
	for n := range FactIDs {
		if id == factID(text, n) {
			return true
		}
	}
	return false
}

// isContentID reports whether an id has the form of ContentID's.
func isContentID(id string) bool {
	return len(id) == 36 && id[14] == '8' && strings.Count(id, "-") == 4
}

// TimedID is the id of what was said at one time: the same words at another
// time are another note.
func TimedID(created, text string) string { return uuid(created + "\n" + NormalText(text)) }

// SummaryID is the id of a conversation's summary of a kind: the same one in each store and on each machine.
func SummaryID(kind, conversation string) string { return TimedID(kind, conversation) }

func uuid(text string) string {
	sum := sha256.Sum256([]byte(text))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// HashLines is the hash that an anchor keeps of the text it is about: of its
// lines without the white space at their ends, so that line endings and a
// formatter's blanks do not count.
func HashLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \t\r\n"))
		b.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}
