package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
)

// recentFile remembers for a while which files of entries memctl has committed: git reads
// an index before it locks it, so another git that ran then may write one without them,
// and the person's next commit would take them out of HEAD.
const recentFile = "recent.json"

const (
	recentFor = time.Minute
	maxRecent = 100
	// droppedFor is within which time of ours another git's commit takes such a file out of
	// HEAD because it read the index before: nobody takes out by hand what is so young.
	droppedFor = 3 * time.Second
)

// recentBlob is one of them, by its path in the repository; the blob is "" where it was
// removed.
type recentBlob struct {
	Path string    `json:"path"`
	Blob string    `json:"blob,omitempty"`
	At   time.Time `json:"at"`
}

// noteRecent remembers the changed files that are in a commit of memctl's, by their blobs there.
func (t *transaction) noteRecent(changes []FileChange, blobs map[string]string) {
	var list []recentBlob
	for _, c := range changes {
		if name := t.st.gitPathOf(c.Path); c.Path != memfile.FileName {
			list = append(list, recentBlob{Path: name, Blob: blobs[name], At: t.st.ss.Now().UTC()})
		}
	}
	if len(list) == 0 || len(list) > maxRecent {
		return
	}
	var known []recentBlob
	_ = t.st.worktree().readJSON(recentFile, &known)
	known = append(known, list...)
	// Without it the index is left as it is found, which costs no memory.
	_ = t.st.worktree().writeQuickJSON(recentFile, known[max(0, len(known)-maxRecent):])
}

// mendIndex puts recent files into the index again that are on disk and in HEAD as
// memctl committed them, and stand otherwise there; in a merge or its like that stopped
// too, which could not be given up otherwise. Those that another git's commit has taken out
// of HEAD so are committed again.
func (t *transaction) mendIndex(ctx context.Context) error {
	if t.st.Repo == nil || t.w.DryRun || t.blocked != "" && !gitops.Begun(t.blocked) {
		return nil
	}
	var known []recentBlob
	if err := t.st.worktree().readJSON(recentFile, &known); err != nil || len(known) == 0 {
		return nil // a cache: damaged, it tells nothing
	}
	want := map[string]string{}
	var paths []string
	newest := known[len(known)-1].At
	for _, k := range known {
		if _, seen := want[k.Path]; !seen {
			paths = append(paths, k.Path)
		}
		want[k.Path] = k.Blob
	}
	lacking, err := t.st.Repo.NotInIndex(ctx, paths, want)
	if err != nil {
		return err
	}
	if len(lacking) > 0 {
		dropped, err := t.restage(ctx, lacking, want)
		if err == nil {
			err = t.commitAgain(ctx, dropped, known)
		}
		if err != nil {
			return err
		}
	}
	if age := t.st.ss.Now().Sub(newest); age > recentFor || age < -recentFor {
		return t.st.worktree().remove(recentFile)
	}
	return nil
}

// mendIndexOf is mendIndex for the files of the commit that the act has just made, the
// memory file too.
func (t *transaction) mendIndexOf(ctx context.Context) error {
	paths := t.st.gitPaths(t.changes)
	lacking, err := t.st.Repo.NotInIndex(ctx, paths, t.blobs)
	if err == nil && len(lacking) > 0 {
		_, err = t.restage(ctx, lacking, t.blobs)
	}
	return err
}

// mendIndexFor puts those files of the writes into the index that HEAD and the disk have as
// they were written: the act that committed them was killed before the index had them, and
// the person's next commit would take them out of HEAD.
func (t *transaction) mendIndexFor(ctx context.Context, v *tree, list []pendingWrite) error {
	seen := map[string]bool{}
	var names []string
	for _, p := range list {
		for _, f := range p.Files {
			now, err := v.disk(f.Path)
			if err != nil {
				return err
			}
			if !seen[f.Path] && digestOf(now) == f.After && digestOf(v.committed(ctx, f.Path)) == f.After {
				seen[f.Path], names = true, append(names, t.st.gitPathOf(f.Path))
			}
		}
	}
	state, err := t.st.Repo.State()
	if err != nil || state.Unborn || len(names) == 0 {
		return err
	}
	want, _, err := t.st.Repo.BlobsAt(ctx, state.Head, names)
	if err != nil {
		return err
	}
	lacking, err := t.st.Repo.NotInIndex(ctx, names, want)
	if err != nil || len(lacking) == 0 {
		return err
	}
	if err := t.st.Repo.Restage(ctx, lacking); err != nil {
		t.blocked = commitFault(err)
		return nil
	}
	t.mended = append(t.mended, "the index has files of memory again that a killed act had committed without it")
	return nil
}

