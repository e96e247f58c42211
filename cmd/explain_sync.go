package cmd

import (
	"errors"
	"slices"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/exchange"
)

// explainSync knows what can be wrong with a remote.
func explainSync(err error) *memory.Error {
	var branches *exchange.BranchError
	var purged *exchange.PurgedError
	var secret *exchange.ExchangedSecretError
	var remote *remotes.RemoteError
	switch {
	case errors.As(err, &branches):
		return refusal("remote-branches", branches.Error(), branchHints(branches)...)
	case errors.As(err, &purged):
		return refusal("remote-unpurged", purged.Error(), purgedHints(purged)...)
	case errors.As(err, &secret) && secret.Commit != "":
		return refusal("secret", secret.Error()) // only another history is without it
	case errors.As(err, &secret):
		hint := validating(secret.Scope)
		if !secret.Ours {
			hint += " # on the machine where it was written"
		}
		return refusal("secret", secret.Error(), hint)
	case errors.As(err, &remote):
		e := broken("remote", remote.Error(), remoteHints(remote, newRemote(err))...)
		e.Retry = remote.Passing()
		return e
	}
	return nil
}

func branchHints(e *exchange.BranchError) []string {
	slices.Sort(e.Branches)
	var hints []string
	for _, name := range e.Branches[:min(len(e.Branches), 3)] {
		hints = append(hints, "git -C '"+e.Dir+"' config branch."+e.Branch+".merge refs/heads/"+name)
	}
	return hints
}

// purgedHints is the push that is left to a person, and what comes after it.
func purgedHints(e *exchange.PurgedError) []string {
	if e.Command == "" {
		return nil
	}
	return []string{e.Command, "memctl sync"}
}

// newRemote is the command that gives the store at hand another remote.
func newRemote(err error) string {
	scope := store.User
	var failed *exchange.SyncError
	if errors.As(err, &failed) {
		scope = failed.Scope
	}
	return "memctl sync --scope " + scope + " --remote URL"
}

// remoteHints is the command that shows or mends what is wrong.
func remoteHints(e *remotes.RemoteError, newRemote string) []string {
	switch e.Why {
	case remotes.WhyRemoteMissing:
		return []string{newRemote}
	case remotes.WhyRemoteRefused:
		return []string{"memctl sync --dry-run"}
	}
	return []string{"git ls-remote " + e.Remote}
}
