package extraction_test

import (
	"encoding/json"
	"fmt"
	"github.com/memctl/memctl/tests/memorytest"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
)

// deciding is a scripted model. It answers with the findings, and answers a comparison with what decide makes of
// the numbered memories, by their texts; with "" it fails.
func deciding(t *testing.T, found extract.Findings, decide func(number map[string]int) string) llm.Chain {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Content string }
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		text := ""
		if body.Format.Schema.Name == "findings" {
			data, _ := json.Marshal(found)
			text = strings.ReplaceAll(string(data), "null", "[]")
		} else {
			number := map[string]int{}
			list, _, _ := strings.Cut(body.Messages[1].Content, "New facts:")
			for i, line := range strings.Split(strings.TrimSpace(list), "\n")[1:] {
				_, known, _ := strings.Cut(line, ". ")
				number[known] = i + 1
			}
			if text = decide(number); text == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": text}, "finish_reason": "stop"}}})
	}))
	t.Cleanup(s.Close)
	return llm.Chain{Providers: []llm.Provider{{Name: "scripted", Kind: llm.OpenAI, URL: s.URL, Model: "m"}}}
}

const billing, circle, fridays = "the billing service uses Postgres 15", "the tests run on CircleCI", "deploys happen on Fridays"

// reconciled lets a scripted model compare new facts with three memories, one of them the person's.
func reconciled(t *testing.T, decide func(number map[string]int) string) (live, replaced map[string]contents.Entry, res extraction.Result) {
	t.Helper()
	ss := memorytest.Repository(t, memfile.Template).Open()
	for text, kind := range map[string]string{billing: memory.Automatic, circle: memory.Explicit, fridays: memory.Automatic} {
		req := edit.Request{Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: kind}}, Role: entry.RoleFact, Text: text}
		if w, err := edit.Add(t.Context(), ss, req); err != nil || w.Verdict != "accept" {
			t.Fatalf("%+v, %v", w, err)
		}
	}
	said := []string{"the billing service uses Postgres 16", "the tests run on Buildkite", "never deploy on Fridays"}
	var facts []extract.Fact
	for i, text := range said {
		facts = append(facts, extract.Fact{Message: i + 1, Quote: text, Category: "fact", Topics: []string{"ops"}})
	}
	c := extraction.Conversation{Session: "s", Time: ss.Now(), Turns: []extract.Turn{{By: transcript.Person, Text: strings.Join(said, "\n\n")}}}
	res = extraction.NewResult()
	if err := extraction.Extract(t.Context(), ss, deciding(t, extract.Findings{Facts: facts}, decide), c, &res); err != nil {
		t.Fatal(err)
	}
	st, err := ss.Get(t.Context(), store.Private)
	if err != nil {
		t.Fatal(err)
	}
	all, err := contents.ReadAllEntries(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	live, replaced = map[string]contents.Entry{}, map[string]contents.Entry{}
	for _, e := range all.List {
		switch {
		case e.Role != entry.RoleFact:
		case e.Entry.Deleted != "":
			replaced[e.Text] = e
		default:
			live[e.Text] = e
		}
	}
	return live, replaced, res
}

func TestReconciliationKeepsWhatThePersonStated(t *testing.T) {
	live, replaced, res := reconciled(t, func(number map[string]int) string {
		return fmt.Sprintf(`{"decisions":[{"event":"UPDATE","fact":1,"memory":%d},{"event":"UPDATE","fact":2,"memory":%d},{"event":"UPDATE","fact":3,"memory":%d}]}`,
			number[billing], number[circle], number[fridays])
	})
	now := live["the billing service uses Postgres 16"]
	if was, ok := replaced[billing]; !ok || was.ReplacedBy != now.ID || now.By != "automatic" || now.Confidence != "low" || now.Source != "said 2026-03-01" {
		t.Errorf("the update: %+v in place of %+v", now, was)
	}
	if was, ok := replaced[fridays]; !ok || was.ReplacedBy != live["never deploy on Fridays"].ID {
		t.Errorf("the contradicted memory: %+v", was)
	}
	if stated, ok := live[circle]; !ok || stated.Confidence != "high" || live["the tests run on Buildkite"].Confidence != "low" {
		t.Errorf("the person's statement: %+v beside %+v", stated, live["the tests run on Buildkite"])
	}
	if len(res.Writes) != 4 { // three facts and the summary
		t.Errorf("%d writes, want 4", len(res.Writes))
	}
	if len(live) != 4 || res.Found != 3 || res.Requests != 2 {
		t.Errorf("%d live facts, %+v", len(live), res)
	}
}

func TestReconciliationThatFailsAddsEveryFact(t *testing.T) {
	for name, answer := range map[string]string{"no answer": "", "an unknown number": `{"decisions":[{"event":"NONE","fact":1,"memory":99}]}`, "prose": "I would keep them all."} {
		live, replaced, _ := reconciled(t, func(map[string]int) string { return answer })
		if len(live) != 6 || len(replaced) != 0 {
			t.Errorf("%s: %d live and %d replaced facts, want all 6", name, len(live), len(replaced))
		}
	}
}

