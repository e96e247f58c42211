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

// TestNoActIsLost drops queued writes while others add: the journal has each act afterwards.
func TestNoActIsLost(t *testing.T) {
	m := newMachine(t, "Ada")
	repo := filepath.Join(m.home, "repo")
	m.git(m.home, "init", "-q", repo)
	if a := m.memctl(repo, "init"); a.status != 0 {
		t.Fatalf("init: %s%s", a.out, a.talked)
	}
	queue := filepath.Join(repo, ".git", "memctl", "queue.json")
	rounds, lost := either(3, 200), 0
	m.git(repo, "update-ref", "refs/before", "refs/memctl/journal")
	for round := range rounds {
		text := "lamp-" + word(round)
		waiting := fmt.Sprintf(`[{"id":"%012d","act":"add","key":"wait.one","value":%q,"yaml":%q,"origin":"automatic","why":"held","since":%q}]`,
			round, text, text, time.Now().UTC().Format(time.RFC3339))
		if err := os.WriteFile(queue, []byte(waiting), 0o600); err != nil {
			t.Fatal(err)
		}
		acts := map[string][]string{`"act":"forget"`: {"forget", "--all", text, "--yes"}}
		for i := range 3 {
			key := "race." + word(round) + "-" + word(i)
			acts["memory: add "+key+"\n"] = []string{"add", key, "what round " + word(round) + " knows, part " + word(i)}
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
		data := m.git(repo, "log", "--format=%B", "refs/memctl/journal", "--not", "refs/before")
		for line, args := range acts {
			if strings.Count(data, line) != 1 {
				lost++
				t.Errorf("round %d: the journal has not %s once", round, strings.Join(args, " "))
			}
		}
		m.git(repo, "update-ref", "refs/before", "refs/memctl/journal")
		if left, err := os.ReadFile(queue); err != nil || bytes.Contains(left, []byte(text)) {
			t.Errorf("round %d: the write is still queued: %s, %v", round, left, err)
		}
	}
	t.Logf("%d acts lost in %d rounds", lost, rounds)
}
