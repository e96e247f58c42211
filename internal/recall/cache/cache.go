// Package cache keeps the index of a store's memory on disk, and brings it up to
// date before it is searched.
//
// What is cached can be deleted at any time. It stands in the worktree's local
// state: recall.list says which files were indexed and as of when, and
// recall-*.seg are the index's segments, the first the base, the others what
// changed since. A segment is written once under a name of its own and never
// changed; the list is replaced as a whole and names its segments, so that a
// reader beside a writer sees one state or the other, and a process that dies
// leaves the old state and perhaps a segment nobody names, which goes with a later
// write.
//
// Freshness: folders' times are always compared; files' times in folders that
// changed, and in small folders (the newest maxSmallFiles files' worth). What
// else changed in place is found by Request.CompareAll, and a hit is compared with
// its file by the caller.
package cache

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// Request says what to open.
type Request struct {
	Stores []*store.Store // in order of precedence
	// MarkdownGlobs are globs of Markdown files of the project that are read and never
	// written.
	MarkdownGlobs []string
	// InstructionFiles are names and globs of the project's instruction files. ListNested lists the others, those of folders below the root; nil:
	// those that are known already. It is asked again once the file ListNestedAfter, git's index, has changed.
	InstructionFiles  []string
	ListNested        func() []string
	ListNestedAfter   string
	IsInstructionFile func(name string) bool // reports whether a name is an instruction file's
	// Home is the person's home folder, and HomeFiles are the names of their instruction files, which are below it and begin with
	// "~/". They are indexed in the scope user.
	Home       string
	HomeFiles  []string
	CompareAll bool // compare every file's times
	// MaxChangedFiles is how many changed files are read at most; over that, the index
	// answers as it was. 0 is no limit.
	MaxChangedFiles int
	// NamesOnly compares the names of files alone: one that is indexed counts as unchanged, and a few new ones are read again
	// each time. It is for those who look at the files that they find.
	NamesOnly bool
	// WriteNothing leaves the files of the index as they are: what changed is indexed in memory, and again by the next reader.
	WriteNothing bool
	Progress     func(done, total int) // while files are read; nil for nobody
	// Previous is an open library, which Open closes. What both have stays in memory.
	Previous *Library
}

// Open brings the stores' indexes up to date and opens them as one. Where the
// cache cannot be written, the index is built in memory. Errors: those of
// reading a store; a damaged cache is built anew.
func Open(ctx context.Context, req Request) (*Library, error) {
	lib := &Library{}
	defer req.Previous.Close()
	var segments [][]byte
	for _, st := range req.Stores {
		k := &updater{st: st, req: req, lib: lib, now: time.Now()}
		list, err := k.openCurrent(ctx)
		if err != nil {
			return nil, errors.Join(err, lib.Close())
		}
		segments = append(segments, list...)
	}
	index, err := index.Open(segments...)
	if err != nil { // each store's own opened alone: what is wrong here is no cache's fault
		return nil, errors.Join(err, lib.Close())
	}
	lib.Index, lib.segmentBytes = index, segments
	return lib, nil
}

const (
	listFile      = "recall.list"
	segmentPrefix = "recall-"
	segmentSuffix = ".seg"
	cacheMode     = 0o600
	// maxDeltas is how many segments there are beside the base before they
	// become one: an index takes 16, and three stores of five fit in.
	maxDeltas = 4
	// maxUnsaved is how many new files a request with NamesOnly reads without saving what it read.
	maxUnsaved = 8
	// orphanAge is how long a segment that the list does not name is left to
	// who may be about to name or to read it.
	orphanAge = 10 * time.Minute
)

// updater brings one store's index up to date.
type updater struct {
	st  *store.Store
	req Request
	lib *Library
	now time.Time
	old *fileList // what was indexed; nil where nothing is
}

