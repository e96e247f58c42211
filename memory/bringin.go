package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// maxAlone is how many writes to the user store come in with a commit each, so that undo
// can take back one: store.Part has no record there.
const maxAlone = 20

// bringer brings in what waits, and remembers what there is to say of it.
type bringer struct {
	ctx   context.Context
	ss    *store.Stores
	st    *store.Store
	in    []string // the keys
	seen  map[string]bool
	notes []string
	came  map[int64]bool // when the writes were said that came in before
}

// bringInAll brings in the writes, in their order, as far as it gets.
func bringInAll(ctx context.Context, ss *store.Stores, st *store.Store, queue []store.Waiting) []string {
	b := &bringer{ctx: ctx, ss: ss, st: st, seen: map[string]bool{}}
	alone := st.Scope == store.User && len(queue) <= maxAlone
	for len(queue) > 0 {
		n := 1
		for !alone && n < len(queue) && joins(queue[0]) && joins(queue[n]) {
			n++
		}
		if !b.bringIn(queue[:n]) {
			break
		}
		queue = queue[n:]
	}
	return append(b.notes, replayed(b.in)...)
}

// joins reports whether the write can share its commit. One that a fact goes for, or that
// leaves word beside the memory that a person let it in, is an act by itself.
func joins(q store.Waiting) bool { return q.Entry == nil || q.Replace == "" && !q.Seen }

// bringIn brings in writes that can share a commit; goOn is false where one of them goes
// on waiting, and so does the rest.
func (b *bringer) bringIn(list []store.Waiting) (goOn bool) {
	if len(list) == 1 {
		return b.one(list[0])
	}
	judged, err := b.together(list)
	var deferred *store.DeferredError
	var held *safefile.HeldError
	switch {
	case err == nil:
		return b.judged(judged)
	case errors.As(err, &deferred):
		// What somebody said may stand uncommitted; what an agent noted by itself may not.
		if n := slices.IndexFunc(list, func(q store.Waiting) bool { return q.Origin == Automatic }); n > 0 {
			b.bringIn(list[:n])
		}
		return false
	case errors.As(err, &held) || b.ctx.Err() != nil:
		return false
	}
	half := len(list) / 2 // one of them is at fault: those before it come in
	return b.bringIn(list[:half]) && b.bringIn(list[half:])
}

// fate is what becomes of one write that waits.
type fate struct {
	q       store.Waiting
	key     string
	changed bool // memory says something now that it did not
	older   bool // what it is about has changed since it was said
	verdict string
	rules   []string
	stands  string // how its key stands then, where it came in
}

// one brings in one write, with a commit of its own.
func (b *bringer) one(q store.Waiting) (goOn bool) {
	q, waits := latest(b.st, q)
	if !waits {
		return true // somebody reviewed it
	}
	ctx := context.WithValue(b.ctx, replaying{}, q.Since)
	f := fate{q: q}
	var err error
	if f.older, err = overtaken(ctx, b.st, q); err != nil {
		return false
	}
	if f.older {
		f.older = !b.cameIn(&f.q)
	} else {
		w, err := writeQueued(ctx, b.ss, b.st, q)
		if err != nil || w.Verdict == policy.Hold.String() && w.Why != waitsHeld {
			return false // it goes on waiting, and so does the rest
		}
		f.key, f.changed, f.verdict, f.rules = w.Key, w.Changed, w.Verdict, ruleNames(w.Findings)
	}
	if f.stands, err = stands(ctx, b.st, q); err != nil {
		b.failed(err)
		return false
	}
	return b.judged([]fate{f})
}

// cameIn reports whether a write that seems to be overtaken came in before, by an act
// that was killed before it could take it off the queue. Nothing was said beside it then.
func (b *bringer) cameIn(q *store.Waiting) bool {
	if b.came == nil {
		b.came, _ = b.ss.CameIn(b.st.Scope) // not to know it leaves the word to the person
	}
	if !b.came[q.Since.UnixNano()] {
		return false
	}
	q.Was = ""
	return true
}

// judged notes in the queue what became of the writes, and what there is to say of it.
func (b *bringer) judged(list []fate) bool {
	all := len(list)
	// What a git that is at work has put there for a moment is not there for good.
	known := func(f fate) bool { return !f.changed && !f.older && f.verdict == policy.Accept.String() }
	if slices.ContainsFunc(list, known) && b.st.HandsOff(b.ctx) != "" {
		list = slices.DeleteFunc(list, known)
	}
	var judged []store.Judged
	for _, f := range list {
		j := store.Judged{Waiting: f.q, Stood: f.stands}
		name := policy.Inert(redacted(f.q.Key))
		held := f.verdict == policy.Hold.String()
		switch {
		case f.older:
			j.Held, j.Rules = true, []string{ruleChanged}
			b.notes = append(b.notes, "what waited was said before its key changed, and waits for memctl review: "+name)
		case held || f.verdict == policy.Refuse.String() && f.q.Origin != Automatic:
			j.Held, j.Rules = true, f.rules
			if !held {
				b.notes = append(b.notes, "what waited is refused now, and waits for memctl review: "+name)
			}
		case f.changed && b.st.WorktreeGone(f.q):
			b.notes = append(b.notes, "what waited in the worktree "+policy.Inert(f.q.Worktree)+", which is gone, came in here: "+f.key)
		case f.changed && !b.seen[f.key]:
			b.in, b.seen[f.key] = append(b.in, f.key), true
		}
		judged = append(judged, j)
	}
	if err := b.st.Judge(b.ctx, judged, waitAutomatic); err != nil {
		b.failed(err)
		return false
	}
	return len(list) == all
}

func (b *bringer) failed(err error) {
	b.notes = append(b.notes, "what waits could not be brought in: "+err.Error())
}

// writeQueued writes what waited as it was proposed.
func writeQueued(ctx context.Context, ss *store.Stores, st *store.Store, q store.Waiting) (Write, error) {
	if q.Entry == nil {
		return Add(ctx, ss, itemRequest(st, q))
	}
	req, err := queuedEntry(st, q)
	if err != nil {
		return Write{}, err
	}
	return Remember(ctx, ss, req)
}

func queuedOptions(st *store.Store, q store.Waiting) Options {
	return Options{Scope: st.Scope, Message: q.Message, Origin: Origin{Kind: q.Origin, Name: q.By}}
}

// itemRequest is the request of an item that waited.
func itemRequest(st *store.Store, q store.Waiting) AddRequest {
	return AddRequest{
		Options: queuedOptions(st, q), Key: q.Key, Value: q.Value, Source: q.Source,
		Confidence: q.Confidence, Tags: q.Tags, Expires: q.Expires, Pin: q.Pinned, Paths: q.Paths, Commands: q.Commands, Ask: q.Ask, NoAsk: q.NoAsk, Repeated: q.Repeated, Seen: q.Seen,
	}
}

// queuedEntry is the request of an entry that waited.
func queuedEntry(st *store.Store, q store.Waiting) (RememberRequest, error) {
	req, err := entryRequest(q, queuedOptions(st, q))
	req.Confidence = q.Confidence
	return req, err
}
