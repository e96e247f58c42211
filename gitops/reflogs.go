package gitops

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/shell"
)

const stashRef = "refs/stash"

// expiring are the commands that take what is rewritten out of reflogs: the entries
// that nothing else leads to go from those that have it, all entries where the text
// itself stands in one, and the stash is made again. Reflogs without it stay whole.
func (r *Repo) expiring(ctx context.Context, w *Rewritten, remains Remains, trees []Worktree) ([]string, error) {
	logs, err := r.reflogs()
	if err != nil {
		return nil, err
	}
	x := &expiry{r: r, ctx: ctx, w: w, remains: remains}
	mode, _ := r.git(ctx, call{args: []string{"config", "--get", "core.logAllRefUpdates"}}) // unset: none
	x.mode = strings.TrimSpace(string(mode))
	var list, whole, part []string
	// The stash first: what a ref leads to, the reflog of HEAD keeps.
	if goes, _ := x.concerns("logs/" + stashRef); goes {
		list = append(list, w.stashing()...)
	}
	for _, ref := range slices.Sorted(slices.Values(append(logs, x.moved(logs)...))) {
		goes, all := x.concerns("logs/" + ref)
		switch {
		case ref == "HEAD" || ref == stashRef || !goes:
		case r.nowhere(ctx, ref):
			list = append(list, r.dropping(ref))
		case all:
			whole = append(whole, ref)
		default:
			part = append(part, ref)
		}
	}
	for _, t := range trees {
		name := "logs/HEAD"
		if dir := r.worktreeName(t.Path); dir != "" {
			name = "worktrees/" + dir + "/logs/HEAD"
		}
		goes, all := x.concerns(name)
		switch goes = goes || w.moves(t) && x.willLog(name, "HEAD"); {
		case goes && t.Head == "": // a branch without a commit: git expires nothing there
			list = append(list, "rm -f "+shell.Quote(filepath.Join(r.CommonDir, filepath.FromSlash(name))))
		case goes:
			list = append(list, gitLine(append([]string{"-C", t.Path}, expire(all, "HEAD")...)))
		}
	}
	for _, of := range []struct {
		refs []string
		all  bool
	}{{whole, true}, {part, false}} {
		if len(of.refs) > 0 {
			list = append(list, gitLine(expire(of.all, of.refs...)))
		}
	}
	return list, nil
}

// stashing are the commands that put the rewritten stash in the place of the old one:
// on top of it, and then the old entries go. Whatever stops them, each entry is there
// once at the least; what stands twice then is one entry again.
func (w *Rewritten) stashing() (list []string) {
	if len(w.Stashes) == 0 {
		return nil
	}
	var kept []RewrittenStash
	for i, s := range w.Stashes {
		// The older of two is the one in its place: the newer was stored when commands stopped.
		if !slices.ContainsFunc(w.Stashes[i+1:], func(has RewrittenStash) bool { return has.New == s.New }) {
			kept = append(kept, s)
		}
	}
	top, drops := w.Stashes[0].Old, len(w.Stashes)
	// This moves nothing: it fails where a stash was made since.
	list = append(list, "git update-ref "+stashRef+" "+top+" "+top)
	store := kept
	if kept[len(kept)-1].New == top { // git does not note that a ref stays where it is
		if drops--; drops > 0 && w.Stashes[0].Same {
			store = kept[:len(kept)-1] // it was stored before commands stopped
		} else {
			list, drops = []string{"git update-ref -d " + stashRef + " " + top}, 0
		}
	}
	for _, s := range slices.Backward(store) {
		list = append(list, gitLine([]string{"stash", "store", "-q", "-m", s.Message, s.New}))
	}
	for range drops {
		list = append(list, gitLine([]string{"stash", "drop", "-q", fmt.Sprintf("stash@{%d}", len(kept))}))
	}
	return list
}

// nowhere reports whether a reflog is that of a ref that leads to no object: git expires
// none of its entries.
func (r *Repo) nowhere(ctx context.Context, ref string) bool {
	_, err := r.git(ctx, call{args: []string{"rev-parse", "-q", "--verify", ref + "^{object}"}})
	return err != nil
}

