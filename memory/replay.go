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

const (
	// maxReplayed bounds what an automatic act brings in beside its own; the rest comes
	// with the next ones.
	maxReplayed = 100
	// maxReplayedNamed is how many keys of what came in are told.
	maxReplayedNamed = 12
)

// replaying marks the context of a write that is brought in, so that it brings in
// nothing itself; it has the moment at which the write was said.
type replaying struct{}

// update is st.Update for acts of a person or an agent: where it can commit,
// the writes that waited for that come in before it, so that the act itself is
// what undo takes back.
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
	if ctx.Value(reviewing{}) != nil {
		return st.Update(ctx, w)
	}
	notes := replay(ctx, ss, st, bringing{automatic: w.Automatic, wait: w.Wait})
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
	wait      time.Duration // for somebody else who does the same; an automatic act has none
}

// part are the first writes of the queue, as far as they come in at once: all of them
// where a person waits for the act.
func (how bringing) part(queue []store.Waiting) []store.Waiting {
	if how.automatic {
		return queue[:min(len(queue), maxReplayed)]
	}
	return queue
}

// bringIn does for an act that looks for what it is about, before it writes anything,
// what update does for the others: what was said is found, and is older than the act.
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
	how := bringing{automatic: o.automatic(), wait: o.wait()}
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
		notes = append(notes, replay(ctx, ss, st, how)...)
	}
	return context.WithValue(ctx, looked{}, scopes), notes
}

// comesFirst says what a preview leaves out: what waits comes in before the act itself.
func comesFirst(queue []store.Waiting) string {
	return "what waits comes in before the act itself, and is left out here: " + fewKeys(comingIn(queue))
}

// comingIn are the keys of what comes in, each once.
func comingIn(queue []store.Waiting) (keys []string) {
	seen := map[string]bool{}
	for _, q := range queue {
		if comesIn(q) && !seen[q.Key] {
			keys, seen[q.Key] = append(keys, policy.Inert(redacted(q.Key))), true
		}
	}
	return keys
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
	ready := st.Ready(ctx, how.wait)
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
	return bringInAll(ctx, ss, st, how.part(queue))
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
	return []string{"what waited came in: " + fewKeys(keys)}
}

// fewKeys names keys, and counts those that are too many to name.
func fewKeys(keys []string) string {
	n := min(len(keys), maxReplayedNamed)
	named := strings.Join(keys[:n], ", ")
	if more := len(keys) - n; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}
