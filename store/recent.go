package store

import (
	"context"
	"time"

	"github.com/memctl/memctl/memfile"
)

// recentFile remembers for a while which files of entries memctl has committed: git reads
// an index before it locks it, so another git that ran then may write one without them,
// and the person's next commit would take them out of HEAD.
const recentFile = "recent.json"

const (
	recentFor = time.Minute
	maxRecent = 100
)

// recentBlob is one of them, by its path in the repository; the blob is "" where it was
// removed.
type recentBlob struct {
	Path string    `json:"path"`
	Blob string    `json:"blob,omitempty"`
	At   time.Time `json:"at"`
}

// noteRecent remembers the act's files that are in its commit.
func (t *transaction) noteRecent() {
	var list []recentBlob
	for _, c := range t.changes {
		if name := t.st.gitPathOf(c.Path); c.Path != memfile.FileName {
			list = append(list, recentBlob{Path: name, Blob: t.blobs[name], At: t.st.ss.Now().UTC()})
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
// memctl committed them, and stand otherwise there.
func (t *transaction) mendIndex(ctx context.Context) error {
	if t.st.Repo == nil || t.w.DryRun || t.blocked != "" {
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
		if err := t.restage(ctx, lacking, want); err != nil {
			return err
		}
	}
	if age := t.st.ss.Now().Sub(newest); age > recentFor || age < -recentFor {
		return t.st.worktree().remove(recentFile)
	}
	return nil
}

// restage makes those of the files stand in the index as in HEAD that are there and on
// disk as memctl committed them.
func (t *transaction) restage(ctx context.Context, paths []string, want map[string]string) error {
	state, err := t.st.Repo.State()
	if err != nil || state.Unborn {
		return err
	}
	head, _, err := t.st.Repo.BlobsAt(ctx, state.Head, paths)
	if err != nil {
		return err
	}
	var mend []string
	for _, p := range paths {
		if head[p] == want[p] && t.st.Repo.DiskHas(p, want[p]) {
			mend = append(mend, p)
		}
	}
	if len(mend) == 0 {
		return nil
	}
	if err := t.st.Repo.Restage(ctx, mend); err != nil {
		t.blocked = commitFault(err)
		return nil
	}
	t.mended = append(t.mended, "the index has files of memory again that another git wrote it without")
	return nil
}
