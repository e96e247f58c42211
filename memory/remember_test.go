package memory

import (
	"context"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// entryBox is a repository with a memory file, at a moment.
func entryBox(t *testing.T) *store.Stores {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ss, err := store.Open(context.Background(), store.Env{Dir: dir, Getenv: func(string) string { return "" }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Init(t.Context(), ss, InitRequest{Options: Options{Origin: Origin{Kind: Explicit}}}); err != nil {
		t.Fatal(err)
	}
	return ss
}

func TestStanding(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	at := func(days int) string { return entry.Stamp(now.AddDate(0, 0, -days)) }
	for name, c := range map[string]struct {
		e    entry.Entry
		use  localstate.Use
		want float64
	}{
		"new":                    {entry.Entry{Created: at(0)}, localstate.Use{}, 1},
		"a month old":            {entry.Entry{Created: at(30)}, localstate.Use{}, 0.5},
		"a month old, used once": {entry.Entry{Created: at(30)}, localstate.Use{Count: 1, Last: now}, 1 + math.Log(2)},
		"told three times":       {entry.Entry{Created: at(60), Seen: "2026-10-22", Signals: 3}, localstate.Use{}, (1 + math.Log(3)) * math.Exp(-(30+9.0/24)*math.Ln2/30)},
		"of tomorrow":            {entry.Entry{Created: at(-1)}, localstate.Use{}, 1},
	} {
		if got := standing(c.e, c.use, now); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestNearlySame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"the tests need Docker running", "The tests always need Docker running.", true},
		{"the tests need Docker running", "the tests need Docker running", true},
		{"use tabs", "use spaces", false},
		{"use tabs", "use tabs", false}, // the same fact is found by its id
		{"retries live in client.go and stop after three", "the parser has a package of its own since May", false},
	} {
		if got := mostlySame(fields(c.a), fields(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// TestSummariesAreWrittenAnew holds that one file stands for a conversation.
func TestSummariesAreWrittenAnew(t *testing.T) {
	ss := entryBox(t)
	for _, text := range []string{"one\ntwo", "three"} {
		if w, err := Remember(t.Context(), ss, RememberRequest{Options: Options{Origin: Origin{Kind: Explicit}}, Role: entry.RoleSummary, Text: text, Conversation: "My talk"}); err != nil || w.Verdict != "accept" {
			t.Fatalf("%+v, %v", w, err)
		}
	}
	res, err := Summaries(t.Context(), ss, "", "My talk")
	if err != nil || len(res.Summaries) != 1 || res.Summaries[0].Text != "three" || !strings.HasPrefix(res.Summaries[0].Path, "memories/entries/my-talk-") {
		t.Errorf("%+v, %v", res, err)
	}
}
