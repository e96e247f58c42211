package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
)

// restless has a person's git take things back again and again, until the end of
// the test or of the function that it gives.
func (b *box) restless(pause time.Duration, args ...string) (rest func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(pause):
				cmd := exec.Command("git", args...)
				cmd.Dir = b.root
				_ = cmd.Run() // it may meet a lock of memctl's, and fails then
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
	})
}

// TestBesideAPersonWhoTakesBack: what was acknowledged is in HEAD and the journal,
// whatever a person's git does to the files meanwhile; what was not is in the journal
// alone.
func TestBesideAPersonWhoTakesBack(t *testing.T) {
	for name, person := range map[string][]string{
		"checkout": {"checkout", "-q", "--", "."},
		"reset":    {"reset", "-q", "--hard"},
		"stash":    {"stash", "-q", "-u"},
		"clean":    {"clean", "-fdxq"},
	} {
		t.Run(name, func(t *testing.T) {
			b := gitBox(t, withItem("a.b", "one"))
			rest := b.restless(40*time.Millisecond, person...)
			defer rest()
			saved, refused := map[string]bool{}, map[string]bool{}
			var waiting []string
			var mu sync.Mutex
			var writers sync.WaitGroup
			for who := range 2 {
				writers.Go(func() {
					for i := range 8 {
						text := fmt.Sprintf("writer%d.word%d", who, i)
						w := add(text, false)
						if i%2 == 1 { // a file beside the memory file
							w.Files = func() ([]FileChange, error) {
								return []FileChange{{Path: "memories/entries/project/facts/" + text + ".md", After: []byte(text + " stands\n")}}, nil
							}
						}
						w.Wait = 20 * time.Second
						out, err := b.project().Update(t.Context(), w)
						mu.Lock()
						switch {
						case err == nil && out.Commit != "":
							saved[text] = i%2 == 1
						case err == nil && out.Why == "":
							t.Errorf("%s: neither committed nor refused: %+v", text, out)
						case err == nil:
							waiting = append(waiting, text)
						default:
							var taken *TakenBackError
							if !errors.As(err, &taken) || !taken.Journal {
								t.Errorf("%s: %v", text, err)
							}
							refused[text] = true
						}
						mu.Unlock()
					}
				})
			}
			writers.Wait()
			rest()
			head, files := b.git("show", "HEAD:"+memfile.FileName), b.git("ls-tree", "-r", "--name-only", "HEAD")
			journal := b.git("log", "-p", "--format=", gitops.JournalRef)
			for text, withFile := range saved {
				inHead := strings.Contains(head, "key: "+text+"\n")
				// Git's clean reads the index before it removes files. Where a commit comes between
				// the two, it removes a tracked file, and the next act commits that as a removal by hand.
				if withFile && name != "clean" {
					inHead = inHead && strings.Contains(files, text+".md")
				}
				// Git's reset, which stash does too, reads the branch before it moves it: a
				// commit between the two is gone from it.
				moves := name == "reset" || name == "stash"
				if !inHead && !moves || !strings.Contains(journal, text) {
					t.Errorf("%s was acknowledged: in HEAD %v, in the journal %v", text, inHead, strings.Contains(journal, text))
				}
			}
			for text := range refused {
				if strings.Contains(head, "key: "+text+"\n") {
					t.Errorf("%s was refused, and is in HEAD", text)
				}
				if !strings.Contains(journal, text) {
					t.Errorf("%s is not in the journal", text)
				}
			}
			for _, text := range waiting {
				if !strings.Contains(journal, text) {
					t.Errorf("%s waits, and is not in the journal", text)
				}
			}
			if len(saved) == 0 {
				t.Error("nothing was saved, so nothing was tried")
			}
			b.git("fsck", "--strict")
			t.Logf("%d saved, %d refused", len(saved), len(refused))
		})
	}
}

// TestAFolderThatIsTakenAwayIsMadeAgain: between its making and the file in it there is
// a moment.
func TestAFolderThatIsTakenAwayIsMadeAgain(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	var cleaner sync.WaitGroup
	begun, begin := make(chan struct{}), time.Now()
	cleaner.Go(func() {
		for first := true; first || time.Since(begin) < 300*time.Millisecond; first = false {
			_ = os.RemoveAll(filepath.Join(b.root, "memories"))
			if first {
				close(begun)
			}
		}
	})
	<-begun
	w := add("word.one", false)
	w.Files = func() ([]FileChange, error) {
		return []FileChange{{Path: "memories/notes/day/one.md", After: []byte("it stands\n")}}, nil
	}
	out, err := b.project().Update(t.Context(), w)
	cleaner.Wait()
	if err != nil || out.Commit == "" || b.git("show", "HEAD:memories/notes/day/one.md") != "it stands" {
		t.Errorf("%+v, %v", out, err)
	}
}
