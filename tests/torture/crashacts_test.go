package torture

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// facts is an import of several files.
const facts = `{"text":"[gotcha] the tests need a running Docker daemon"}
{"text":"[decision] retries live in the client and nowhere else"}
{"text":"[pattern] handlers return errors and never log them"}
{"text":"[architecture] the queue is drained by one worker a shard"}
`

var (
	privateAdd  = []string{"add", "writing.tone", "concise", "--scope", "private"}
	purged      = []string{"purge", "some.key", "--scope", "private", "--yes"}
	privateNext = [][]string{{"add", "next.key", "what comes after", "--scope", "private"}, {"add", "next.key", "what comes after", "--scope", "project"}}
)

// privateDir is the repository's private store, if it has been made.
func privateDir(c *crash) []string {
	dirs, _ := filepath.Glob(filepath.Join(c.home, "data", "memctl", "private", "*"))
	return append(dirs, filepath.Join(c.home, "data"))[:1]
}

// crashList are the acts that are struck.
func crashList() []crashAct {
	return []crashAct{
		{name: "add", args: []string{"add", "writing.tone", "concise, no filler"}},
		{name: "add during a merge", args: []string{"add", "writing.tone", "concise, no filler"}, prepare: beginMerge, finish: endMerge},
		{name: "forget", args: []string{"forget", "first.key"}, prepare: func(c *crash) {
			c.must(c.repo, "add", "other.key", "what is forgotten before")
			c.must(c.repo, "forget", "other.key") // so that the store has its salt, which is random
		}},
		{name: "undo", args: []string{"undo"}},
		{name: "remember", args: []string{"remember", "[gotcha] the tests need a running Docker daemon"}},
		{name: "forget a fact", args: []string{"forget", "the tests need a running Docker daemon"}, prepare: func(c *crash) {
			c.must(c.repo, "remember", "[gotcha] the tests need a running Docker daemon")
			c.must(c.repo, "remember", "[gotcha] port 8080 is taken")
			c.must(c.repo, "forget", "port 8080 is taken") // for the salt
		}},
		{name: "recover", args: []string{"recover"}, prepare: damage, again: true},
		{name: "import", args: []string{"import", "-", "--format", "jsonl"}, stdin: facts},
		{name: "edit by hand", args: []string{"add", "writing.tone", "concise, no filler"}, prepare: editByHand, joins: true},
		{name: "queue", args: []string{"add", "writing.tone", "always be concise, no filler", "--auto"}, prepare: beginMerge, finish: endMerge, waits: true},
		{name: "sync", args: []string{"sync", "--scope", "user"}, prepare: twoMachines, again: true, next: [][]string{
			{"sync", "--scope", "user"}, {"add", "next.key", "what comes after", "--scope", "user"}, {"add", "next.key", "what comes after", "--scope", "project"},
		}, dirs: func(c *crash) []string { return []string{filepath.Join(c.home, "data", "memctl", "user")} }},
		{name: "journal cut", args: []string{"add", "writing.tone", "concise, no filler"}, prepare: longJournal, stride: 97},
		{name: "private store", args: privateAdd, prepare: func(c *crash) { c.must(c.repo, "add", "first.key", "before", "--scope", "private") }, next: privateNext, dirs: privateDir},
		{name: "undo of a forgotten fact", args: []string{"undo"}, prepare: func(c *crash) {
			c.must(c.repo, "remember", "[gotcha] the tests need a running Docker daemon")
			c.must(c.repo, "forget", "the tests need a running Docker daemon")
		}},
		{name: "restore", args: []string{"restore", "gone.key", "--from", "journal"}, prepare: func(c *crash) {
			c.must(c.repo, "add", "gone.key", "what a reset took away")
			c.git(c.repo, "reset", "-q", "--hard", "HEAD~1")
		}},
		{name: "compact", args: []string{"compact", "--yes"}, prepare: alike},
		{name: "resolve", args: []string{"resolve"}, prepare: conflict, again: true, next: [][]string{
			{"resolve"}, {"add", "next.key", "what comes after"},
		}, finish: func(c *crash) {
			c.git(c.repo, "add", "memories.md")
			endMerge(c)
		}},
		{name: "move", args: []string{"move", "our.key", "--to", "project"}, again: true, prepare: func(c *crash) {
			c.must(c.repo, "add", "our.key", "what we know", "--scope", "private")
			c.must(c.repo, "add", "first.key", "before", "--scope", "private")
		}, next: append([][]string{{"move", "our.key", "--to", "project"}}, privateNext...), dirs: bothDirs},
		{name: "purge", args: purged, again: true, prepare: func(c *crash) {
			c.must(c.repo, "add", "first.key", "before", "--scope", "private")
			c.must(c.repo, "add", "some.key", "what nobody shall know", "--scope", "private")
			c.must(c.repo, "add", "other.key", "what stays", "--scope", "private")
		}, next: append([][]string{purged}, privateNext...), dirs: privateDir, gone: "what nobody shall know", already: "it was purged before"},
		{name: "first private write", args: privateAdd, next: privateNext, dirs: privateDir},
	}
}

// bothDirs are the repository and its private store.
func bothDirs(c *crash) []string { return append([]string{c.repo}, privateDir(c)...) }

