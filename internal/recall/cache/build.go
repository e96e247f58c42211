package cache

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store/contents"
)

const (
	// batchFiles is how many files a worker reads between two reports of progress.
	batchFiles = 500
	maxWorkers = 4
)

// build reads the files and makes one segment of what agents may be given of
// them. In older segments, what is from these files and from drops is gone.
func (k *keeper) build(ctx context.Context, root *os.Root, paths, drops []string) ([]byte, error) {
	docs, err := k.read(ctx, root, paths)
	if err != nil {
		return nil, err
	}
	return index.Build(docs, k.sources(drops))
}

// read makes docs of files. Many files are read by several workers.
func (k *keeper) read(ctx context.Context, root *os.Root, paths []string) ([]index.Doc, error) {
	if len(paths) <= batchFiles {
		return k.docs(ctx, root, paths)
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
				list, err := k.docs(ctx, root, batch)
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
