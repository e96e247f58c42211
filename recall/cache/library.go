package cache

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/memctl/memctl/recall/index"
)

// Library is the index over some stores. It may be searched by several
// goroutines until it is closed.
type Library struct {
	*index.Index
	// Behind lists the scopes whose index is not up to date, since more had
	// changed than the request let it read.
	Behind  []string
	vectors map[string]*vectors // by scope, once they were asked for
	maps    []func() error      // release the files that vectors reads; no other library has them
	release []func() error      // release the segments; they do not change after Open
	bytes   [][]byte            // the segments
	others  *atomic.Int32       // how many more libraries read them
}

func newLibrary() *Library { return &Library{others: &atomic.Int32{}} }

// Share returns another library over the same segments, for another goroutine: Embed is not for several. Both
// have to be closed. Share may be called while another goroutine is in Embed, and not once the library is closed.
func (l *Library) Share() *Library {
	l.others.Add(1)
	return &Library{Index: l.Index, Behind: l.Behind, release: l.release, bytes: l.bytes, others: l.others}
}

// With is the index with docs of another place beside its own, and the docs alone, for a question that needs the terms
// given; nil for all.
func (l *Library) With(docs []index.Doc, terms []string) (both, alone *index.Index, err error) {
	segment, err := index.BuildFor(docs, terms)
	if err != nil {
		return nil, nil, err
	}
	if alone, err = index.Open(segment); err != nil {
		return nil, nil, err
	}
	both, err = index.Open(append(slices.Clip(l.bytes), segment)...)
	return both, alone, err
}

// Close ends the use of the index.
func (l *Library) Close() error {
	err := l.closeVectors()
	others := l.others
	if l.others = nil; others == nil || others.Add(-1) >= 0 {
		return err
	}
	return errors.Join(err, releaseAll(l.release))
}

func releaseAll(list []func() error) error {
	var errs []error
	for _, release := range list {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}
