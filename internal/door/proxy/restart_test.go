package proxy

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/store"
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

func TestTheEndWaitsForExtraction(t *testing.T) {
	begun, ended := make(chan struct{}), false
	s := newSetup(t, func(e *Env) {
		e.Extract = func(ctx context.Context, _ door.Exchange) error {
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
