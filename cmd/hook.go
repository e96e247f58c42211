package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// A hook answers in time or not at all. An agent waits for it at each prompt.
const (
	hookTime = 2 * time.Second
	// hookGrace is kept back of it for what was started to end.
	hookGrace = 200 * time.Millisecond
	// hookGitTime is what reading with git may take of it, all together. What is
	// left is for an answer without git: the person's own memory needs none.
	hookGitTime = time.Second
	// hookInputTime is how long the event may take to arrive. Agents write it at
	// once; some never close the pipe.
	hookInputTime = 500 * time.Millisecond
	// hookInputMax bounds the event, in bytes.
	hookInputMax = 1 << 20
)

type hookOptions struct {
	agent string
	event string
}

func newHook(a *app) *cobra.Command {
	o := &hookOptions{}
	c := &cobra.Command{
		Use:   "hook --agent AGENT",
		Short: "Answer the hook of an agent",
		Long: `Hook reads one event of an agent's session as JSON from stdin, and prints the answer in
the form that the agent expects. Agents call it; "memctl hooks install" sets that up. It
answers within two seconds, uses no network, and always exits with 0. If it has nothing to
say, or something fails, it prints nothing.

"memctl doctor" reports the last failure: no-agent and no-such-agent mean that --agent
names no agent that "memctl hooks status" lists; no-event means that neither stdin nor
--event names an event; usage means that a flag lacks its value. The next successful call
of that agent clears the report.`,
		Example: `  echo '{"hook_event_name":"SessionStart","source":"startup"}' | memctl hook --agent claude
  memctl hook --agent claude --event SessionStart`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a.hook(c.Context(), o)
			return nil
		},
	}
	// A later version's settings may name a flag that this one does not have.
	c.FParseErrWhitelist.UnknownFlags = true
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		a.endHook(c.Context(), o, agents.Call{}, "usage")
		return c.Parent().FlagErrorFunc()(c, err)
	})
	c.Flags().StringVar(&o.agent, "agent", "", "the name of the calling `AGENT`")
	offer(c, "agent", agentNames()...)
	c.Flags().StringVar(&o.event, "event", "", "the `EVENT`, for agents that do not name it on stdin")
	offer(c, "event", briefing.EventSessionStart, briefing.EventSubagentStart, briefing.EventPrompt, briefing.EventPreTool, agents.EventPreCompact, agents.EventStop, agents.EventSessionEnd)
	return c
}

// isHook reports whether the command line is a hook's, whose status is always 0.
func isHook(args []string) bool {
	word := firstWord(args)
	return word == "hook" || word == "bootstrap" && slices.Contains(args, "--hook")
}

// hook prints the answer to one event. It never fails.
func (a *app) hook(ctx context.Context, o *hookOptions) {
	// A reader that has gone must not end us with a signal.
	signal.Ignore(syscall.SIGPIPE)
	over := time.After(hookTime)
	ctx, cancel := context.WithTimeout(ctx, hookTime-hookGrace)
	defer cancel()
	ctx = gitops.WithReadingUntil(ctx, time.Now().Add(hookGitTime))
	defer gitops.EndReading() // a git that heeds no signal would outlive us
	a.global.quiet = true
	call, code := runUntil(over, func() (agents.Call, string) { return a.hookCall(o) })
	var answer any
	if code == "" && call.Event != "" {
		answer, code = runUntil(over, func() (any, string) { return a.hookAnswer(ctx, call) })
	}
	if text, ok := answer.(agents.Text); ok {
		runUntil(over, func() (error, string) { return a.print(string(text)), "" })
	} else if answer != nil {
		runUntil(over, func() (error, string) { return a.printRow(answer), "" })
	}
	a.endHook(ctx, o, call, code)
}

// endHook leaves for doctor what the hook tells nobody. An empty code means that nothing failed.
func (a *app) endHook(ctx context.Context, o *hookOptions, call agents.Call, code string) {
	if code != "" {
		runUntil(time.After(hookGrace), func() (error, string) { return a.noteHookFault(ctx, o, call, code), "" })
	}
}

// runUntil returns the result of f. If f panics or takes too long, it returns only
// the code that says so.
func runUntil[T any](over <-chan time.Time, f func() (T, string)) (got T, code string) {
	type result struct {
		got  T
		code string
	}
	done := make(chan result, 1)
	go func() {
		r := result{code: "panic"}
		defer func() {
			_ = recover()
			done <- r
		}()
		growStack(0)
		r.got, r.code = f()
	}()
	select {
	case r := <-done:
		return r.got, r.code
	case <-over:
		return got, "timeout"
	}
}

