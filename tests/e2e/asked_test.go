//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/capture"
)

// suspected are prompts that may state something lasting.
var suspected = []string{
	"Tests should never call the network.", "I work on a Mac with zsh.", "I like short functions.",
	"Tests should never need a key.",
}

// askMark is in each line that reminds the agent.
const askMark = "memctl remember, prompt"

// remembering is what the model calls when it was asked.
var remembering = play{tool: "mcp__memctl__remember", input: object{"key": "testing.network", "value": "tests do not call the network", "said_by_user": true}}

func TestSuspected(t *testing.T) {
	for _, text := range suspected {
		if found := capture.Said(text, reply); found.Suspected == "" && len(found.Statements) == 0 {
			t.Errorf("%q: the rules find nothing, want a statement or suspicion", text)
		}
	}
}

// TestAsked types prompts of which the rules are unsure into Claude Code, which has memctl's
// MCP server.
func TestAsked(t *testing.T) {
	t.Run("the model remembers", func(t *testing.T) {
		r := newAsked(t, claudeClient(), "--yes")
		r.answer(suspected[0], remembering)
		r.typeSuspected()
		item := r.run("memctl", "show", "testing.network", "--json")
		for _, want := range []string{`"tests do not call the network"`, `"relayed"`, `"medium"`} {
			if !strings.Contains(item, want) {
				t.Errorf("memory holds %s, want %s in it", item, want)
			}
		}
		t.Logf("memory holds %s", item)
		if first := r.firstTyped(prompt); !strings.Contains(memoryIn(t, first).text, "tests do not call the network") {
			t.Errorf("the next session is not handed it\n%s", memoryIn(t, first).text)
		}
	})
	t.Run("the model ignores the line", func(t *testing.T) {
		r := newAsked(t, claudeClient(), "--yes")
		r.typeSuspected()
		r.checkNothingKept()
	})
	t.Run("the client denies the tool", func(t *testing.T) {
		r := newAsked(t, claudeClient(), "--no-mcp")
		r.run(r.bin, "mcp", "add", "--scope", "user", "memctl", "--", "memctl", "mcp")
		r.answer(suspected[0], remembering)
		requests := r.talk(r.session(suspected[0]), suspected[0])
		if n := strings.Count(requests[0].body, askMark); n != 0 {
			t.Errorf("the agent is asked %d times, want never: a program gives the prompt", n)
		}
		if body := last(requests).body; !strings.Contains(body, "haven't granted it yet") {
			t.Errorf("the tool was not denied\n%s", body)
		}
		r.checkNothingKept()
	})
}

// TestPermission lets a client that asks a person before each tool of a server call remember where nobody can answer.
func TestPermission(t *testing.T) {
	for flag, want := range map[string]bool{"--yes": true, "--no-mcp": false} {
		t.Run("gemini "+flag, func(t *testing.T) {
			c := geminiClient()
			r := newTrial(t, c)
			r.run("memctl", "hooks", "install", c.name, flag)
			r.answer(prompt, play{tool: "mcp_memctl_remember", input: remembering.input})
			requests := r.talk(r.play(slices.DeleteFunc(c.first(prompt), func(arg string) bool { return arg == "--yolo" })), prompt)
			if got := strings.Contains(r.run("memctl", "show"), "tests do not call the network"); got != want {
				t.Errorf("stored: %v, want %v\n%s\n%s", got, want, last(requests).body, r.out)
			}
		})
	}
}

// newAsked is a client with memctl's hooks, installed with the flag.
func newAsked(t *testing.T, c client, flag string) *trial {
	t.Helper()
	r := newTrial(t, c)
	r.c.interactive(r.scratch)
	r.run("memctl", "hooks", "install", c.name, flag)
	return r
}

// typeSuspected plays a session of all suspected prompts, and checks that the agent is asked at
// each.
func (r *trial) typeSuspected() {
	r.t.Helper()
	c := r.terminal(r.c.typed...)
	for i, text := range suspected {
		want := i + 1 // the conversation holds what was handed in before
		if got := strings.Count(last(r.talk(r.ask(c, text), text)).body, askMark); got != want {
			r.t.Errorf("after prompt %d the conversation asks the agent %d times, want %d", i+1, got, want)
		}
	}
	r.leave(c)
}

// checkNothingKept checks that memory holds its one item, and that nothing waits.
func (r *trial) checkNothingKept() {
	r.t.Helper()
	if n := strings.Count(r.run("memctl", "show", "--json"), `"key":`); n != 1 {
		r.t.Errorf("memory holds %d items, want the one of before", n)
	}
	if waiting := r.proposals(); len(waiting) > 0 {
		r.t.Errorf("%d statements wait in review, want none", len(waiting))
	}
}

// slowWishes are wishes, each with what a model stores of it, and a part that the next session must have once.
var slowWishes = []struct{ text, key, value, once string }{
	{"From now on use single quotes in TypeScript.", "typescript.quotes", "single quotes in TypeScript", "single quotes"},
	{"Tests should never call the network.", "testing.network", "tests do not call the network", "call the network"},
	{"Antworte ab jetzt auf Deutsch.", "answers.language", "answer in German", "answer in German"},
	{"Why is there a package-lock.json? We use pnpm here, not npm.", "dependencies.manager", "pnpm, not npm", "pnpm, not npm"},
}

// TestSlowModel types wishes into clients whose model takes four seconds before it calls remember.
func TestSlowModel(t *testing.T) {
	tools := map[string]string{"claude": "mcp__memctl__remember", "codex": "mcp__memctl.remember"}
	for _, c := range []client{claudeClient(), codexClient()} {
		t.Run(c.name, func(t *testing.T) {
			r := newAsked(t, c, "--yes")
			for i, w := range slowWishes {
				r.answer(w.text, play{wait: 4 * time.Second, tool: tools[c.name], input: object{"key": w.key, "value": w.value, "prompt": i + 1}})
			}
			at := r.terminal(c.typed...)
			for _, w := range slowWishes {
				r.ask(at, w.text)
				at.until("answer after the tool", func() bool { return r.m.answered(w.text, 1) })
				at.still()
			}
			r.leave(at)
			text := memoryIn(t, r.firstTyped(prompt)).text
			for _, w := range slowWishes {
				if n := strings.Count(text, w.once); n != 1 {
					t.Errorf("%q: the next session has %q %d times, want once\n%s", w.text, w.once, n, text)
				}
			}
			if waiting := r.proposals(); len(waiting) > 0 {
				t.Errorf("%q wait in review, want nothing", waiting)
			}
			t.Log(text)
		})
	}
}
