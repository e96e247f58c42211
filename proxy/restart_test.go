package proxy

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// begins reports whether the last request begins with all of the one before, as far as the
// conversation goes.
func (s *setup) begins(before string) bool {
	return strings.HasPrefix(s.up.last(), strings.TrimSuffix(before, "]}"))
}

func TestTheProfileComesAfterSlowMemory(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	s.stop()
	open, release := s.env.Open, make(chan struct{})
	s.env.Open = func(ctx context.Context) (*store.Stores, error) {
		<-release
		return open(ctx)
	}
	s.wait = time.Millisecond
	s.start()
	texts := []string{"hello"}
	s.post(chatPath, talk(texts...), "X-Session-Id", "one")
	if last := s.up.last(); strings.Contains(last, "answer briefly") {
		t.Fatalf("memory was not slow: %s", last)
	}
	close(release)
	s.p.memory.wait = time.Minute
	texts = append(texts, "ok", "and now?")
	s.post(chatPath, talk(texts...), "X-Session-Id", "one")
	before := s.up.last()
	if !strings.Contains(before, "style.tone: answer briefly") {
		t.Fatalf("the second request has no profile: %s", before)
	}
	s.add("style.language", "answer in English")
	texts = append(texts, "ok", "and then?")
	s.post(chatPath, talk(texts...), "X-Session-Id", "one")
	if !s.begins(before) {
		t.Errorf("the third request does not begin with the second:\n%s\n%s", before, s.up.last())
	}
}

// TestARestartKeepsPrefixes restarts the proxy in the middle of conversations, while memory changes.
func TestARestartKeepsPrefixes(t *testing.T) {
	for name, headers := range map[string][]string{"named by the client": {"X-Session-Id", "one"}, "known by its first message": nil} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t, nil)
			s.add("style.tone", "answer briefly")
			s.add("birds.topic", "magpies like shiny things")
			texts, before := []string{}, ""
			for i := range 4 {
				texts = append(texts, fmt.Sprintf("what do magpies like, for the %d. time?", i))
				s.post(chatPath, talk(texts...), headers...)
				if before != "" && !s.begins(before) {
					t.Fatalf("request %d does not begin with the one before:\n%s\n%s", i, before, s.up.last())
				}
				before = s.up.last()
				texts = append(texts, "well")
				s.restart()
				s.add(fmt.Sprintf("birds.number%d", i), fmt.Sprintf("magpies like the %d. garden", i))
			}
			if !strings.Contains(before, "Found in memory") || !strings.Contains(before, "style.tone") {
				t.Errorf("nothing was added: %s", before)
			}
			if status := s.box.Git("status", "--porcelain"); status != "" {
				t.Errorf("the repository has changes: %s", status)
			}
		})
	}
}

func TestWhatIsForgottenDoesNotComeBackWithARestart(t *testing.T) {
	s := newSetup(t, nil)
	s.add("style.tone", "answer briefly")
	texts := []string{"hello"}
	ask := func() string {
		s.post(chatPath, talk(texts...), "X-Session-Id", "one")
		texts = append(texts, "ok", "go on")
		return s.up.last()
	}
	ask()
	s.restart()
	if last := ask(); !strings.Contains(last, "answer briefly") {
		t.Fatalf("the profile is gone: %s", last)
	}
	s.stop()
	ss := s.stores()
	if _, err := edit.Forget(context.Background(), ss, edit.ForgetRequest{Options: memory.Options{Scope: store.Private, Origin: memory.Origin{Kind: memory.Explicit}}, Targets: []string{"style.tone"}}); err != nil {
		t.Fatal(err)
	}
	s.start()
	if last := ask(); strings.Contains(last, "answer briefly") {
		t.Errorf("it came back: %s", last)
	}
}

// TestRecordsOfAddedTexts reads records as a proxy that starts does.
func TestRecordsOfAddedTexts(t *testing.T) {
	s := newSetup(t, nil)
	ss := s.stores()
	record := func(list ...localstate.Handed) {
		t.Helper()
		if err := localstate.RecordHanded(ss, list); err != nil {
			t.Fatal(err)
		}
	}
	record(localstate.Handed{Session: "cut", Text: "of a session whose beginning is lost"})
	record(localstate.Handed{Session: "a", Begins: true, Text: "old"}, localstate.Handed{Session: "b", Begins: true, Text: "b"}, localstate.Handed{Session: "a", Begins: true, Text: "new"}, localstate.Handed{Session: "a", Message: "m", Text: "block"})
	for session, want := range map[string]string{"cut": "", "none": "", "a": "new block", "b": "b"} {
		list, err := localstate.HandedTo(ss, session)
		var got []string
		for _, h := range list {
			got = append(got, h.Text)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %q", session, got, err, want)
		}
	}
	later, err := store.Open(context.Background(), store.Env{Dir: s.box.Root, Getenv: os.Getenv, Now: func() time.Time { return time.Now().Add(25 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := localstate.HandedTo(later, "a"); list != nil || err != nil {
		t.Errorf("a day later: %+v, %v", list, err)
	}
}

func TestTheEndWaitsForExtraction(t *testing.T) {
	begun, ended := make(chan struct{}), false
	s := newSetup(t, func(e *Env) {
		e.Extract = func(ctx context.Context, _ Exchange) error {
			close(begun)
			<-ctx.Done()
			time.Sleep(10 * time.Millisecond) // it ends what it was writing
			ended = true
			return ctx.Err()
		}
	})
	s.up.answer = func(w http.ResponseWriter, r *http.Request, _ string) { reply(w, r, "ok", false) }
	s.post(chatPath, talk("I love hiking"))
	<-begun
	s.stop()
	if !ended {
		t.Error("the proxy ended before the extraction did")
	}
}
