package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/acts/notice"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// The events that are recorded and answered with nothing. Those that are
// answered have their names in package memory.
const (
	EventPreCompact = "PreCompact"
	EventStop       = "Stop"
	EventSessionEnd = "SessionEnd"
)

// maxAnswer is the size of a prompt, in bytes, that may be an answer to the agent's question.
const maxAnswer = 100

// hookOutput is an answer of the form contextText.
type hookOutput struct {
	// SystemMessage is shown to the person, and costs the model nothing.
	SystemMessage string       `json:"systemMessage,omitempty"`
	Output        *hookContext `json:"hookSpecificOutput,omitempty"`
}

type hookContext struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// answer is the object that hands out the text, and the line for the person where the
// agent shows one; nil where there is neither.
func (c Call) answer(res briefing.BootstrapResult) any {
	var answer any
	if res.Text != "" {
		answer = c.Agent.Answer(c.Own, res.Text)
	}
	if res.SystemMessage == "" || !c.tellsPerson() {
		return answer
	}
	out, ok := answer.(*hookOutput)
	if !ok {
		out = &hookOutput{}
	}
	out.SystemMessage = res.SystemMessage
	return out
}

// tellsPerson reports whether the agent shows a person a line of the answer.
func (c Call) tellsPerson() bool { return c.Agent.line && c.Entrypoint != headlessEntrypoint }

// Call is one call of a hook: what the agent said of the event.
type Call struct {
	Agent      *Agent
	Own        string // the event's name, as the agent has it
	Event      string // the same, as package memory and this one have it
	Session    string
	Source     string
	Reason     string
	Transcript string
	Folder     string // the session's; "" where the agent named none that is there
	Prompt     string
	Turn       string        // the agent's own id or time of the prompt, or id of the subagent
	Continued  bool          // of a Stop: a hook let the agent go on, and this is its end
	Subagent   string        // the id of the subagent whose event it is; "" for the session's own agent
	Ordered    bool          // the prompt is a model's order to a subagent
	CanStore   func() string // tells the agent how to store: a tool or a command; nil where it is not told
	Tools      bool          // it has memctl's MCP server; not said by the agent
	Entrypoint string        // how Claude Code was started, as its hooks' environment says; "" for not known
	Tool       toolUse       // of a PreToolUse
}

// ParseCall reads what an agent wrote to a hook's stdin. event is the name
// that the command line gave, for agents whose input has none. What is
// missing or of another type counts as not said; ok is false where the input is
// no object or the event is of no concern.
func ParseCall(a *Agent, event string, input []byte) (call Call, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return Call{}, false
	}
	first := func(names ...string) string {
		for _, name := range names {
			var text string
			if json.Unmarshal(fields[name], &text) == nil && text != "" {
				return text
			}
		}
		return ""
	}
	call = Call{
		Agent:      a,
		Own:        first("hook_event_name", "hookEventName"),
		Session:    first("session_id", "sessionId", "conversation_id"),
		Source:     first("source"),
		Reason:     first("reason", "trigger"),
		Transcript: first("transcript_path", "transcriptPath"),
		Folder:     first("cwd"),
		Prompt:     first(cmp.Or(a.promptKey, "prompt")),
		Turn:       first("turn_id", "agent_id", "agentId", "prompt_id", "generation_id", "timestamp"), // the last is Gemini CLI's
		Subagent:   first("agent_id", "agentId"),
	}
	if _, rest, ok := strings.Cut(call.Prompt, "</hook_context>"); ok && strings.HasPrefix(strings.TrimSpace(call.Prompt), "<hook_context>") {
		call.Prompt = strings.TrimSpace(rest) // Gemini puts what hooks handed in before the person's words
	}
	// Copilot CLI does not name the subagent, and puts its briefing before the order.
	call.Ordered = call.Subagent != "" || session.HoldsBriefing(call.Prompt)
	call.Continued = string(fields["stop_hook_active"]) == "true"
	if call.Own == "" {
		call.Own = event
	}
	if call.Folder == "" {
		var roots []string
		if json.Unmarshal(fields["workspace_roots"], &roots) == nil && len(roots) > 0 {
			call.Folder = roots[0]
		}
	}
	if info, err := os.Stat(call.Folder); err != nil || !info.IsDir() {
		call.Folder = ""
	}
	call.Event = a.Event(call.Own)
	if call.Event == briefing.EventPreTool || call.Event == briefing.EventToolFailed {
		call.readTool(fields, first)
	}
	return call, call.Event != ""
}

