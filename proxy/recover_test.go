package proxy

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// TestQuestionsOfRequestsThatWentOnAreDropped queues questions while memory is slow. When memory is
// fast again, it must not work off those whose requests went on without it.
func TestQuestionsOfRequestsThatWentOnAreDropped(t *testing.T) {
	s := newSetup(t, nil)
	s.fact("magpies like shiny things")
	s.stop()
	open, release, wanted := s.env.Open, make(chan struct{}), make(chan struct{}, 1000)
	m := newReader(func(ctx context.Context) (*store.Stores, error) {
		<-release
		return open(ctx)
	}, func(string) {}, 0, time.Millisecond)
	defer m.close()
	// has is asked about the fact when memory looks for an answer.
	about := question{text: "what do magpies like?", has: func(string) bool { wanted <- struct{}{}; return false }}
	for range 100 {
		if _, ok := m.ask(context.Background(), about); ok {
			t.Fatal("memory was not slow")
		}
	}
	close(release)
	m.wait = time.Minute
	if a, ok := m.ask(context.Background(), about); !ok || len(a.found.Memories) != 1 {
		t.Fatalf("memory answers %+v, %t", a, ok)
	}
	// Each reader may have taken one question before it was slow.
	if n := len(wanted); n < 1 || n > maxReaders+1 {
		t.Errorf("memory looked for %d answers, for one request that waited", n)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := m.ask(gone, about); ok {
		t.Error("a question was answered whose client is gone")
	}
}

// fact stores a fact in the person's own store and returns its file.
func (s *setup) fact(text string) (file string) {
	s.t.Helper()
	w, err := edit.Remember(context.Background(), s.stores(), edit.RememberRequest{
		Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Role: entry.RoleFact, Text: text,
	})
	if err != nil || !w.Changed {
		s.t.Fatalf("remember: %v %+v", err, w)
	}
	st, err := s.stores().Get(context.Background(), store.Private)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = filepath.WalkDir(st.Dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".md") {
			if data, _ := os.ReadFile(name); strings.Contains(string(data), text) {
				file = name
			}
		}
		return nil
	})
	if file == "" {
		s.t.Fatalf("no file has %q", text)
	}
	return file
}

func TestDroppedMemoriesMayComeBack(t *testing.T) {
	s := newSetup(t, nil)
	s.fact("magpies like shiny things")
	s.post(chatPath, talk("what do magpies like?"), "X-Session-Id", "one")
	if last := s.up.last(); !strings.Contains(last, "[memory] magpies like shiny things") {
		t.Fatalf("the first message has no memory: %s", last)
	}
	s.up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusBadRequest) }
	s.post(chatPath, talk("what do magpies like?", "shiny things", "and how long is this?"), "X-Session-Id", "one")
	s.up.answer = nil
	ask := func(texts ...string) string {
		s.post(chatPath, talk(texts...), "X-Session-Id", "one")
		return s.up.last()
	}
	texts := []string{"what do magpies like?", "shiny", "and what was that about magpies?"}
	if last := ask(texts...); strings.Count(last, "[memory] magpies like shiny things") != 1 {
		t.Fatalf("the memory does not come back exactly once: %s", last)
	}
	s.restart()
	before := s.up.last()
	if ask(append(texts, "well", "thanks")...); !s.begins(before) {
		t.Errorf("after a restart, the request does not begin as before:\n%s\n%s", before, s.up.last())
	}
}

// TestARestartAddsNothingToAnOldMessage sends a message again after a restart. It got nothing before,
// and memory has something for it now.
func TestARestartAddsNothingToAnOldMessage(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	ask := func(texts ...string) string {
		s.post(chatPath, talk(texts...), "X-Session-Id", "one")
		return s.up.last()
	}
	before := ask("what do magpies like?")
	s.restart()
	s.fact("magpies like shiny things")
	if now := ask("what do magpies like?"); now != before {
		t.Errorf("the same request, after a restart:\n%s\n%s", before, now)
	}
	if now := ask("what do magpies like?", "ok", "tell me what magpies like"); !strings.Contains(now, "[memory] magpies like") {
		t.Errorf("a new message got nothing: %s", now)
	}
}

// TestRecordsWaitForTheStore keeps records of what sessions got while the stores cannot be opened.
func TestRecordsWaitForTheStore(t *testing.T) {
	s := newSetup(t, nil)
	s.stop()
	open, broken := s.env.Open, true
	s.env.Open = func(ctx context.Context) (*store.Stores, error) {
		if broken {
			return nil, errors.New("no")
		}
		return open(ctx)
	}
	w := &writer{env: s.env, say: func(string) {}, stored: func() {}, wake: make(chan struct{}, 1)}
	w.handed(localstate.Handed{Session: "a", Begins: true, Text: "profile"})
	if w.write(context.Background()) {
		t.Fatal("it wrote to a store that cannot be opened")
	}
	broken = false
	w.handed(localstate.Handed{Session: "a", Message: "m", Text: "block"})
	if !w.write(context.Background()) {
		t.Fatal("it did not write")
	}
	list, err := localstate.HandedTo(s.stores(), "a")
	var got []string
	for _, h := range list {
		got = append(got, h.Text)
	}
	if err != nil || !slices.Equal(got, []string{"profile", "block"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestARestartRepeatsOnlyWhatExists takes memories away below memctl, as a sync or a merge does.
func TestARestartRepeatsOnlyWhatExists(t *testing.T) {
	// Where the profile has changed, the session begins anew, and no earlier message gets anything.
	for name, kept := range map[string][]string{"nothing": {"answer briefly", "magpies like shiny things"}, "an item": {"answer at length"}, "a fact": {"answer briefly"}} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t, func(e *Env) { e.Turns = false })
			s.add("style.tone", "answer briefly")
			fact := s.fact("magpies like shiny things")
			texts := []string{"what do magpies like?"}
			s.post(chatPath, talk(texts...), "X-Session-Id", "one")
			if last := s.up.last(); !strings.Contains(last, "answer briefly") || !strings.Contains(last, "[memory] magpies") {
				t.Fatalf("not all was given: %s", last)
			}
			s.stop()
			switch name {
			case "a fact":
				if err := os.Remove(fact); err != nil {
					t.Fatal(err)
				}
			case "an item":
				st, err := s.stores().Get(context.Background(), store.Private)
				if err != nil {
					t.Fatal(err)
				}
				data, err := os.ReadFile(st.Path())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(st.Path(), []byte(strings.Replace(string(data), "answer briefly", "answer at length", 1)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.start()
			s.post(chatPath, talk(append(texts, "shiny", "thanks")...), "X-Session-Id", "one")
			for _, text := range []string{"answer briefly", "answer at length", "magpies like shiny things"} {
				if has := strings.Contains(s.up.last(), text); has != slices.Contains(kept, text) {
					t.Errorf("%q in the next process's request is %t: %s", text, has, s.up.last())
				}
			}
		})
	}
}
