package proxy

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
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
	s := newSession()
	magpies := briefing.MessageResult{Memories: []string{"[memory] magpies like shiny things"}}
	s.give(name{1}, magpies)
	for i := range maxBlocks >> 10 {
		s.give(name{2, byte(i)}, briefing.MessageResult{Memories: []string{strings.Repeat(string(rune('a'+i%26)), 1<<10) + strconv.Itoa(i)}})
	}
	if text, ok := s.block(name{1}); !ok || text != "" {
		t.Fatalf("the oldest block is still there: %q, %v", text, ok)
	}
	if text, _ := s.block(name{2, 63}); text == "" || s.size > maxBlocks {
		t.Fatalf("the newest block %q, %d bytes in all", text, s.size)
	}
	for i, want := range []bool{true, false} {
		n := name{3, byte(i)}
		s.give(n, magpies)
		if text, _ := s.block(n); strings.Contains(text, "magpies") != want {
			t.Errorf("message %d: the memory is there: %v", i, !want)
		}
	}
}
