package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
)

// all reports whether everything shall run, and not a sample.
func all() bool { return os.Getenv("MEMCTL_TORTURE") != "" }

// either is the number for a sample, or for all.
func either(sample, everything int) int {
	if all() {
		return everything
	}
	return sample
}

// failures are the ways in which memory fails.
func failures() map[string]func(s *setup) {
	return map[string]func(s *setup){
		"nothing fails": func(*setup) {},
		"the stores cannot be opened": func(s *setup) {
			s.env.Open = func(context.Context) (*store.Stores, error) { return nil, errors.New("no") }
		},
		"it panics": func(s *setup) {
			s.env.Open = func(context.Context) (*store.Stores, error) { panic("no") }
		},
		"the policy is slow": func(s *setup) {
			s.wait = memoryTime
			s.env.Open = func(context.Context) (*store.Stores, error) {
				time.Sleep(2 * memoryTime)
				return nil, errors.New("slow")
			}
		},
		"the store is locked": func(s *setup) {
			st, err := s.stores().Get(context.Background(), store.Private)
			if err != nil {
				s.t.Fatal(err)
			}
			unlock, err := st.Lock(context.Background(), time.Second, "a test")
			if err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(func() { unlock() })
		},
		"the index is broken": func(s *setup) {
			damaged := 0
			st, err := s.stores().Get(context.Background(), store.Private)
			if err != nil {
				s.t.Fatal(err)
			}
			_ = filepath.WalkDir(st.Dir, func(name string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), "recall") {
					damaged++
					return os.WriteFile(name, []byte(strings.Repeat("broken", 1000)), 0o600)
				}
				return nil
			})
			if damaged == 0 {
				s.t.Error("there is no index to break")
			}
		},
		"nothing can be written": func(s *setup) { // as on a full disk: files and folders cannot be made
			name := filepath.Join(s.t.TempDir(), "file")
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				s.t.Fatal(err)
			}
			dir, err := os.Getwd()
			if err != nil {
				s.t.Fatal(err)
			}
			s.env.Open = func(ctx context.Context) (*store.Stores, error) {
				return store.Open(ctx, store.Env{Dir: dir, StoreDir: name, Getenv: os.Getenv, Now: time.Now})
			}
		},
	}
}

// TestMemoryFails compares each answer with the service's own, whatever happens to memory.
func TestMemoryFails(t *testing.T) {
	for name, failing := range failures() {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t, nil)
			s.add("style.tone", "answer briefly")
			s.post(chatPath, talk("My name is Alice"))
			s.stop()
			failing(s)
			s.start()
			var wg sync.WaitGroup
			work := make(chan int)
			for range 20 {
				wg.Go(func() {
					for i := range work {
						s.same(i)
					}
				})
			}
			for i := range either(20, 1000) {
				work <- i
			}
			close(work)
			wg.Wait()
		})
	}
}

// same sends one request through the proxy and to the service itself, and compares the answers.
func (s *setup) same(i int) {
	body := strings.Replace(talk(fmt.Sprintf("what's my name, for the %d. time?", i)), "{", fmt.Sprintf(`{"stream":%t,`, i%2 == 0), 1)
	var answers [2]string
	for n, url := range []string{s.at.URL, s.up.URL} {
		res, err := http.Post(url+chatPath, "application/json", strings.NewReader(body))
		if err != nil {
			s.t.Error(err)
			return
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		answers[n] = fmt.Sprint(res.StatusCode, res.Header.Get("Content-Type"), string(text), err)
	}
	if answers[0] != answers[1] {
		s.t.Errorf("request %d:\n%s\n%s", i, answers[0], answers[1])
	}
}

// TestNothingLeaks counts goroutines and open files after many requests, of which some are cut off
// by either side.
func TestNothingLeaks(t *testing.T) {
	s := newSetup(t, nil)
	s.up.answer = func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, "cut") {
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		reply(w, r, "ok", strings.Contains(body, `"stream":true`))
	}
	ask := func(i int) {
		text := fmt.Sprintf("question %d", i)
		if i%10 == 0 {
			text = "cut " + text
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "POST", s.at.URL+chatPath, strings.NewReader(strings.Replace(talk(text), "{", `{"stream":true,`, 1)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Session-Id", fmt.Sprint(i%50))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		if i%7 == 0 {
			cancel() // the client goes
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	for i := range 20 {
		ask(i)
	}
	count := func() (goroutines, files int) {
		http.DefaultClient.CloseIdleConnections()
		s.p.relay.Transport.(*http.Transport).CloseIdleConnections()
		list, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(list)
	}
	beforeGo, beforeFiles := count()
	var wg sync.WaitGroup
	for worker := range 10 {
		wg.Go(func() {
			for i := range either(10, 1000) {
				ask(worker*1000 + i)
			}
		})
	}
	wg.Wait()
	// Connections that were cut end a moment later; the test's own limit is what ends the wait.
	for {
		nowGo, nowFiles := count()
		if nowGo <= beforeGo+10 && nowFiles <= beforeFiles+10 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
