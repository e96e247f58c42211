package contextfile

import (
	"context"
	"path"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

// Instructions reads an instruction file, by its name from the project's root or with session.HomePrefix. ok is false where
// it does not count for the reader: one of a repository counts where the person trusts it, under trust reviewed as it is on
// the default branch, and a CLAUDE.local.md only where git does not track it.
func (r Reader) Instructions(ctx context.Context, ss *store.Stores, name string) (data []byte, ok bool) {
	if file, own := strings.CutPrefix(name, session.HomePrefix); own {
		data, why := place{dir: ss.Home()}.bytes(file)
		return data, ss.Home() != "" && why == ""
	}
	if r.Guarded || ss.Root() == "" || path.Base(name) == session.LocalFile && tracked(ss, name) {
		return nil, false
	}
	data, why := place{dir: ss.Root()}.bytes(name)
	if why != "" || r.Reviewed != nil && !r.Reviewed.File(ctx, name, data) {
		return nil, false
	}
	return data, true
}

func tracked(ss *store.Stores, name string) bool {
	return ss.Repo() != nil && worktree.CountTracked(ss.Repo(), func(file string) bool { return file == name }, 1) > 0
}
