package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// IdentityHint is the command that tells git who commits.
const IdentityHint = `git config --global user.name "Your Name" && git config --global user.email you@example.com`

// queuedHint is the command that helps what waits on its way: review can write
// nothing either while git does not know who commits.
func queuedHint(ctx context.Context, st *store.Store, why string) string {
	switch why {
	case gitops.WhyNoIdentity:
		return IdentityHint
	case store.WhyAbsent:
		return cmp.Or(txn.Missing(ctx, st).Back, reviewCommand)
	}
	return reviewCommand
}

const reviewCommand = "memctl review"

// held is the act's object for a write that waits, or would if this were no dry run.
func held(ctx context.Context, st *store.Store, o Options, w Write, why string, found []policy.Finding) Write {
	w.Verdict, w.Why, w.Findings, w.WouldWait = policy.Hold.String(), why, findings(found), o.DryRun
	hint := queuedHint(ctx, st, why)
	if !o.DryRun {
		w.Hints, w.Notes = []string{hint}, slices.Concat(w.Notes, comesInLater(why), txn.LockNote(st, why))
		return w
	}
	if hint != reviewCommand { // there is nothing to review
		w.Hints = []string{hint}
	}
	w.Notes = append(w.Notes, wouldWait(why)...)
	return w
}

// wouldWait is what a dry run says of a write that would wait.
func wouldWait(why string) []string {
	later := comesInLater(why)
	for i, note := range later {
		later[i] = strings.Replace(note, "it waits", "it would wait", 1)
	}
	switch {
	case later != nil:
		return later
	case why == waitsHeld:
		return []string{"it would wait in the queue for " + reviewCommand}
	}
	return []string{"it would wait in the queue, and leave the tree as it is"}
}

// comesInLater says what brings in a write that waits for a git to end, for an
// operation of the person's, or for the memory file.
func comesInLater(why string) []string {
	switch {
	case why == store.WhyAbsent:
		return []string{"it waits in the queue: the next memctl act after the file is back writes and commits it"}
	case why == store.WhyOperation:
		return []string{"it waits in the queue, and no file is touched: the next memctl act after you have ended the operation, or given it up, writes and commits it"}
	case !gitops.HandsOff(why):
		return nil
	}
	return []string{"it waits in the queue, and no file is touched: the next memctl act after that git has ended writes and commits it"}
}

// queue puts the candidate where it waits for review.
func (a *adding) queue(w Write, why string, found []policy.Finding) (Write, error) {
	if w = held(a.ctx, a.st, a.Options, w, why, found); a.DryRun {
		return w, nil
	}
	var rules []string
	for _, f := range found {
		if f.Verdict >= policy.Hold {
			rules = append(rules, f.Rule)
		}
	}
	return w, ledger.Enqueue(a.ctx, a.st, stood(a.ctx, a.st, ledger.Waiting{
		Act: "add", Key: a.Key, Value: a.Value, Source: a.Source, Confidence: a.Confidence, Tags: a.Tags,
		Expires: a.Expires, Pinned: a.Pin, Paths: a.Paths, Commands: a.Commands, Ask: a.Ask, NoAsk: a.NoAsk, Repeated: a.Repeated, Message: a.Message, Seen: a.Seen,
		Origin: a.Origin.Kind, By: a.Origin.Name, Why: why, Rules: rules,
	}), a.wait())
}

// inQueue reports whether a write to the key waits for review.
func inQueue(ctx context.Context, ss *store.Stores, key, scope string) (bool, error) {
	stores, err := storesOf(ctx, ss, scope)
	if err != nil {
		return false, err
	}
	for _, st := range stores {
		queue, err := ledger.Queue(st)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(queue, func(w ledger.Waiting) bool { return w.Key == key }) {
			return true, nil
		}
	}
	return false, nil
}
