package integrity

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// lostEntries reports the facts, notes and summaries of the base that are gone, and left
// neither a deleted file nor a tombstone.
func (v *validating) lostEntries() ([]Validation, error) {
	if v.Base == "" || v.entriesOf == nil || v.entriesOf.Dir == "" {
		return nil, nil
	}
	repo, file, err := v.ss.InRepository(v.Files[0])
	if err != nil {
		return nil, err
	}
	fork, ok, err := v.fork(repo)
	if err != nil {
		return nil, err
	}
	if !ok {
		fork = v.Base
	}
	top := path.Dir(file)
	was, err := object.FilesUnder(v.ctx, repo, fork, path.Join(top, entry.Root))
	if err != nil || len(was) == 0 {
		return nil, err
	}
	there, err := v.entriesThere(path.Join(top, entry.Root))
	if err != nil || there == nil {
		return nil, err
	}
	left, err := v.tombstonesSince(fork)
	if err != nil {
		return nil, err
	}
	var list []Validation
	for _, name := range was {
		rel := strings.TrimPrefix(name, strings.TrimPrefix(top+"/", "./"))
		if !there.lacks(rel) {
			continue
		}
		src, _, err := contents.AsWritten(v.ctx, repo, fork, name)
		if err != nil {
			return nil, err
		}
		explained, err := left.explain(v.entriesOf, entry.In(rel, src))
		if err != nil {
			return nil, err
		}
		if !explained {
			list = append(list, v.goneEntry(rel))
		}
	}
	return list, nil
}

// goneEntry is the finding for an entry that is gone without a trace.
func (v *validating) goneEntry(rel string) Validation {
	place, _ := entry.ParsePath(rel)
	what := place.Tier
	if what == "" {
		what = view.ChangeEntry
	}
	id := memory.ShortID(place.ID)
	c := &checking{scope: v.Scope, name: filepath.Join(filepath.Dir(v.Files[0]), filepath.FromSlash(rel))}
	c.add(severityOf(v.Strict), ruleGone, 1, 1, id, "a "+what+" is missing without a tombstone", "")
	c.way("gone")
	return c.list[0]
}

// entriesThere are the entries' files in what is checked: the disk, the index or a revision.
// nil: a sparse checkout leaves them out of the disk.
func (v *validating) entriesThere(folder string) (*entryPaths, error) {
	st := v.entriesOf
	var list []string
	var err error
	switch {
	case v.Rev != "":
		list, err = object.FilesUnder(v.ctx, st.Repo, v.Rev, folder)
	case v.Staged:
		list, err = worktree.StagedUnder(v.ctx, st.Repo, folder)
	case contents.LeftOut(v.ctx, st) != "":
		return nil, nil
	default:
		files, _, err := contents.EntryFiles(v.ctx, st)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			list = append(list, path.Join(path.Dir(folder), f.Path))
		}
	}
	there := &entryPaths{paths: map[string]bool{}, ids: map[string]bool{}}
	for _, name := range list {
		rel := entry.Root + strings.TrimPrefix(name, folder)
		there.paths[rel] = true
		if p, ok := entry.ParsePath(rel); ok && p.NamesID() {
			there.ids[p.ID] = true
		}
	}
	return there, err
}

// entryPaths are the files of entries at one time, with the ids that their names have.
type entryPaths struct{ paths, ids map[string]bool }

// lacks reports whether a live fact, note or summary stood at the path, and has a file
// neither there nor elsewhere.
func (e *entryPaths) lacks(rel string) bool {
	p, ok := entry.ParsePath(rel)
	if !ok || p.Deleted || p.Tier == entry.Turn {
		return false
	}
	return !e.paths[rel] && !e.paths[entry.DeletedPath(rel)] && !(p.NamesID() && e.ids[p.ID])
}

// tombstones are those in what is checked.
type tombstones struct {
	doc memfile.Document
	// hidden is how many of them are new since the base, and hold a hash in place of a text.
	// Only the machine that made such a hash can tell which entry it stands for.
	hidden int
}

func (v *validating) tombstonesSince(fork string) (*tombstones, error) {
	src, _, err := v.read(v.Files[0])
	if err != nil {
		return nil, err
	}
	old, _, err := v.fileAt(fork, v.Files[0])
	if err != nil {
		return nil, err
	}
	t := &tombstones{doc: readable(v.Files[0], src)}
	was := readable(v.Files[0], old)
	for _, d := range t.doc.Deletions {
		if d.Purged() && contents.Tombstone(was, d.Key) == nil {
			t.hidden++
		}
	}
	return t, nil
}

// explain reports whether a tombstone says why the entry is gone. One with a hash explains
// one entry.
func (t *tombstones) explain(st *store.Store, e *entry.Entry) (bool, error) {
	if e != nil {
		_, forgotten, err := contents.ForgottenValue(st, t.doc, memfile.Value{Kind: memfile.String, Text: e.Text})
		if forgotten || err != nil {
			return forgotten, err
		}
	}
	t.hidden--
	return t.hidden >= 0, nil
}
