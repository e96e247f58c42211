package memory_test

import (
	"context"
	"github.com/memctl/memctl/tests/memorytest"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
)

func TestForgottenInOneScopeStaysForgottenInAll(t *testing.T) {
	const value = "prefer short answers to all questions"
	for name, tt := range map[string]struct {
		kind, key, value, scope string
		verdict                 string
	}{
		"an agent, the same key elsewhere":        {memory.Automatic, "a.b", "another value of it", store.User, "refuse"},
		"an agent, the same value, another key":   {memory.Automatic, "c.d", "Prefer short  answers to all questions", store.Private, "refuse"},
		"passed on, the same value elsewhere":     {memory.Relayed, "c.d", value, store.User, "refuse"},
		"an agent, another value and key":         {memory.Automatic, "c.d", "prefer long answers to all questions", store.User, "accept"},
		"a person, the same key elsewhere":        {memory.Explicit, "a.b", value, store.User, "accept"},
		"a person, the same value in the project": {memory.Explicit, "c.d", value, store.Project, "accept"},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			b.Add(memory.Explicit, "a.b", value)
			if _, err := edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: memorytest.From(memory.Explicit), Targets: []string{"a.b"}}); err != nil {
				t.Fatal(err)
			}
			o := memorytest.From(tt.kind)
			o.Scope = tt.scope
			w, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: o, Key: tt.key, Value: memfile.Str(tt.value)})
			if err != nil || w.Verdict != tt.verdict || w.Verdict == "refuse" && w.Findings[0].Rule != "forgotten" {
				t.Errorf("%v, %+v; want %s", err, w, tt.verdict)
			}
			if lifted := !strings.Contains(b.Memory(), "removed:"); lifted {
				t.Error("the project's tombstone was lifted by a write of another scope or key")
			}
		})
	}
}

func TestSwitchedOff(t *testing.T) {
	off := strings.Replace(memorytest.FileOf(memorytest.ItemText("a.b", "one")), "enabled: true", "enabled: false", 1)
	on := memorytest.FileOf(memorytest.ItemText("a.b", "one"))
	agents := memorytest.FileOf(memorytest.ItemText("a.b", "one", "by: automatic"))
	for name, tt := range map[string]struct {
		memory, env, act, kind string
		want                   bool // it changes something
	}{
		"a person adds":                                {off, "", "add", memory.Explicit, true},
		"a person confirms":                            {off, "", "confirm", memory.Explicit, false}, // it is high already
		"a person doubts":                              {off, "", "doubt", memory.Explicit, true},
		"a person forgets":                             {off, "", "forget", memory.Explicit, true},
		"an agent adds":                                {off, "", "add", memory.Automatic, false},
		"an agent passes on":                           {off, "", "add", memory.Relayed, false},
		"an agent doubts":                              {off, "", "doubt", memory.Automatic, false},
		"an agent locks":                               {off, "", "lock", memory.Relayed, false},
		"an agent passes on a forget":                  {off, "", "forget", memory.Relayed, true},
		"the person's own switch, an agent":            {on, "false", "add", memory.Automatic, false},
		"the person's own switch, a person":            {on, "false", "add", memory.Explicit, true},
		"all on, an agent doubts what a person stated": {on, "", "doubt", memory.Automatic, false},
		"all on, an agent doubts what an agent said":   {agents, "", "doubt", memory.Automatic, true},
		"all on, an agent adds what differs":           {on, "", "add", memory.Automatic, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, tt.memory)
			b.Env["MEMCTL_ENABLED"] = tt.env
			o := memorytest.From(tt.kind)
			o.Scope = store.Project
			changed, err := writes()[tt.act](t.Context(), b.Open(), o)
			if err != nil || changed != tt.want || (b.Memory() != tt.memory) != tt.want {
				t.Errorf("changed %t, %v\n%s", changed, err, b.Memory())
			}
		})
	}
}

func TestWhatWaitsForReview(t *testing.T) {
	rival := "conflict:\n        - value: two\n          added: 2026-01-02\n          confidence: low"
	b := memorytest.Repository(t, memorytest.FileOf(
		memorytest.ItemText("a.conflict", "one", rival), memorytest.ItemText("b.doubted", "one", "confidence: low", "tags: [needs-confirmation]"),
		memorytest.ItemText("c.fine", "one"), memorytest.ItemText("d.unsure", "one", "tags: [needs-confirmation]"),
	))
	b.Add(memory.Automatic, "h.held", "something")
	var got []string
	for _, w := range b.Waiting() {
		got = append(got, w.Key+" "+w.Why)
	}
	want := "h.held held, a.conflict conflict, b.doubted needs-confirmation, d.unsure needs-confirmation"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

func TestAPersonDecides(t *testing.T) {
	two := memfile.Str("one of the two")
	for name, tt := range map[string]struct {
		action string
		value  *memfile.Value
		kind   string
		want   string // in the file afterwards
		left   int
	}{
		"keep":           {"keep", nil, memory.Explicit, "value: something\n", 0},
		"edit":           {"edit", &two, memory.Explicit, "value: one of the two\n", 0},
		"forget":         {"drop", nil, memory.Explicit, "items: []\n", 0},
		"not a person's": {"drop", nil, memory.Relayed, "items: []\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			b.Add(memory.Automatic, "h.held", "something")
			list := b.Waiting()
			if len(list) != 1 {
				t.Fatalf("what waits: %+v", list)
			}
			w, err := review.Decide(context.Background(), b.Open(), review.Decision{Options: memorytest.From(tt.kind), Waiting: list[0], Action: tt.action, Value: tt.value})
			if err != nil || !strings.Contains(b.Memory(), tt.want) || len(b.Waiting()) != tt.left {
				t.Errorf("%v, %+v, %d left\n%s", err, w, len(b.Waiting()), b.Memory())
			}
		})
	}
}
