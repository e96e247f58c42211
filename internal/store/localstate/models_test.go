package localstate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/tests/storetest"
)

func TestModelLimitHoldsForCallsAtTheSameTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ss := storetest.Git(t, "# m\n").ProjectAs(func(e *store.Env) {
		e.Now = func() time.Time { return now }
		e.Getenv = func(name string) string {
			return map[string]string{"MEMCTL_LLM_TOKENS": "800"}[name]
		}
	}).Stores
	var made, refused atomic.Int32
	var wait sync.WaitGroup
	for range 12 {
		wait.Go(func() {
			settle, err := localstate.BudgetOf(ss).Reserve(t.Context(), 100)
			switch {
			case fault.Is(err, fault.ModelLimit):
				refused.Add(1)
			case err != nil:
				t.Error(err)
			default:
				made.Add(1)
				if err := settle(true, 100); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	u, err := localstate.UseOfModels(t.Context(), ss)
	if err != nil || made.Load() != 8 || refused.Load() != 4 || u.Calls != 8 || u.Tokens != 800 {
		t.Fatalf("%d calls made, %d refused, use %+v, %v; want 8 calls of 100 tokens", made.Load(), refused.Load(), u, err)
	}
	now = now.AddDate(0, 0, -1) // a clock that goes back begins no day
	if _, err := localstate.BudgetOf(ss).Reserve(t.Context(), 1); !fault.Is(err, fault.ModelLimit) {
		t.Errorf("the day before: %v", err)
	}
	now = now.AddDate(0, 0, -30) // it went ahead when the calls were made
	if u, err := localstate.UseOfModels(t.Context(), ss); err != nil || u.Calls != 0 {
		t.Errorf("a month before: %+v, %v", u, err)
	}
	now = now.AddDate(0, 0, 32)
	if _, err := localstate.BudgetOf(ss).Reserve(t.Context(), 801); !fault.Is(err, fault.ModelLimit) {
		t.Errorf("a call over the whole limit: %v", err)
	}
	settle, err := localstate.BudgetOf(ss).Reserve(t.Context(), 800)
	if err != nil {
		t.Fatal(err)
	}
	now = now.AddDate(0, 0, 1)
	if err := settle(true, 10); err != nil { // of yesterday: nothing of it counts today
		t.Fatal(err)
	}
	if u, err := localstate.UseOfModels(t.Context(), ss); err != nil || u.Calls != 0 || u.Tokens != 0 {
		t.Errorf("the day after: %+v, %v", u, err)
	}
}

func TestSegmentsWaitOldestFirst(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ss := storetest.Git(t, "# m\n").ProjectAs(func(e *store.Env) { e.Now = func() time.Time { return now } }).Stores
	note := func(session string, change func(*localstate.Segment)) {
		t.Helper()
		if err := localstate.ChangeSegment(ss, "claude", session, change); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	name := func(i int) string { return "session" + string(rune('a'+i/10)) + string(rune('0'+i%10)) }
	for i := range 103 {
		note(name(i), func(s *localstate.Segment) { s.Transcript, s.To = "/t.jsonl", 10 })
	}
	note(name(50), func(s *localstate.Segment) { s.To = 20 })     // it grows, and keeps its place
	note(name(60), func(s *localstate.Segment) { s.Tries = 5 })   // others come first
	note(name(70), func(s *localstate.Segment) { s.From = s.To }) // it is read
	list, err := localstate.Segments(ss)
	if err != nil || len(list) != 99 {
		t.Fatalf("%d segments wait, %v; want 99 of at most 100", len(list), err)
	}
	if list[0].Session != name(3) || list[47].Session != name(50) || list[47].To != 20 || list[98].Session != name(60) {
		t.Errorf("the order is %s, …, %s, …, %s", list[0].Session, list[47].Session, list[98].Session)
	}
	note(name(70), func(s *localstate.Segment) {
		if s.From != 10 {
			t.Errorf("of a segment that was read, From is %d", s.From)
		}
	})
	note(name(80), func(s *localstate.Segment) { s.Text = []string{strings.Repeat("<", 128<<10)} }) // six bytes each in JSON
	if after, err := localstate.Segments(ss); err != nil || len(after) != 99 || !slices.ContainsFunc(after, func(s localstate.Segment) bool { return len(s.Text) > 0 }) {
		t.Errorf("%d segments wait beside one with a long text, %v", len(after), err)
	}
	dir := filepath.Join(ss.RepositoryState().Folder, "segments")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"agent":"claude","session":"x","from":-1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := localstate.Segments(ss); err != nil || len(after) < 98 || len(after) > 99 {
		t.Errorf("%d segments wait beside one that cannot be read, %v", len(after), err)
	}
}
