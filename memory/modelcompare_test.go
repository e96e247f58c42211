package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

func compareAnswers(w *world, o op, expected []expect, answers []memory.Write, err error) error {
	var e *fault.Error
	if errors.As(err, &e) && len(expected) == 1 && expected[0].err == e.Code {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the act failed: %w", err)
	}
	if len(answers) != len(expected) {
		return fmt.Errorf("%d answers, expected %+v", len(answers), expected)
	}
	for i, a := range answers {
		x := expected[i]
		rule := ""
		if len(a.Findings) > 0 && a.Verdict != "accept" {
			rule = a.Findings[0].Rule
		}
		if o.act == "undo" && rule == "locked" && x.rule == "explicit-only" {
			rule = x.rule // both are true
		}
		if a.Verdict != x.verdict || rule != x.rule || a.Changed != x.changed {
			return fmt.Errorf("answer %d: %s %q changed %t (%+v), expected %+v", i, a.Verdict, rule, a.Changed, a.Findings, x)
		}
		if a.Verdict == "accept" && a.Why != w.why(o, x.changed) {
			return fmt.Errorf("answer %d: why %q, expected %q", i, a.Why, w.why(o, x.changed))
		}
		if o.act == "add" && (a.Saved != "") != x.saved || strings.Contains(a.Saved, "\n") {
			return fmt.Errorf("answer %d: announced as %q", i, a.Saved)
		}
		if committed := w.git != nil && x.changed && !o.dry; committed != (a.Commit != nil) {
			return fmt.Errorf("answer %d: commit %v", i, a.Commit)
		}
	}
	return nil
}

func (w *world) why(o op, changed bool) string {
	switch {
	case !changed:
		return txn.WhyUnchanged
	case o.dry:
		return txn.WhyDryRun
	case w.git == nil:
		return txn.WhyNoRepository
	}
	return ""
}

// compareFile holds the file against the model's document.
func (w *world) compareFile(src []byte) error {
	f, problems := memfile.Parse(memfile.FileName, src)
	if f == nil || len(problems) > 0 {
		return fmt.Errorf("the file is not sound: %+v\n%s", problems, src)
	}
	doc := f.Document()
	got, err := plainDoc(doc)
	if err != nil {
		return err
	}
	if got.memory() != w.doc.memory() || got.updated != w.doc.updated {
		return fmt.Errorf("the file says, as of %s\n%s\nthe model, as of %s\n%s", got.updated, got.memory(), w.doc.updated, w.doc.memory())
	}
	start, end := f.Block()
	if string(src[:start]) != prose || !strings.HasPrefix(string(src[end:]), "\nMore prose.\n") {
		return fmt.Errorf("bytes outside the block changed:\n%s", src)
	}
	st, err := w.ss.Get(w.ctx, w.scope())
	if err != nil {
		return err
	}
	queue, err := ledger.Queue(st)
	if err != nil {
		return err
	}
	waiting := func(q ledger.Waiting, m mWaiting) bool { return q.Key == m.key && saySame(q.Value, m.v) }
	if !slices.EqualFunc(queue, w.queue, waiting) {
		return fmt.Errorf("the queue holds %+v, expected %+v", queue, w.queue)
	}
	return nil
}

func (w *world) scope() string {
	if w.git != nil {
		return store.Project
	}
	return store.Only
}

