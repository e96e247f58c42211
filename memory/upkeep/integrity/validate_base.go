package integrity

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// The rules of what can go wrong between two versions of a memory file.
const (
	ruleTombstoneDropped = "tombstone-dropped"
	ruleResurrected      = "resurrected"
	ruleGone             = "gone-without-tombstone"
	ruleRaised           = "confidence-raised"
	ruleByHand           = "stated-by-hand"
)

// fileAt reads a file as it stands in a revision. Where a shallow clone does
// not have the revision, the error says so.
func (v *validating) fileAt(rev, name string) ([]byte, bool, error) {
	repo, path, err := v.ss.InRepository(name)
	if err != nil {
		return nil, false, err
	}
	src, ok, err := contents.AsWritten(v.ctx, repo, rev, path)
	if fault.Is(err, fault.UnknownRevision) && repo.Shallow() {
		e := &fault.Error{Code: "shallow-clone", Status: 2, Cause: memory.Quoted(rev) + " is not in this shallow clone", Hints: []string{"git fetch --unshallow"}}
		if branch, ok := strings.CutPrefix(policy.Inert(memory.Redacted(rev)), "origin/"); ok {
			e.Hints = slices.Insert(e.Hints, 0, "git fetch --depth=1 origin "+branch+":refs/remotes/origin/"+branch)
		}
		return nil, false, e
	}
	return src, ok, err
}

// ofGit reports whether the request needs git. Without a repository such a check
// would find nothing because it read nothing.
func (v *validating) ofGit() bool { return v.Base != "" || v.Rev != "" || v.Staged }

// needGit refuses files that lie in no repository, where git is needed.
func (v *validating) needGit(files []string) error {
	if !v.ofGit() {
		return nil
	}
	for _, name := range files {
		if _, _, err := v.ss.InRepository(name); errors.Is(err, gitops.ErrNotARepository) {
			return err
		}
	}
	return nil
}

// explained adds hints to the error of an unknown revision or of a missing repository.
func (v *validating) explained(err error) error {
	unknown := fault.Find(err, fault.UnknownRevision)
	switch {
	case unknown != nil:
		return &fault.Error{Code: "unknown-revision", Status: 1, Cause: unknown.Error(), Hints: []string{"git fetch", "git log --oneline --all"}}
	case errors.Is(err, gitops.ErrNotARepository):
		return &fault.Error{Code: "not-a-repository", Status: 2, Cause: err.Error(), Hints: []string{"memctl -C FOLDER validate"}}
	}
	return err
}

// team are the rules that the team adds, from the same place as the file (disk,
// index or revision). With a base those that stand there count as well: a pull
// request cannot take a rule away from itself. What is wrong with them is
// reported once, with the first file that they are asked for.
func (v *validating) team(name string, c *checking) (*policy.Team, error) {
	if v.Scope != store.Project && v.Scope != store.Only || v.ss.Root() == "" {
		return nil, nil
	}
	dir := v.ss.Root() // the team's file is at the top of the file's repository, else at the root of the session's project
	if repo, _, err := v.ss.InRepository(name); err == nil && !v.ss.IsSingleStore() {
		dir = repo.Root
	}
	file := v.fromHere(filepath.Join(dir, store.TeamFile))
	if rules, ok := v.teams[file]; ok {
		return rules, nil
	}
	src, ok, err := v.read(file)
	v.teams[file] = nil
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !ok:
	case err != nil:
		fault := findingIfUnreadable(file, err)
		if fault == nil {
			return nil, err
		}
		c.list = append(c.list, *fault)
		v.teams[file] = policy.NewTeam(nil, true)
	default:
		team, problems := store.ParseTeam(file, src)
		v.teams[file] = team.Rules
		if !slices.ContainsFunc(v.Files, func(f string) bool { return v.ss.Abs(f) == v.ss.Abs(file) }) {
			rules := &checking{name: file}
			rules.problems(slices.DeleteFunc(problems, func(p memfile.Problem) bool { return p.Severity != memfile.Error }), false)
			c.list = append(c.list, rules.list...)
		}
	}
	if v.Base == "" {
		return v.teams[file], nil
	}
	old, ok, err := v.fileAt(v.Base, file)
	if err != nil {
		return nil, err
	}
	if ok {
		was, _ := store.ParseTeam(file, old)
		v.teams[file] = v.teams[file].With(was.Rules)
	}
	return v.teams[file], nil
}

