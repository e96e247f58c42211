package torture

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// look asks of all that was told and not taken back where it is, of what
// stands in HEAD's history whether it stands in the file, and of what was
// forgotten there whether it stayed so.
func (w *walk) look() {
	for _, s := range w.told {
		if s.free {
			continue
		}
		w.checked["found again"]++
		if !w.found(s.token) {
			w.fault("%s (%s, commit %q) is gone: neither in a worktree, nor in git, nor in the journal, the queue or a store", s.token, s.key, s.commit)
			s.free = true
		}
	}
	memory, err := os.ReadFile(filepath.Join(w.cur, "memories.md"))
	if err != nil || bytes.Contains(memory, []byte("<<<<<<<")) {
		return
	}
	for _, s := range w.told {
		if s.free || s.commit == "" || !w.follows(s.commit) {
			continue
		}
		w.checked["in the file of its history"]++
		if !holds(w.cur, s.token, ".git") {
			w.fault("%s (%s): HEAD follows its commit %s, and its files do not hold it", s.token, s.key, s.commit)
			s.free = true
		}
	}
	w.lookForForgotten()
}

// remembered are the lines that show a value, with its confidence.
var remembered = regexp.MustCompile(`\((high|medium|low)\b`)

func (w *walk) lookForForgotten() {
	var profile string
	var shown []string
	for _, s := range w.forgot {
		if s.free || s.commit == "" || !w.follows(s.commit) {
			continue
		}
		if w.checked["stays forgotten"]++; profile == "" {
			profile = w.memctl(w.cur, "profile", "--max-tokens", "100000").out
			shown = slices.DeleteFunc(strings.Split(w.memctl(w.cur, "show").out+w.memctl(w.cur, "list", "--tier", "fact").out, "\n"), func(line string) bool {
				return !remembered.MatchString(line) || strings.Contains(line, "set aside")
			})
		}
		isIn := func(line string) bool { return strings.Contains(line, s.token) }
		if isIn(profile) || slices.ContainsFunc(shown, isIn) {
			w.fault("%s (%s) was forgotten in %s, which HEAD follows, and is back", s.token, s.key, s.commit)
			s.free = true
		}
	}
}

// lookBeside looks for what was acknowledged to the writers beside.
func (w *walk) lookBeside() {
	for _, token := range w.acks {
		w.checked["found again"]++
		if !w.found(token) {
			w.fault("%s was acknowledged beside the walk, and is gone", token)
		}
	}
}

// found looks for a word in the worktrees, in what memctl keeps in git's
// folder, in the stores outside, and in the history of every ref.
func (w *walk) found(token string) bool {
	for _, dir := range w.worktrees {
		if holds(dir, token, ".git") {
			return true
		}
	}
	for _, dir := range []string{".git/memctl", ".git/worktrees"} {
		if holds(filepath.Join(w.repo, dir), token, "") {
			return true
		}
	}
	if holds(filepath.Join(w.home, "data"), token, ".git") {
		return true
	}
	out, _ := w.tryGit(w.repo, "log", "--all", "-m", "--format=%H", "-S", token, "-1")
	return out != ""
}

// holds reports whether a file below the folder holds the word; the folder
// skipped is not looked into.
func holds(dir, token, skipped string) bool {
	has := false
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it went away while we walk, or was never there
		case d.IsDir() && d.Name() == skipped:
			return fs.SkipDir
		case d.Type().IsRegular():
			if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(token)) {
				has = true
				return fs.SkipAll
			}
		}
		return nil
	})
	return has
}
