package agents

import (
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/store/localstate"
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

// prompts says who gives the session's prompts, "" for a client whose hooks do not tell of them. Claude Code says it in
// its hooks' environment, and Codex in its transcript. The others do not, and count as a person's.
func (c Call) prompts() string {
	switch c.Agent.(type) {
	case claude, codex:
	case gemini, copilot:
		return localstate.PromptsPerson
	default:
		return ""
	}
	entrypoint := c.Entrypoint
	if _, ok := c.Agent.(codex); ok {
		entrypoint = "" // that of the Claude Code whose shell Codex runs in
	}
	mode := transcript.Interactive
	if entrypoint == "" {
		mode = c.mode()
	}
	switch {
	case entrypoint == headlessEntrypoint, mode == transcript.Headless:
		return localstate.PromptsProgram
	case strings.HasPrefix(entrypoint, sdkEntrypoint), mode != transcript.Interactive:
		return localstate.PromptsUnknown
	}
	return localstate.PromptsPerson
}

// headless reports whether nobody is there to be asked, as in `claude -p`. Where that is not
// known, somebody is.
func (c Call) headless() bool {
	switch {
	case c.Tool.Mode == "dontAsk":
		return true
	case c.Entrypoint != "": // the transcript may not be written yet
		return c.Entrypoint == headlessEntrypoint
	}
	return c.mode() == transcript.Headless
}

// mode is how the session's transcript says that it was started.
func (c Call) mode() transcript.Mode {
	if !filepath.IsAbs(c.Transcript) {
		return transcript.ModeUnknown
	}
	// A session may be resumed in another way than it began: the last record decides.
	r := readerOf(readTranscript(c.Transcript, transcriptBytes))
	for range r.Turns() {
	}
	return r.Session().Mode
}
