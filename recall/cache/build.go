package cache

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/store/contents"
)

// Many files are read by several workers, each of which makes a segment of a part
// of them; the segments are then joined.
const (
	// batchFiles is how many files are read between two reports of progress.
	batchFiles = 500
	// partFiles is the least number of files in a part; of maxParts, for an index
	// takes 16 segments.
	partFiles  = 1000
	maxParts   = 10
	maxWorkers = 4
)

// build reads the files and makes one segment of what agents may be given of
// them. In older segments, what is from these files and from drops is gone.
func (k *keeper) build(ctx context.Context, root *os.Root, paths, drops []string) ([]byte, error) {
	size := max(partFiles, (len(paths)+maxParts-1)/maxParts)
	parts := slices.Collect(slices.Chunk(paths, size))
	if len(parts) < 2 {
		docs, err := k.read(ctx, root, paths, k.progress(len(paths)))
		if err != nil {
			return nil, err
		}
		return index.Build(docs, k.sources(drops))
	}
	// What rules on entries is read here, once: the workers only look at it.
	if _, err := contents.Read(ctx, k.st); err != nil {
		return nil, err
	}
	segments, err := k.buildParts(ctx, root, parts, k.progress(len(paths)))
	if err != nil {
		return nil, err
	}
	return index.Join(segments, k.sources(drops))
}

// buildParts makes a segment of each part.
func (k *keeper) buildParts(ctx context.Context, root *os.Root, parts [][]string, done func(int)) ([][]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	segments := make([][]byte, len(parts))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers) {
		workers.Go(func() {
			for i := range next {
				docs, err := k.read(ctx, root, parts[i], done)
				if err == nil {
					segments[i], err = index.Build(docs, nil)
				}
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range parts {
		next <- i
	}
	close(next)
	workers.Wait()
	return segments, context.Cause(ctx)
}

// read makes docs of files, and reports each batch.
func (k *keeper) read(ctx context.Context, root *os.Root, paths []string, done func(int)) ([]index.Doc, error) {
	var docs []index.Doc
	for batch := range slices.Chunk(paths, batchFiles) {
		list, err := k.docs(ctx, root, batch)
		if err != nil {
			return nil, err
		}
		docs = append(docs, list...)
		done(len(batch))
	}
	return docs, nil
}

// progress counts the files that were read, for whoever wants to know.
func (k *keeper) progress(total int) func(int) {
	if k.req.Progress == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	sum := 0
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		sum += n
		k.req.Progress(sum, total)
	}
}
