package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// maxReplayed bounds what one act brings in beside its own; the rest comes
// with the next ones.
const maxReplayed = 10

// replaying marks the context of a write that is brought in, so that it brings in
// nothing itself; it has the moment at which the write was said.
type replaying struct{}

// update is st.Update for acts of a person or an agent: where it can commit,
// the writes that waited for that come in before it, so that the act itself is
// what undo takes back. A git that is at work it waits for; an automatic act
// waits in the queue instead.
func update(ctx context.Context, ss *store.Stores, st *store.Store, w store.Write) (store.Outcome, error) {
	said, older := ctx.Value(replaying{}).(time.Time)
	if w.DryRun || older {
		w.Decides, w.Said = false, said // what was said before it came in before it
		return st.Update(ctx, w)
	}
	if err := ruleOnMessage(st, w.Message); err != nil {
		return store.Outcome{}, err
	}
	if scopes, _ := ctx.Value(looked{}).([]string); slices.Contains(scopes, st.Scope) {
		return st.Update(ctx, w) // bringIn has done it
	}
	if !w.Automatic {
		st.AwaitGit(ctx, w.Wait)
	}
	if ctx.Value(reviewing{}) != nil {
		return st.Update(ctx, w)
	}
	notes := replay(ctx, ss, st, bringing{automatic: w.Automatic, most: maxReplayed, keys: w.Keys, wait: w.Wait})
	out, err := st.Update(ctx, w)
	out.Notes = append(notes, out.Notes...)
	return out, err
}

// looked marks the context of an act for which bringIn has brought in what waits, with
// the scopes of it.
type looked struct{}

// reviewing marks the context of a person's answer about one thing that waits: it
// decides about that one, and brings in nothing that they were not asked about yet.
type reviewing struct{}

// bringing is how what waits is brought in. An act that may leave nothing uncommitted
// (automatic) brings in nothing else either.
type bringing struct {
	automatic bool
	most      int           // writes
	keys      []string      // a person's act brings in what waits of these too, and all before it
	wait      time.Duration // for somebody else who does the same; an automatic act has none
}

// part are the first writes of the queue, as far as they come in at once.
func (how bringing) part(queue []store.Waiting) []store.Waiting {
	most := min(len(queue), how.most)
	for i, q := range queue {
		if !how.automatic && slices.Contains(how.keys, q.Key) {
			most = max(most, i+1)
		}
	}
	return queue[:most]
}

// bringIn does for an act that looks for what it is about, before it writes anything,
// what update does for the others: what was said is found, and is older than the act.
// So all of it comes in, where a person waits for the act.
// The context is the act's own from then on.
func (o Options) bringIn(ctx context.Context, ss *store.Stores) (act context.Context, notes []string) {
	if ctx.Value(replaying{}) != nil || ctx.Value(looked{}) != nil || ctx.Value(reviewing{}) != nil {
		return ctx, nil
	}
	stores, err := storesOf(ctx, ss, o.Scope)
	if err != nil {
		return ctx, nil // the act says so itself
	}
	var scopes []string
	how := bringing{automatic: o.automatic(), most: maxReplayed, wait: o.wait()}
	for _, st := range stores {
		queue, err := st.Queue()
		if !slices.ContainsFunc(queue, comesIn) && err == nil {
			continue
		}
		if o.DryRun {
			if err == nil {
				notes = append(notes, comesFirst(queue))
			}
			continue
		}
		scopes = append(scopes, st.Scope)
		if !how.automatic {
			st.AwaitGit(ctx, how.wait)
			how.most = len(queue)
		}
		notes = append(notes, replay(ctx, ss, st, how)...)
	}
	return context.WithValue(ctx, looked{}, scopes), notes
}

