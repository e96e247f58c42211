package store

import (
	"bytes"
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
)

// UnledValues calls fn for the values that a key had in versions of the memory file
// that no ref leads to, and for the texts of the entry of that id ("" for none): of
// commits that were given up, and of what a purge has replaced and git still keeps.
// What refs lead to is left out, since a file there that only looks like a memory
// file tells of something else. Errors: *gitops.BlockedError; *gitops.Error.
func (st *Store) UnledValues(ctx context.Context, key, id string, fn func(memfile.Value)) error {
	if st.Repo == nil {
		return nil
	}
	found := map[string][]memfile.Value{}
	var ids []string
	_, err := st.Repo.EachObject(ctx, func(blob, kind string, data []byte) error {
		if kind != "blob" {
			return nil
		}
		if values := st.valuesIn(data, key, id); len(values) > 0 {
			found[blob], ids = values, append(ids, blob)
		}
		return nil
	})
	if err != nil {
		return err
	}
	unled, err := st.Repo.Unled(ctx, ids)
	for _, blob := range unled {
		for _, v := range found[blob] {
			fn(v)
		}
	}
	return err
}

// valuesIn are the values of the key, or the text of the entry, that a file says.
func (st *Store) valuesIn(src []byte, key, id string) (list []memfile.Value) {
	if id != "" && bytes.Contains(src, []byte(id)) {
		if f, _ := entry.Parse(st.Name(), src); f != nil && f.Entry().ID == id {
			list = append(list, memfile.Str(f.Entry().Text))
		}
	}
	if !memfile.KeyForm(key) || len(src) > memfile.MaxFileBytes || !bytes.Contains(src, []byte(key)) {
		return list
	}
	f, _ := memfile.Parse(st.Name(), src)
	if f == nil {
		return list
	}
	doc := f.Document()
	for _, it := range doc.Items {
		if it.Key != key {
			continue
		}
		list = append(list, it.Value)
		for _, rival := range it.Conflict {
			list = append(list, rival.Value)
		}
	}
	if t := Tombstone(doc, key); t != nil && t.Value != nil {
		list = append(list, *t.Value)
	}
	return list
}