// baseFile is a memory file as it stands in the base.
type baseFile struct {
	tip   memfile.Document  // in the base itself: what is allowed there
	since *memfile.Document // where the change under review began; nil where the file was not there
	// edits are those of the items that somebody changed by hand; whole is false in a shallow clone, which may lack what explains a value.
	edits func([]memfile.Item) (edits map[string]*contents.Edit, whole bool)
}

// base reads what the file is compared with; nil without a base.
func (v *validating) base(name string) (*baseFile, error) {
	if v.Base == "" {
		return nil, nil
	}
	src, ok, err := v.fileAt(v.Base, name)
	if err != nil {
		return nil, err
	}
	b := &baseFile{}
	if ok {
		b.tip = readable(name, src)
		b.since = &b.tip
	}
	// What the base's branch gained since is not what this change took away.
	repo, path, err := v.ss.InRepository(name)
	if err != nil {
		return nil, err
	}
	b.edits = func(items []memfile.Item) (map[string]*contents.Edit, bool) {
		st, err := v.ss.Get(v.ctx, store.Project)
		if err != nil || st.Repo == nil || st.Repo.Root != repo.Root || st.GitPath() != path {
			return nil, true
		}
		return contents.HandEdits(v.ctx, st, v.Rev, items), !repo.Shallow()
	}
	forks, err := object.MergeBases(v.ctx, repo, v.Base, cmp.Or(v.Rev, "HEAD"))
	if err != nil || len(forks) == 0 {
		return b, err
	}
	if src, ok, err = v.fileAt(forks[0], name); err != nil {
		return nil, err
	}
	b.since = nil
	if ok {
		doc := readable(name, src)
		b.since = &doc
	}
	return b, nil
}

// sinceBase adds what has gone wrong since the base in a file that is no memory any more.
func (v *validating) sinceBase(c *checking) ([]fault.Finding, error) {
	base, err := v.base(c.name)
	if err == nil && base != nil && base.since != nil {
		c.compareWithBase(base, v.Strict)
	}
	return c.sorted(), err
}

// findLost is what the base has in a memory file that is not there now. A file that is in
// conflict is there, though the index has no version of it.
func (v *validating) findLost(name string) ([]fault.Finding, error) {
	if v.Base == "" || filepath.Base(name) != memfile.FileName {
		return nil, nil
	}
	if v.Staged {
		repo, path, err := v.ss.InRepository(name)
		if err != nil {
			return nil, err
		}
		if unmerged, err := worktree.Unmerged(v.ctx, repo, path); len(unmerged) > 0 || err != nil {
			return nil, err
		}
	}
	return v.sinceBase(&checking{name: name, scope: v.Scope})
}

// withoutNewAllowances takes from the item the allowances that the base does
// not have beside it, and names their rules.
func (b *baseFile) withoutNewAllowances(it *memfile.Item) (fresh []string) {
	if b == nil || len(it.Allow) == 0 {
		return nil
	}
	var kept []memfile.Allowance
	for _, a := range it.Allow {
		known := slices.ContainsFunc(b.tip.Items, func(was memfile.Item) bool {
			return was.Key == it.Key && slices.ContainsFunc(was.Allow, func(w memfile.Allowance) bool {
				return w.Rule == a.Rule && w.Digest == a.Digest
			})
		})
		if known {
			kept = append(kept, a)
		} else {
			fresh = append(fresh, a.Rule)
		}
	}
	it.Allow = kept
	return fresh
}

