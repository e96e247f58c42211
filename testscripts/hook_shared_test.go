//go:build unix

package testscripts

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestHooksNeverAskTheSharedIndex sets a server of the shared index that counts connections. Every event, in every mode, has
// to leave it alone, and a session gets the skills of the local copy; recall shows that it counts, and says once that nothing answered.
func TestHooksNeverAskTheSharedIndex(t *testing.T) {
	w := machine(t, prepare(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	var connections atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	f, err := os.OpenFile(filepath.Join(w.home, ".gitconfig"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("[memctl \"pg\"]\n\turl = postgres://ada:secretword@" + l.Addr().String() + "/memory\n\ttrust = github.com/acme/skills\n[memctl \"recall\"]\n\tengine = postgres\n")
	must(t, err)
	must(t, f.Close())
	copied := filepath.Join(w.home, "data/memctl/shared")
	must(t, os.MkdirAll(filepath.Join(copied, "aa/release"), 0o700))
	must(t, os.WriteFile(filepath.Join(copied, "aa/release/SKILL.md"), []byte("---\nname: release\ndescription: Make a release.\n---\n\nSteps.\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(copied, "copy.json"), []byte(`{"server":"ada@`+l.Addr().String()+`/memory","skills":[{"name":"release","scope":"project",
		"repository":"github.com/acme/skills","remote":"github.com/acme/skills","visibility":"public","versions":[{"hash":"00","folder":"aa"}]}]}`), 0o600))
	offered := false
	w.do("memctl", "remember", "-q", "the project builds with make")
	for _, mode := range []string{"index", "full"} {
		w.env["MEMCTL_MODE"] = mode
		for event := range hookEvents {
			o := w.run(event)
			if o.status != 0 {
				t.Errorf("%s: status %d", event, o.status)
			}
			offered = offered || strings.Contains(o.stdout, "Make a release.")
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("hooks opened %d connections", n)
	}
	if !offered {
		t.Error("no hook offers the skill of the local copy")
	}
	w.memctl("", "recall", "make")
	for deadline := time.Now().Add(10 * time.Second); connections.Load() == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if connections.Load() == 0 {
		t.Error("recall opened no connection: the test cannot see one")
	}
}