// Respond handles the event and returns the object to print; nil for none. If
// the event cannot be recorded, the agent still gets its answer.
func (c Call) Respond(ctx context.Context, ss *store.Stores) (any, error) {
	rec := localstate.SessionRecord{
		Agent: c.Agent.Name(), Session: c.Session, Event: c.Event, Source: c.Source,
		Reason: c.Reason, Transcript: c.Transcript, Folder: c.Folder, Subagent: c.Subagent, Quiet: c.Event == briefing.EventSessionStart && !c.tellsPerson(),
	}
	if c.Event == briefing.EventSessionStart {
		if rec.Prompts = c.prompts(ss); rec.Prompts != "" && c.Session != "" {
			start := localstate.Prompt{Agent: c.Agent.Name(), Session: c.Session, By: rec.Prompts}
			_ = localstate.RecordPrompt(ss, start, nil) // a later write of the agent asks who prompts the session
		}
	}
	switch c.Event {
	case EventPreCompact, EventSessionEnd:
		if c.Event == EventSessionEnd {
			_, _ = notice.Expire(ctx, ss, c.ended(), false) // else a later session's start does
		}
		fallthrough
	case EventSessionOpened, EventStop:
		c.follow(ctx, ss)
		c.learn(ctx, ss)
		answer := c.flush(ctx, ss)
		if answer == nil {
			_ = localstate.RecordSession(ss, rec)
			return nil, nil
		}
		rec.Source = flushSource
		if first, err := localstate.RecordAnswer(ss, rec); err != nil || !first {
			return nil, nil // it must not be asked at each Stop
		}
		return answer, nil
	case briefing.EventPreTool, briefing.EventToolFailed:
		return c.beforeTool(ctx, ss, rec)
	}
	var heard []string
	if c.Event == briefing.EventSessionStart {
		heard, _ = notice.Expire(ctx, ss, "", c.tellsPerson()) // of what other sessions left
	}
	if c.Event == briefing.EventPrompt && c.Transcript == "" {
		c.follow(ctx, ss)
	}
	noticed := c.notice(ctx, ss)
	noticed.Person = appendLine(strings.Join(heard, "\n"), noticed.Person)
	res, err := briefing.Bootstrap(ctx, ss, briefing.BootstrapRequest{
		Agent: c.Agent.Name(), Event: c.Event, Source: c.Source, Session: c.Session, Subagent: c.Subagent, Prompt: c.Prompt,
		Minimal: c.Event == briefing.EventSubagentStart, Hook: true, Recent: c.recent, Tools: c.Tools,
	})
	if err != nil {
		return nil, err
	}
	rec.Given = res.Given()
	res.Text, res.SystemMessage = appendLine(res.Text, noticed.Agent), appendLine(res.SystemMessage, noticed.Person)
	answer := c.answer(res)
	if answer == nil {
		if res.Counts {
			rec.Turn = c.turnDigest() // the hook in another settings file counts nothing
			_, _ = localstate.RecordAnswer(ss, rec)
		}
		if c.Event == briefing.EventSessionStart {
			_ = localstate.RecordSession(ss, rec) // hooks are called here
		}
		if c.Agent.lost != nil && c.Event == briefing.EventSessionStart && len(rec.Given) > 0 {
			// Nothing changed before this resume: the start is over, and this is a plain prompt.
			c.Event, c.Source = briefing.EventPrompt, ""
			return c.Respond(ctx, ss)
		}
		return nil, nil
	}
	if c.Event == briefing.EventSubagentStart && c.Turn == "" {
		// Which of several subagents it is cannot be told: each gets its memory.
		_ = localstate.RecordSession(ss, rec)
		return answer, nil
	}
	rec.Turn = c.turnDigest()
	// A fault here, or another hook that is slow to record, keeps nothing from
	// the agent.
	if first, err := localstate.RecordAnswer(ss, rec); err == nil && !first {
		return nil, nil
	}
	return answer, nil
}

