package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store/contents"
)

// Library is the index over some stores. It may be searched by several
// goroutines until it is closed.
type Library struct {
	*index.Index
	// NotUpdated lists the scopes whose index is not up to date, since more had
	// changed than the request let it read.
	NotUpdated []string
	// NotCompared lists the scopes in which a file may have changed without the index knowing: it was not compared.
	NotCompared  []string
	vectors      map[string]*vectorTable // by scope, once they were asked for
	vectorFiles  []mappedFile            // the files that vectors reads
	segmentFiles []mappedFile            // the files of the index; they do not change after Open
	segmentBytes [][]byte                // the segments
}

// CombineDocs returns the index with docs of another place added, and one of those docs alone. They have only the given
// terms; nil for all.
func (l *Library) CombineDocs(docs []index.Doc, terms []index.WeightedTerm) (both, alone *index.Index, err error) {
	segment, err := index.BuildForQuestion(docs, terms)
	if err != nil {
		return nil, nil, err
	}
	if alone, err = index.Open(segment); err != nil {
		return nil, nil, err
	}
	both, err = index.Open(append(slices.Clip(l.segmentBytes), segment)...)
	return both, alone, err
}

// Close ends the use of the index. nil has nothing to close.
func (l *Library) Close() error {
	if l == nil {
		return nil
	}
	list := l.segmentFiles
	l.segmentFiles = nil
	return errors.Join(l.closeVectors(), releaseAll(list))
}

// takeSegment gives the mapping of a segment to another library. A file of this name never changes.
func (l *Library) takeSegment(path string) (m mappedFile, ok bool) {
	if l == nil {
		return m, false
	}
	i := slices.IndexFunc(l.segmentFiles, func(m mappedFile) bool { return m.path == path })
	if i < 0 {
		return m, false
	}
	m = l.segmentFiles[i]
	l.segmentFiles = slices.Delete(l.segmentFiles, i, i+1)
	return m, true
}

// mappedFile is a file in memory.
type mappedFile struct {
	path    string
	data    []byte
	release func() error
}

// mapFile maps a file of the cache.
func mapFile(dir *os.Root, name string) (m mappedFile, err error) {
	if name != filepath.Base(name) {
		return m, fs.ErrInvalid
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return m, err
	}
	if !info.Mode().IsRegular() || info.Size() > index.MaxSegmentBytes {
		return m, fs.ErrInvalid
	}
	m.path = filepath.Join(dir.Name(), name)
	m.data, m.release, err = index.Map(m.path)
	return m, err
}

func releaseAll(list []mappedFile) error {
	var errs []error
	for _, m := range list {
		errs = append(errs, m.release())
	}
	return errors.Join(errs...)
}

const (
	// batchFiles is how many files a worker reads between two reports of progress.
	batchFiles = 500
	maxWorkers = 4
)

// readFiles makes docs of files. Many files are read by several workers.
func (k *updater) readFiles(ctx context.Context, root *os.Root, paths []string) ([]index.Doc, error) {
	if len(paths) <= batchFiles {
		return k.readDocs(ctx, root, paths)
	}
	// What rules on entries is read here, once: the workers only look at it.
	if _, err := contents.Read(ctx, k.st); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	docs, done := make([]index.Doc, 0, len(paths)), 0
	batches := make(chan []string)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers) {
		workers.Go(func() {
			for batch := range batches {
				list, err := k.readDocs(ctx, root, batch)
				if err != nil {
					cancel(err)
				}
				mu.Lock()
				docs, done = append(docs, list...), done+len(batch)
				if k.req.Progress != nil {
					k.req.Progress(done, len(paths))
				}
				mu.Unlock()
			}
		})
	}
	for batch := range slices.Chunk(paths, batchFiles) {
		batches <- batch
	}
	close(batches)
	workers.Wait()
	return docs, context.Cause(ctx)
}
