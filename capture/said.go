package capture

import (
	"strings"

	"github.com/memctl/memctl/capture/rules"
	"github.com/memctl/memctl/transcript"
)

// maxSaid is how much of a message is looked at, in bytes. A longer one is a paste.
const maxSaid = 32 << 10

// Said looks for lasting statements in a person's message, after it took out what are not
// the person's own words: code, quotations, logs, what the harness added. previous is the end of
// what the agent said before, or "". The places in the answer are those of the message.
func Said(message, previous string) rules.Found {
	message = message[:min(len(message), maxSaid)]
	var own strings.Builder
	at := 0
	for _, s := range transcript.Own(message) {
		blank(&own, message[at:s.From])
		own.WriteString(message[s.From:s.To])
		at = s.To
	}
	blank(&own, message[at:])
	return rules.Find(own.String(), previous)
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
