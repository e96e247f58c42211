package contents

import (
	"context"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Origin says who gave a key a value, as far as git and this machine know.
type Origin struct {
	Commit string // the first one with the value; "" where none is known
	Author string
	Mine   bool // the person committed it, or wrote it on this machine
	ByHand bool // somebody else wrote it over a person's value without memctl
}

// Origins are those of the item's value and, after it, of the other values in its conflict.
func Origins(ctx context.Context, st *store.Store, it memfile.Item) []Origin {
	it.Tags = nil // a merge sets the one that counts in a digest
	list := []Origin{{}}
	values := []memfile.Item{it}
	for _, r := range it.Conflict {
		other := it
		other.Value, other.Confidence, other.Added, other.Updated = r.Value, r.Confidence, r.Added, ""
		list, values = append(list, Origin{}), append(values, other)
	}
	_ = withTracer(ctx, st, func(t *tracer, head string) error {
		heads := []string{head}
		for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"} { // what an operation under way brings
			if st.Repo.Operation() == "" {
				break
			}
			if id, err := object.Resolve(ctx, st.Repo, name); err == nil {
				heads = append(heads, id)
			}
		}
		for i, one := range values {
			if o, err := t.origin(heads, one); err == nil { // else nobody knows
				list[i] = o
			}
		}
		return nil
	})
	here := &Reviewed{ss: st.Stores}
	here.readWritten()
	for i, one := range values {
		list[i].Mine = list[i].Mine || st.Scope != store.Project || st.Repo == nil || here.written[writtenDigest(one)]
	}
	return list
}

// origin goes back from the heads to the first commit that has the item's value for its key.
func (t *tracer) origin(heads []string, it memfile.Item) (Origin, error) {
	at, c := "", object.Commit{Parents: heads}
	for range maxTraced {
		next, err := t.withValue(c.Parents, it)
		if next != "" {
			at = next
			c, err = object.ReadCommit(t.o, at)
		} else if err == nil {
			return t.first(at, c, it)
		}
		if err != nil {
			return Origin{}, err
		}
	}
	return Origin{}, nil
}

// first is the origin of a value that no parent of the commit has.
func (t *tracer) first(at string, c object.Commit, it memfile.Item) (Origin, error) {
	blob, err := t.blob(at)
	if at == "" || err != nil || !t.version(blob).has(it) {
		return Origin{}, err
	}
	o := Origin{Commit: at, Author: c.Author, Mine: t.isPersonsCommit(c)}
	if len(c.Parents) == 1 && !byMemctl(c) && !o.Mine {
		before, err := t.blob(c.Parents[0])
		was, there := t.version(before).items[it.Key]
		o.ByHand = err == nil && there && was.IsStated() && was.Day() == it.Day()
	}
	return o, nil
}

// withValue is the first of the commits that has the item's value, or may have lost it in a damaged file; "" for none.
func (t *tracer) withValue(commits []string, it memfile.Item) (string, error) {
	for _, commit := range commits {
		blob, err := t.blob(commit)
		if err != nil {
			return "", err
		}
		v := t.version(blob)
		if _, there := v.items[it.Key]; v.has(it) || !there && v.damaged {
			return commit, nil
		}
	}
	return "", nil
}

// has reports whether the version has the item's value for its key, or beside another one.
func (v version) has(it memfile.Item) bool {
	is, there := v.items[it.Key]
	return there && (memfile.Equal(is.Value, it.Value) || slices.ContainsFunc(is.Conflict, func(r memfile.Rival) bool { return memfile.Equal(r.Value, it.Value) }))
}
