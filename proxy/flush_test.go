package proxy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memctl/memctl/proxy/proxyenv"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
)

const compact = "Your task is to create a detailed summary of the conversation so far"

// TestFlushBeforeCompaction compacts a conversation that began without the proxy, and in which a model failed once.
func TestFlushBeforeCompaction(t *testing.T) {
	read, fails := make(chan []string, 10), "my dog is called Rex"
	s := newSetup(t, func(e *Env) {
		e.Turns = false
		e.Extract = func(_ context.Context, e proxyenv.Exchange) (err error) {
			if slices.Equal(e.Texts, []string{fails}) {
				err = errors.New("the model fails")
			}
			read <- e.Texts
			return err
		}
	})
	want := func(texts ...string) {
		t.Helper()
		if got := <-read; !slices.Equal(got, texts) {
			t.Fatalf("a model reads %q, want %q", got, texts)
		}
	}
	s.post(chatPath, talk("the office is in Graz", "ok", "hello"), "X-Session-Id", "one")
	want("hello")
	s.post(chatPath, talk("the office is in Graz", "ok", "hello", "hi", fails), "X-Session-Id", "one")
	want(fails)
	s.post(chatPath, talk("the office is in Graz", "ok", "hello", "hi", fails, "ok", "a message after it"), "X-Session-Id", "one")
	want("a message after it") // so the failure is noted
	for range 2 {              // the second one finds nothing to learn
		request := talk("the office is in Graz", "ok", "hello", "hi", fails, "ok", compact)
		if s.post(chatPath, request, "X-Session-Id", "one"); s.up.last() != request {
			t.Errorf("the request to compact was changed: %s", s.up.last())
		}
	}
	want("the office is in Graz", fails)
	s.post(chatPath, talk("the summary", "ok", "after it"), "X-Session-Id", "one")
	want("after it")
}

// TestFlushByRules finds a request to remember that was never the new message of a request here.
func TestFlushByRules(t *testing.T) {
	t.Setenv("MEMCTL_CAPTURE", "rules")
	s := newSetup(t, nil)
	said := []string{"From now on, always write tests before the code.", "ok", "hello", "hi"}
	s.post(chatPath, talk(said[:3]...), "X-Session-Id", "one")
	waiting := func() (n int) {
		s.restart()
		st, err := s.stores().Get(context.Background(), store.Private)
		if err != nil {
			t.Fatal(err)
		}
		queue, err := ledger.Queue(st)
		if err != nil {
			t.Fatal(err)
		}
		return len(queue)
	}
	if n := waiting(); n != 0 {
		t.Fatalf("%d statements wait before the compaction", n)
	}
	s.post(chatPath, talk(append(said, "go on")...), "X-Session-Id", "one")
	s.post(chatPath, talk(append(said, compact)...), "X-Session-Id", "one")
	if n := waiting(); n != 1 {
		t.Errorf("%d statements wait after the compaction; said %q", n, s.say)
	}
}

// TestFlushForConfiguredModels has the models read a conversation at a compaction, and not when it rests.
func TestFlushForConfiguredModels(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[user]\n\tname = Ada\n\temail = ada@example.com\n[memctl-llm \"local\"]\n\tkind = command\n\tcommand = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("MEMCTL_CAPTURE", "model")
	s := newSetup(t, func(e *Env) { e.Turns = false })
	due := func() bool {
		t.Helper()
		s.restart()
		list, err := localstate.Segments(s.stores())
		if err != nil || len(list) != 1 || len(list[0].Text) == 0 {
			t.Fatalf("segments: %+v, %v; said %q", list, err, s.say)
		}
		return !list[0].Due.After(time.Now())
	}
	s.post(chatPath, talk("the office is in Graz"), "X-Session-Id", "one")
	if due() {
		t.Fatal("a conversation that goes on is read at once")
	}
	s.post(chatPath, talk("the office is in Graz", "ok", "hello"), "X-Session-Id", "one")
	s.post(chatPath, talk("the office is in Graz", "ok", "hello", "hi", compact), "X-Session-Id", "one")
	if !due() {
		t.Error("a conversation that the client compacts is not read soon")
	}
}
