package proxy

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
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
	}, func(string) {}, time.Millisecond)
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
	// One question may have been under way.
	if n := len(wanted); n < 1 || n > 2 {
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
	w, err := edit.Add(context.Background(), s.stores(), edit.Request{
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
}
