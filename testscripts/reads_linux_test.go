package testscripts

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadsOfAStore counts how often one command opens the memory file of each store. A hook and recall read it
// once. So does add, which opens the file that it changes once more: right before it replaces that.
func TestReadsOfAStore(t *testing.T) {
	w := machine(t, prepare(t))
	w.command("", "memctl", "add", "-q", "-s", "private", "project.note", "mine")
	w.command("", "memctl", "recall", "make")
	// Git compares files that are as young as its index.
	must(t, os.Chtimes(w.file("memories.md"), time.Time{}, time.Now().Add(-time.Hour)))
	w.command("", "git", "add", "--refresh", ".")
	own, err := filepath.Glob(filepath.Join(w.home, "data", "memctl", "private", "*"))
	if err != nil || len(own) != 1 {
		t.Fatalf("private stores: %q, %v", own, err)
	}
	folders := map[string]string{"project": w.repo, "private": own[0], "user": filepath.Join(w.home, "data", "memctl", "user")}
	once := map[string]int{"project": 1, "private": 1, "user": 1}
	hook := []string{"memctl", "hook", "--agent", "claude"}
	tool := strings.Replace(eventText("Stop", w.repo), `"Stop"`, `"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"}`, 1)
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        map[string]int
	}{
		{"SessionStart", eventText("SessionStart", w.repo), hook, once},
		{"UserPromptSubmit", eventText("UserPromptSubmit", w.repo), hook, once},
		{"PreToolUse", tool, hook, once},
		{"recall", "", []string{"memctl", "recall", "make"}, once},
		{"add", "", []string{"memctl", "add", "project.test", "make test"}, map[string]int{"project": 3, "private": 1, "user": 1}},
	} {
		count := watchOpens(t, folders, "memories.md")
		w.command(c.stdin, c.args...)
		if got := count(); !maps.Equal(got, c.want) {
			t.Errorf("%s opens memories.md %v times, want %v", c.name, got, c.want)
		}
	}
}

// TestRememberReadsFewFacts counts how many files of facts remember opens right after an import, when all of them are
// as young as git's index. It finds the fact that is nearly the same.
func TestRememberReadsFewFacts(t *testing.T) {
	w := machine(t, prepare(t))
	var facts strings.Builder
	for i := range 300 {
		fmt.Fprintf(&facts, `{"text":"[architecture] the %s worker writes its letters to the table number %d"}`+"\n", strings.Repeat("x", i%17+1), i)
	}
	w.command(facts.String(), "memctl", "import", "--format", "jsonl", "--yes", "-")
	w.command("", "memctl", "remember", "the ferry to the island leaves the harbour at nine")
	folder := w.file(filepath.Join("memories", "entries", "project", "facts"))
	if files, err := os.ReadDir(folder); err != nil || len(files) < 300 {
		t.Fatalf("%d facts, %v", len(files), err)
	}
	count := watchOpens(t, map[string]string{"facts": folder}, ".md")
	c := exec.Command("memctl", "remember", "the ferry to the island leaves the harbour at ten")
	c.Dir, c.Env = w.repo, w.environ()
	out, err := c.CombinedOutput()
	if n := count()["facts"]; err != nil || n == 0 || n > 20 || !strings.Contains(string(out), "leaves the harbour at nine") {
		t.Errorf("remember opens %d files of 301, %v\n%s", n, err, out)
	}
}

// command runs a command of the person.
func (w *world) command(stdin string, args ...string) {
	w.t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env, c.Stdin = w.repo, w.environ(), strings.NewReader(stdin)
	if out, err := c.CombinedOutput(); err != nil {
		w.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// watchOpens counts from now on how often somebody opens a file of each folder, by the end of its name.
func watchOpens(t *testing.T, folders map[string]string, end string) (count func() map[string]int) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	must(t, err)
	f := os.NewFile(uintptr(fd), "inotify")
	names := map[int32]string{}
	for name, folder := range folders {
		// With the events of closing, no two of opening are one.
		id, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_OPEN|syscall.IN_CLOSE)
		must(t, err)
		names[int32(id)] = name
	}
	return func() map[string]int {
		defer f.Close()
		must(t, f.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
		var events []byte
		for err := error(nil); err == nil; { // each read has room for whole events
			var n int
			some := make([]byte, 64<<10)
			if n, err = f.Read(some); err != nil && !os.IsTimeout(err) {
				t.Fatal(err)
			}
			events = append(events, some[:max(n, 0)]...)
		}
		opens := map[string]int{}
		for len(events) >= syscall.SizeofInotifyEvent {
			number := func(at int) uint32 { return binary.NativeEndian.Uint32(events[at:]) }
			id, mask, next := int32(number(0)), number(4), syscall.SizeofInotifyEvent+int(number(12))
			file := string(bytes.TrimRight(events[syscall.SizeofInotifyEvent:next], "\x00"))
			if mask&syscall.IN_OPEN != 0 && strings.HasSuffix(file, end) {
				opens[names[id]]++
			}
			events = events[next:]
		}
		return opens
	}
}
