package agents

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// EntrypointVariable is set by Claude Code for its hooks, and says how it was started.
const EntrypointVariable = "CLAUDE_CODE_ENTRYPOINT"

// sdkEntrypoint begins the values for programs, which may have a person at their window, and headlessEntrypoint is the one
// for `claude -p`.
const (
	sdkEntrypoint      = "sdk-"
	headlessEntrypoint = sdkEntrypoint + "cli"
)

// byTranscript says of an agent that its transcript or its hooks' environment tells who gives the prompts.
const byTranscript = "transcript"

// prompts says who gives the session's prompts, "" for a client whose hooks do not tell of them. Claude Code says it in
// its hooks' environment, and Codex in its transcript: where it was started or resumed, which may be far from its end. The
// others do not say it, and count as a person's.
func (c Call) prompts(ss *store.Stores) string {
	if c.Agent.prompts != byTranscript {
		return c.Agent.prompts
	}
	entrypoint := c.Entrypoint
	if c.Agent.name != "claude" {
		entrypoint = "" // that of the Claude Code whose shell Codex runs in
	}
	mode := transcript.Interactive
	if entrypoint == "" {
		mode = c.lastMode()
	}
	if mode == transcript.ModeUnknown && filepath.IsAbs(c.Transcript) {
		if by := localstate.StartedBy(ss, c.Session); by != "" && c.Event != briefing.EventSessionStart {
			return by
		}
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

// mode is how the session's transcript says that it was started or resumed.
func (c Call) mode() transcript.Mode {
	mode := c.lastMode()
	if mode == transcript.ModeUnknown && filepath.IsAbs(c.Transcript) {
		mode = modeOf(transcript.NewReader(bytes.NewReader(readHead(c.Transcript)), transcript.Options{}))
	}
	return mode
}

// lastMode is mode as far as the end of the transcript says it.
func (c Call) lastMode() transcript.Mode {
	if !filepath.IsAbs(c.Transcript) {
		return transcript.ModeUnknown
	}
	return modeOf(readerOf(readTranscript(c.Transcript, transcriptBytes)))
}

// modeOf is the mode by a part of a transcript. A session may be resumed in another way than it began: the last record
// decides.
func modeOf(r *transcript.Reader) transcript.Mode {
	for range r.Turns() {
		continue
	}
	return r.Session().Mode
}