// appendLine puts a line after a text, where there are both.
func appendLine(text, line string) string {
	if text == "" || line == "" {
		return text + line
	}
	return strings.TrimSuffix(text, "\n") + "\n" + line
}

// notice notes the statements in a person's prompt; it ignores the prompt of a program. If it fails, the agent still gets its answer.
func (c Call) notice(ctx context.Context, ss *store.Stores) (n notice.Noticed) {
	if c.Prompt == "" || c.Ordered {
		return n
	}
	by := c.prompts(ss)
	if by == localstate.PromptsProgram {
		return n
	}
	p := notice.Prompt{Agent: c.Agent.Name(), Session: c.Session, Turn: c.turnDigest(), Text: c.Prompt, CanStore: c.CanStore, Typed: by == localstate.PromptsPerson, Lesson: c.hasRecovered}
	if len(c.Prompt) <= maxAnswer {
		p.Previous = c.lastAnswer
	}
	n, _ = notice.Note(ctx, ss, p)
	return n
}

// ended is the session that the event ends, "" for none: after /clear and at the change to another session the person goes
// on.
func (c Call) ended() string {
	if c.Event != EventSessionEnd || c.Reason == "clear" || c.Reason == "resume" {
		return ""
	}
	return c.Session
}

// follow notes which part of the session no model has read yet. If that fails, the agent still gets its
// answer.
func (c Call) follow(ctx context.Context, ss *store.Stores) {
	if c.Event == EventSessionOpened || c.Ordered {
		return
	}
	_ = extraction.Follow(ctx, ss, extraction.Event{
		Agent: c.Agent.Name(), Session: c.Session, Transcript: c.Transcript, Prompt: c.Prompt,
		Ended: c.Event == EventSessionEnd || c.Event == EventPreCompact,
	})
}

// learn reads the session's transcript at its end. If that fails, the agent still gets its answer.
func (c Call) learn(ctx context.Context, ss *store.Stores) {
	ended := c.Event == EventSessionEnd
	if !ended && c.Event != EventStop {
		return
	}
	r := localstate.Reading{Agent: c.Agent.Name(), Session: c.Session, Transcript: c.Transcript}
	if err := notice.Follow(ctx, ss, r, ended); err == nil && ended {
		_ = notice.Learn(ctx, ss)
	}
}

// turnDigest tells two prompts of a session apart, and two subagents.
func (c Call) turnDigest() string { return localstate.TextDigest(c.Turn + " " + c.Prompt) }

const (
	// lessonBytes is how much of a transcript's end is searched for a command that passed at last.
	lessonBytes = 128 << 10
	// lessonFails is how often it failed before.
	lessonFails = 2
)

// hasRecovered reports whether a command that had failed twice or more has passed since the person's last prompt, for the
// first time in the session, as far as the end of the transcript shows.
func (c Call) hasRecovered() bool {
	if !filepath.IsAbs(c.Transcript) {
		return false
	}
	found, _ := inTime(func() bool {
		var turns []transcript.Turn
		last := 0
		for t := range readerOf(readTranscript(c.Transcript, lessonBytes)).Turns() {
			switch {
			case t.Session.Subagent:
			case t.By == transcript.Person:
				last = len(turns)
			case t.Call != nil:
				turns = append(turns, t)
			}
		}
		return passedAtLast(turns) && !passedAtLast(turns[:last])
	})
	return found
}

// passedAtLast reports whether one of the calls passed after it had failed.
func passedAtLast(turns []transcript.Turn) bool {
	list := transcript.Summarize(transcript.Calls(slices.Values(turns))).Errors
	return slices.ContainsFunc(list, func(e transcript.Error) bool {
		fails := 0
		for _, f := range e.Failures {
			fails += f.Times
		}
		return e.EndedBy != "" && fails >= lessonFails
	})
}
