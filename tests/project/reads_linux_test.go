package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEachStoreIsReadOnce counts how often a command opens the memory file of each store. A write of the project's store
// opens it more often: before and under the lock, to compare it once more before it replaces it, and for git.
func TestEachStoreIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	env := append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "GIT_CONFIG_NOSYSTEM=1")
	run := func(line string) {
		t.Helper()
		words := strings.Fields(line)
		if words[0] == "memctl" {
			words[0] = filepath.Join(programs, "memctl")
		}
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = repo, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"git init -q", "git config --global user.name Ada", "git config --global user.email ada@example.com", "memctl init -q",
		"memctl add -q build.tool make", "memctl add -q style.tone short --scope private", "memctl add -q user.language French", "memctl remember -q doors-stick-in-winter",
		"memctl recall doors",
	} {
		run(line)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "memctl", "private", "*", "memories.md"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	files = append(files, filepath.Join(dir, "data", "memctl", "user", "memories.md"), filepath.Join(repo, "memories.md"))
	for line, most := range map[string]int{ // of the project's; of the others once
		"memctl recall doors": 1, "memctl profile": 1, "memctl show": 1, "memctl list": 1,
		"memctl hook --agent claude --event UserPromptSubmit": 1,
		"memctl hook --agent claude --event Stop":             0, // it needs no memory
		"memctl hook --agent claude --event SessionStart":     1,
		"memctl add test.runner gotestsum":                    8,
	} {
		t.Run(line, func(t *testing.T) {
			for i, n := range opened(t, files, func() { run(line) }) {
				limit := min(1, most)
				if files[i] == filepath.Join(repo, "memories.md") {
					limit = most
				}
				if n == 0 && most > 0 || n > limit {
					t.Errorf("%s is opened %d times, want 1 to %d", files[i], n, limit)
				}
			}
		})
	}
}

// opened is how often each of the files is opened while act runs.
func opened(t *testing.T, files []string, act func()) []int {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	at := map[int32]int{}
	for i, name := range files {
		watch, err := unix.InotifyAddWatch(fd, filepath.Dir(name), unix.IN_OPEN)
		if err != nil {
			t.Fatal(err)
		}
		at[int32(watch)] = i
	}
	act()
	counts := make([]int, len(files))
	buf := make([]byte, 1<<20)
	n, err := unix.Read(fd, buf)
	if err != nil {
		t.Fatal(err)
	}
	for buf = buf[:n]; len(buf) >= unix.SizeofInotifyEvent; {
		watch := int32(buf[0]) | int32(buf[1])<<8 | int32(buf[2])<<16 | int32(buf[3])<<24
		size := int(buf[12]) | int(buf[13])<<8
		name := strings.TrimRight(string(buf[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size]), "\x00")
		if name == "memories.md" {
			counts[at[watch]]++
		}
		buf = buf[unix.SizeofInotifyEvent+size:]
	}
	return counts
}
