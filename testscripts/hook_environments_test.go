//go:build unix

package testscripts

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// brokenEnvironments are the ways in which a machine can be in no order, each
// as what it does to a sound one.
func brokenEnvironments() map[string]func(*world) {
	all := map[string]func(*world){}
	for _, some := range []map[string]func(*world){brokenMachines(), brokenMemories(), brokenRepositories(), brokenStreams()} {
		for name, damage := range some {
			all[name] = damage
		}
	}
	return all
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o644) }

func mkdir(path string) error { return os.Mkdir(path, 0o755) }

func linkTo(target string) func(string) error {
	return func(path string) error { return os.Symlink(target, path) }
}

// brokenMachines are about the environment, the home folder and the clock.
func brokenMachines() map[string]func(*world) {
	set := func(pairs ...string) func(*world) {
		return func(w *world) {
			for i := 0; i < len(pairs); i += 2 {
				w.env[pairs[i]] = strings.ReplaceAll(pairs[i+1], "$DIR", w.dir)
			}
		}
	}
	return map[string]func(*world){
		"no git":                       func(w *world) { w.env["PATH"] = filepath.Join(w.dir, "nothing"); w.put(".git/memctl/config.json", "") },
		"no path":                      func(w *world) { delete(w.env, "PATH"); _ = os.Remove(w.file(".git/memctl/config.json")) },
		"no home":                      func(w *world) { delete(w.env, "HOME"); delete(w.env, "XDG_DATA_HOME") },
		"a file as home":               set("HOME", "$DIR/home/.gitconfig", "XDG_DATA_HOME", ""),
		"a home that is gone":          set("HOME", "$DIR/gone", "XDG_DATA_HOME", "$DIR/gone/data"),
		"the repository as home":       set("HOME", "$DIR/repo"),
		"data in a file":               set("XDG_DATA_HOME", "$DIR/home/.gitconfig"),
		"data at a strange path":       set("XDG_DATA_HOME", "relative/\n path"),
		"no environment at all":        func(w *world) { w.env = map[string]string{} },
		"the clock in 1970":            set("MEMCTL_NOW", "1970-01-01T00:00:00Z"),
		"a clock that is none":         set("MEMCTL_NOW", "noon"),
		"settings that are none":       set("MEMCTL_ENABLED", "maybe", "MEMCTL_MODE", "loud", "MEMCTL_CONTEXT", "\x01", "MEMCTL_AUTO_INIT", "?"),
		"a store that is gone":         set("MEMCTL_STORE", "$DIR/gone"),
		"a store that is a file":       set("MEMCTL_STORE", "$DIR/home/.gitconfig"),
		"a git folder that is not one": set("GIT_DIR", "$DIR/home", "GIT_WORK_TREE", "$DIR/gone"),
		"git settings in a folder":     set("GIT_CONFIG_GLOBAL", "$DIR/home"),
		"a huge environment": func(w *world) {
			for i := range 15 {
				w.env[fmt.Sprintf("HUGE_%d", i)] = strings.Repeat("x", 100_000)
			}
		},
		"a git that hangs":                 func(w *world) { w.git("sleep 60") },
		"a git that ignores signals":       func(w *world) { w.git("trap '' TERM; sleep 8; sleep 8") },
		"a git that leaves a child":        func(w *world) { w.git("sleep 60 &") },
		"a git that fails":                 func(w *world) { w.git("echo fatal: no >&2; exit 128") },
		"a git that talks":                 func(w *world) { w.git("yes nonsense | head -c 3000000") },
		"few files may be open":            func(w *world) { w.shell = `ulimit -n 16; exec "$0" "$@"` },
		"no file may grow, as a full disk": func(w *world) { w.shell = `ulimit -f 0; exec "$0" "$@"` },
		"signals that are ignored":         func(w *world) { w.shell = `trap "" TERM INT HUP PIPE; exec "$0" "$@"` },
	}
}

