package recall

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// TestTheFirstHitsDoNotDependOnHowManyAreWanted asks generated stores for several numbers of hits.
func TestTheFirstHitsDoNotDependOnHowManyAreWanted(t *testing.T) {
	for seed := range uint64(6) {
		docs := chat(seed, 300)
		for i := range docs {
			if i%7 == 0 && i > 0 { // the same memory in another scope
				docs[i].Tier, docs[i].ID, docs[i].Text = docs[i-1].Tier, docs[i-1].ID, docs[i-1].Text
			}
		}
		x := indexOf(t, docs)
		several := 0
		for i := range 40 {
			q := Query{Text: fmt.Sprintf("%s %s %s what did Ann say?", word(uint64(i)), word(uint64(i+7)), word(uint64(i/2))), Explain: true}
			if i%2 == 0 {
				q.ComesLast = func(d *index.Doc) bool { return d.Tier == index.TierItem }
			}
			var last []Hit
			for _, q.MaxHits = range []int{50, 10, 5, 1} {
				hits, err := Search(x, q)
				if err != nil {
					t.Fatal(err)
				}
				if last != nil && !reflect.DeepEqual(hits, last[:min(q.MaxHits, len(last))]) {
					t.Fatalf("seed %d: %q: %d hits are not the first ones of more", seed, q.Text, q.MaxHits)
				}
				last = hits
				several += len(hits)
			}
		}
		if several < 400 {
			t.Errorf("seed %d: %d hits in all", seed, several)
		}
	}
}

// TestTheSameFactsGiveTheSameAnswer builds two stores of the same facts, whose ids and files are random.
func TestTheSameFactsGiveTheSameAnswer(t *testing.T) {
	store := func(salt int) *index.Index {
		docs := make([]index.Doc, 60)
		for i := range docs {
			id := fmt.Sprintf("%04d", (i*7919+salt*104729)%9973)
			docs[i] = index.Doc{
				ID: id, Tier: index.TierFact, Scope: "project", Source: id + ".md", Conversation: "project", Time: day("2026-01-01"),
				Text: "deploy " + word(uint64(i%12)) + " " + word(uint64(i)),
			}
			if i%2 == 0 { // in the order in which they were written, however long that took
				docs[i].Time = docs[i].Time.Add(time.Duration(1+i*salt) * time.Second)
			}
		}
		return indexOf(t, docs)
	}
	texts := func(x *index.Index, question string) (list []string) {
		hits, err := Search(x, Query{Text: question, MaxHits: 60})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			list = append(list, h.Text)
		}
		return list
	}
	for _, question := range []string{"deploy", "deploy " + word(3), word(5)} {
		want := texts(store(1), question)
		if len(want) < 2 {
			t.Fatalf("%q: %d hits", question, len(want))
		}
		for salt := 2; salt < 6; salt++ {
			if got := texts(store(salt), question); !slices.Equal(got, want) {
				t.Fatalf("%q: the same facts give %q and %q", question, got, want)
			}
		}
	}
}

func TestAHitThatMatchesTooLittleIsWeak(t *testing.T) {
	for question, weak := range map[string]bool{"Which Kubernetes team sells?": true, "Which team went to Rust?": false} {
		hits, err := Search(indexOf(t, talk()), Query{Text: question})
		if err != nil || len(hits) == 0 {
			t.Fatalf("%q: %d hits, %v", question, len(hits), err)
		}
		for _, h := range hits {
			if h.Weak != weak {
				t.Errorf("%q: %s: weak is %v, want %v", question, h.ID, h.Weak, weak)
			}
		}
	}
}

func TestWhatTheAskerHasComesLast(t *testing.T) {
	docs := []index.Doc{
		{ID: "a.b", Tier: index.TierItem, Source: "memories.md", Text: "the deploy script runs on Friday"},
		fact("f1", "the deploy is slow"),
		fact("f2", "a script that nobody runs"),
	}
	x := indexOf(t, docs)
	q := Query{Text: "deploy script Friday", ComesLast: func(d *index.Doc) bool { return d.Tier == index.TierItem }}
	if got := ids(t, x, q); len(got) != 3 || got[2] != "a.b" {
		t.Errorf("got %v, want a.b last", got)
	}
	if q.ComesLast = nil; ids(t, x, q)[0] != "a.b" {
		t.Errorf("got %v, want a.b first where nothing is told", ids(t, x, q))
	}
	if got := ids(t, x, Query{Text: "Friday", ComesLast: func(*index.Doc) bool { return true }}); !slices.Equal(got, []string{"a.b"}) {
		t.Errorf("got %v, want a.b where nothing else matches", got)
	}
}