// plainDoc turns a document into the model's form, and checks what holds of
// every document that memctl writes.
func plainDoc(doc memfile.Document) (mDoc, error) {
	d := newModel().doc
	d.enabled, d.announce, d.updated = doc.Settings.Enabled, doc.Settings.AnnounceWrites, doc.Updated
	for i, it := range doc.Items {
		if i > 0 && doc.Items[i-1].Key >= it.Key {
			return d, fmt.Errorf("%q stands after %q", it.Key, doc.Items[i-1].Key)
		}
		if it.Confidence == "low" && !it.HasTag(unconfirmed) {
			return d, fmt.Errorf("%q is low without its tag", it.Key)
		}
		m := mItem{
			v: it.Value, added: it.Added, source: it.Source, conf: it.Confidence, updated: it.Updated, seen: it.Seen, expires: it.Expires,
			by: it.By, signals: it.Signals, pinned: it.Pinned, locked: it.Locked, tags: slices.Sorted(slices.Values(it.Tags)),
		}
		for j, r := range it.Conflict {
			if j > 0 && it.Conflict[j-1].Value.Canonical() >= r.Value.Canonical() {
				return d, fmt.Errorf("%q: the conflict is not in order, or holds a value twice", it.Key)
			}
			m.conflict = append(m.conflict, mRival{v: r.Value, added: r.Added, source: r.Source, conf: r.Confidence, by: r.By, signals: r.Signals, seen: r.Seen})
		}
		d.items[it.Key] = m
	}
	for _, t := range doc.Deletions {
		text := ""
		for _, val := range values {
			if t.Recognises(val.v.Plain()) {
				text = say(val.v)
			}
		}
		if key := t.FormerKey(); key != "" {
			t.Key = former(key, text)
		}
		if _, twice := d.tombs[t.Key]; twice {
			return d, fmt.Errorf("two tombstones of %q", t.Key)
		}
		d.tombs[t.Key] = mTomb{removed: t.Removed, reason: t.Reason, v: t.Value, text: text}
	}
	return d, nil
}

// gitWorld is what git must say besides: the commits of memory, newest last,
// and a person's own work, which stays as it was.
type gitWorld struct {
	dir     string
	commits []string
	status  string
}

func (g *gitWorld) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %q: %w\n%s", args, err, out)
	}
	return string(out), nil
}

// beginGit makes the folder a repository in which a person has staged work,
// work not staged, and a file that git does not know.
func (w *world) beginGit() error {
	g := &gitWorld{dir: w.dir}
	w.git = g
	write := func(name, text string) error { return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644) }
	for _, do := range []func() error{
		func() error { _, err := g.git("init", "-q"); return err },
		func() error { return errors.Join(write("staged.txt", "one\n"), write("edited.txt", "one\n")) },
		func() error { _, err := g.git("add", "."); return err },
		func() error { _, err := g.git("commit", "-q", "-m", "begin"); return err },
		func() error {
			return errors.Join(write("staged.txt", "two\n"), write("edited.txt", "two\n"), write("new.txt", "new\n"))
		},
		func() error { _, err := g.git("add", "staged.txt"); return err },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	head, err := g.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	g.commits = []string{strings.TrimSpace(head)}
	g.status, err = g.git("status", "--porcelain")
	return err
}

// commitOf is the commit that an undo names: of the n-th change, "" for none.
func (g *gitWorld) commitOf(n int) string {
	if n == 0 {
		return ""
	}
	return g.commits[min((1+(n-1)%max(len(g.commits)-1, 1)), len(g.commits)-1)]
}

// compareGit: one commit an act that changed something, of the memory file
// alone, and nothing else touched.
func (w *world) compareGit(o op, changed bool, answers []memory.Write) error {
	g := w.git
	log, err := g.git("log", "--format=%H", "--name-only", g.commits[len(g.commits)-1]+"..HEAD")
	if err != nil {
		return err
	}
	lines := strings.Fields(log)
	if !changed {
		if len(lines) > 0 {
			return fmt.Errorf("nothing was to change, and there are commits: %q", lines)
		}
	} else {
		if len(lines) != 2 || lines[1] != memfile.FileName {
			return fmt.Errorf("expected one commit of the memory file alone, got %q", lines)
		}
		for _, a := range answers {
			if a.Commit != nil && *a.Commit != lines[0] {
				return fmt.Errorf("the answer names commit %s, HEAD is %s", *a.Commit, lines[0])
			}
		}
		g.commits = append(g.commits, lines[0])
	}
	status, err := g.git("status", "--porcelain")
	if err == nil && status != g.status {
		err = fmt.Errorf("git status was\n%s\nand is\n%s", g.status, status)
	}
	return err
}

// endGit: the objects are sound, and HEAD holds what is on disk.
func (w *world) endGit() error {
	if _, err := w.git.git("fsck", "--strict"); err != nil {
		return err
	}
	head, err := w.git.git("show", "HEAD:"+memfile.FileName)
	if err != nil {
		return err
	}
	disk, err := os.ReadFile(w.file())
	if err == nil && !bytes.Equal(disk, []byte(head)) {
		err = errors.New("HEAD does not hold what is on disk")
	}
	return err
}
