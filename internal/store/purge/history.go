package purge

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/rewrite"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
)

// rulesFile has the texts that a person removes with git filter-repo.
const rulesFile = "purge-rules.txt"

// PurgeJournal removes the text from the journal. Errors: fault.Blocked;
// *gitops.Error.
func (p *Search) PurgeJournal(ctx context.Context) error {
	return p.purgeJournal(ctx, &rewrite.Rewritten{})
}

// purgeJournal is PurgeJournal that gives commits their new ids too.
func (p *Search) purgeJournal(ctx context.Context, moved *rewrite.Rewritten) error {
	text := func(s string) string { return moved.Renamed(string(p.trace.Replace([]byte(s)))) }
	_, err := committer.RewriteJournal(ctx, p.st.Repo, func(e *committer.JournalEntry) (bool, error) {
		for _, files := range []map[string]string{e.Files, e.Before} {
			for path, id := range files {
				if !p.blobs[id] {
					continue
				}
				data, err := object.Blob(ctx, p.st.Repo, id)
				if err == nil {
					files[path], err = object.NewWriter(ctx, p.st.Repo).Write("blob", p.trace.Replace(data))
				}
				if err != nil {
					return false, err
				}
			}
		}
		e.Subject, e.Body, e.Commit = text(e.Subject), text(e.Body), text(e.Commit)
		for i := range e.Trailers {
			e.Trailers[i].Value = text(e.Trailers[i].Value)
		}
		return true, nil
	})
	return err
}

// PurgeHistory removes the text from the history of a store of memctl's own, and
// deletes everything that no ref leads to then, under the store's lock. Pushes are the
// commands that do the same on remotes.
func (p *Search) PurgeHistory(ctx context.Context, wait time.Duration) (pushes []string, err error) {
	unlock, err := p.st.Lock(ctx, wait, "purge")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	repo := p.st.Repo
	next, err := rewrite.Rewrite(ctx, repo, rewrite.RewriteRequest{Blobs: p.blobs, Cut: p.trace.Replace})
	if err != nil {
		return nil, err
	}
	// A purge that is interrupted after a step does the steps before it again.
	for _, step := range []func() error{
		func() error { return p.rememberReplaced(next) },
		func() error { return p.purgeJournal(ctx, next) },
		func() error { return rewrite.Swap(ctx, repo, next) },
		func() error { return rewrite.Sweep(ctx, repo) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return rewrite.PushesOver(ctx, repo, next)
}

// Sweep deletes everything that no ref leads to in a store of memctl's own: a purge that
// was interrupted may have left some of it. Errors: fault.LockHeld;
// fault.Blocked; *gitops.Error.
func Sweep(ctx context.Context, st *store.Store, wait time.Duration) (err error) {
	unlock, err := st.Lock(ctx, wait, "purge")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	st.MendLocks(ctx)
	return rewrite.Sweep(ctx, st.Repo)
}

// RewriteCommands are the commands with which a person removes the text from the
// project's history. They need a file with the text, which this writes and the last of
// them deletes. missing says that git filter-repo is needed and not installed: there are
// no commands then. Errors: the system's cause; *gitops.Error.
func (p *Search) RewriteCommands(ctx context.Context) (list []string, missing bool, err error) {
	state, rules := p.st.SharedState(), ""
	if len(rewrite.Filtered(p.refs)) == 0 && !p.LeftTo(ByGC) {
		return nil, false, nil
	}
	if len(rewrite.Filtered(p.refs)) > 0 {
		if !rewrite.FilterRepo(ctx, p.st.Repo) {
			return nil, true, nil
		}
		rules = state.Path(rulesFile)
		if err := state.Write(rulesFile, p.trace.FilterRules()); err != nil {
			return nil, false, err
		}
	}
	if list, err = rewrite.FilterCommands(ctx, p.st.Repo, p.refs, rules); rules != "" {
		list = append(list, "rm "+shell.Quote(rules))
	}
	return list, false, err
}

// rememberReplaced notes which commits the rewritten history replaces, before it does.
func (p *Search) rememberReplaced(next *rewrite.Rewritten) error {
	known, err := localstate.Purged(p.st).Read()
	if err != nil {
		return err
	}
	known.First = append(known.First, next.First...)
	for _, ref := range next.Refs {
		known.Tips = append(known.Tips, ref.Old)
	}
	if len(known.First) == 0 {
		return nil
	}
	for _, list := range []*[]string{&known.First, &known.Tips} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	known.Move(next.Commits)
	return localstate.Purged(p.st).Write(known)
}
