package cmd

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/store"
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
		Use:   "hook --agent NAME",
		Short: "Answer an agent's hook; agents call it, see `memctl hooks`",
		Long: `Hook reads one event of an agent's session as JSON from stdin, and prints what the
agent is to be handed, in its own form. It answers within two seconds, uses no
network, and exits with 0 whatever happens: where there is nothing to say, or
anything is wrong, it prints nothing. "memctl doctor" tells what is wrong.`,
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
	c.Flags().StringVar(&o.agent, "agent", "", "the agent's `NAME`")
	c.Flags().StringVar(&o.event, "event", "", "the `EVENT`, for agents that do not name it on stdin")
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
	answer := within(over, func() any { return a.hookAnswer(ctx, o) })
	if answer == nil {
		return
	}
	within(over, func() any { return a.printJSON(answer) })
}

// within is what f returns; nil where it panics or takes longer.
func within(over <-chan time.Time, f func() any) any {
	done := make(chan any, 1)
	go func() {
		var got any
		defer func() {
			if recover() != nil {
				got = nil
			}
			done <- got
		}()
		got = f()
	}()
	select {
	case got := <-done:
		return got
	case <-over:
		return nil
	}
}

// hookAnswer is the object to print, nil for none.
func (a *app) hookAnswer(ctx context.Context, o *hookOptions) any {
	name := o.agent
	if name == "" {
		name = agents.FromEnv(a.getenv)
	}
	agent := agents.ByName(name)
	if agent == nil {
		return nil
	}
	input := a.hookInput()
	if input == nil && o.event != "" {
		input = []byte("{}") // a person who tries it out
	}
	call, ok := agents.ParseCall(agent, o.event, input)
	if !ok {
		return nil
	}
	ss, err := a.hookStores(ctx, call.Folder)
	if err != nil {
		return nil
	}
	answer, err := call.Respond(ctx, ss)
	if err != nil {
		return nil
	}
	return answer
}

// hookInput reads the event; nil where none comes in time, or too much. One
// whole value is enough: the end of stdin is not waited for.
func (a *app) hookInput() []byte {
	if a.streams.InTerminal {
		return nil
	}
	got := within(time.After(hookInputTime), func() any {
		var event json.RawMessage
		if err := json.NewDecoder(io.LimitReader(a.streams.In, hookInputMax)).Decode(&event); err != nil {
			// Read on, so that the writer is not stopped half-way.
			_, _ = io.Copy(io.Discard, a.streams.In)
			return nil
		}
		return event
	})
	event, _ := got.(json.RawMessage)
	return event
}

// hookStores opens the stores of the session's folder, which is the one that
// the agent names: its hooks may run elsewhere.
func (a *app) hookStores(ctx context.Context, folder string) (*store.Stores, error) {
	now, err := a.clock()
	if err != nil {
		now = time.Now
	}
	if folder == "" {
		if folder, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	only := a.global.store
	if only == "" {
		only = a.getenv(envStore)
	}
	return store.Open(ctx, store.Env{Dir: folder, StoreDir: only, Getenv: a.getenv, Now: now})
}
