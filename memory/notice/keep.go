package notice

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
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
	// keepTime is after what time no further statement is begun.
	keepTime = 500 * time.Millisecond
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
	if err != nil || len(list) == 0 || !on(ctx, ss) {
		return kept, err
	}
	done := map[localstate.Noted]bool{}
	var wishes []localstate.Noted
	proof := proofs{notes: list, typed: map[string]map[string]bool{}}
	over := time.Now().Add(keepTime)
	for _, n := range list {
		if time.Now().After(over) {
			break // a hook has two seconds; the rest is for the next act
		}
		typed := proof.of(n)
		switch {
		case !typed && n.Session != ended && ss.Now().Sub(n.Time) < unprovedFor:
		case known(ctx, ss, n, typed):
			done[n] = true
		case typed && n.Explicit && !n.Long:
			wishes = append(wishes, n)
		default:
			if done[n] = propose(ctx, ss, n); done[n] {
				kept.Proposals++
			}
		}
	}
	kept.Items = keep(ctx, ss, wishes, done)
	return kept, localstate.SettleNoted(ctx, ss, func(n localstate.Noted) bool { return done[n] })
}

// request is the add that keeps the statement.
func request(ss *store.Stores, n localstate.Noted) edit.AddRequest {
	return edit.AddRequest{
		Options: memory.Options{Scope: memory.SaidScope(ss, n.Person), Origin: memory.Origin{Kind: memory.Relayed, Name: n.Agent}, SaidOn: n.Time.Format(time.DateOnly)},
		Key:     n.Key, Value: memfile.Str(n.Text),
	}
}

