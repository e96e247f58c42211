package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
)

// WhyTakenBack is why an automatic write waits that another program took back.
const WhyTakenBack = "taken back by another program"

// WhyReworded is why the journal has words that stand nowhere else.
const WhyReworded = "changed by another program"

const (
	// maxAgain and againFor bound how often, and for how long, an act is done again
	// whose files another program takes back.
	maxAgain = 50
	againFor = 10 * time.Second
	// againFirst is the first pause before that; the next ones are longer, up to five times.
	againFirst = 10 * time.Millisecond
	// maxTakeBack is how often what is in a commit of such an act is taken back.
	maxTakeBack = 3
)

// TakenBackError is an act whose files another program, such as a person's own
// `git restore`, took back each time before they were committed. Nothing of it
// stands.
type TakenBackError struct {
	Name    string
	Journal bool     // the journal has what was taken back
	Keys    []string // of those, what `restore KEY --from journal` brings back
}

func (e *TakenBackError) Error() string {
	said := fmt.Sprintf("%q: another program took the change back, each time before it was committed", e.Name)
	if e.Journal {
		return said + "; the journal has it"
	}
	return said
}

// againError ends a try of an act whose files somebody else changed after they
// were read: what it decided no longer counts, so it is to be done from the start.
type againError struct{ safefile.ChangedError }

func (e *againError) Unwrap() error { return &e.ChangedError }

// tries counts the tries of one act.
type tries struct {
	count   int
	begun   time.Time
	refused int // by a hook that changed the act's files
}

// more pauses before the next try, and reports whether there is one.
func (n *tries) more(ctx context.Context) bool {
	if n.begun.IsZero() {
		n.begun = time.Now()
	}
	n.count++
	if n.count > maxAgain || time.Since(n.begun) > againFor {
		return false
	}
	pause := time.Duration(min(n.count, 5)) * againFirst
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause/2 + rand.N(pause)): // not in step with who takes it back
		return true
	}
}

// putAgain writes what is lost of the act once more, where a file is as it was before
// the act; one in which the act stands though somebody has changed it is taken as it is.
// Errors: *againError where one is neither; those of adopt.
func (t *transaction) putAgain(ctx context.Context, lost []FileChange) error {
	var list []FileChange
	for _, c := range lost {
		now, err := t.st.wholeBytes(ctx, c.Path)
		if err != nil {
			return err
		}
		switch digestOf(now) {
		case digestOf(c.After): // it came back
		case digestOf(c.Before):
			list = append(list, FileChange{Path: c.Path, Before: now, After: c.After})
		default:
			if ok, err := t.adopt(c.Path, now); err != nil {
				return err
			} else if !ok {
				return &againError{safefile.ChangedError{Name: c.Path}}
			}
		}
	}
	err := t.st.put(list)
	if _, ok := meanwhile(err); ok {
		return nil // in this very moment: the next look at it tells
	}
	return err
}

// meanwhile reports whether writing failed since another program changed the file, or
// took its folder away, in that very moment; and which file.
func meanwhile(err error) (name string, ok bool) {
	var changed *safefile.ChangedError
	var path *fs.PathError
	switch {
	case errors.As(err, &changed):
		return changed.Name, true
	case errors.As(err, &path) && errors.Is(path, fs.ErrNotExist):
		return path.Path, true
	}
	return "", errors.Is(err, fs.ErrNotExist)
}

// lost lists the changes that are not where they are said to be: in the commit
// ("" is HEAD), or where nothing can be committed now on disk.
func (t *transaction) lost(ctx context.Context, commit string) (lost []FileChange) {
	if t.st.Repo == nil {
		return nil
	}
	blobs, err := t.st.blobsAt(ctx, commit, t.changes)
	t.blobs = blobs
	for _, c := range t.changes {
		stands := err == nil && t.isIn(ctx, blobs[t.st.gitPathOf(c.Path)], c)
		if !stands && (err != nil || t.blocked != "") {
			stands = t.st.onDisk(c)
		}
		if !stands {
			lost = append(lost, c)
		}
	}
	return lost
}

// blobsAt are the blobs of the changed files and of the memory file in the commit,
// "" for HEAD, by their paths in the repository.
func (st *Store) blobsAt(ctx context.Context, commit string, changes []FileChange) (map[string]string, error) {
	if commit == "" {
		state, err := st.Repo.State()
		if err != nil || state.Unborn {
			return nil, err
		}
		commit = state.Head
	}
	blobs, _, err := st.Repo.BlobsAt(ctx, commit, append([]string{st.gitPath()}, st.gitPaths(changes)...))
	return blobs, err
}

