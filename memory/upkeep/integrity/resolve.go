package integrity

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// ResolveRequest is one `resolve`.
type ResolveRequest struct {
	memory.Options
	File string // "", or the path of the memory file or of an entry
	Add  bool   // git add afterwards, where the conflict is git's
}

// ResolveResult is what `resolve` did, or would do.
type ResolveResult struct {
	Needed    bool     `json:"needed"`
	Conflicts int      `json:"conflict_count"` // between markers
	Path      string   `json:"path"`
	Scope     string   `json:"scope"`
	Files     []string `json:"files"` // the entries resolved, from the store's folder
	Added     bool     `json:"added"` // to git's index
	memory.Committed
	Hints []string `json:"hints,omitempty"` // commands to paste
}

// Resolve makes one sound memory file of one with conflict markers, or with
// several items of one key, and sound entries of those in conflict: both sides
// merged by meaning, through the store's one transaction. Git's index changes only where Add says so. Errors: those of
// txn.Resolve; *fault.Error where the file is no store's memory file.
func Resolve(ctx context.Context, ss *store.Stores, req ResolveRequest) (ResolveResult, error) {
	res := ResolveResult{Files: []string{}, Committed: memory.Committed{Noted: fault.Noted{Notes: []fault.Note{}}}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	only, ok := resolvable(st, req.File)
	if !ok {
		return res, &fault.Error{Code: "not-a-memory-file", Status: 1, Cause: `"` + req.File + `" is neither the memory file nor an entry of scope ` + st.Scope, Hints: []string{"memctl resolve"}}
	}
	if only != "" {
		res.Path = filepath.Join(st.Dir, filepath.FromSlash(only))
	}
	if err := memory.RuleOnMessage(st, req.Message); err != nil {
		return res, memory.AsError("resolve", err)
	}
	found, out, err := txn.Resolve(ctx, st, txn.Write{Message: req.Message, Origin: req.Origin.Kind, Wait: req.Wait()}, only, req.Add)
	if err != nil {
		return res, err
	}
	res.Needed, res.Conflicts, res.Added = out.Changed || len(found.Notes) > 0, found.Hunks, found.Added
	res.Take(txn.Outcome{Commit: out.Commit, Why: out.Why, Diff: out.Diff, Notes: slices.Concat(found.Notes, found.Merged, out.Notes)})
	var unmerged []string
	if found.Unmerged {
		unmerged = append(unmerged, st.Name())
	}
	for _, e := range found.Entries {
		res.Notes = append(res.Notes, e.Notes...)
		if e.Changed {
			res.Files = append(res.Files, e.Path)
		}
		if e.Unmerged {
			unmerged = append(unmerged, path.Join(path.Dir(filepath.ToSlash(st.Name())), e.Path))
		}
	}
	switch {
	case ss.DryRun():
	case len(unmerged) > 5: // more than anybody would paste
		res.Hints = []string{"memctl resolve --add" + memory.ScopeFlag(st.Scope)}
	case len(unmerged) > 0:
		res.Hints = []string{"git add " + strings.Join(unmerged, " ")}
	case out.Changed && out.Commit == "" && !found.Added:
		res.Notes = append(res.Notes, memory.CommitsLater(out)...)
	}
	return res, nil
}

// resolvable is the path, from the store's folder, of the memory file or the entry
// that is named; "" where none is named.
func resolvable(st *store.Store, name string) (rel string, ok bool) {
	if name == "" {
		return "", true
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	folder := st.Dir
	if dir, err := filepath.EvalSymlinks(folder); err == nil {
		folder = dir
	}
	if rel, err = filepath.Rel(folder, abs); err != nil {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	if rel == memfile.FileName {
		return rel, true
	}
	_, ok = entry.ParsePath(rel)
	return rel, ok
}
