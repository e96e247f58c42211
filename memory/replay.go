package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// maxReplayed bounds what one act brings in beside its own; the rest comes
// with the next ones.
const maxReplayed = 10

// replaying marks the context of writes that are brought in, so that they
// bring in nothing themselves.
type replaying struct{}

// update is st.Update for acts of a person or an agent: where it can commit,
// the writes that waited for that come in before it, so that the act itself is
// what undo takes back. A git that is at work it waits for; an automatic act
// waits in the queue instead.
func update(ctx context.Context, ss *store.Stores, st *store.Store, w store.Write) (store.Outcome, error) {
	if w.DryRun || ctx.Value(replaying{}) != nil {
		w.Decides = false // what was said before it came in before it
		return st.Update(ctx, w)
	}
	if !w.Automatic {
		st.AwaitGit(ctx, w.Wait)
	}
	notes := replay(context.WithValue(ctx, replaying{}, true), ss, st, w.Automatic)
	out, err := st.Update(ctx, w)
	out.Notes = append(notes, out.Notes...)
	return out, err
}

// replay rules again on the writes that only waited for a commit to be possible,
// or for a git to end. What is accepted waits no longer, nor what is refused, unless
// somebody stated it; what the policy holds now waits for review. An act that may
// leave nothing uncommitted (automatic) brings in nothing else either.
func replay(ctx context.Context, ss *store.Stores, st *store.Store, automatic bool) []string {
	queue, err := st.Queue()
	if err != nil {
		return []string{"what waits could not be brought in: " + err.Error()}
	}
	queue = slices.DeleteFunc(queue, func(q store.Waiting) bool { return q.Act != "add" && q.Entry == nil || q.Why == waitsHeld })
	if len(queue) > 0 && !st.Ready(ctx) {
		if automatic || st.HandsOff(ctx) != "" {
			return nil
		}
		queue = slices.DeleteFunc(queue, func(q store.Waiting) bool { return q.Origin == Automatic })
	}
	var in, notes []string
	for _, q := range queue[:min(len(queue), maxReplayed)] {
		q = latest(st, q)
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
			if w.Changed {
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
