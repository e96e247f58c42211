package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// repeatsEarlier reports whether the candidate changes the record of an earlier one, or may repeat it: that is decided when
// the earlier one is in memory.
func (c *candidate) repeatsEarlier(earlier *candidate) bool {
	same := spelling.SameText(words(c.value()), words(earlier.value()))
	if c.isItem() || earlier.isItem() {
		return c.isItem() && earlier.isItem() && (same || c.Key == earlier.Key || spelling.Misspelled(c.Key, earlier.Key))
	}
	return same && c.Role == entry.RoleFact && earlier.Role == entry.RoleFact && c.Replace == "" && c.e.Conversation == earlier.e.Conversation
}

// All stores items and entries of memctl's own as Add does, with one commit for each store.
// The answers are in the order of the requests. One that changes what an earlier one changes, or repeats
// an earlier one, is stored after them in its own commit. So is one that is refused under the lock. Errors:
// those of Add.
func All(ctx context.Context, ss *store.Stores, reqs []Request) ([]memory.Write, error) {
	answers := make([]memory.Write, len(reqs))
	batches := map[string]*batch{}
	var order []*batch
	var failed error
	for i, req := range reqs {
		p, w, err := begin(ctx, ss, req)
		if answers[i] = w; err != nil || p == nil {
			failed = errors.Join(failed, err)
			continue
		}
		scope := p.st.Scope
		b := batches[scope]
		if b == nil {
			b = &batch{}
			batches[scope], order = b, append(order, b)
		}
		b.list = append(b.list, &batched{candidate: p, at: i})
	}
	for _, b := range order {
		failed = errors.Join(failed, b.store(ctx, answers))
	}
	return answers, failed
}

// batch is what one commit stores.
type batch struct{ list []*batched }

// batched is one request of a batch.
type batched struct {
	*candidate
	at      int  // its place among the requests
	later   bool // it is stored by itself, after the batch
	changed bool
}

// store makes the commit and fills in the answers.
func (b *batch) store(ctx context.Context, answers []memory.Write) error {
	first := b.list[0]
	out, err := first.Update(ctx, first.st, txn.Write{
		Act: b.act(), Source: b.list[0].source(), Create: memory.CreatesFile(first.st.Scope), Files: true, Change: b.change,
	})
	var failed error
	if err == nil {
		near := map[string]string{}
		for _, p := range b.list {
			if p.changed {
				near[p.name()] = nearKey(memory.Write{Near: p.nearestMemories()}, p.Key, p.value().Plain())
			}
		}
		failed = first.tellPerson(out, near)
	}
	for _, p := range b.list {
		w := &answers[p.at]
		var wrong error
		switch {
		case fault.Is(err, fault.Deferred):
			*w, wrong = waitOrRefuse(p.candidate, *w, err)
		case err != nil || p.later:
			*w, wrong = Add(ctx, p.ss, p.Request)
		case !p.changed:
			*w, wrong = p.answered(*w, txn.Outcome{Before: out.Before, After: out.After, Why: txn.WhyUnchanged})
		default:
			*w, wrong = p.answered(*w, out)
			if out.Diff == "" && first.st.DryRun() {
				w.Saved = ""
			}
			out.Diff, out.Notes = "", nil // of the commit: said once
		}
		failed = errors.Join(failed, wrong)
	}
	return failed
}

// act is that of all requests, or capture where they differ.
func (b *batch) act() string {
	act := b.list[0].act()
	if slices.ContainsFunc(b.list, func(p *batched) bool { return p.act() != act }) {
		return "capture"
	}
	return act
}

// change makes the changes that can be made together.
func (b *batch) change(d *txn.Draft) error {
	for i, p := range b.list {
		p.changed, p.later = false, slices.ContainsFunc(b.list[:i], func(earlier *batched) bool { return !earlier.later && p.repeatsEarlier(earlier.candidate) })
		if p.later {
			continue
		}
		var err error
		p.changed, err = d.Try(p.draft)
		var refusal *memory.Refusal
		var held *heldError
		var unread entry.Problem
		p.later = errors.As(err, &refusal) || errors.As(err, &unread) || errors.As(err, &held) || errors.Is(err, txn.ErrTwice)
		if err != nil && !p.later {
			return err
		}
	}
	if len(d.Keys) > 1 {
		d.Subject = fmt.Sprintf("%s %d memories", b.act(), len(d.Keys))
	}
	return nil
}
