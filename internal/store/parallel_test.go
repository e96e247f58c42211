package store

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/policy"
)

// TestRuleInParallel: a first index reads files in several goroutines, which ask the same stores.
func TestRuleInParallel(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	dir := t.TempDir()
	for i := range 100 {
		if err := os.Mkdir(filepath.Join(dir, strconv.Itoa(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ss, err := Open(t.Context(), Env{Dir: dir, Getenv: os.Getenv, Now: time.Now, Talk: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 100 {
				if scope := ss.OwnScope(filepath.Join(dir, strconv.Itoa(i))); scope != "" {
					t.Errorf("a folder elsewhere has the scope %q", scope)
				}
				if r := ss.Rule(policy.Candidate{Scope: Project, Key: "a.b"}); r.Verdict != policy.Accept {
					t.Errorf("the rules refuse nothing: %v", r)
				}
			}
		})
	}
	all.Wait()
}
