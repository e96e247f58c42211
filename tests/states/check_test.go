package states

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// check is one act, and how all stood before and after it.
type check struct {
	*testing.T
	w             *world
	row           row
	act           act
	before, after snapshot
	answer        answer
}

// sound: git finds nothing wrong.
func (c check) sound() {
	c.Helper()
	if out, err := c.w.asLooker().try("fsck", "--strict", "--no-dangling", "--no-progress"); err != nil {
		c.Errorf("git fsck: %v\n%s", err, out)
	}
}

// untouched: what no act may change.
func (c check) untouched() {
	c.Helper()
	c.same("HEAD", c.before.branch, c.after.branch, strings.HasPrefix(c.before.branch, "ref: "))
	c.same("the refs", c.before.refs, c.after.refs, true)
	c.same("the status of other files", c.before.status, c.after.status, true)
	c.same("the index of other files", c.before.index, c.after.index, true)
	c.same("the index's form", c.before.forms, c.after.forms, c.before.forms != "")
	c.same("other files", c.before.files, c.after.files, true)
	before, after := c.before.state, c.after.state
	if strings.Contains(c.answer.stdout, `"merge-driver"`) {
		before, after = without(before, "config", "info/attributes"), without(after, "config", "info/attributes")
	}
	if message := readText(filepath.Join(c.after.gitDir, "COMMIT_EDITMSG")); strings.HasPrefix(message, "memory: ") {
		before, after = without(before, "COMMIT_EDITMSG"), without(after, "COMMIT_EDITMSG") // git made the commit
	}
	c.same("the git folder", before, after, true)
}

// without is the git folder's files but for those.
func without(state string, names ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(state, "\n"), func(line string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, " "+name+" ") })
	}), "\n")
}

func (c check) same(what, before, after string, matters bool) {
	c.Helper()
	if matters && before != after {
		c.Errorf("%s changed:\n%s", what, differ(before, after))
	}
}

// committed: one commit on top (two where an edit of the person's waited),
// with the memory file alone, by the person, in the reflog, in the index.
func (c check) committed() {
	c.Helper()
	o, err := c.answer.told()
	if err != nil || c.answer.status != 0 || o.Commit == nil || *o.Commit != c.after.head {
		c.Errorf("want a commit, which is HEAD (%s): %v", c.after.head, err)
		return
	}
	git := c.w.asLooker().git
	at, subjects := c.after.head, []string{}
	for range c.most() {
		commit := strings.Split(git("show", "--format=%P%n%an <%ae>|%cn <%ce>%n%s", "--name-only", at), "\n")
		parents, who, files := strings.Fields(commit[0]), commit[1], strings.TrimSpace(strings.Join(commit[3:], "\n"))
		subjects = append(subjects, commit[2])
		if len(parents) > 1 || len(parents) == 0 && c.before.head != "" {
			c.Fatalf("%s has the parents %q", at, parents)
		}
		if files != memory {
			c.Errorf("%s holds %q", at, files)
		}
		by := c.row.by
		if by == "" {
			by = "Ada Lovelace <ada@example.com>"
		}
		if who != by+"|"+by {
			c.Errorf("author and committer: %s", who)
		}
		at = ""
		if len(parents) == 1 {
			at = parents[0]
		}
		if at == c.before.head {
			break
		}
	}
	if at != c.before.head {
		c.Errorf("the new commits do not stand on %s", c.before.head)
	}
	if subject := subjects[0]; subject != c.act.subject {
		c.Errorf("the subject is %q, want %q", subject, c.act.subject)
	}
	c.logged()
	c.stored()
	c.holds()
}

// most is how many commits an act may make: one, and one before it of what the
// person left in the memory file.
func (c check) most() int {
	if c.before.dirty != "" {
		return 2
	}
	return 1
}

// logged: the reflog gained a line for each commit, and no other.
func (c check) logged() {
	c.Helper()
	if len(c.before.reflog) == 0 && c.before.head != "" {
		return // the person keeps none
	}
	n := len(c.after.reflog) - len(c.before.reflog)
	if n < 1 || n > c.most() || !slices.Equal(c.after.reflog[n:], c.before.reflog) {
		c.Errorf("the reflog: %q, was %q", c.after.reflog, c.before.reflog)
		return
	}
	line := c.after.reflog[0]
	if !strings.HasPrefix(line, c.after.head+" commit") || !strings.HasSuffix(line, ": "+c.act.subject) {
		c.Errorf("the reflog's line: %s", line)
	}
}

// stored: HEAD and index hold what git itself would make of the file.
func (c check) stored() {
	c.Helper()
	git := c.w.asLooker().git
	blob := git("hash-object", "--path="+memory, memory)
	if in := git("rev-parse", "HEAD:"+memory); in != blob {
		c.Errorf("HEAD holds the blob %s, git makes %s of the file", in, blob)
	}
	if !strings.Contains(c.after.entry, " "+blob+" 0\t") {
		c.Errorf("the index holds %q, want blob %s", c.after.entry, blob)
	}
	if c.after.dirty != "" {
		c.Errorf("the memory file is not clean: %s", c.after.dirty)
	}
}

// holds: the memory file says what the act promised, and kept the rest.
func (c check) holds() {
	c.Helper()
	text := c.w.read(memory)
	for _, part := range c.act.has {
		if !strings.Contains(text, part) {
			c.Errorf("%q is not in the file:\n%s", part, text)
		}
	}
	for _, part := range c.act.hasNot {
		if strings.Contains(text, part) {
			c.Errorf("%q is still in the file", part)
		}
	}
	mode := firstLine(c.before.memory)
	if mode != "" && mode != firstLine(c.after.memory) {
		c.Errorf("the file's mode was %s, is %s", mode, firstLine(c.after.memory))
	}
}

// deferred: written, and git knows nothing of it.
func (c check) deferred(expect want) {
	c.Helper()
	o, err := c.answer.told()
	if err != nil || c.answer.status != 0 || o.Commit != nil || o.Why != expect.why {
		c.Errorf("want no commit and why %q: %v", expect.why, err)
	}
	c.unmoved()
	c.holds()
}

// waits: an automatic write that cannot be committed leaves no trace outside
// the queue.
func (c check) waits(expect want) {
	c.Helper()
	o, err := c.answer.told()
	if err != nil || c.answer.status != 0 || o.Commit != nil || o.Why != expect.why || o.Verdict != "hold" {
		c.Errorf("want verdict hold and why %q: %v", expect.why, err)
	}
	c.unmoved()
	c.same("the memory file", c.before.memory, c.after.memory, true)
}

// refused: nothing happened, and the reason is said.
func (c check) refused(expect want) {
	c.Helper()
	if c.answer.status != expect.status || !strings.Contains(c.answer.stdout+c.answer.stderr, expect.why) {
		c.Errorf("want status %d and %q", expect.status, expect.why)
	}
	c.unmoved()
	c.same("the memory file", c.before.memory, c.after.memory, true)
}

// unmoved: no commit, and the memory file's own entry stands.
func (c check) unmoved() {
	c.Helper()
	c.same("the commit", c.before.head, c.after.head, true)
	c.same("the reflog", strings.Join(c.before.reflog, "\n"), strings.Join(c.after.reflog, "\n"), true)
	c.same("the memory file's entry in the index", c.before.entry, c.after.entry, true)
}
