package agents

import (
	"path/filepath"

	"github.com/memctl/memctl/transcript"
)

// EntrypointVariable is set by Claude Code for its hooks, and says how it was started.
const EntrypointVariable = "CLAUDE_CODE_ENTRYPOINT"

// sdkEntrypoint begins the values for programs, which may have a person at their window, and headlessEntrypoint is the one
// for `claude -p`.
const (
	sdkEntrypoint      = "sdk-"
	headlessEntrypoint = sdkEntrypoint + "cli"
)

// headless reports whether nobody is there to be asked, as in `claude -p`. Where that is not
// known, somebody is.
func (c Call) headless() bool {
	switch {
	case c.Tool.Mode == "dontAsk":
		return true
	case c.Entrypoint != "": // the transcript may not be written yet
		return c.Entrypoint == headlessEntrypoint
	}
	if !filepath.IsAbs(c.Transcript) {
		return false
	}
	// A session may be resumed in another way than it began: the last record decides.
	r := readerOf(readTranscript(c.Transcript, transcriptBytes))
	for range r.Turns() {
	}
	return r.Session().Mode == transcript.Headless
}
