package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/transcript"
)

const (
	// maxSaid is how much of a message is looked at, in bytes. A longer one is a paste.
	maxSaid = 32 << 10
	// maxTypedChars and maxTypedLines are up to what size a message can hold a wish that
	// becomes an item by itself: a longer one may be a pasted text.
	maxTypedChars = 600
	maxTypedLines = 2
)

// IsPasted reports whether a message may be a pasted text, so that nothing in it becomes an item
// by itself.
func IsPasted(message string) bool {
	return utf8.RuneCountInString(message) > maxTypedChars || strings.Count(strings.TrimSpace(message), "\n") >= maxTypedLines
}

// Said looks for lasting statements in a person's message, after it took out what are not
// the person's own words: code, quotations, logs, what the harness added. previous is the end of
// what the agent said before, or "". The places in the answer are those of the message.
func Said(message, previous string) Found {
	return Find(OwnWords(message), previous)
}

// ScopeOf is the scope of a statement of a person that names none, with its key or "": user if it is about the person or
// how agents talk to them, else private. Nothing of it goes to the project's file unasked. Outside a
// repository there is no private scope, and the caller takes user.
func ScopeOf(key, statement string) string {
	if aboutPerson(key, statement) {
		return userScope
	}
	return privateScope
}

// OwnWords is the message with spaces in place of what are not the person's own words: code,
// quotations, logs, what the harness added.
func OwnWords(message string) string {
	message = message[:min(len(message), maxSaid)]
	var own strings.Builder
	at := 0
	for _, s := range transcript.Own(message) {
		blank(&own, message[at:s.From])
		own.WriteString(message[s.From:s.To])
		at = s.To
	}
	blank(&own, message[at:])
	return own.String()
}

// blank writes as many bytes as the text has: line ends, so that no sentence goes on over what
// was taken out, and spaces within a line.
func blank(to *strings.Builder, text string) {
	for i := range len(text) {
		if text[i] == '\n' {
			to.WriteByte('\n')
		} else {
			to.WriteByte(' ')
		}
	}
}

// AsksToRemember reports whether the person may ask to keep something, whatever it is: "yes, remember that".
func AsksToRemember(message string) bool { return hasRequest(OwnWords(message)) }
