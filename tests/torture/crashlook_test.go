package torture

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// outcome is how things stand in the end.
type outcome struct {
	files                            map[string]string
	names                            []string // of files in the git folders and the data folder
	head, status, log, waiting, last string
}

// look notes how things stand, and checks what must hold in any case.
func (c *crash) look(end *outcome) {
	c.t.Helper()
	dirs := c.dirs()
	end.files = c.memory()
	end.status += "\nthen\n" + c.status()
	end.last, _ = c.tryGit(c.repo, "show", "--format=%s", "--name-status", "HEAD")
	for _, dir := range dirs {
		// A sync that was killed is made again, so it may have one commit more, and its two histories another order.
		log, _ := c.tryGit(dir, "log", "--invert-grep", "--grep=^memory: sync$", "--format=%x00%s%n%(trailers:only)")
		commits := strings.Split(log, "\x00")
		if dir != c.repo {
			slices.Sort(commits)
		}
		log = strings.Join(commits, "")
		head, _ := c.tryGit(dir, "ls-tree", "-r", "HEAD", "--", "memories.md", "memories")
		end.log, end.head = end.log+log+"\n", end.head+head+"\n"
	}
	if remote := filepath.Join(c.home, "remote.git"); exists(remote) {
		sent, _ := c.tryGit(remote, "ls-tree", "-r", "main", "--", "memories.md", "memories")
		end.head += sent
		dirs = append(dirs, remote)
	}
	for _, at := range dirs {
		if out, err := c.tryGit(at, "fsck", "--strict", "--no-dangling"); err != nil || strings.Contains(out, "error") || strings.Contains(out, "bad") {
			c.t.Errorf("git fsck: %v\n%s", err, out)
		}
	}
	if c.act.waits {
		end.waiting = c.queued()
	}
	for i, dir := range c.dirs() {
		file := end.files[inDir(i, "memories.md")]
		if last, err := c.tryGit(dir, "show", "refs/memctl/journal:memories.md"); err == nil && last != strings.TrimSpace(file) {
			end.head += "\nthe journal's newest entry holds something else:\n" + lineDiff(file, last)
		}
	}
	if c.act.gone != "" {
		end.head += c.holding(c.act.gone)
	}
	end.names = c.names()
}

func (c *crash) dirs() []string {
	if c.act.dirs != nil {
		return c.act.dirs(c)
	}
	return []string{c.repo}
}

// inDir names a file of the act's first store, or of another one.
func inDir(i int, name string) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("store %d: %s", i+1, name)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// holding lists where a text still stands: in objects, and in files of the stores
// and the data folder.
func (c *crash) holding(text string) (found string) {
	c.t.Helper()
	for i, dir := range c.dirs() {
		if all, err := c.tryGit(dir, "cat-file", "--batch-all-objects", "--batch"); err != nil || strings.Contains(all, text) {
			found += fmt.Sprintf("%q stands in an object of store %d: %v\n", text, i+1, err)
		}
	}
	for _, dir := range append(c.dirs(), filepath.Join(c.home, "data")) {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), text) {
				found += fmt.Sprintf("%q stands in %s: %v\n", text, path, err)
			}
			return nil
		})
	}
	return found
}

// memory reads memory's files.
func (c *crash) memory() map[string]string {
	c.t.Helper()
	found := map[string]string{}
	for i, dir := range c.dirs() {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			rel, _ := filepath.Rel(dir, path)
			rel = filepath.ToSlash(rel)
			switch {
			case err != nil:
				return err
			case d.IsDir() && rel != "." && rel != "memories" && !strings.HasPrefix(rel, "memories/"):
				return filepath.SkipDir
			case !d.IsDir() && (rel == "memories.md" || strings.HasPrefix(rel, "memories/")):
				data, err := os.ReadFile(path)
				if err != nil {
					c.t.Error(err)
				}
				found[inDir(i, rel)] = string(data)
			}
			return nil
		})
	}
	return found
}

// ownIndex is the person's part of the index.
func (c *crash) ownIndex() string {
	out, err := c.tryGit(c.repo, "ls-files", "-s", "-v", "--", ":!memories.md", ":!memories")
	if err != nil {
		return err.Error() + out
	}
	return out
}

// anyID is the name of a private store or of a log in it, which is random.
var anyID = regexp.MustCompile("[0-9a-f]{32,}")

// names lists the files of the git folders, less the objects, and of the data
// folder.
func (c *crash) names() (list []string) {
	for _, top := range []string{filepath.Join(c.repo, ".git"), filepath.Join(c.home, "data")} {
		_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "objects" {
				return filepath.SkipDir
			}
			if rel, _ := filepath.Rel(c.home, path); !d.IsDir() {
				list = append(list, anyID.ReplaceAllString(rel, "ID"))
			}
			return nil
		})
	}
	return list
}

// same tells how two outcomes differ, "" where they do not.
func (o outcome) same(want outcome) string {
	var b strings.Builder
	differ := func(what, want, is string) {
		if want != is {
			fmt.Fprintf(&b, "  %s:\n%s", what, lineDiff(want, is))
		}
	}
	for _, name := range namesOf(o.files, want.files) {
		differ(name, want.files[name], o.files[name])
	}
	differ("status", want.status, o.status)
	differ("log", want.log, o.log)
	differ("HEAD", want.head, o.head)
	differ("waiting", want.waiting, o.waiting)
	differ("last commit", want.last, o.last)
	return b.String()
}

// lineDiff lists the lines that only one of two texts has.
func lineDiff(want, is string) string {
	out := diff.Diff("want", []byte(want+"\n"), "is", []byte(is+"\n"))
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if line[0] == '+' || line[0] == '-' {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}

func namesOf(lists ...map[string]string) []string {
	all := map[string]bool{}
	for _, m := range lists {
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