func TestOneUndoRevertsAReading(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	said := "My name is Grace. I know Go and Rust. We build Heron, a billing service. The linter ran out of memory; raising GOGC fixed it. The tests run on Buildkite."
	found := extract.Findings{
		Facts:    []extract.Fact{{Message: 1, Quote: "The tests run on Buildkite", Category: "fact", Topics: []string{"ci"}}},
		Profile:  []extract.Field{{Name: "name", Value: "Grace", Quote: "My name is Grace"}, {Name: "skills", Value: "Go", Quote: "I know Go and Rust"}, {Name: "skills", Value: "Rust", Quote: "I know Go and Rust"}},
		Projects: []extract.Project{{Name: "Heron", Technologies: []string{}, Quote: "We build Heron, a billing service"}},
		Lessons:  []extract.Lesson{{Name: "linter-memory", Issue: "the linter ran out of memory", Fix: "raising GOGC fixed it"}},
		Daily:    []string{"The linter ran out of memory"},
	}
	ss := b.Open()
	c := extraction.Conversation{Session: "s", Time: ss.Now(), Turns: []extract.Turn{{By: transcript.Person, Text: said}}}
	res := extraction.NewResult()
	if err := extraction.Extract(t.Context(), ss, deciding(t, found, func(map[string]int) string { return "" }), c, &res); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, w := range res.Writes {
		if w.Commit == nil {
			t.Fatalf("%+v", w)
		}
		keys[w.Key] = true
	}
	for _, key := range []string{"user.name", "user.skills", "projects.heron", "lessons.linter-memory"} {
		if !keys[key] {
			t.Errorf("%s is not in %v", key, keys)
		}
	}
	user, err := view.List(t.Context(), b.Open(), contents.Person, view.Query{Tier: view.Item, Patterns: []string{"user"}})
	if err != nil || len(user.Records) != 2 || !strings.Contains(user.Records[1].Value.Plain(), "Go, Rust") {
		t.Errorf("%+v, %v", user.Records, err)
	}
	if _, err := undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}}); err != nil {
		t.Fatal(err)
	}
	for _, scope := range []string{store.User, store.Private} {
		st, err := b.Open().Get(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		m, err := contents.Read(t.Context(), st)
		left, wrong := contents.ReadAllEntries(t.Context(), st)
		if err != nil || wrong != nil || len(m.Items) != 0 || len(left.List) != 0 {
			t.Errorf("after an undo %s has %v, %v", scope, m.Items, left.List)
		}
	}
}

// TestReconciliationSeesItsOwnConversation lets a model replace whatever it is shown.
func TestReconciliationSeesItsOwnConversation(t *testing.T) {
	const old, everybody, fresh = "the team eats lunch at noon", "lunch is at the harbour", "the team eats lunch at one"
	for name, c := range map[string]struct {
		conversation, of string // of the reading, and of the older fact
		shown            bool
	}{
		"the same conversation is compared":      {"ann", "ann", true},
		"another conversation is not":            {"ben", "ann", false},
		"the project's fact is not, for a named": {"ben", "", false},
		"a session sees the project's fact":      {"", "", true},
		"a session sees no named conversation":   {"", "ann", false},
	} {
		t.Run(name, func(t *testing.T) {
			ss := memorytest.Repository(t, memfile.Template).Open()
			for text, of := range map[string]string{old: c.of, everybody: entry.GlobalConversation} {
				req := edit.Request{Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Automatic}}, Role: entry.RoleFact, Text: text, Conversation: of}
				if w, err := edit.Add(t.Context(), ss, req); err != nil || w.Verdict != "accept" {
					t.Fatalf("%+v, %v", w, err)
				}
			}
			shown := map[string]bool{}
			model := deciding(t, extract.Findings{Facts: []extract.Fact{{Message: 1, Quote: fresh, Category: "fact"}}}, func(number map[string]int) string {
				for text := range number {
					shown[text] = true
				}
				return `{"decisions":[{"event":"ADD","fact":1,"memory":0}]}`
			})
			res := extraction.NewResult()
			conversation := extraction.Conversation{Name: c.conversation, Scope: store.Private, Time: ss.Now(), Turns: []extract.Turn{{By: transcript.Person, Text: fresh}}}
			if err := extraction.Extract(t.Context(), ss, model, conversation, &res); err != nil {
				t.Fatal(err)
			}
			if !shown[everybody] || shown[old] != c.shown {
				t.Errorf("the model was shown %v", shown)
			}
		})
	}
}

// TestAConversationSharesNothing reads a conversation that has a name of its own. Notes, items and lessons belong to none, so
// that others would get them.
func TestAConversationSharesNothing(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	found := extract.Findings{
		Facts:   []extract.Fact{{Message: 1, Quote: "My name is Grace", Category: "personal", Topics: []string{}}},
		Profile: []extract.Field{{Name: "name", Value: "Grace", Quote: "My name is Grace"}},
		Daily:   []string{"The linter ran out of memory"}, Summary: []string{"The linter ran out of memory; the owner keeps a yacht"},
	}
	for _, off := range []bool{false, true} {
		ss := b.Open()
		c := extraction.Conversation{Name: fmt.Sprint("grace ", off), Time: ss.Now(), NoSummary: off, Turns: []extract.Turn{{By: transcript.Person, Text: "My name is Grace. The linter ran out of memory."}}}
		res := extraction.NewResult()
		if err := extraction.Extract(t.Context(), ss, deciding(t, found, func(map[string]int) string { return "" }), c, &res); err != nil {
			t.Fatal(err)
		}
		var acts []string
		for _, w := range res.Writes {
			acts = append(acts, w.Act)
		}
		want := []string{"remember", "summary"}
		if off {
			want = want[:1]
		}
		if !slices.Equal(acts, want) {
			t.Errorf("without summary %t: %q, want %q", off, acts, want)
		}
	}
}