// openCurrent returns the store's segments, up to date where the request allows it. A
// cache that turns out to be damaged is built anew, once.
func (k *updater) openCurrent(ctx context.Context) ([][]byte, error) {
	root, err := contents.OpenRoot(k.st)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return k.indexHomeFiles()
	}
	defer root.Close()
	rules := k.rulesKey(ctx)
	var segments [][]byte
	k.old, segments = k.loadCached(rules)
	segments, err = k.refresh(ctx, root, rules, segments)
	if k.old != nil && (errors.Is(err, errDamagedList) || errors.Is(err, index.ErrCorrupt)) {
		k.old = nil
		segments, err = k.refresh(ctx, root, rules, nil)
	}
	return segments, err
}

// rulesKey names everything that decides how docs are made of the store's files. That includes the
// scope, which docs name: with --store, a project's folder has the scope store.
func (k *updater) rulesKey(ctx context.Context) string {
	return contents.RulesKey(ctx, k.st) + " scope " + k.st.Scope
}

// Usable reports whether the store has an index that can be brought up to date. Else all is read anew, which no hook does
// in a large store.
func Usable(ctx context.Context, st *store.Store) bool {
	lib := &Library{}
	defer lib.Close()
	k := &updater{st: st, lib: lib}
	old, _ := k.loadCached(k.rulesKey(ctx))
	return old != nil
}

// refresh adds what changed since to the segments.
func (k *updater) refresh(ctx context.Context, root *os.Root, rules string, segments [][]byte) ([][]byte, error) {
	found, err := k.scan(ctx, root)
	few := err == nil && k.req.NamesOnly && k.old != nil
	if few && len(found.toRead)+len(found.removed) > maxUnsaved {
		k.req.NamesOnly, few = false, false
		found, err = k.scan(ctx, root)
	}
	if errors.Is(err, errTooManyFiles) {
		k.lib.NotUpdated = append(k.lib.NotUpdated, k.st.Scope)
		return segments, nil
	}
	if err != nil {
		return nil, err
	}
	if found.notCompared {
		k.lib.NotCompared = append(k.lib.NotCompared, k.st.Scope)
	}
	found.list.Rules = rules
	var items []index.Doc
	if few {
		if items, err = k.newItemDocs(ctx, segments); err != nil {
			return nil, err
		}
	}
	if len(items) == 0 && len(found.toRead)+len(found.removed) == 0 {
		if found.onlyListChanged && k.old != nil && !few && !k.req.WriteNothing {
			found.list.Segments, found.list.Since = k.old.Segments, k.old.Since
			k.saveList(found.list)
		}
		return segments, nil
	}
	if k.req.MaxChangedFiles > 0 && len(found.toRead) > k.req.MaxChangedFiles {
		k.lib.NotUpdated = append(k.lib.NotUpdated, k.st.Scope)
		return segments, nil
	}
	docs, err := k.readFiles(ctx, root, found.toRead)
	if err != nil {
		return nil, err
	}
	data, err := index.Build(append(docs, items...), k.sourcesOf(found.filesToDrop()))
	if err != nil {
		return nil, err
	}
	if few || k.req.WriteNothing {
		return append(slices.Clip(segments), data), nil
	}
	return k.writeChanges(found, data, segments)
}

// loadCached opens what is cached; nothing where it is missing, damaged, of another
// version, or ruled on by other rules. A writer may replace the segments between
// the list and their opening: the new list is then read.
func (k *updater) loadCached(rules string) (*fileList, [][]byte) {
	const tries = 3
	dir, err := k.st.WorktreeState().Open(false)
	if err != nil {
		return nil, nil
	}
	defer dir.Close()
	for range tries {
		m, err := mapFile(dir, listFile)
		if err != nil {
			return nil, nil
		}
		k.lib.segmentFiles = append(k.lib.segmentFiles, m)
		old, err := decodeList(m.data)
		if err != nil || old.Rules != rules {
			return nil, nil
		}
		segments, err := k.mapSegments(dir, old.Segments)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil
		}
		return old, segments
	}
	return nil, nil
}

