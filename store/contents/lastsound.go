package contents

import (
	"context"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/store"
)

// mostEarlier bounds the versions in which a sound one is looked for.
const mostEarlier = 50

// RecoveryOptions are the options for what recovers the store's file.
func RecoveryOptions(st *store.Store) recovery.Options {
	return recovery.Options{Today: st.Stores.Today(), Scope: st.Scope, Team: st.Stores.TeamRules(st.Scope)}
}

// salvaged is what a damaged memory file says now, with what was forgotten and switched
// off before it was damaged.
func salvaged(ctx context.Context, st *store.Store, src []byte) memfile.Document {
	opt := RecoveryOptions(st)
	opt.Base = ForgottenEarlier(ctx, st)
	return recovery.Salvage(st.Name(), src, opt)
}

// IsPage reports whether the bytes of the memory file are somebody's own document. They are
// not where HEAD has them, and a sound version came before them at this path without a
// deletion between: then the memory file has lost its block.
func IsPage(ctx context.Context, st *store.Store, src []byte) bool {
	if !memfile.Page(src) || st.Repo == nil {
		return memfile.Page(src)
	}
	if head, ok, err := StoredAt(ctx, st, "HEAD"); err != nil || !ok || DigestOf(head) != DigestOf(src) {
		return true
	}
	lost := false
	_ = object.History(ctx, st.Repo, "HEAD", st.GitPath(), mostEarlier, func(v object.Version) bool {
		if v.After == "" {
			return false
		}
		was, err := Stored(ctx, st, v.After)
		if f, _ := memfile.Parse(st.Name(), was); err == nil && f != nil {
			lost = true
		}
		return err == nil && !lost
	})
	return !lost
}

// LastSound is the newest sound version of the memory file in HEAD's history;
// nil where there is none, or none can be read. What a damaged file merely lacks
// of it, nobody took out.
func LastSound(ctx context.Context, st *store.Store) *memfile.Document {
	if st.Repo == nil {
		return nil
	}
	if s, err := st.Repo.State(); err != nil || s.Unborn {
		return nil
	}
	var found *memfile.Document
	_ = object.History(ctx, st.Repo, "HEAD", st.GitPath(), mostEarlier, func(v object.Version) bool {
		if v.After == "" {
			return true
		}
		src, err := Stored(ctx, st, v.After)
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

// ForgottenEarlier is what of an earlier version holds for whoever reads a
// damaged file: what was forgotten, and what was switched off.
func ForgottenEarlier(ctx context.Context, st *store.Store) *memfile.Document {
	was := LastSound(ctx, st)
	if was != nil {
		was.Items = nil
	}
	return was
}