// compareWithBase reports what has gone wrong between the base and the file: forgetting
// undone, items gone without a trace, confidence raised by no person.
func (c *checking) compareWithBase(base *baseFile, strict bool) {
	after := readable(c.name, c.src)
	severity := fault.SeverityWarning
	if strict {
		severity = fault.SeverityError
	}
	for _, t := range base.since.Deletions {
		c.tombstone(t, &after, severity)
	}
	c.byHand(base, &after, severity)
	seen := map[string]bool{}
	for _, it := range base.since.Items {
		if seen[it.Key] {
			continue
		}
		seen[it.Key] = true
		i := memory.Find(&after, it.Key)
		switch {
		case i < 0 && contents.Tombstone(after, it.Key) == nil:
			c.add(severity, ruleGone, 1, 1, it.Key, "an item is missing without a tombstone: "+policy.Inert(memory.Redacted(it.Key)), "use memctl forget, which leaves one")
		case i >= 0 && memory.Rank(after.Items[i].Confidence) > memory.Rank(it.Confidence) && after.Items[i].By != "":
			now := after.Items[i]
			c.add(severity, ruleRaised, now.Line, now.Column, it.Key,
				"confidence went from "+labels.ConfidenceAt(memory.Rank(it.Confidence))+" to "+labels.ConfidenceAt(memory.Rank(now.Confidence))+" without a person", "only a person can raise it, with memctl confirm")
		}
	}
}

// byHand reports the values that a person stated and that somebody changed with no act of memctl, so that they still look stated.
func (c *checking) byHand(base *baseFile, after *memfile.Document, severity string) {
	was := map[string]memfile.Item{}
	var changed []memfile.Item
	for _, it := range base.since.Items {
		if i := memory.Find(after, it.Key); it.IsStated() && i >= 0 && after.Items[i].IsStated() && !memfile.Equal(it.Value, after.Items[i].Value) {
			was[it.Key], changed = it, append(changed, after.Items[i])
		}
	}
	if len(changed) == 0 {
		return
	}
	edits, whole := base.edits(changed)
	for _, it := range changed {
		e, text, level := edits[it.Key], "a value that a person stated was changed by hand, with no act of memctl", severity
		sameDay := was[it.Key].Day() == it.Day() // else a write that waits for its commit, or that a shallow clone does not have
		switch {
		case e == nil && (whole || !sameDay), e != nil && e.Open && !sameDay:
			continue
		case e == nil:
			text, level = "a value that a person stated was changed, and this shallow clone has no commit that says how", fault.SeverityWarning
		}
		c.add(level, ruleByHand, it.Line, it.Column, it.Key, text, "put the earlier value back, and write the new one with memctl add")
	}
}

// tombstone reports a tombstone of the base that is not there any more.
func (c *checking) tombstone(t memfile.Tombstone, after *memfile.Document, severity string) {
	same := func(u memfile.Tombstone) bool {
		return t.Key != "" && t.Key == u.Key || t.Key == "" && t.Value != nil && u.Recognises(t.Value.Plain())
	}
	if t.Key == "" && t.Value == nil || slices.ContainsFunc(after.Deletions, same) {
		return
	}
	back := slices.IndexFunc(after.Items, func(it memfile.Item) bool {
		return t.Key != "" && it.Key == t.Key || t.Key == "" && memfile.Same(it.Value, *t.Value)
	})
	if back >= 0 {
		it := after.Items[back]
		c.add(severity, ruleResurrected, it.Line, it.Column, it.Key, "an item that was forgotten is back", "only a person can restore it, with memctl restore or memctl add")
		return
	}
	c.add(severity, ruleTombstoneDropped, 1, 1, t.Key, "the tombstone of a forgotten key is missing: "+policy.Inert(memory.Redacted(t.Key)), "put the entry back into deletions: memctl undo COMMIT, or git checkout BASE -- memories.md")
}

// readable is what a version of a memory file says, as far as it can be read.
// What recovery would have to name itself has no key to compare by.
func readable(name string, src []byte) memfile.Document {
	if f, _ := memfile.Parse(name, src); f != nil {
		return f.Document()
	}
	doc := recovery.Salvage(name, src, recovery.Options{})
	doc.Items = slices.DeleteFunc(doc.Items, func(it memfile.Item) bool { return strings.HasPrefix(it.Key, recoveredPrefix) })
	return doc
}

// recoveredPrefix begins the keys that recovery makes up.
const recoveredPrefix = "recovered."
