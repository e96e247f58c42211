package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/extraction"
)

// stretch is a labelled stretch of a session.
type stretch struct {
	Repo     string
	Turns    []struct{ Role, Text string }
	Expected []wanted
}

// wanted is one memory that a stretch should give.
type wanted struct {
	Statement  string // in the labeller's words, in English
	Spans      []string
	Superseded bool
}

// invented is how many statements that nobody made are tried.
const invented = 200

// printModel prints what grounding, policy and reconciliation leave of a model's answers: of the
// labelled memories of each session, and of invented statements.
func printModel(data string, out io.Writer) error {
	rows, err := readJSON[stretch](filepath.Join(data, "capture", "sessions.jsonl"))
	if err != nil {
		return err
	}
	whole, sessions, kept, memories := 0, 0, 0, 0
	for _, r := range rows {
		found, all, err := r.survivors()
		if err != nil {
			return err
		}
		if all == 0 {
			continue
		}
		sessions++
		memories += all
		if kept += found; found == all {
			whole++
		}
	}
	fmt.Fprintf(out, "%-34s sessions %s; memories %s\n", "answers in the person's words", share(whole, sessions), share(kept, memories))
	dropped, n := inventions(rows)
	fmt.Fprintf(out, "%-34s %s\n", "invented statements dropped", share(dropped, n))
	return nil
}

func (r stretch) turns() (turns []extract.Turn) {
	for _, t := range r.Turns {
		by := transcript.Assistant
		if t.Role == "user" {
			by = transcript.Person
		}
		turns = append(turns, extract.Turn{By: by, Text: t.Text})
	}
	return turns
}

// survivors lets a scripted model answer with the expected memories, and counts those that memory
// has afterwards, or that wait for review. A stored sentence may have more than the quote.
func (r stretch) survivors() (found, all int, err error) {
	var facts []extract.Fact
	for _, e := range r.Expected {
		if e.Superseded || len(e.Spans) == 0 {
			continue
		}
		f := extract.Fact{Message: len(facts) + 1, Text: strings.TrimSpace(e.Spans[0]), Quote: e.Spans[0], Category: "fact", Topics: []string{}}
		facts = append(facts, f)
	}
	if len(facts) == 0 {
		return 0, 0, nil
	}
	dir, err := os.MkdirTemp("", "quality-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	ss, err := scratchStores(dir)
	if err != nil {
		return 0, 0, err
	}
	server := httptest.NewServer(answering(facts))
	defer server.Close()
	chain := llm.Chain{Providers: []llm.Provider{{Name: "scripted", Kind: llm.OpenAI, URL: server.URL, Model: "m"}}}
	res := extraction.NewResult()
	if err := extraction.Extract(context.Background(), ss, chain, extraction.Conversation{Session: "s", Time: ss.Now(), Turns: r.turns()}, &res); err != nil {
		return 0, 0, err
	}
	var stored []string
	for _, scope := range []string{store.Private, store.User} {
		st, err := ss.Get(context.Background(), scope)
		if err != nil {
			continue // nothing was written there
		}
		entries, err := contents.ReadAllEntries(context.Background(), st)
		if err != nil {
			return 0, 0, err
		}
		for _, e := range entries.List {
			if e.Role == entry.RoleFact && !e.Deleted {
				stored = append(stored, e.Text)
			}
		}
		held, err := ledger.Queue(st) // what may put the project at risk waits for the person's review
		if err != nil {
			return 0, 0, err
		}
		for _, w := range held {
			stored = append(stored, w.Value.Plain())
		}
	}
	for _, f := range facts {
		if slices.ContainsFunc(stored, func(text string) bool {
			return strings.Contains(entry.NormalizeText(text), entry.NormalizeText(entry.CleanText(f.Text))) || spelling.SameText(f.Text, text)
		}) {
			found++
		}
	}
	return found, len(facts), nil
}

// scratchStores are the stores of a new repository in a folder.
func scratchStores(dir string) (*store.Stores, error) {
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %s", out)
	}
	for name, value := range map[string]string{"HOME": dir, "XDG_DATA_HOME": filepath.Join(dir, "data"), "XDG_CONFIG_HOME": dir, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return store.Open(context.Background(), store.Env{Dir: dir, Getenv: os.Getenv, Now: time.Now, Talk: func(string) {}})
}

// answering speaks the protocol of a chat model. To a request for findings it answers with the facts whose
// quote is in the request, and to one that compares with an addition of each fact.
func answering(facts []extract.Fact) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Content string }
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		prompt := body.Messages[len(body.Messages)-1].Content
		answer := map[string]any{"decisions": []string{}}
		if body.Format.Schema.Name == "findings" {
			mine := []extract.Fact{}
			for _, f := range facts {
				if strings.Contains(strings.Join(strings.Fields(prompt), " "), strings.Join(strings.Fields(f.Quote), " ")) {
					mine = append(mine, f)
				}
			}
			answer = map[string]any{"facts": mine, "profile": []string{}, "topics": []string{}, "projects": []string{}, "daily": []string{}, "lessons": []string{}, "summary": []string{}}
		}
		text, _ := json.Marshal(answer)
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": string(text)}, "finish_reason": "stop"}}})
	}
}

// inventions counts how many of the statements that a session did not make grounding drops: the
// memories of other repositories.
func inventions(rows []stretch) (dropped, n int) {
	for i := 0; n < invented; i++ {
		r, o := rows[i%len(rows)], rows[(i*31+7)%len(rows)]
		if r.Repo == o.Repo || len(o.Expected) == 0 {
			continue
		}
		e := o.Expected[i%len(o.Expected)]
		if len(e.Spans) == 0 {
			continue
		}
		n++
		if _, d := (extract.Findings{Facts: []extract.Fact{{Quote: e.Spans[0]}}}).Quoted(r.turns(), ""); d == 1 {
			dropped++
		}
	}
	return dropped, n
}