// onDisk reports whether the file stands as the change made it.
func (st *Store) onDisk(c FileChange) bool {
	now, err := st.fileBytes(c.Path)
	return err == nil && digestOf(now) == digestOf(c.After)
}

// isIn reports whether the blob ("": none) has what the change wrote: just so, as
// git keeps it behind a filter, or in a file that somebody changed elsewhere in the
// meantime.
func (t *transaction) isIn(ctx context.Context, id string, c FileChange) bool {
	if id == "" || c.After == nil {
		return id == "" && c.After == nil
	}
	for _, src := range [][]byte{c.After, bytes.ReplaceAll(c.After, []byte("\r\n"), []byte("\n"))} {
		if gitops.BlobID(len(id), src) == id {
			return true
		}
	}
	path := t.st.gitPathOf(c.Path)
	there, err := t.st.Repo.Blob(ctx, id)
	if err != nil {
		return false
	}
	if t.st.Repo.Converts(ctx, path) {
		if text, err := t.st.Repo.Smudged(ctx, id, path); err == nil {
			there = text
		}
		if clean, err := t.st.Repo.Clean(ctx, path, c.After); err == nil && clean == id {
			return true
		}
	}
	return digestOf(there) == digestOf(c.After) || t.standsIn(c, there)
}

// holds reports whether the memory file has all that the act changed, whatever
// else differs; that something does is noted.
func (t *transaction) holds(src []byte) bool {
	if t.next == nil {
		return false
	}
	file, _ := memfile.Parse(t.st.Name(), src)
	if file == nil {
		return false
	}
	type place struct{ kind, key string }
	differ := map[place]bool{}
	for _, d := range memfile.Diff(file.Document(), t.next.Document()) {
		differ[place{d.Kind, d.Key}] = true
	}
	for _, d := range t.deltas {
		if differ[place{d.Kind, d.Key}] {
			return false
		}
	}
	if len(t.deltas) == 0 { // the act made the file
		return len(differ) == 0
	}
	t.beside = t.beside || len(differ) > 0
	return true
}

// takeBack makes the act's files what they were before it, where they stand as it
// wrote them. What a commit has of them already, since another program took back
// only the rest, a second one takes back; what a commit of the person's took along stays.
func (t *transaction) takeBack(ctx context.Context) error {
	for range maxTakeBack {
		var back []FileChange
		theirs := map[string]string{}
		if t.made == "" && t.st.Repo != nil {
			theirs, _ = t.st.blobsAt(ctx, "", t.changes) // not to know it is none
		}
		for _, c := range t.changes {
			if id := theirs[t.st.gitPathOf(c.Path)]; id != "" && c.After != nil && t.isIn(ctx, id, c) {
				continue
			}
			now, err := t.st.fileBytes(c.Path)
			if err != nil {
				return err
			}
			was := c.Before
			if c.Path == memfile.FileName && slices.Contains(t.adopted, c.Path) {
				if was = t.without(c, now); was == nil {
					continue
				}
			}
			if digestOf(now) == digestOf(c.After) {
				back = append(back, FileChange{Path: c.Path, Before: was, After: now})
			}
		}
		err := t.st.put(takenBack(back))
		if _, ok := meanwhile(err); ok {
			continue // it is taken back at this very moment, or the next look tells
		}
		if err != nil || t.made == "" || len(back) == 0 {
			return err
		}
		if _, err := t.st.commit(ctx, takenBack(back), "take back "+t.w.subject(), "", t.w.trailers(t.st.Scope)); err != nil {
			t.notes = append(t.notes, "a part of the act is in a commit: "+err.Error())
			return nil
		}
	}
	return nil
}

// wasTakenBack is the end of an act that another program took back each time: an
// automatic one waits in the queue, and of any other the journal has what it wrote.
func (t *transaction) wasTakenBack(ctx context.Context, lost []FileChange) error {
	if t.w.Automatic {
		return &DeferredError{Why: WhyTakenBack}
	}
	e := &TakenBackError{Name: t.st.gitPathOf(lost[0].Path)}
	e.Journal = t.journal(ctx, written{changes: t.changes, subject: "memory: " + t.w.subject(), body: t.w.Message, trailers: t.w.trailers(t.st.Scope), why: WhyTakenBack})
	if !e.Journal {
		return e
	}
	for _, d := range t.deltas {
		if d.Kind == memfile.DeltaItem && d.After != nil {
			e.Keys = append(e.Keys, d.Key)
		}
	}
	for _, c := range t.changes {
		if place, ok := entry.ParsePath(c.Path); ok && c.Before == nil && !place.Deleted {
			e.Keys = append(e.Keys, place.ID)
		}
	}
	return e
}
