package briefing_test

import (
	"fmt"
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// facts writes the files of n facts, the first of them pinned.
func facts(b *memorytest.Bench, n int) {
	b.T.Helper()
	for i := range n {
		text := fmt.Sprintf("The worker number %d has a queue of its own", i)
		e := entry.Entry{
			ID: entry.ContentID(text), Role: entry.RoleFact, Conversation: entry.ProjectConversation, Category: "rule", Topics: []string{"workers"},
			Created: "2026-11-01T10:00:00.000Z", Text: text, Labels: labels.Labels{Pinned: i == 0},
		}
		src, err := entry.Print(e)
		if err != nil {
			b.T.Fatal(err)
		}
		name := filepath.Join(b.Root, e.Path())
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.T.Fatal(err)
		}
		if err := os.WriteFile(name, src, 0o600); err != nil {
			b.T.Fatal(err)
		}
		old := time.Now().Add(-time.Minute) // what changed a moment ago is read again
		if err := os.Chtimes(name, old, old); err != nil {
			b.T.Fatal(err)
		}
	}
}

// TestAHookReadsFewChangedFiles: it answers from the index as it was, and says so;
// another command brings the index up to date.
func TestAHookReadsFewChangedFiles(t *testing.T) {
	b := both(t)
	facts(b, 201) // one more than a prompt has read
	prompt := briefing.BootstrapRequest{Hook: true, Event: briefing.EventPrompt}
	behind := func(s session.Stood) bool { return s.Name == "project entries" && s.Why == session.WhyBehind }
	if r := b.Bootstrap(prompt); !slices.ContainsFunc(r.StoodBack, behind) || r.Text != "" {
		t.Errorf("a prompt built the first index: %v\n%s", r.StoodBack, r.Text)
	}
	r := b.Bootstrap(briefing.BootstrapRequest{Hook: true})
	if !strings.Contains(r.Text, "worker number 0 ") || !strings.Contains(r.Text, " The worker number 1 ") || strings.Contains(r.Text, "] The worker number 1 ") || !strings.Contains(r.Text, "- facts: rule 201\n") || !strings.Contains(r.Text, "- workers 201\n") {
		t.Errorf("the start is\n%s", r.Text)
	}
	if len(r.Entries) != 1 || r.Entries[0].Scope != "project" || !strings.HasPrefix(r.Entries[0].Text, "The worker number 0") {
		t.Errorf("handed out: %v", r.Entries)
	}
	if r := b.Bootstrap(prompt); !strings.Contains(r.Text, "worker number 0 ") || len(r.Entries) != 1 || len(r.StoodBack) != 0 {
		t.Errorf("a prompt: %v, %v\n%s", r.Entries, r.StoodBack, r.Text)
	}
}

// TestWithoutEntriesNoIndexIsMade has its twin in what one fact leads to.
func TestWithoutEntriesNoIndexIsMade(t *testing.T) {
	b := both(t)
	index := func() bool {
		_, err := os.Stat(filepath.Join(b.Root, ".git", "memctl", "recall.list"))
		return err == nil
	}
	for _, req := range []briefing.BootstrapRequest{{Hook: true}, {Hook: true, Event: briefing.EventPrompt, Prompt: "tone"}} {
		if b.Bootstrap(req); index() {
			t.Errorf("%q made an index", req.Event)
		}
	}
	facts(b, 1)
	if b.Bootstrap(briefing.BootstrapRequest{Hook: true}); !index() {
		t.Error("no index is made of a fact")
	}
}

// TestTheLimitKeepsEntriesOutOfWhatWasGiven: what the agent's limit pushed out is in
// no list of what the session has.
func TestTheLimitKeepsEntriesOutOfWhatWasGiven(t *testing.T) {
	b := both(t)
	for i := range 20 {
		text := fmt.Sprintf("Rule %d: %s", i, strings.Repeat("long words ", 80))
		if _, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: memorytest.From(memory.Explicit), Text: text, Role: entry.RoleFact, Labels: labels.Labels{Tags: []string{entry.TagBootstrap}}}); err != nil {
			t.Fatal(err)
		}
	}
	r := b.Bootstrap(briefing.BootstrapRequest{Hook: true, Agent: "claude"})
	if n := strings.Count(r.Text, "\n- [project] Rule "); n == 0 || n == 20 || len(r.Entries) != n {
		t.Errorf("%d rules in the text, %d listed", n, len(r.Entries))
	}
}