// comesFirst says what a preview leaves out: what waits comes in before the act itself.
func comesFirst(queue []store.Waiting) string {
	var keys []string
	for _, q := range queue {
		if key := policy.Inert(redacted(q.Key)); comesIn(q) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return "what waits comes in before the act itself, and is left out here: " + strings.Join(keys, ", ")
}

// comesIn reports whether the write waits for a commit to be possible, or for a git to
// end, and not for a person.
func comesIn(q store.Waiting) bool {
	return (q.Act == "add" || q.Entry != nil) && q.Why != waitsHeld
}

// noted puts the notes before those of the first answer.
func noted(answers []Write, notes []string) []Write {
	if len(answers) > 0 {
		answers[0].Notes = append(notes, answers[0].Notes...)
	}
	return answers
}

// replay rules again on the writes that only waited for a commit to be possible,
// or for a git to end. What is accepted waits no longer, nor what is refused, unless
// somebody stated it; what the policy holds now waits for review.
func replay(ctx context.Context, ss *store.Stores, st *store.Store, how bringing) []string {
	queue, err := st.Queue()
	if err == nil && !slices.ContainsFunc(queue, comesIn) {
		return nil
	}
	ready := st.Ready(ctx)
	if !ready && (how.automatic || st.HandsOff(ctx) != "") {
		return nil
	}
	if err == nil {
		if how.automatic {
			how.wait = 0
		}
		var unlock func() error
		if unlock, err = st.LockReplay(ctx, how.wait); err == nil {
			defer unlock()
			queue, err = st.Queue() // as somebody else may have left it meanwhile
		}
	}
	var held *safefile.HeldError
	if errors.As(err, &held) {
		return nil // somebody else brings it in
	}
	if err != nil {
		return []string{"what waits could not be brought in: " + err.Error()}
	}
	queue = slices.DeleteFunc(queue, func(q store.Waiting) bool { return !comesIn(q) || !ready && q.Origin == Automatic })
	return bringInEach(ctx, ss, st, how.part(queue))
}

// bringInEach brings in the writes, in their order, as far as it gets.
func bringInEach(ctx context.Context, ss *store.Stores, st *store.Store, queue []store.Waiting) []string {
	var in, notes []string
	for _, q := range queue {
		q, waits := latest(st, q)
		if !waits {
			continue // somebody reviewed it
		}
		ctx := context.WithValue(ctx, replaying{}, q.Since)
		older, err := overtaken(ctx, st, q)
		var w Write
		if err == nil && !older {
			w, err = writeQueued(ctx, ss, st, q)
		}
		held := w.Verdict == policy.Hold.String()
		switch {
		case older && err == nil:
			notes = append(notes, "what waited was said before its key changed, and waits for memctl review: "+policy.Inert(redacted(q.Key)))
			err = st.HoldQueued(ctx, q.ID, waitsHeld, []string{ruleChanged}, waitAutomatic)
		case err != nil || held && w.Why != waitsHeld:
			return append(notes, replayed(in)...) // it goes on waiting, and so does the rest
		case held || w.Verdict == policy.Refuse.String() && q.Origin != Automatic:
			err = st.HoldQueued(ctx, q.ID, waitsHeld, ruleNames(w.Findings), waitAutomatic)
			if !held {
				notes = append(notes, "what waited is refused now, and waits for memctl review: "+policy.Inert(redacted(q.Key)))
			}
		default:
			if w.Changed && st.WorktreeGone(q) {
				notes = append(notes, "what waited in the worktree "+policy.Inert(q.Worktree)+", which is gone, came in here: "+w.Key)
			} else if w.Changed && !slices.Contains(in, w.Key) {
				in = append(in, w.Key)
			}
			err = broughtIn(ctx, st, q)
		}
		if err != nil {
			return append(append(notes, replayed(in)...), "what waits could not be brought in: "+err.Error())
		}
	}
	return append(notes, replayed(in)...)
}

// writeQueued writes what waited as it was proposed.
func writeQueued(ctx context.Context, ss *store.Stores, st *store.Store, q store.Waiting) (Write, error) {
	o := Options{Scope: st.Scope, Message: q.Message, Origin: Origin{Kind: q.Origin, Name: q.By}}
	if q.Entry != nil {
		req, err := entryRequest(q, o)
		if err != nil {
			return Write{}, err
		}
		req.Confidence = q.Confidence
		return Remember(ctx, ss, req)
	}
	return Add(ctx, ss, AddRequest{
		Options: o, Key: q.Key, Value: q.Value, Source: q.Source,
		Confidence: q.Confidence, Tags: q.Tags, Expires: q.Expires, Pin: q.Pinned, Paths: q.Paths, Repeated: q.Repeated, Seen: q.Seen,
	})
}

func ruleNames(found []Finding) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Rule)
	}
	return names
}

func replayed(keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("what waited came in: %s", strings.Join(keys, ", "))}
}
