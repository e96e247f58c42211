package contents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// maxAnchored caps a file that an anchor points into.
const maxAnchored = 4 << 20

// The states of an anchor.
const (
	AnchorFresh   = "fresh"   // what stood there stands there
	AnchorMoved   = "moved"   // it stands elsewhere in the file
	AnchorChanged = "changed" // it stands in the file no more
	AnchorGone    = "gone"    // the file is gone
	AnchorUnknown = "unknown" // there is nothing to compare with
)

// Anchor makes an anchor of "path" or "path#L1-L9", a path from the session's
// project: with the commit of HEAD, and a hash of what stands there now. Errors:
// a scope that has no code beside it, a file or lines that are not there.
func Anchor(_ context.Context, ss *store.Stores, st *store.Store, text string) (entry.Anchor, error) {
	a, ok := entry.ParseAnchor(text)
	if !ok {
		return a, fmt.Errorf("%q is not a place in the project; use a path from its root, with #L1-L9 for lines", text)
	}
	if st.Scope == store.User || ss.Root() == "" {
		return a, errors.New("an anchor points into a project; use --scope project or private")
	}
	src, err := codeFile(ss, a)
	if err != nil {
		return a, err
	}
	part, ok := anchored(src, a)
	if !ok {
		return a, fmt.Errorf("%q: the file has no such lines", text)
	}
	a.Hash = entry.HashLines(part)
	if ss.Repo() != nil {
		if state, err := ss.Repo().State(); err == nil {
			a.Commit = state.Head
		}
	}
	return a, nil
}

// mostTied is how many files a text ties a fact to.
const mostTied = 4

// TextAnchors are the anchors, without commit and hash, of the tracked files that a text names by their paths: a fact about a
// file that is gone may hold no more.
func TextAnchors(ss *store.Stores, st *store.Store, text string) (list []entry.Anchor) {
	if st.Scope == store.User || ss.Repo() == nil || ss.Root() == "" {
		return nil
	}
	for _, a := range namedFiles(text) {
		if len(list) < mostTied && fileThere(ss, a.Path) && worktree.CountTracked(ss.Repo(), func(file string) bool { return file == a.Path }, 1) > 0 {
			list = append(list, a)
		}
	}
	return list
}

// namedFiles are the anchors of the words of a text that may be paths.
func namedFiles(text string) (list []entry.Anchor) {
	for word := range strings.FieldsSeq(text) {
		name, _, _ := strings.Cut(strings.TrimRight(strings.Trim(word, "`'\"()[]{}<>,;!?"), ".:"), ":")
		if a, ok := entry.ParseAnchor(name); ok && strings.ContainsAny(name, "/.") && a.Path == name && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// LostAnchors are the anchors, without commit and hash, of the files that an entry names and that HEAD's history deleted after
// somebody wrote or confirmed the entry. Each name that the project does not have costs a walk through the history.
func LostAnchors(ctx context.Context, ss *store.Stores, e *Entry) (list []entry.Anchor) {
	if e.Scope == store.User || ss.Repo() == nil || ss.Root() == "" {
		return nil
	}
	for _, a := range namedFiles(e.Text) {
		if state, _ := AnchorState(ctx, ss, a); state != AnchorGone {
			continue
		}
		_ = object.History(ctx, ss.Repo(), "", a.Path, 1, func(v object.Version) bool {
			if v.After == "" && v.Date.After(e.Time()) && v.Date.UTC().Format(time.DateOnly) > e.Seen {
				list = append(list, a)
			}
			return false
		})
	}
	return list
}

func fileThere(ss *store.Stores, name string) bool {
	_, err := os.Lstat(filepath.Join(ss.Root(), filepath.FromSlash(name)))
	return err == nil
}

// AnchorState says whether an anchor still holds; now is its path with the
// lines where it stands, where it moved.
func AnchorState(ctx context.Context, ss *store.Stores, a entry.Anchor) (state, now string) {
	name, first, last, hasLines := a.Lines()
	switch {
	case ss.Root() == "":
		return AnchorUnknown, ""
	case !fileThere(ss, name) && !committed(ctx, ss, name):
		return AnchorGone, ""
	case a.Hash == "":
		return AnchorUnknown, ""
	}
	src, err := codeFile(ss, a)
	if err != nil {
		return AnchorUnknown, ""
	}
	if part, ok := anchored(src, a); ok && entry.HashLines(part) == a.Hash {
		return AnchorFresh, ""
	}
	if !hasLines {
		return AnchorChanged, ""
	}
	lines := strings.SplitAfter(src, "\n")
	for i := 0; i+last-first < len(lines); i++ {
		if entry.HashLines(strings.Join(lines[i:i+last-first+1], "")) == a.Hash {
			return AnchorMoved, fmt.Sprintf("%s#L%d-L%d", name, i+1, i+1+last-first)
		}
	}
	return AnchorChanged, ""
}

// committed reports whether HEAD or the default branch has a file: a sparse checkout does not write all files, and a branch may
// be older than a file.
func committed(ctx context.Context, ss *store.Stores, name string) bool {
	if ss.Repo() == nil {
		return false
	}
	state, err := ss.Repo().State()
	if err != nil || worktree.CommitHas(ctx, ss.Repo(), state.Head, name) {
		return true
	}
	_, off := ss.FeatureBranch(ctx)
	return off && worktree.CommitHas(ctx, ss.Repo(), defaultBranch(ctx, ss), name)
}

func codeFile(ss *store.Stores, a entry.Anchor) (string, error) {
	if ss.Root() == "" {
		return "", errors.New("there is no project here")
	}
	root, err := os.OpenRoot(ss.Root())
	if err != nil {
		return "", err
	}
	defer root.Close()
	name, _, _, _ := a.Lines()
	if inGitFolder(ss, name) {
		return "", fmt.Errorf("%q: a file in the git folder is not part of the project", name)
	}
	src, _, err := safefile.Read(root, name, maxAnchored)
	return string(src), err
}

// inGitFolder reports whether a path from the project's root leads into git's
// own folder, by its name or through a link.
func inGitFolder(ss *store.Stores, name string) bool {
	if entry.InGitFolder(name) {
		return true
	}
	top, err := filepath.EvalSymlinks(ss.Root())
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(top, real)
	return err == nil && entry.InGitFolder(filepath.ToSlash(rel))
}

// anchored is the part of a file that an anchor is about.
func anchored(src string, a entry.Anchor) (string, bool) {
	_, first, last, ok := a.Lines()
	if !ok {
		return src, true
	}
	lines := strings.SplitAfter(strings.TrimSuffix(src, "\n"), "\n")
	if last > len(lines) {
		return "", false
	}
	return strings.Join(lines[first-1:last], ""), true
}
