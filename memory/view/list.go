package view

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ByPerson picks the items that a person set, in ListRequest.By.
const ByPerson = "person"

// ListResult are records as their reader may have them.
type ListResult struct {
	Records []Record
	memory.Withheld
}

// ListRequest picks records of one tier; "" in another field takes all.
type ListRequest struct {
	Scope, Tier, Tag       string
	Glob, Confidence, By   string // of items
	Category, Conversation string // of entries
}

// List lists the items of the scopes by key, or the entries of another tier: facts by their
// standing, the pinned ones first, and others in the order of scopes and paths. Errors: a
// scope that the session does not have; an unknown category.
func List(ctx context.Context, ss *store.Stores, who contents.Reader, req ListRequest) (res ListResult, err error) {
	list, err := listAll(ctx, ss, who, req)
	res.Records, res.Withheld = For(who, list)
	return res, err
}

// WithText lists the items and facts that have a text, as their reader may have them. Errors: those of List.
func WithText(ctx context.Context, ss *store.Stores, who contents.Reader, scope, text string) (found []Record, err error) {
	for _, tier := range []string{Item, entry.Fact} {
		list, err := List(ctx, ss, who, ListRequest{Scope: scope, Tier: tier})
		if err != nil {
			return nil, err
		}
		for _, r := range list.Records {
			if r.Value != nil && similar.Same(r.Value.Plain(), text) || similar.Same(r.Text, text) {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

func listAll(ctx context.Context, ss *store.Stores, who contents.Reader, req ListRequest) ([]Record, error) {
	list := []Record{}
	if req.Tier == Item {
		memories, _, err := ReadShown(ctx, ss, req.Scope, who)
		for _, m := range memories {
			for _, it := range m.Items {
				if (req.Glob == "" || matchesKey(req.Glob, it.Key)) && (req.Tag == "" || it.HasTag(req.Tag)) &&
					(req.Confidence == "" || it.Confidence == req.Confidence) && (req.By == "" || cmp.Or(it.By, ByPerson) == req.By) {
					list = append(list, itemRecord(it, m.Store.Scope))
				}
			}
		}
		slices.SortStableFunc(list, func(a, b Record) int {
			if a.Scope != b.Scope {
				return 0 // in the order of the scopes
			}
			return cmp.Compare(a.Key, b.Key)
		})
		return list, err
	}
	if err := checkCategory(req.Category); err != nil {
		return list, err
	}
	memory.WarnMissingFile(ctx, ss, req.Scope)
	entries, err := Entries(ctx, ss, req.Scope)
	for _, e := range entries {
		if e.Tier() == req.Tier && (req.Category == "" || cmp.Or(e.Category, "fact") == req.Category) &&
			(req.Tag == "" || e.HasTag(req.Tag)) && (req.Conversation == "" || e.Conversation == req.Conversation) {
			list = append(list, listed(ss, e))
		}
	}
	if req.Tier == entry.Fact {
		slices.SortStableFunc(list, func(a, b Record) int {
			if a.Pinned != b.Pinned {
				return map[bool]int{true: -1, false: 1}[a.Pinned]
			}
			return cmp.Or(-cmp.Compare(a.Standing, b.Standing), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
		})
	}
	return list, err
}

func checkCategory(category string) error {
	if category == "" || slices.Contains(entry.Categories(), category) {
		return nil
	}
	return &fault.Error{Code: "no-such-category", Status: 2, Cause: memory.Quoted(category) + ": unknown category (use " + strings.Join(entry.Categories(), ", ") + ")", Hints: []string{"memctl list --tier fact"}}
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