// alike commits facts that say the same.
func alike(c *crash) {
	c.t.Helper()
	dir := filepath.Join(c.repo, "memories", "entries", "project", "facts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		c.t.Fatal(err)
	}
	for id, text := range map[string]string{
		"a": "The API uses cursor pagination", "b": "The API uses cursor based pagination", "c": "The API uses cursor pagination",
	} {
		src := "---\nid: \"" + id + "\"\nrole: memory\nconversation_id: \"project\"\ncreated_at: \"2026-01-01T00:00:00.000Z\"\n---\n\n" + text + "\n"
		c.write(filepath.Join("memories", "entries", "project", "facts", id+".md"), src)
	}
	c.git(c.repo, "add", "memories")
	c.git(c.repo, "commit", "-q", "-m", "facts", "--", "memories")
}

// conflict leaves a merge with markers in the memory file, as a machine without
// memctl makes them.
func conflict(c *crash) {
	c.t.Helper()
	c.git(c.repo, "branch", "side")
	c.must(c.repo, "add", "our.key", "what we know")
	c.git(c.repo, "switch", "-q", "side")
	c.must(c.repo, "add", "their.key", "what they know")
	c.git(c.repo, "switch", "-q", "main")
	if out, err := c.tryGit(c.repo, "-c", "merge.memctl.driver=git merge-file %A %O %B", "merge", "-q", "side"); err == nil {
		c.t.Fatalf("no conflict: %s", out)
	}
}

// beginMerge leaves a merge in progress that only has to be committed.
func beginMerge(c *crash) {
	c.git(c.repo, "switch", "-q", "-c", "side")
	c.write("side.txt", "from the side\n")
	c.git(c.repo, "add", "side.txt")
	c.git(c.repo, "commit", "-q", "-m", "side")
	c.git(c.repo, "switch", "-q", "main")
	c.write("main.txt", "from main\n")
	c.git(c.repo, "add", "main.txt")
	c.git(c.repo, "commit", "-q", "-m", "on main")
	c.git(c.repo, "merge", "-q", "--no-commit", "--no-ff", "side")
}

// endMerge commits it, and lets the next act commit what waited.
func endMerge(c *crash) {
	c.t.Helper()
	if out, err := c.tryGit(c.repo, "commit", "-q", "--no-edit"); err != nil {
		c.t.Errorf("the merge cannot be ended: %s", out)
	}
	c.must(c.repo, "add", "last.key", "what comes last")
}

// damage commits a memory file that is none any more.
func damage(c *crash) {
	path := filepath.Join(c.repo, "memories.md")
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("memories.md", strings.Replace(string(data), "items:", "items: [", 1))
	c.git(c.repo, "commit", "-q", "-m", "a slip", "memories.md")
}

// editByHand leaves an edit of the person's in the memory file.
func editByHand(c *crash) {
	data, err := os.ReadFile(filepath.Join(c.repo, "memories.md"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.write("memories.md", strings.Replace(string(data), "what stood there before", "what the person wrote", 1))
}

// twoMachines gives the user store a remote with another machine's memory, and
// something of its own that is not there yet.
func twoMachines(c *crash) {
	other := &machine{t: c.t, home: filepath.Join(c.home, "other"), now: c.now}
	config, err := os.ReadFile(filepath.Join(c.home, ".gitconfig"))
	if err == nil {
		err = os.MkdirAll(other.home, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(other.home, ".gitconfig"), config, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	remote := filepath.Join(c.home, "remote.git")
	c.git(c.home, "init", "-q", "--bare", "--template=", remote)
	c.must(c.repo, "add", "shared.key", "what both know", "--scope", "user")
	c.must(c.repo, "sync", "--scope", "user", "--remote", remote)
	for _, args := range [][]string{
		{"sync", "--scope", "user", "--remote", remote}, {"add", "their.key", "what they know", "--scope", "user"},
		{"sync", "--scope", "user"},
	} {
		if a := other.memctl(other.home, args...); a.status != 0 {
			c.t.Fatalf("%q: %s%s", args, a.out, a.talked)
		}
	}
	c.must(c.repo, "add", "our.key", "what we know", "--scope", "user")
}

// longJournal makes the journal so long that the next write cuts it.
func longJournal(c *crash) {
	blob := c.git(c.repo, "rev-parse", "HEAD:memories.md")
	var b strings.Builder
	for n := 3; n < 2000; n++ {
		message := fmt.Sprintf("memory: add first.key\n\nMemory-Act: add\nJournal-Branch: refs/heads/main\nJournal-Entry: %d\n", n)
		fmt.Fprintf(&b, "commit refs/memctl/journal\ncommitter Ada <ada@example.com> 1795251600 +0000\ndata %d\n%s\n", len(message), message)
		if n == 3 {
			b.WriteString("from refs/memctl/journal^0\n")
		}
		fmt.Fprintf(&b, "M 100644 %s memories.md\n\n", blob)
	}
	cmd := exec.Command("git", "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = c.repo, c.env(), strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
}

// queued lists what waits in the queue.
func (c *crash) queued() string {
	data, err := os.ReadFile(filepath.Join(c.repo, ".git", "memctl", "queue.json"))
	if err != nil {
		return ""
	}
	var list []struct{ Act, Key, Why, YAML string }
	if err := json.Unmarshal(data, &list); err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.Act + " " + w.Key + " " + w.YAML + "\n")
	}
	return b.String()
}
