//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

var (
	dataFolder = flag.String("data", "", "the `FOLDER` of labelled texts that wishes are drawn from")
	wishSeed   = flag.Uint64("seed", 0, "draw the wishes of this `NUMBER`; 0 is any")
)

// wish is what a person says that should hold for longer than a task.
type wish struct {
	id       string // of the row, or the text where it is our own
	text     string
	previous string // what the agent said before
}

// ordinary are requests that state nothing for later, one before each wish.
var ordinary = []string{"What does the parser do with an empty file?", "Fix the failing test in parser_test.go", "Which files did you change?"}

// maxWish is up to how many characters a wish is typed; a longer one would be pasted.
const maxWish = 600

// wishes are three wishes: drawn from the data where there are some, else our own.
func wishes(t *testing.T) []wish {
	t.Helper()
	if *dataFolder == "" {
		var list []wish
		for _, text := range []string{"From now on use single quotes in TypeScript.", "Please always answer in English.", "I prefer table-driven tests over one function for each case."} {
			list = append(list, wish{id: text, text: text})
		}
		return list
	}
	seed := *wishSeed
	for seed == 0 {
		seed = rand.Uint64() >> 32
	}
	all, of := typableWishes(t, filepath.Join(*dataFolder, "capture", "messages.jsonl"))
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	t.Logf("seed %d draws %s, %s and %s of %d wishes that can be typed (%d in all)", seed, all[0].id, all[1].id, all[2].id, len(all), of)
	return all[:3]
}

// typableWishes are the rows labelled remember that a person would type. They leave out long
// ones, and characters at which a client opens a list of files, commands or issues. of is how
// many rows have the label.
func typableWishes(t *testing.T, name string) (list []wish, of int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ ID, Label, Message, Previous string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if row.Label != "remember" {
			continue
		}
		of++
		text := strings.TrimSpace(row.Message)
		if len([]rune(text)) > maxWish || strings.ContainsAny(text, "\r\t@#$\\") || strings.ContainsAny(text[:1], "/!?&-") {
			continue
		}
		list = append(list, wish{row.ID, text, row.Previous})
	}
	if len(list) < 3 {
		t.Fatalf("%s has %d wishes that can be typed, want 3", name, len(list))
	}
	return list, of
}

// maxAnswer is up to how many bytes of a prompt a hook reads what the agent said before.
const maxAnswer = 100

