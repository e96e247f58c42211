package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// forgetAll forgets every record that contains one of the texts, deleted entries too, and takes the texts out of the
// queue and the rest of local state. Only a person may. Errors: a refusal if nothing contains them.
func (req ForgetRequest) forgetAll(ctx context.Context, ss *store.Stores) ([]memory.Write, error) {
	all, err := req.matchable(ctx, ss)
	if err != nil {
		return nil, err
	}
	f := &forgetting{ForgetRequest: req, heard: memory.Listen(ss, req.Origin), ctx: ctx, ss: ss}
	var shown []string
	seen := map[string]bool{}
	for _, m := range all {
		same := m.st.Scope + " " + m.text // entries of one text in one scope go together
		if !slices.ContainsFunc(m.texts(), req.contains) || m.entry != nil && seen[same] {
			continue
		}
		seen[same] = seen[same] || m.entry != nil
		f.add(removal{match: m, byValue: true})
		shown = append(shown, m.line())
	}
	queued, err := req.queuedWith(ctx, ss)
	if err != nil {
		return nil, err
	}
	for _, q := range queued {
		shown = append(shown, fmt.Sprintf("%s: pending writes: %d", q.st.Scope, len(q.ids)))
	}
	if err := req.Permit("forget --all", memory.StateAbsent); err != nil {
		return nil, memory.AsError("--all", err)
	}
	switch {
	case len(shown) == 0:
		if !ss.DryRun() {
			err = req.dropLocal(ctx, ss)
		}
		return nil, cmp.Or(err, memory.AsError(strings.Join(req.Targets, " "), memory.Refuse(memory.RuleNotFound, "no item, fact or note contains this text", "memctl list")))
	case req.Agree != nil && !ss.DryRun() && !req.Agree(shown):
		return nil, nil
	}
	answers, err := f.run()
	if err != nil || ss.DryRun() {
		return answers, err
	}
	for _, q := range queued {
		_, failed := ledger.DropQueued(ctx, q.st, ledger.Drop{Act: "forget", Origin: req.Origin.Kind, Wait: req.Wait(), IDs: q.ids})
		err = errors.Join(err, failed)
		answers = append(answers, req.Answer("forget", "", q.st.Scope).Uncommitted(ss, fmt.Sprintf("Dropped pending writes: %d", len(q.ids)), fault.Note{}))
	}
	return answers, errors.Join(err, req.dropLocal(ctx, ss))
}

// dropLocal takes the texts out of local state. It deletes the caches of every store, because old
// segments of an index can still have a text that its store has lost.
func (req ForgetRequest) dropLocal(ctx context.Context, ss *store.Stores) error {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	err = errors.Join(err, localstate.DropTexts(ss, req.contains))
	for _, st := range stores {
		err = errors.Join(err, localstate.DropUses(st, req.contains), dropCached(ctx, st))
	}
	return err
}

// queuedWrites are writes in the queue of a store.
type queuedWrites struct {
	st  *store.Store
	ids []string
}

// queuedWith returns the queued writes and proposals that contain one of the texts.
func (req ForgetRequest) queuedWith(ctx context.Context, ss *store.Stores) (list []queuedWrites, err error) {
	stores, err := memory.StoresOf(ctx, ss, req.Scope)
	for _, st := range stores {
		queue, failed := ledger.QueueOfAll(st)
		err = errors.Join(err, failed)
		found := queuedWrites{st: st}
		for _, w := range queue {
			texts := itemTexts(memfile.Item{Key: w.Key, Value: w.Value, Labels: w.Labels})
			if slices.ContainsFunc(append(texts, w.Said, w.Reason, w.Message, w.Was), req.contains) {
				found.ids = append(found.ids, w.ID)
			}
		}
		if len(found.ids) > 0 {
			list = append(list, found)
		}
	}
	return list, err
}

// contains reports whether a text contains one of the targets, be it as a part of a word.
func (req ForgetRequest) contains(text string) bool {
	text = memfile.NormalText(text)
	return slices.ContainsFunc(req.Targets, func(target string) bool {
		want := memfile.NormalText(target)
		return want != "" && strings.Contains(text, want)
	})
}
