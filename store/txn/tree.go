package txn

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// tree answers what stands in a file now and in HEAD, each looked up once.
type tree struct {
	st        *store.Store
	now, head map[string][]byte
}

func (v *tree) disk(p string) ([]byte, error) {
	if data, ok := v.now[p]; ok {
		return data, nil
	}
	data, err := contents.FileBytes(v.st, p)
	if err == nil {
		v.now[p] = data
	}
	return data, err
}

func (v *tree) committed(ctx context.Context, p string) []byte {
	if data, ok := v.head[p]; ok {
		return data
	}
	data, ok, err := object.FileAt(ctx, v.st.Repo, "HEAD", v.st.GitPathOf(p))
	if err != nil || !ok {
		v.head[p] = nil // unborn, or not in it
		return nil
	}
	_ = v.keepHead(ctx, p, data) // a file that cannot be read, disk says
	return v.head[p]
}

// look looks up at once what HEAD has of the writes' files, where they are many:
// each for itself, the folder that holds them would be read once for each.
func (v *tree) look(ctx context.Context, list []ledger.ActRecord) error {
	var names, paths []string
	for _, p := range list {
		for _, f := range p.Sums {
			names, paths = append(names, f.Path), append(paths, v.st.GitPathOf(f.Path))
		}
	}
	if len(paths) <= manyFiles {
		return nil
	}
	head, err := object.Resolve(ctx, v.st.Repo, "HEAD")
	if err != nil {
		return ctx.Err() // unborn
	}
	blobs, _, err := object.BlobsAt(ctx, v.st.Repo, head, paths)
	if err != nil {
		return err
	}
	for i, name := range names {
		id, there := blobs[paths[i]]
		if !there {
			v.head[name] = nil
			continue
		}
		data, err := object.Blob(ctx, v.st.Repo, id)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := v.keepHead(ctx, name, data); err != nil {
			return err
		}
	}
	return nil
}

// keepHead notes what HEAD has of a file, as git would write it here.
func (v *tree) keepHead(ctx context.Context, name string, data []byte) error {
	now, err := v.disk(name)
	if err == nil {
		at := v.st.GitPathOf(name)
		data = contents.SameText(ctx, v.st, data, "HEAD:"+at, at, contents.DigestOf(now))
	}
	v.head[name] = data
	return err
}

// allInHead reports whether HEAD, as it is now, has the result of the writes: of each file
// what the newest of them made.
func (v *tree) allInHead(ctx context.Context, list []ledger.ActRecord) bool {
	now := &tree{st: v.st, now: map[string][]byte{}, head: map[string][]byte{}}
	seen := map[string]bool{}
	for _, p := range slices.Backward(list) {
		for _, f := range p.Sums {
			if !seen[f.Path] && f.After != contents.DigestOf(now.committed(ctx, f.Path)) {
				return false
			}
			seen[f.Path] = true
		}
	}
	return true
}
