package view

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ByPerson picks the items that a person set, in ItemsRequest.By.
const ByPerson = "person"

// ItemsRequest picks items; "" in a field takes all.
type ItemsRequest struct {
	Scope, Glob, Tag, Confidence, By string
}

// ItemsResult is the items of all scopes in one list.
type ItemsResult struct {
	Schema int        `json:"schema"`
	Items  []ListItem `json:"items"`
}

// ListItem is an item with its scope.
type ListItem struct {
	Scope string `json:"scope"`
	ItemView
}

// ForAgent hides what is withheld from agents.
func (r *ItemsResult) ForAgent() (hidden int) {
	for i := range r.Items {
		hidden += r.Items[i].hide()
	}
	return hidden
}

// Items lists the items of every scope, by scope and key.
func Items(ctx context.Context, ss *store.Stores, req ItemsRequest) (ItemsResult, error) {
	res := ItemsResult{Schema: memory.SchemaNumber, Items: []ListItem{}}
	memories, err := ReadShown(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	for _, m := range memories {
		for _, it := range m.Items {
			if req.Glob != "" && !picks(req.Glob, it.Key) ||
				req.Tag != "" && !slices.Contains(it.Tags, req.Tag) ||
				req.Confidence != "" && it.Confidence != req.Confidence || req.By != "" && cmp.Or(it.By, ByPerson) != req.By {
				continue
			}
			res.Items = append(res.Items, ListItem{m.Store.Scope, itemView(it)})
		}
	}
	slices.SortStableFunc(res.Items, func(a, b ListItem) int {
		if a.Scope != b.Scope {
			return 0 // in the order of the scopes
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return res, nil
}

// FilesResult is the files of memory.
type FilesResult struct {
	Schema int          `json:"schema"`
	Files  []MemoryFile `json:"files"`
}

// MemoryFile is one file of memory.
type MemoryFile struct {
	Scope string `json:"scope"`
	Tier  string `json:"tier"` // memory, fact, note, summary or turn; deleted where nothing reads it any more
	Path  string `json:"path"`
}

// ListFiles lists the memory files of the scopes and the files of their entries.
func ListFiles(ctx context.Context, ss *store.Stores, scope string) (FilesResult, error) {
	res := FilesResult{Schema: memory.SchemaNumber, Files: []MemoryFile{}}
	stores, err := memory.StoresOf(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		if st.HasFile() {
			res.Files = append(res.Files, MemoryFile{st.Scope, "memory", policy.Inert(st.Path())})
		}
		files, _, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return res, err
		}
		for _, f := range files {
			place, _ := entry.ParsePath(f.Path)
			tier := place.Tier
			if f.Deleted {
				tier = "deleted"
			}
			res.Files = append(res.Files, MemoryFile{st.Scope, tier, policy.Inert(memory.Redacted(filepath.Join(st.Dir, filepath.FromSlash(st.OnDisk(f.Path)))))})
		}
	}
	return res, nil
}
