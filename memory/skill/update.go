package skill

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// trailerSource is the trailer with the address and the commit that skills came from.
const trailerSource = "Memory-Source"

// Update fetches the current version of skills that `skills add` installed from repositories,
// and replaces those that have changed there, in one commit for each source. A skill that was
// changed here is refused. Errors: a *memory.Refusal; those of reading the source.
func Update(ctx context.Context, ss *store.Stores, req AddRequest) ([]memory.Write, error) {
	w := req.Answer("skills", "", req.Scope)
	if !req.Explicit() {
		w, err := w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can update skills", memory.Facts{Why: "skill-update"}))
		return []memory.Write{w}, err
	}
	a := &adding{AddRequest: req, ctx: ctx, ss: ss}
	if err := a.target(); err != nil {
		w, err = w.Refused(err)
		return []memory.Write{w}, err
	}
	if a.st.Scope == store.Project && ss.TrustLevel(ctx) == store.TrustOff {
		// The addresses are in the repository's commits, which a stranger may have written.
		w, err := w.Refused(memory.Refuse(memory.RuleNotFound, "only the addresses in commits of a repository that you trust are fetched", memory.Facts{Why: "skill-untrusted"}))
		return []memory.Write{w}, err
	}
	installed, err := a.installed()
	if err != nil {
		return nil, err
	}
	var writes []memory.Write
	for _, source := range sources(installed) {
		var names []string
		for _, i := range installed {
			if i.remote == source {
				names = append(names, i.name)
			}
		}
		w, err := a.updateFrom(source, names)
		if err != nil {
			return writes, err
		}
		writes = append(writes, w)
	}
	if len(writes) == 0 && !a.changed {
		w, err := w.Refused(memory.Refuse(memory.RuleNotFound, "no installed skill came from a repository", memory.Facts{Why: "skill-source"}))
		return []memory.Write{w}, err
	}
	return writes, nil
}

// installation is a skill that came from a repository.
type installation struct {
	name, remote string
}

func sources(list []installation) (remotes []string) {
	for _, i := range list {
		if !slices.Contains(remotes, i.remote) {
			remotes = append(remotes, i.remote)
		}
	}
	return remotes
}

// installed lists the skills that the store's history has a source for. Errors: a
// *memory.Refusal for a skill that was named and has none, or was changed since.
func (a *adding) installed() (list []installation, err error) {
	if a.st.Repo == nil {
		return nil, nil
	}
	var names []string
	for _, folder := range store.SkillFolders {
		names = append(names, skills.Folder{Dir: filepath.Join(a.st.Dir, filepath.FromSlash(folder))}.Names()...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if len(a.Names) > 0 && !slices.Contains(a.Names, name) {
			continue
		}
		commit, source, err := a.origin(name)
		if err != nil {
			return nil, err
		}
		i := strings.LastIndex(source, "@")
		if i <= 0 {
			continue // written here, or copied from a folder
		}
		changed, err := a.changedSince(name, commit)
		if err != nil {
			return nil, err
		}
		if changed {
			a.changed = true
			a.ss.Talk(fmt.Sprintf("note: the skill %s was changed here, so it is not updated", name))
			continue
		}
		list = append(list, installation{name, source[:i]})
	}
	return list, nil
}

// origin is the last commit that installed the skill, and its source; "" where there is none.
func (a *adding) origin(name string) (commit, source string, err error) {
	file := a.st.GitPathOf(path.Join(a.folder(name), name, format.FileName))
	err = object.History(a.ctx, a.st.Repo, "HEAD", file, 0, func(v object.Version) bool {
		for _, t := range v.Trailers {
			if t.Name == trailerSource {
				commit, source = v.Commit, t.Value
			}
		}
		return source == ""
	})
	return commit, source, err
}

// changedSince reports whether the skill's files differ from those of the commit.
func (a *adding) changedSince(name, commit string) (bool, error) {
	now, err := skills.FilesIn(filepath.Join(a.st.Dir, filepath.FromSlash(a.folder(name)), name))
	if err != nil {
		return false, err
	}
	for _, f := range now {
		was, ok, err := object.FileAt(a.ctx, a.st.Repo, commit, a.st.GitPathOf(path.Join(a.folder(name), name, f.Path)))
		if err != nil || !ok || !bytes.Equal(was, f.Data) {
			return true, err
		}
	}
	return false, nil
}

// updateFrom updates the skills of one source.
func (a *adding) updateFrom(source string, names []string) (memory.Write, error) {
	w := a.Answer("skills", strings.Join(names, " "), a.st.Scope)
	one := *a
	one.Source, one.Names = source, names
	if err := one.read(); err != nil {
		return w.Refused(err)
	}
	if err := one.check(); err != nil {
		return w.Refused(err)
	}
	trial := one
	trial.st = a.st.Trial()
	preview, err := trial.write("skills update")
	if err != nil {
		return w.Refused(err)
	}
	if !preview.Changed {
		w.Why = txn.WhyUnchanged
		return w, nil
	}
	if a.Confirm != nil && !a.ss.DryRun() {
		offer := one.offer()
		if offer.Diff = preview.Diff; !a.Confirm(offer) {
			w.Why = "not confirmed"
			return w, nil
		}
	}
	out, err := one.write("skills update")
	return w.After(out, err, "updated "+one.said())
}