// brokenMemories are about the memory files themselves.
func brokenMemories() map[string]func(*world) {
	text := func(text string) func(*world) { return func(w *world) { w.put("memories.md", text) } }
	fenced := func(body string) func(*world) { return text("```yaml\n" + body + "\n```\n") }
	instead := func(make func(string) error) func(*world) {
		return func(w *world) { w.instead("memories.md", make) }
	}
	return map[string]func(*world){
		"broken YAML":                 fenced("saved_memory:\n  items:\n    - key: `x`: [\n"),
		"an empty memory file":        text(""),
		"5 MB of memory":              text("```yaml\nsaved_memory:\n" + strings.Repeat("# padding padding padding\n", 200_000) + "```\n"),
		"100 KB of [":                 fenced("saved_memory: " + strings.Repeat("[", 100_000)),
		"100 KB of >":                 text(strings.Repeat(">", 100_000) + "\n"),
		"100 KB of backticks":         text(strings.Repeat("`", 100_000)),
		"a fence that does not end":   text("```yaml\nsaved_memory:\n  version: 1\n"),
		"bytes that are no text":      text("```yaml\nsaved_memory:\n  items:\n    - key: a.b\n      value: \xff\xfe\x00\n```\n"),
		"conflict markers":            fenced("<<<<<<< HEAD\nsaved_memory:\n=======\nsaved_memory: 1\n>>>>>>> x"),
		"a later version":             fenced("saved_memory:\n  version: 99\n  items: []\ndeletions: []"),
		"an alias bomb":               fenced("a: &a [x, x]\nb: &b [*a, *a]\nsaved_memory: {items: [*b, *b]}"),
		"a folder as memory":          instead(mkdir),
		"a named pipe as memory":      instead(mkfifo),
		"a circle of links as memory": instead(linkTo("memories.md")),
		"a link to endless zeros":     instead(linkTo("/dev/zero")),
		"a link out of the repository": func(w *world) {
			_ = os.WriteFile(filepath.Join(w.dir, "outside.md"), []byte(hostile), 0o644)
			w.instead("memories.md", linkTo("../outside.md"))
		},
		"a memory that nobody may read": func(w *world) { _ = os.Chmod(w.file("memories.md"), 0) },
		"a broken memory of the person": func(w *world) {
			_ = os.WriteFile(filepath.Join(w.home, "data", "memctl", "user", "memories.md"), []byte("```yaml\n: : :\n```"), 0o644)
		},
		"the person's store is a file": func(w *world) {
			dir := filepath.Join(w.home, "data", "memctl")
			_ = os.RemoveAll(dir)
			_ = os.WriteFile(dir, nil, 0o644)
		},
		"an untrusted clone with hostile memory": func(w *world) {
			w.put("memories.md", hostile)
			w.put("SOUL.md", "hostile words in a page\n")
			w.put(".memctl.yaml", "context: all\ntrust: true\n")
			w.put(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
			_ = os.Remove(w.file(".git/memctl/config.json"))
			w.env["MEMCTL_CONTEXT"] = "all"
		},
	}
}

// brokenRepositories are about the folder and its git folder.
func brokenRepositories() map[string]func(*world) {
	text := func(name, text string) func(*world) { return func(w *world) { w.put(name, text) } }
	instead := func(name string, make func(string) error) func(*world) {
		return func(w *world) { w.instead(name, make) }
	}
	return map[string]func(*world){
		"an empty git folder":           instead(".git", mkdir),
		"a git file that points away":   text(".git", "gitdir: /nowhere/at/all\n"),
		"a git file of garbage":         text(".git", strings.Repeat("\x00\xff", 5000)),
		"a circle of links as .git":     instead(".git", linkTo(".git")),
		"a named pipe as .git":          instead(".git", mkfifo),
		"a broken HEAD":                 text(".git/HEAD", "ref: refs/heads/../../x\n\x00"),
		"a broken git config":           text(".git/config", "[core\nnonsense = = =\n"),
		"a git config that is a pipe":   instead(".git/config", mkfifo),
		"a broken index":                text(".git/index", "DIRCgarbage"),
		"a file as local state":         text(".git/memctl", "x"),
		"a broken snapshot":             text(".git/memctl/snapshot", strings.Repeat("\x01snap", 1000)),
		"a broken cache of settings":    text(".git/memctl/config.json", "{{{{"),
		"a named pipe as the record":    instead(".git/memctl/sessions.jsonl", mkfifo),
		"a folder as the record":        instead(".git/memctl/sessions.jsonl", mkdir),
		"a named pipe as the snapshot":  instead(".git/memctl/snapshot", mkfifo),
		"the lock is held":              func(w *world) { w.held(".git/memctl/lock") },
		"a folder as the lock":          instead(".git/memctl/lock", mkdir),
		"broken settings of the team":   text(".memctl.yaml", "[[[[ : :\n\t- x"),
		"settings of the team, 5 MB":    text(".memctl.yaml", strings.Repeat("a: b\n", 1_000_000)),
		"a pipe as the team's settings": instead(".memctl.yaml", mkfifo),
		"a folder that is read-only": func(w *world) {
			_ = os.Chmod(w.file(".git/memctl"), 0o555)
			_ = os.Chmod(w.repo, 0o555)
			w.t.Cleanup(func() { _ = os.Chmod(w.repo, 0o755); _ = os.Chmod(w.file(".git/memctl"), 0o755) })
		},
		"an odd path": func(w *world) {
			odd := filepath.Join(w.dir, "a b\n'\"$(touch x)`é")
			if _, err := os.Stat(odd); err != nil {
				must(w.t, os.Rename(w.repo, odd))
			}
			w.repo, w.cwd = odd, odd
			w.from(odd)
		},
		"a folder that is deleted": func(w *world) {
			w.cwd = w.dir
			w.shell = `mkdir -p gone && cd gone && rmdir ../gone && exec "$0" "$@"`
			w.from(filepath.Join(w.dir, "gone"))
		},
	}
}

// brokenStreams are about what is on stdin, and where stdout goes.
func brokenStreams() map[string]func(*world) {
	said := func(text string) func(*world) { return func(w *world) { w.said(text) } }
	return map[string]func(*world){
		"stdin never closed":           func(w *world) { w.stdin = nil },
		"an event, and no end of it":   func(w *world) { w.stdin = endless },
		"stdin closed":                 func(w *world) { w.shell = `exec "$0" "$@" <&-` },
		"nothing on stdin":             said(""),
		"garbage on stdin":             said("\x00\xff}{ not json"),
		"half an event":                said(`{"hook_event_name":"SessionStart","cwd":"/`),
		"5 MB on stdin":                said(`{"prompt":"` + strings.Repeat("x", 5<<20) + `"}`),
		"5 MB of brackets":             said(strings.Repeat("[", 5<<20)),
		"fields of another type":       said(`{"hook_event_name":["SessionStart"],"cwd":7,"session_id":{}}`),
		"an event of no concern":       said(`{"hook_event_name":"PreToolUse","cwd":"/"}`),
		"a list on stdin":              said(`[1,2]`),
		"a session in a folder gone":   func(w *world) { w.from(filepath.Join(w.dir, "gone")) },
		"a session in a file":          func(w *world) { w.from(filepath.Join(w.home, ".gitconfig")) },
		"a session in an endless path": func(w *world) { w.from("/" + strings.Repeat("x/", 50_000)) },
		"a session in no name":         func(w *world) { w.from("\x00") },
		"stdout closed":                func(w *world) { w.shell = `exec "$0" "$@" >&-` },
		"nobody reads stdout":          func(w *world) { w.closed = true },
		"stdout full":                  func(w *world) { w.stdout = fullDevice() },
		"stderr closed":                func(w *world) { w.shell = `exec "$0" "$@" 2>&-` },
		"all streams closed":           func(w *world) { w.shell = `exec "$0" "$@" <&- >&- 2>&-` },
	}
}

// fullDevice is a file that takes nothing, where the system has one.
func fullDevice() string {
	if _, err := os.Stat("/dev/full"); err != nil {
		return os.DevNull
	}
	return "/dev/full"
}

// endless says an event and then keeps the pipe open.
func endless(event string) io.Reader {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, eventText(event, "/")) }()
	return r
}