// TestEachNumberOfTheRankingChangesAnAnswer sets one number after the other to a value that changes what is found.
func TestEachNumberOfTheRankingChangesAnAnswer(t *testing.T) {
	docs := append(talk(),
		index.Doc{ID: "p1", Scope: "project", Source: "p1", Text: "deploy script with a token from the vault", Weight: 2, Time: day("2024-05-30")},
		index.Doc{ID: "p2", Scope: "project", Source: "p2", Text: "deploy script with a token from the vault of the team", Pinned: true, Time: day("2024-01-30")},
		index.Doc{ID: "p3", Scope: "user", Source: "p3", Text: "the deploy waits for Friday, whatever the script says", Confidence: 0.6, Time: day("2024-04-30")},
		index.Doc{ID: "p4", Scope: "project", Source: "p4", Text: "tea is made in a kettle, in a kitchen with a window to the yard where nobody walks"},
		index.Doc{ID: "p5", Scope: "project", Source: "p5", Speaker: "assistant", Text: "the deploy script wants a token", Time: day("2024-05-20")},
		index.Doc{ID: "p6", Scope: "project", Source: "p6", Text: "an old sedan with a diesel engine"})
	x := indexOf(t, docs)
	answers := func(r Ranking) string {
		all := ""
		for _, q := range []Query{
			{Text: "When did Ann buy the violin in August 2023?"}, {Text: "recommend a violin teacher"}, {Text: "scary marathon training starts"},
			{Text: "deploy script token"}, {Text: "Which Kubernetes team sells?"}, {Text: "car"}, {Text: "formatting spaces of the parser"}, {Text: "which vehicles are there"},
			{Text: "four violins", Similar: []Similar{{index.Source{Scope: "user", Path: "memories.md"}, "editor.tabs", 0.4}, {index.Source{Scope: "private", Path: "t4.md"}, "t4", 0.8}}},
			{Text: "indentation", Similar: []Similar{{index.Source{Scope: "project", Path: "go.md"}, "go", 0.2}}},
		} {
			q.Ranking, q.Explain, q.Now = &r, true, day("2024-06-01")
			hits, err := Search(x, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				all += fmt.Sprintln(q.Text, h.ID, h.Score, h.Weak, h.Parts)
			}
		}
		return all
	}
	usual := answers(DefaultRanking())
	changed := map[string]float64{"K1": 2, "B": 1, "Label": 3, "Filler": 1, "Support": 2, "Text": 1, "Vector": 0.1, "Confidence": 1} // the others to 0
	for i := range reflect.TypeFor[Ranking]().NumField() {
		r := DefaultRanking()
		field := reflect.ValueOf(&r).Elem().Field(i)
		name := reflect.TypeFor[Ranking]().Field(i).Name
		field.SetFloat(changed[name])
		if answers(r) == usual {
			t.Errorf("%s: %g changes no answer", name, changed[name])
		}
	}
}

func TestAKeyIsFoundByAnotherWordForIt(t *testing.T) {
	docs := []index.Doc{
		{ID: "release.day", Tier: index.TierItem, Scope: "project", Source: "memories.md", Text: "Tuesdays only"},
		{ID: "testing.framework", Tier: index.TierItem, Scope: "project", Source: "memories.md", Text: "table tests"},
		{ID: "f1", Tier: index.TierFact, Scope: "project", Source: "f1.md", Category: "gotcha", Tags: []string{"parser"}, Text: "it is slow"},
	}
	for question, want := range map[string]string{"when can I ship?": "release.day", "framework": "testing.framework", "what gotchas are there?": "f1", "parser": "f1"} {
		if got := ids(t, indexOf(t, docs), Query{Text: question}); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %v, want %s", question, got, want)
		}
	}
}

func TestWithoutAnAnswerAllHitsAreWeak(t *testing.T) {
	var docs []index.Doc
	for i, text := range []string{
		"Wrap errors with %w, and never log and return the same error", "Loki keeps the logs for 21 days", "The staging cluster is off at weekends",
		"Roll a release back with Argo CD", "Los reintentos del cliente están limitados a tres",
	} {
		id := fmt.Sprint("f", i)
		docs = append(docs, index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id, Text: text})
	}
	x := indexOf(t, docs)
	for question, weak := range map[string]bool{
		"how long are logs kept": false, "why does staging not answer at the weekend": false, "cuántas veces reintenta el cliente": false,
		"I released something bad an hour ago and a customer is on the phone, how do I roll the release back quickly": false,
		"how are logs encrypted when a customer asks for an export":                                                   true, "who signs the staging certificate": true,
	} {
		hits, err := Search(x, Query{Text: question})
		if err != nil || len(hits) == 0 || hits[0].Weak != weak {
			t.Errorf("%q: %+v, %v; want weak %v", question, hits, err, weak)
		}
	}
}

func TestACategoryAloneMatchesNoPrompt(t *testing.T) {
	docs := []index.Doc{
		{ID: "a", Tier: index.TierFact, Source: "a", Category: "decision", Text: "invoices are issued in euros"},
		{ID: "b", Tier: index.TierFact, Source: "b", Category: "fact", Text: "the decision about Postgres was made in May"},
	}
	x := indexOf(t, docs)
	for prompt, want := range map[bool]string{true: "b", false: "ab"} {
		hits, err := Search(x, Query{Text: "the decisions", Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, h := range hits {
			if len(h.ID) > 0 && !h.Weak {
				found += h.ID
			}
		}
		if strings.Contains(found, "a") != strings.Contains(want, "a") || !strings.Contains(found, "b") {
			t.Errorf("prompt %t: %q, want %q", prompt, found, want)
		}
	}
	if told := about(t, "what was your decision about the decision", 3, docs[0]); len(told) > 0 {
		t.Errorf("told: %v", told)
	}
}