// growStack gives the goroutine a stack of 32 KB. Otherwise the runtime doubles the first 2 KB when they are full, and copies
// them, again and again.
//
//go:noinline
func growStack(i int) byte {
	var room [16 << 10]byte
	return room[i]
}

// hookCall is the event that the hook was called for; its Event is "" where it is of
// no concern. code says what is wrong with the call, "" for nothing.
func (a *app) hookCall(o *hookOptions) (call agents.Call, code string) {
	name := o.agent
	if name == "" {
		name = agents.FromEnv(a.getenv)
	}
	agent := agents.ByName(name)
	switch {
	case name == "":
		return call, "no-agent"
	case agent == nil:
		return call, "no-such-agent"
	}
	input := a.hookInput()
	if input == nil && o.event != "" {
		input = []byte("{}") // a person who tries it out
	}
	call, _ = agents.ParseCall(agent, o.event, input)
	call.Agent = agent
	if call.Own == "" && !a.streams.InTerminal {
		return call, "no-event"
	}
	return call, ""
}

// hookAnswer is the object to print, nil for none; code is that of the error.
func (a *app) hookAnswer(ctx context.Context, call agents.Call) (answer any, code string) {
	ss, err := a.hookStores(ctx, call.Folder)
	if err == nil {
		call.Entrypoint = a.getenv(agents.EntrypointVariable)
		call = call.WithStart(ss)
		home, _ := os.UserHomeDir()
		machine := agents.Machine{Home: home, Root: ss.Root(), Getenv: a.getenv, NoFull: a.parts.Dial == nil && !hasFull()}
		call.CanStore = func() string { return agents.CanStore(machine, call.Agent) }
		if call.Event == briefing.EventSessionStart || call.Event == briefing.EventSubagentStart { // only these name a tool
			call.Tools = agents.HasTools(machine, call.Agent)
		}
		answer, err = call.Respond(ctx, ss)
	}
	if err != nil {
		return nil, explain(err).Code
	}
	_ = localstate.ClearHookFault(ss, call.Agent.Name()) // the answer matters more than what doctor says of it
	return answer, ""
}

func (a *app) noteHookFault(ctx context.Context, o *hookOptions, call agents.Call, code string) error {
	ss, err := a.hookStores(ctx, call.Folder)
	if err != nil {
		return err
	}
	name := o.agent
	if call.Agent != nil {
		name = call.Agent.Name()
	}
	return localstate.NoteHookFault(ss, localstate.HookFault{Agent: inert(redact(name)), Event: call.Event, Code: code})
}

// hookInput reads one JSON value without waiting for the end of stdin; nil
// if none arrives in time or it is too large.
func (a *app) hookInput() []byte {
	if a.streams.InTerminal {
		return nil
	}
	event, _ := runUntil(time.After(hookInputTime), func() (json.RawMessage, string) {
		var event json.RawMessage
		in := bufio.NewReader(io.LimitReader(a.streams.In, hookInputMax))
		if bom, _, err := in.ReadRune(); err == nil && bom != '\ufeff' { // shells of Windows begin with one
			_ = in.UnreadRune()
		}
		if err := json.NewDecoder(in).Decode(&event); err != nil {
			// Read on, so that the writer is not stopped half-way.
			_, _ = io.Copy(io.Discard, a.streams.In)
			return nil, ""
		}
		return event, ""
	})
	return event
}

// hookStores opens the stores of the session's folder, which is the one that
// the agent names: its hooks may run elsewhere.
func (a *app) hookStores(ctx context.Context, folder string) (*store.Stores, error) {
	top := filepath.VolumeName(folder) + string(filepath.Separator) // a session in a deleted folder has the person's own memory
	if _, err := os.Getwd(); err != nil {
		_ = os.Chdir(top)
	}
	env, err := a.env(folder)
	if env.Dir == "" {
		return nil, err
	}
	if env.Now == nil {
		env.Now = time.Now
	}
	if _, err := os.Stat(env.Dir); errors.Is(err, fs.ErrNotExist) {
		env.Dir = top
	}
	env.Writes = a.heedSignals
	return store.Open(ctx, env)
}
