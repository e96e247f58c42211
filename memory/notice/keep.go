package notice

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/capture/rules"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/transcript"
)

const (
	// maxProof is how much of a transcript is read for the proof that a person typed a prompt.
	maxProof = 4 << 20
	// headOfTranscript is how much of its beginning says what session it is.
	headOfTranscript = 64 << 10
	// unprovedFor is how long a statement waits for its prompt to be in the transcript, where
	// nobody says that the session has ended.
	unprovedFor = 24 * time.Hour
	// keepWait bounds the wait for another writer.
	keepWait = 200 * time.Millisecond
)

// Kept is what came of the statements that waited.
type Kept struct {
	Items     []string // keys that entered memory
	Proposals int      // what waits in review now
}

// Keep puts what hooks noted into memory: what the person asked to remember, where the agent's
// own record proves that a person typed it; the rest becomes a proposal in review. ended is the
// session that is over now, "" for none. What can be proved later goes on waiting.
func Keep(ctx context.Context, ss *store.Stores, ended string) (kept Kept, err error) {
	list, err := localstate.NotedStatements(ss)
	if err != nil || len(list) == 0 {
		return kept, err
	}
	done := map[localstate.Noted]bool{}
	for _, n := range list {
		typed := proved(n)
		switch {
		case !typed && n.Session != ended && ss.Now().Sub(n.Time) < unprovedFor:
		case typed && n.Explicit && !n.Long:
			var key string
			if key, done[n] = keep(ctx, ss, n); key != "" {
				kept.Items = append(kept.Items, key)
			}
		default:
			if done[n] = propose(ctx, ss, n); done[n] {
				kept.Proposals++
			}
		}
	}
	return kept, localstate.SettleNoted(ctx, ss, func(n localstate.Noted) bool { return done[n] })
}

// scopeOf is where a statement goes: what is about the person into their own store, the rest
// into the private store of the repository, and never into the project's file.
func scopeOf(ss *store.Stores, n localstate.Noted) string {
	if n.Person || ss.Repo() == nil {
		return store.User
	}
	return store.Private
}

// keep adds the statement as what the person said through an agent. done is false where it
// should be tried again.
func keep(ctx context.Context, ss *store.Stores, n localstate.Noted) (key string, done bool) {
	if ss.Repo() == nil && !n.Person {
		return "", propose(ctx, ss, n)
	}
	req := edit.AddRequest{
		Options: memory.Options{Scope: scopeOf(ss, n), Origin: memory.Origin{Kind: memory.Relayed, Name: n.Agent}},
		Key:     n.Key, Value: memfile.Str(n.Text), SaidOn: n.Time.Format(time.DateOnly),
	}
	if k, v, ok := met(ctx, ss, n); ok { // the same rule in other words is a signal
		req.Key, req.Value = k, v
	}
	w, err := edit.Add(ctx, ss, req)
	if err != nil {
		return "", false
	}
	if !w.Changed {
		return "", true // refused, forgotten, locked, or known
	}
	return w.Key, true
}

// met is the item of the statement's scope that states the same rule already.
func met(ctx context.Context, ss *store.Stores, n localstate.Noted) (key string, value memfile.Value, ok bool) {
	st, err := ss.Get(ctx, scopeOf(ss, n))
	if err != nil {
		return "", value, false
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return "", value, false
	}
	rule := similar.NewRule(n.Key, n.Text)
	for _, it := range m.Items {
		if text := it.Value.Plain(); rules.Meet(it.Key, n.Key) && (rule.Repeats(it.Key, text) || rule.Restated(text)) {
			return it.Key, it.Value, true
		}
	}
	return "", value, false
}

// propose puts the statement before the person.
func propose(ctx context.Context, ss *store.Stores, n localstate.Noted) bool {
	st, err := ss.Get(ctx, scopeOf(ss, n))
	if err != nil {
		return false
	}
	return ledger.Enqueue(ctx, st, ledger.Waiting{
		Act: "add", Key: n.Key, Value: memfile.Str(n.Text), Confidence: memfile.Low,
		Origin: memory.Automatic, By: n.Agent, Why: ledger.WhyHeld, Said: n.Sentence, Session: n.Session,
	}, keepWait) == nil
}

// proved reports whether the agent's record has the prompt as one that a person typed.
func proved(n localstate.Noted) bool {
	if !filepath.IsAbs(n.Transcript) {
		return false
	}
	f, err := os.Open(n.Transcript)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	var session transcript.Session
	from := max(0, n.Offset-headOfTranscript) // an agent may write the prompt before it calls hooks
	if from > 0 {                             // some agents say only at the beginning who gives the prompts
		head := transcript.NewReader(f, transcript.Options{Limit: headOfTranscript})
		for t := range head.Turns() {
			session = t.Session
		}
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return false
		}
	}
	r := transcript.NewReader(f, transcript.Options{Offset: from, Session: session, Limit: maxProof})
	for t := range r.Turns() {
		if t.By == transcript.Person && t.Typed && localstate.TextDigest(t.Text) == n.Prompt {
			return true
		}
	}
	return false
}
