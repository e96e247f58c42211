package txn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// addAsChild adds items until it is killed.
func addAsChild(dir string) int {
	for i := 0; ; i++ {
		ss, err := store.Open(context.Background(), store.Env{Dir: dir, Getenv: func(string) string { return "" }, Now: time.Now})
		if err != nil {
			return 1
		}
		st, err := ss.Get(context.Background(), store.Project)
		if err != nil {
			return 1
		}
		if _, err := Update(context.Background(), st, add("writer."+inLetters(os.Getpid())+"-"+inLetters(i), false)); err != nil {
			return 1
		}
	}
}

// inLetters is a number as a word.
func inLetters(n int) string {
	var b strings.Builder
	for _, digit := range strconv.Itoa(n) {
		b.WriteRune('a' + digit - '0')
	}
	return b.String()
}

func TestAKilledWriterLeavesNothingBroken(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "STORE_TEST_ADD="+b.Root)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+r.IntN(120)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		text := b.Read(memfile.FileName)
		if f, problems := memfile.Parse(memfile.FileName, []byte(text)); f == nil || len(problems) > 0 {
			t.Fatalf("round %d: neither the old file nor the new one: %v\n%s", round, problems, text)
		}
		w := add(fmt.Sprintf("after.k%d", round), false)
		w.Wait = 5 * time.Second
		if out := must(b, w); out.Commit == "" {
			t.Fatalf("round %d: %+v", round, out)
		}
		if b.Git("show", "HEAD:"+memfile.FileName)+"\n" != b.Read(memfile.FileName) {
			t.Fatalf("round %d: HEAD does not hold what is on disk", round)
		}
	}
	b.Git("fsck", "--strict")
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("left behind: %s", status)
	}
	if made := strings.Count(b.Read(memfile.FileName), "key: writer."); made == 0 {
		t.Error("no writer got so far as to write")
	}
}
