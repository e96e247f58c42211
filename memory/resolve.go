package memory

import (
	"context"
	"path/filepath"

	"github.com/memctl/memctl/store"
)

// ResolveRequest is one `resolve`.
type ResolveRequest struct {
	Options
	File string // "" or the memory file's path
	Add  bool   // git add afterwards, where the conflict is git's
}

// ResolveResult is what `resolve` did, or would do.
type ResolveResult struct {
	Schema    int      `json:"schema"`
	Needed    bool     `json:"needed"`
	Conflicts int      `json:"conflict_count"` // between markers
	Path      string   `json:"path"`
	Scope     string   `json:"scope"`
	Added     bool     `json:"added"` // to git's index
	Commit    *string  `json:"commit"`
	Why       string   `json:"why"`
	Diff      string   `json:"diff,omitempty"`
	Notes     []string `json:"notes"`
	Hints     []string `json:"hints,omitempty"` // commands to paste
}

// Resolve makes one sound memory file of one with conflict markers, or with
// several items of one key: both sides merged by meaning, through the store's
// one transaction. Git's index changes only where Add says so. Errors: those of
// store.Store.Resolve; *Error where the file is no store's memory file.
func Resolve(ctx context.Context, ss *store.Stores, req ResolveRequest) (ResolveResult, error) {
	res := ResolveResult{Schema: SchemaNumber, Notes: []string{}}
	st, err := sessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	if !isFile(st, req.File) {
		return res, &Error{Code: "not-a-memory-file", Status: 1, Message: `"` + req.File + `": is not the memory file of scope ` + st.Scope, Hints: []string{"memctl resolve"}}
	}
	found, out, err := st.Resolve(ctx, store.Resolution{
		Message: req.Message, Origin: req.Origin.Kind, DryRun: req.DryRun, Add: req.Add, Wait: req.wait(),
	})
	if err != nil {
		return res, err
	}
	res.Needed, res.Conflicts, res.Added = out.Changed, found.Hunks, found.Added
	res.Why, res.Diff = out.Why, out.Diff
	if out.Commit != "" {
		res.Commit = &out.Commit
	}
	res.Notes = append(append(res.Notes, asideNotes(found.Aside)...), out.Notes...)
	switch {
	case found.Unmerged && !req.DryRun:
		res.Hints = []string{"git add " + st.Name()}
	case out.Changed && out.Commit == "" && !found.Added:
		res.Notes = append(res.Notes, commitsLater(out.Why)...)
	}
	return res, nil
}

// isFile reports whether the name, if any, is the store's memory file.
func isFile(st *store.Store, name string) bool {
	if name == "" {
		return true
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return false
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	want := st.Path()
	if dir, err := filepath.EvalSymlinks(st.Dir); err == nil {
		want = filepath.Join(dir, filepath.Base(want))
	}
	return abs == want
}