// mendStale puts the memory file into the index of a stopped merge as HEAD has it, where the
// merge began before memctl's commit and wrote the index as it was then: the person's commit
// would take the write back, and giving the merge up fails. What commits beside a merge, as a
// person would, ends it: where HEAD has moved, such a race has been.
func (t *transaction) mendStale(ctx context.Context) error {
	if t.st.Repo == nil || t.w.DryRun || t.blocked != gitops.WhyMerge {
		return nil
	}
	state, err := t.st.Repo.State()
	began := t.st.Repo.MergeBegan()
	if err != nil || began == "" || began == state.Head || !t.st.Repo.IsAncestor(ctx, began, state.Head) {
		return err
	}
	file := []string{t.st.gitPath()}
	then, _, err := t.st.Repo.BlobsAt(ctx, began, file)
	if err != nil {
		return err
	}
	now, _, err := t.st.Repo.BlobsAt(ctx, state.Head, file)
	if err != nil || then[file[0]] == "" || now[file[0]] == "" || then[file[0]] == now[file[0]] {
		return err
	}
	if other, err := t.st.Repo.NotInIndex(ctx, file, then); err != nil || len(other) > 0 {
		return err
	}
	_ = t.st.Repo.Restage(ctx, file) // else the next act does
	return nil
}

// restage makes those of the files stand in the index as in HEAD that are there and on
// disk as memctl committed them. It gives those that HEAD has not, and the disk has.
func (t *transaction) restage(ctx context.Context, paths []string, want map[string]string) (dropped []string, err error) {
	state, err := t.st.Repo.State()
	if err != nil || state.Unborn {
		return nil, err
	}
	head, _, err := t.st.Repo.BlobsAt(ctx, state.Head, paths)
	if err != nil {
		return nil, err
	}
	var mend []string
	for _, p := range paths {
		switch {
		case head[p] == want[p] && t.st.Repo.DiskHas(p, want[p]):
			mend = append(mend, p)
		case head[p] == "" && t.st.Repo.DiskHas(p, want[p]):
			dropped = append(dropped, p)
		}
	}
	if len(mend) == 0 {
		return dropped, nil
	}
	if err := t.st.Repo.Restage(ctx, mend); err != nil {
		t.blocked = cmp.Or(t.blocked, commitFault(err))
		return nil, nil
	}
	t.mended = append(t.mended, "the index has files of memory again that another git wrote it without")
	return dropped, nil
}

// commitAgain commits the recent files once more that another git's commit took out of HEAD
// when memctl's had only just brought them there.
func (t *transaction) commitAgain(ctx context.Context, paths []string, known []recentBlob) error {
	if len(paths) == 0 || t.blocked != "" {
		return nil
	}
	removed, err := t.st.Repo.ChangedAt(ctx, paths)
	if err != nil {
		return err
	}
	var changes []FileChange
	var keys []string
	for _, k := range known {
		name := t.st.ownPath(k.Path)
		if after := removed.Sub(k.At); !slices.Contains(paths, k.Path) || after > droppedFor || after < -droppedFor {
			continue
		}
		src, err := t.st.fileBytes(name)
		if place, ok := entry.ParsePath(name); ok && err == nil && !slices.Contains(keys, place.ID) {
			changes, keys = append(changes, FileChange{Path: name, After: src}), append(keys, place.ID)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	w := Write{Act: "restore", Keys: keys}
	commit, err := t.commitChanges(ctx, changes, w.subject(), "", w.trailers(t.st.Scope))
	if commit == "" && err != nil {
		t.blocked = commitFault(err)
		return nil
	}
	for i, key := range keys {
		keys[i] = entry.ShortID(key)
	}
	t.notes = append(t.notes, "a commit of another git had taken away what was committed just before it: "+namedFew(keys)+"; it is in git again")
	return nil
}