// keep adds wishes as what the person said through an agent: new ones in one commit for each
// store, and one that gives an item another value by itself. Of several under one key the last
// stands. It marks those that need not be tried again, and returns the keys that memory has now.
func keep(ctx context.Context, ss *store.Stores, wishes []localstate.Noted, done map[localstate.Noted]bool) (keys []string) {
	last, requests := map[string]localstate.Noted{}, map[localstate.Noted]edit.AddRequest{}
	for _, n := range wishes {
		req := request(ss, n)
		req.Key = keyFor(ctx, ss, n, nil) // memory may have an item that it contradicts only now
		requests[n], last[req.Scope+" "+req.Key] = req, n
	}
	fresh := edit.ImportRequest{Said: true}
	for _, n := range wishes {
		req := requests[n]
		if last[req.Scope+" "+req.Key] != n {
			done[n] = true
			continue
		}
		switch {
		case ss.Repo() == nil && !n.Person:
			done[n] = propose(ctx, ss, n)
		case has(ctx, ss, req):
			w, err := edit.Add(ctx, ss, req)
			if done[n] = err == nil; w.Changed {
				keys = append(keys, w.Key)
			}
		default:
			fresh.Options.Origin = req.Origin
			fresh.Input.Candidates = append(fresh.Input.Candidates, capture.Candidate{
				Line: len(fresh.Input.Candidates) + 1, Key: req.Key, Derived: true, Value: req.Value,
				Labels: labels.Labels{Source: req.SaidOn, Confidence: memfile.Medium}, Scope: req.Scope,
			})
		}
	}
	if len(fresh.Input.Candidates) == 0 {
		return keys
	}
	res, err := edit.Import(ctx, ss, fresh)
	if err != nil {
		return keys
	}
	for _, n := range wishes {
		done[n] = true
	}
	for _, e := range res.Entries {
		if !e.Known() && e.RefusedBy() == "" && e.Outcome != StateHeld {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// has reports whether the scope has an item of the key.
func has(ctx context.Context, ss *store.Stores, req edit.AddRequest) bool {
	st, err := ss.Get(ctx, req.Scope)
	if err != nil {
		return false
	}
	m, err := contents.Read(ctx, st)
	return err == nil && slices.ContainsFunc(m.Items, func(it contents.Item) bool { return it.Key == req.Key })
}

// known reports whether an item states the same rule already, in these or other words. An item of
// the person's own scopes gets a signal where they typed it; the project's file is left as it is.
// What a person has to say again and again becomes a proposal to pin the item.
func known(ctx context.Context, ss *store.Stores, n localstate.Noted, typed bool) bool {
	for _, scope := range []string{memory.SaidScope(ss, n.Person), store.Project, store.User, store.Private} {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			continue
		}
		m, err := contents.Read(ctx, st)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(m.Items, func(it contents.Item) bool {
			return capture.Same(it.Key, it.Value.Plain(), n.Key, n.Text)
		})
		if i < 0 {
			continue
		}
		it := &m.Items[i]
		if scope != store.Project && typed {
			req := request(ss, n)
			req.Scope, req.Origin.Kind, req.Key, req.Value = scope, memory.Automatic, it.Key, it.Value
			_, err = edit.Add(ctx, ss, req)
		}
		return err == nil && proposePin(ctx, st, it, n) == nil
	}
	return false
}

// pinAfter is in how many sessions a person says an item again before they are asked to pin it.
const pinAfter = 3

// proposePin counts a repeat of an item, and at the third one asks the person to pin the item.
// Errors: the local state or the queue cannot be written or is held.
func proposePin(ctx context.Context, st *store.Store, it *contents.Item, n localstate.Noted) error {
	if it.Pinned || it.Hidden() {
		return nil
	}
	sessions, err := localstate.CountRepeat(ctx, st, it.Key, it.Value.Plain(), n.Session)
	if err != nil || sessions != pinAfter {
		return err
	}
	pin := proposalOf(n)
	pin.Key, pin.Value, pin.Pinned = it.Key, it.Value, true
	return ledger.Enqueue(ctx, st, pin, keepWait)
}

// propose puts the statement before the person, unless they forgot it.
func propose(ctx context.Context, ss *store.Stores, n localstate.Noted) bool {
	if declined(ctx, ss, n) != nil {
		return true // it is forgotten or locked
	}
	st, err := ss.Get(ctx, memory.SaidScope(ss, n.Person))
	if err != nil {
		return false
	}
	return ledger.Enqueue(ctx, st, proposalOf(n), keepWait) == nil
}

// proposalOf is the statement as it waits for the person.
func proposalOf(n localstate.Noted) ledger.Waiting {
	return ledger.Waiting{
		Act: "add", Key: n.Key, Value: memfile.Str(n.Text), Labels: labels.Labels{Confidence: memfile.Low}, Origin: memory.Automatic, Agent: n.Agent, Why: ledger.WhyHeld,
		Said: n.Sentence, Session: n.Session, SaidOn: n.Time.UTC().Format(time.DateOnly),
	}
}

// proofs knows which prompts the agents' own records have as typed by a person. Each record is
// read once.
type proofs struct {
	notes []localstate.Noted
	typed map[string]map[string]bool // by transcript: digests of prompts
}

// of reports whether the record has the prompt of the note.
func (p proofs) of(n localstate.Noted) bool {
	typed, ok := p.typed[n.Transcript]
	if !ok {
		from := n.Offset
		for _, other := range p.notes {
			if other.Transcript == n.Transcript {
				from = min(from, other.Offset)
			}
		}
		typed = typedPrompts(n.Transcript, from)
		p.typed[n.Transcript] = typed
	}
	return typed[n.Prompt]
}

// typedPrompts are the digests of the prompts that a person typed, from about that offset on.
func typedPrompts(name string, offset int64) map[string]bool {
	if !filepath.IsAbs(name) {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil // opening a named pipe would wait
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var session transcript.Session
	from := max(0, offset-headOfTranscript) // an agent may write the prompt before it calls hooks
	if from > 0 {                           // some agents say only at the beginning who gives the prompts
		head := transcript.NewReader(f, transcript.Options{Limit: headOfTranscript})
		for range head.Turns() {
			continue
		}
		session = head.Session()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return nil
		}
	}
	typed := map[string]bool{}
	r := transcript.NewReader(f, transcript.Options{Offset: from, Session: session, Limit: maxProof})
	for t := range r.Turns() {
		if t.By == transcript.Person && t.Typed {
			typed[localstate.TextDigest(t.Text)] = true
		}
	}
	return typed
}
