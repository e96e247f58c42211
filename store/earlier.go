package store

import (
	"context"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
)

// mostEarlier bounds the versions in which a sound one is looked for.
const mostEarlier = 50

// recovering are the options for what recovers the store's file.
func (st *Store) recovering() recovery.Options {
	return recovery.Options{Today: st.ss.Today(), Scope: st.Scope, Team: st.ss.teamRules(st.Scope)}
}

// salvaged is what a damaged memory file says now, with what was forgotten and switched
// off before it was damaged.
func (st *Store) salvaged(ctx context.Context, src []byte) memfile.Document {
	opt := st.recovering()
	opt.Base = st.forgottenEarlier(ctx)
	return recovery.Salvage(st.Name(), src, opt)
}

// page reports whether the bytes of the memory file are somebody's own document. They are
// not where HEAD has them, and a sound version came before them at this path without a
// deletion between: then the memory file has lost its block.
func (st *Store) page(ctx context.Context, src []byte) bool {
	if !memfile.Page(src) || st.Repo == nil {
		return memfile.Page(src)
	}
	if head, ok, err := st.storedAt(ctx, "HEAD"); err != nil || !ok || digestOf(head) != digestOf(src) {
		return true
	}
	lost := false
	_ = object.History(ctx, st.Repo, "HEAD", st.gitPath(), mostEarlier, func(v object.Version) bool {
		if v.After == "" {
			return false
		}
		was, err := st.stored(ctx, v.After)
		if f, _ := memfile.Parse(st.Name(), was); err == nil && f != nil {
			lost = true
		}
		return err == nil && !lost
	})
	return !lost
}

// earlier is the newest sound version of the memory file in HEAD's history;
// nil where there is none, or none can be read. What a damaged file merely lacks
// of it, nobody took out.
func (st *Store) earlier(ctx context.Context) *memfile.Document {
	if st.Repo == nil {
		return nil
	}
	if s, err := st.Repo.State(); err != nil || s.Unborn {
		return nil
	}
	var found *memfile.Document
	_ = object.History(ctx, st.Repo, "HEAD", st.gitPath(), mostEarlier, func(v object.Version) bool {
		if v.After == "" {
			return true
		}
		src, err := st.stored(ctx, v.After)
		if err != nil {
			return false
		}
		if f, _ := memfile.Parse(st.Name(), src); f != nil {
			doc := f.Document()
			found = &doc
		}
		return found == nil
	})
	return found
}

// forgottenEarlier is what of an earlier version holds for whoever reads a
// damaged file: what was forgotten, and what was switched off.
func (st *Store) forgottenEarlier(ctx context.Context) *memfile.Document {
	was := st.earlier(ctx)
	if was != nil {
		was.Items = nil
	}
	return was
}
