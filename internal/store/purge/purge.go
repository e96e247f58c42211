// Package purge finds a text everywhere in a store, its history and local state, and removes
// it from there.
package purge

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/rewrite"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Search is one search for a text in one store.
type Search struct {
	st     *store.Store
	trace  policy.TextFinder
	Places []Place
	refs   []string        // those that lead to it, as rewrite.Reach has them
	blobs  map[string]bool // those that contain it
}

// FindText looks for a text everywhere in the store: its files, every object of its
// repository, and local state. Nothing is written. Errors: the system's cause;
// *gitops.Error.
func FindText(ctx context.Context, st *store.Store, trace policy.TextFinder) (*Search, error) {
	p := &Search{st: st, trace: trace, blobs: map[string]bool{}}
	if st.Dir == "" {
		return p, nil
	}
	return p, p.searchAll(ctx)
}

// InCopy reports whether the text is found in the copy of the shared index.
func (p *Search) InCopy() bool {
	folder := pulled.Dir(p.st.Stores, "") + string(filepath.Separator)
	return slices.ContainsFunc(p.Places, func(at Place) bool { return at.Kind == PlaceState && strings.HasPrefix(at.Name, folder) })
}

// memoryPath reports whether a path in the repository is one of memory's files.
func (p *Search) memoryPath(file string) bool {
	own := contents.PathInStore(p.st, file)
	return own == memfile.FileName || strings.HasPrefix(own, store.MemoriesDir+"/")
}

// objects looks into every object, and finds the refs that lead to those that contain
// the text.
func (p *Search) objects(ctx context.Context) error {
	matched := map[string]bool{}
	unread, err := object.EachObject(ctx, p.st.Repo, func(id, kind string, data []byte) error {
		if kind == "commit" || kind == "tag" {
			data = object.WithoutPeople(data)
		}
		if kind != "tree" && p.trace.FoundIn(data) {
			matched[id] = true
			if kind == "blob" {
				p.blobs[id] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(unread) > 0 {
		p.count(PlaceUnread, "objects", len(unread))
	}
	reach, err := rewrite.Reaching(ctx, p.st.Repo, matched, func(path string) bool { return p.trace.FoundIn([]byte(path)) })
	if err != nil {
		return err
	}
	p.refs = reach.Refs
	for _, ref := range p.refs {
		p.addRef(ref)
	}
	for _, worktree := range reach.Detached {
		p.add(PlaceDetached, worktree)
	}
	maps.DeleteFunc(matched, func(id string, _ bool) bool { return reach.Reached[id] })
	if len(matched) > 0 {
		p.count(PlaceUnreachable, "objects", len(matched))
	}
	for _, name := range slices.Sorted(maps.Keys(reach.Paths)) {
		if !p.memoryPath(strings.TrimPrefix(name, committer.BeforeFolder)) {
			p.add(PlaceOther, name)
		}
	}
	return nil
}

// gitFiles looks into the files of the git folder that are no objects. Git's settings
// and the names of people in reflogs are not searched.
func (p *Search) gitFiles(context.Context) error {
	unread, err := object.EachOwnFile(p.st.Repo, func(name string, data []byte) error {
		if inState(name) || path.Base(name) == "config" {
			return nil
		}
		if strings.Contains("/"+name, "/logs/") {
			data = object.ReflogMessages(data)
		}
		if p.trace.FoundInState(data) || p.trace.FoundIn([]byte(name)) {
			p.add(PlaceGitFile, name)
		}
		return nil
	})
	if len(unread) > 0 {
		p.count(PlaceUnread, "files in the git folder", len(unread))
	}
	return err
}

// inState reports whether a file of the git folder is memctl's own: it stands in memctl/,
// the common one or a worktree's.
func inState(name string) bool {
	parts := strings.SplitN(name, "/", 4)
	return parts[0] == "memctl" || len(parts) > 2 && parts[0] == "worktrees" && parts[2] == "memctl"
}

// stateDirs are the folders of the store's local state, in every worktree.
func stateDirs(st *store.Store) []string {
	dirs := []string{st.SharedState().Folder, st.WorktreeState().Folder}
	if st.Repo != nil {
		for _, dir := range safefile.Glob(st.Repo.CommonDir, "worktrees/*/memctl") {
			dirs = append(dirs, filepath.Join(dir, st.StateSuffix()))
		}
	}
	if st.Scope == store.Project || st.Scope == store.Only {
		dirs = append(dirs, st.Stores.SessionsState().Folder)
	}
	prompts := filepath.Join(st.Stores.DataState().Folder, localstate.PromptsFolder)
	for _, folder := range []string{prompts, pulled.Dir(st.Stores, "")} {
		if filepath.IsAbs(folder) {
			dirs = append(dirs, folder) // has texts of every scope
		}
	}
	slices.Sort(dirs)
	var top []string // none below another
	for _, d := range slices.Compact(dirs) {
		if len(top) == 0 || !strings.HasPrefix(d, top[len(top)-1]+string(filepath.Separator)) {
			top = append(top, d)
		}
	}
	return top
}

// eachState calls fn for the files of local state, and for the record of this folder's acts, which tells of every scope.
func eachState(st *store.Store, fn func(dir, name string, data []byte) error) error {
	for _, dir := range stateDirs(st) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || d.Name() == rulesFile {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return fn(filepath.Dir(name), d.Name(), data)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (p *Search) state(context.Context) error {
	return eachState(p.st, func(dir, name string, data []byte) error {
		if p.trace.FoundInState(data) {
			p.add(PlaceState, filepath.Join(dir, name))
		}
		return nil
	})
}
