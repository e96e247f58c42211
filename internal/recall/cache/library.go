package cache

import (
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

// Library is the index over some stores. It may be searched by several
// goroutines until it is closed.
type Library struct {
	*index.Index
	// Behind lists the scopes whose index is not up to date, since more had
	// changed than the request let it read.
	Behind []string
	// Glanced lists the scopes in which a file may have changed without the index knowing: it was not compared.
	Glanced []string
	vectors map[string]*vectors // by scope, once they were asked for
	maps    []func() error      // release the files that vectors reads
	release []func() error      // release the segments; they do not change after Open
	bytes   [][]byte            // the segments
}

// With is the index with docs of another place beside its own, and the docs alone, for a question that needs the terms
// given; nil for all.
func (l *Library) With(docs []index.Doc, terms []index.Weighted) (both, alone *index.Index, err error) {
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
func (l *Library) Close() error { return errors.Join(l.closeVectors(), releaseAll(l.release)) }

func releaseAll(list []func() error) error {
	var errs []error
	for _, release := range list {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}