// mapSegments maps the named segments, and proves that they open together.
func (k *updater) mapSegments(dir *os.Root, names []string) ([][]byte, error) {
	var segments [][]byte
	for _, name := range names {
		m, ok := k.req.Previous.takeSegment(filepath.Join(dir.Name(), name))
		if !ok {
			var err error
			if m, err = mapFile(dir, name); err != nil {
				return nil, err
			}
		}
		k.lib.segmentFiles, segments = append(k.lib.segmentFiles, m), append(segments, m.data)
	}
	_, err := index.Open(segments...)
	return segments, err
}

// writeChanges writes what changed, which is data, as a new segment, or puts segments
// together where they have become many, and then the list.
func (k *updater) writeChanges(found *changes, data []byte, segments [][]byte) ([][]byte, error) {
	next, drops := found.list, found.filesToDrop()
	since := drops
	if k.old != nil {
		earlier, err := k.old.Since.readRecords()
		if err != nil {
			return nil, err
		}
		next.Segments = slices.Clone(k.old.Segments)
		since = append(earlier, append(slices.Clone(drops), found.toRead...)...)
		slices.Sort(since)
		since = slices.Compact(since)
	}
	keep := len(segments) // of them stay as they are
	switch {
	case len(since) > next.countFiles()/10+500 && k.req.MaxChangedFiles == 0: // a hook has no time for it
		keep, since = 0, nil
	case len(segments) > maxDeltas:
		keep = 1
	}
	if keep < len(segments) { // the base, if it stays, has nothing of what changed since it was written
		var err error
		if data, err = index.Merge(append(slices.Clone(segments[keep:]), data), k.sourcesOf(since)); err != nil {
			return nil, err
		}
	}
	next.Segments, next.Since = next.Segments[:keep], blockOfNames(since)
	k.saveSegment(next, data)
	return append(slices.Clip(segments[:keep]), data), nil
}

func (k *updater) sourcesOf(paths []string) []index.Source {
	list := make([]index.Source, len(paths))
	for i, p := range paths {
		list[i] = index.Source{Scope: k.st.Scope, Path: p}
	}
	return list
}

// saveSegment writes the segment and then the list that names it. A failure costs the
// next reader the same work again and nothing else.
func (k *updater) saveSegment(next *fileList, segment []byte) {
	dir, err := k.st.WorktreeState().Open(true)
	if err != nil {
		return
	}
	defer dir.Close()
	name := segmentPrefix + strings.ToLower(rand.Text()) + segmentSuffix
	if safefile.WriteCache(dir, name, segment, cacheMode) != nil {
		return
	}
	next.Segments = append(next.Segments, name)
	if safefile.WriteCache(dir, listFile, next.encode(), cacheMode) != nil {
		dir.Remove(name)
		return
	}
	removeOldSegments(dir, next.Segments, k.now.Add(-orphanAge), k.old)
}

// saveList writes a list whose segments stand already.
func (k *updater) saveList(l *fileList) {
	if dir, err := k.st.WorktreeState().Open(true); err == nil {
		safefile.WriteCache(dir, listFile, l.encode(), cacheMode)
		dir.Close()
	}
}

// removeOldSegments removes the segments that the list before named, and others that
// nobody has named for long. On systems where a mapped file cannot be removed it goes
// the next time.
func removeOldSegments(dir *os.Root, keep []string, before time.Time, old *fileList) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, segmentPrefix) || !strings.HasSuffix(name, segmentSuffix) || slices.Contains(keep, name) {
			continue
		}
		info, err := e.Info()
		if err == nil && (info.ModTime().Before(before) || old != nil && slices.Contains(old.Segments, name)) {
			dir.Remove(name)
		}
	}
}

// RemoveIndex removes what is cached of the store: the next Open builds it anew.
func RemoveIndex(st *store.Store) error {
	if st.DryRun() {
		return nil
	}
	dir, err := st.WorktreeState().Open(false)
	if err != nil {
		return nil // nothing is cached
	}
	defer dir.Close()
	if err := dir.Remove(listFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	removeOldSegments(dir, nil, time.Now().Add(time.Hour), nil)
	return nil
}