// dropping is the command that takes such a reflog away: with the link that leads
// nowhere, or where there is no ref at all, as a file.
func (r *Repo) dropping(ref string) string {
	if _, target, err := r.readRef(ref); err == nil && target != "" {
		return "git symbolic-ref -d " + shell.Quote(ref)
	}
	return "rm -f " + shell.Quote(filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref)))
}

// expire is git's command for some reflogs: all their entries, or those that the ref
// does not lead to.
func expire(all bool, refs ...string) []string {
	age := "--expire=never"
	if all {
		age = "--expire=now"
	}
	return append([]string{"reflog", "expire", age, "--expire-unreachable=now"}, refs...)
}

// reflogs are the refs that have a reflog, less those of linked worktrees.
func (r *Repo) reflogs() (list []string, err error) {
	dir := filepath.Join(r.CommonDir, "logs")
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		list = append(list, filepath.ToSlash(name))
		return err
	})
	return list, err
}

// worktreeName is the folder of a linked worktree under worktrees/; "" of the main one.
func (r *Repo) worktreeName(root string) string {
	data, err := os.ReadFile(filepath.Join(root, ".git"))
	dir, linked := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !linked {
		return ""
	}
	if filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return "" // a submodule, or a git folder that stands elsewhere
	}
	return filepath.Base(dir)
}

// expiry looks for what is rewritten in reflogs.
type expiry struct {
	r       *Repo
	ctx     context.Context
	w       *Rewritten
	remains Remains
	mode    string // core.logAllRefUpdates
}

// moved are the refs that move, have no reflog yet, and get one with the old commit in it.
func (x *expiry) moved(logs []string) (list []string) {
	for _, ref := range x.w.Refs {
		if ref.NewName == "" && !slices.Contains(logs, ref.Name) && x.willLog("logs/"+ref.Name, ref.Name) {
			list = append(list, ref.Name)
		}
	}
	return list
}

// willLog reports whether git writes to the reflog when the ref moves.
func (x *expiry) willLog(file, ref string) bool {
	if exists(filepath.Join(x.r.CommonDir, filepath.FromSlash(file))) || x.mode == "always" {
		return true
	}
	usual := ref == "HEAD" || strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/remotes/") || strings.HasPrefix(ref, notesRefs)
	return usual && !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(x.mode))
}

// concerns reports whether a reflog leads to what is rewritten, or will when its ref has
// moved, and whether the text itself stands in it.
func (x *expiry) concerns(file string) (goes, all bool) {
	if x.remains.Files[file] {
		return true, true
	}
	name := strings.TrimPrefix(file, "logs/")
	for _, ref := range x.w.Refs {
		if ref.Name == name {
			return true, false // its old commit is noted when it moves
		}
	}
	data, err := os.ReadFile(filepath.Join(x.r.CommonDir, filepath.FromSlash(file)))
	if err != nil {
		return false, false
	}
	var ids []string
	for line := range strings.Lines(string(data)) {
		for _, id := range strings.Fields(line)[:min(2, len(strings.Fields(line)))] {
			if x.w.Commits[id] != "" || x.remains.Objects[id] {
				return true, false
			}
			if isID(id) && strings.Trim(id, "0") != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return x.leads(ids), false
}

// leads reports whether commits that no ref leads to hold what is rewritten. What cannot
// be read may.
func (x *expiry) leads(ids []string) bool {
	if len(ids) == 0 {
		return false
	}
	list := func(stdin []string, args ...string) ([]string, bool) {
		out, err := x.r.git(x.ctx, call{args: append([]string{"rev-list", "--ignore-missing"}, args...), stdin: []byte(strings.Join(stdin, "\n") + "\n"), env: []string{noReplace}})
		return strings.Split(string(out), "\n"), err == nil
	}
	commits, ok := list(ids, "--boundary", "--stdin", "--not", "--all")
	if !ok {
		return true
	}
	var alone []string
	for _, c := range commits {
		if x.w.Commits[strings.TrimPrefix(c, "-")] != "" {
			return true
		}
		if isID(c) {
			alone = append(alone, c)
		}
	}
	if len(alone) == 0 {
		return false
	}
	objects, ok := list(alone, "--objects", "--no-walk", "--stdin")
	return !ok || slices.ContainsFunc(objects, func(line string) bool {
		id, _, _ := strings.Cut(line, " ")
		return x.remains.Objects[id]
	})
}
