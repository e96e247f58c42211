package torture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestNoActIsLost drops queued writes while others add, with a ledger that is due to be cut: each act is still in it
// afterwards.
func TestNoActIsLost(t *testing.T) {
	m := newMachine(t, "Ada")
	repo := filepath.Join(m.home, "repo")
	m.git(m.home, "init", "-q", repo)
	if a := m.memctl(repo, "init"); a.status != 0 {
		t.Fatalf("init: %s%s", a.out, a.talked)
	}
	ledger, queue := filepath.Join(repo, ".git", "memctl", "ledger.jsonl"), filepath.Join(repo, ".git", "memctl", "queue.json")
	rounds, lost := either(3, 200), 0
	for round := range rounds {
		lengthen(t, ledger)
		text := "lamp-" + word(round)
		waiting := fmt.Sprintf(`[{"id":"%012d","act":"add","key":"wait.one","value":%q,"yaml":%q,"origin":"automatic","why":"held","since":%q}]`,
			round, text, text, time.Now().UTC().Format(time.RFC3339))
		if err := os.WriteFile(queue, []byte(waiting), 0o600); err != nil {
			t.Fatal(err)
		}
		acts := map[string][]string{`"act":"forget"`: {"forget", "--all", text, "--yes"}}
		for i := range 3 {
			key := "race." + word(round) + "-" + word(i)
			acts[`"subject":"add `+key+`"`] = []string{"add", key, "what round " + word(round) + " knows, part " + word(i)}
		}
		var busy sync.WaitGroup
		for _, args := range acts {
			busy.Go(func() {
				if a := m.memctl(repo, args...); a.status != 0 {
					t.Errorf("%q: status %d\n%s%s", args, a.status, a.out, a.talked)
				}
			})
		}
		busy.Wait()
		data, err := os.ReadFile(ledger)
		if err != nil {
			t.Fatal(err)
		}
		for line, args := range acts {
			if !bytes.Contains(data, []byte(line)) {
				lost++
				t.Errorf("round %d: the ledger has no %s", round, strings.Join(args, " "))
			}
		}
		if left, err := os.ReadFile(queue); err != nil || bytes.Contains(left, []byte(text)) {
			t.Errorf("round %d: the write is still queued: %s, %v", round, left, err)
		}
	}
	t.Logf("%d acts lost in %d rounds", lost, rounds)
}

// lengthen replaces the ledger with one of a little over 1 MiB, whose acts have ended.
func lengthen(t *testing.T, ledger string) {
	var b strings.Builder
	for i := 0; b.Len() <= 1<<20; i++ {
		fmt.Fprintf(&b, `{"id":"old-%d","state":"done","act":{"id":"old-%d","time":"2026-01-02T03:04:05Z","worktree":"/elsewhere","scope":"project","act":"add","subject":"add %s"}}`+"\n", i, i, strings.Repeat("x", 400))
	}
	if err := os.WriteFile(ledger, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