// found are the statements that a wish asks to remember, as far as the rules find them and the policy lets them through.
func (w wish) found() (texts []string) {
	if len(w.text) > maxAnswer {
		w.previous = ""
	}
	for _, s := range capture.Said(w.text, w.previous).Statements {
		if s.Explicit && policy.Rule(policy.Candidate{Key: s.Key, Value: memfile.Str(s.Text), Automatic: true}).Verdict != policy.Refuse {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// TestWishes types wishes among ordinary requests in a terminal, and looks for them in the
// first request of the next session and in review.
func TestWishes(t *testing.T) {
	list := wishes(t)
	eachTyped(t, func(r *trial) {
		noted := r.typeWishes(list)
		first := r.firstTyped(prompt)
		checkBriefed(r.t, []request{first})
		r.tally(list, noted, memoryIn(r.t, first).text, r.proposals())
	})
}

// TestWishWhileWorking types a wish while the model still answers: clients put it in a queue.
func TestWishWhileWorking(t *testing.T) {
	w := wish{id: "queued", text: "From now on use single quotes in TypeScript."}
	eachTyped(t, func(r *trial) {
		at := r.terminal(r.c.typed...)
		r.ask(at, ordinary[0])
		release := r.m.hold()
		r.send(at, ordinary[1])
		at.press(w.text)
		time.Sleep(settled) // the client is busy, so its screen never rests
		at.press("\r")
		time.Sleep(settled)
		release()
		at.until("request with the wish", func() bool { return r.sent(0, w.text) })
		at.still()
		noted := r.noted()
		r.leave(at)
		r.tally([]wish{w}, noted, memoryIn(r.t, r.firstTyped(prompt)).text, r.proposals())
	})
}

// typeWishes plays a session that has a wish after each ordinary request, and returns what the
// hooks noted.
func (r *trial) typeWishes(list []wish) (noted []string) {
	r.t.Helper()
	c := r.terminal(r.c.typed...)
	for i, w := range list {
		r.m.say(w.previous)
		r.ask(c, ordinary[i])
		r.m.say("")
		r.ask(c, w.text)
		for _, text := range r.noted() {
			if !slices.Contains(noted, text) {
				noted = append(noted, text)
			}
		}
	}
	r.leave(c)
	return noted
}

// firstTyped plays a new session of one prompt, and returns the first request that has it.
func (r *trial) firstTyped(prompt string) request {
	r.t.Helper()
	c := r.terminal(r.c.typed...)
	first := r.talk(r.ask(c, prompt), prompt)[0]
	r.leave(c)
	return first
}

// noted are the statements that were asked to be remembered and that no write has answered.
func (r *trial) noted() (texts []string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.home, "data", "memctl", localstate.PromptsFolder, "prompts.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var p localstate.Prompt
		if err := json.Unmarshal(line, &p); err != nil {
			r.t.Fatal(err)
		}
		for _, s := range p.Asked {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// proposals are the statements that wait in review.
func (r *trial) proposals() (texts []string) {
	r.t.Helper()
	for line := range strings.Lines(r.run("memctl", "review", "--json")) {
		var list struct {
			Waiting []struct{ Value, Said string }
		}
		if err := json.Unmarshal([]byte(line), &list); err != nil {
			r.t.Fatalf("review: %v", err)
		}
		for _, e := range list.Waiting {
			if e.Said != "" {
				texts = append(texts, e.Value)
			}
		}
	}
	return texts
}

// tally counts what came of the wishes, and checks that nothing is lost that the rules find: it is
// stored, it waits, or the agent was asked to decide.
func (r *trial) tally(list []wish, noted []string, handed string, waiting []string) {
	r.t.Helper()
	count := map[string]int{}
	for _, w := range list {
		fate := "were not noticed by the rules"
		if r.asksAbout(w.text) {
			fate = "were left to the agent"
		}
		for i, text := range w.found() {
			switch {
			case strings.Contains(handed, text):
				fate = "reached the next session"
			case slices.Contains(waiting, text):
				fate = "wait in review"
			case slices.Contains(noted, text) || !r.asksAbout(w.text):
				r.t.Errorf("wish %s, statement %d: the rules find it, and it is lost", w.id, i+1)
			}
		}
		count[fate]++
	}
	r.t.Logf("%s, of %d wishes: %v", r.c.name, len(list), count)
}

// asksAbout reports whether the agent was asked to decide about a prompt.
func (r *trial) asksAbout(prompt string) bool {
	for _, a := range r.m.requests(r.c.endpoint) {
		if _, after, ok := strings.Cut(a.body, jsonText(prompt)); ok && isTalk(a) && strings.Contains(after, askMark) {
			return true
		}
	}
	return false
}

// jsonText is the text as it stands in a client's JSON.
func jsonText(text string) string {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	_ = to.Encode(text)
	return out.String()[1 : out.Len()-len("\"\n")]
}

// TestSubagentWish lets the model give a subagent an order that sounds like a wish: it is no
// person's.
func TestSubagentWish(t *testing.T) {
	const order = "From now on use single quotes in TypeScript."
	eachTyped(t, func(r *trial) {
		for _, p := range r.c.subagent {
			for name, value := range p.input {
				if value == errand {
					p.input[name] = order
				}
			}
		}
		r.answer(delegating, r.c.subagent...)
		r.talk(r.session(delegating), order)
		if got := append(r.noted(), r.proposals()...); len(got) > 0 {
			r.t.Errorf("an order of the model's was noted as what a person said: %q", got)
		}
		r.firstTyped(order) // now a person says it
		if got := append(r.noted(), r.proposals()...); len(got) == 0 && !r.asksAbout(order) {
			r.t.Error("the same words of a person were not noticed")
		}
	})
}
