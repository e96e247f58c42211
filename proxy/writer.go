package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/extraction"
	"github.com/memctl/memctl/memory/notice"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// doorName is what entries of the proxy have as their source, and its origin as its name.
	doorName = "proxy"
	// maxWaiting bounds what waits to be stored; while memory cannot be written, more is not kept.
	maxWaiting = 1000
	// againAfter is how long after a failure the same turns are tried again.
	againAfter = 5 * time.Second
	// restFactor is how much longer the writer rests than it worked, up to maxRest.
	restFactor = 4
	maxRest    = 2 * time.Second
	// lastWrite bounds the writing at the end.
	lastWrite = 5 * time.Second
	// extractTime bounds the search for facts in the messages of one exchange.
	extractTime = 90 * time.Second
	// maxTurn bounds the text of a turn, in bytes: what the policy takes.
	maxTurn = 16 << 10
)

// writer stores what is said, one write after the other, while requests go on.
type writer struct {
	env     Env
	say     func(string)
	stored  func() // is called after each write
	wake    chan struct{}
	stop    chan struct{}
	running sync.WaitGroup

	more    chan struct{} // holds a signal while there is something to extract
	mu      sync.Mutex
	turns   []entry.Entry
	last    time.Time // of the newest turn
	notes   []statement
	given   []localstate.Handed
	extract []Exchange
}

func newWriter(env Env, say func(string), stored func()) *writer {
	w := &writer{env: env, say: say, stored: stored, more: make(chan struct{}, 1), wake: make(chan struct{}, 1), stop: make(chan struct{})}
	w.running.Go(w.run)
	if env.Extract != nil {
		w.running.Go(w.extractAll)
	}
	return w
}

// statement is a message of a person, to be searched for what it states.
type statement struct {
	conversation, text string // the text is "" where only the conversation ends
	ends               bool   // a model reads the conversation soon, because the client compacts it
}

// said has a person's message stored, as far as the proxy stores any. Where a hook serves the
// session, it notes what the message states.
func (w *writer) said(e Exchange, served bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range e.Texts {
		w.addTurn(entry.RoleUser, e.Conversation, e.Session, text)
		w.note(statement{conversation: e.Conversation, text: text}, served)
	}
	w.search(e)
	signal(w.wake)
}

// flush is said for a conversation that the client is about to compact: unheard are earlier messages
// that were never new here. Their turns are not stored, because nobody knows when they were said.
func (w *writer) flush(e Exchange, unheard []string, served bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range unheard {
		w.note(statement{conversation: e.Conversation, text: text}, served)
	}
	w.note(statement{conversation: e.Conversation, ends: true}, served)
	if len(e.Texts) > 0 {
		w.search(e)
	}
	signal(w.wake)
}

func (w *writer) note(s statement, served bool) {
	if !served && len(w.notes) < maxWaiting {
		w.notes = append(w.notes, s)
	}
}

// search has a model look for facts.
func (w *writer) search(e Exchange) {
	switch {
	case w.env.Extract == nil:
		return
	case len(w.extract) >= maxWaiting:
		e.unread()
		return
	}
	w.extract = append(w.extract, e)
	signal(w.more)
}

// answered has the model's answer stored.
func (w *writer) answered(s *said, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addTurn(entry.RoleAssistant, s.conversation, s.id, text)
	signal(w.wake)
}

// handed has a record of what the proxy added kept, for the next process.
func (w *writer) handed(h localstate.Handed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.given) < maxWaiting {
		w.given = append(w.given, h)
	}
	signal(w.wake)
}

func (w *writer) addTurn(role, conversation, session, text string) {
	if !w.env.Turns || text == "" {
		return
	}
	if len(w.turns) >= maxWaiting {
		w.say("memory cannot be written, so some turns are not stored")
		return
	}
	// A turn's time has milliseconds, and it is the order of the turns: no two have the same.
	now := time.Now()
	if next := w.last.Add(time.Millisecond); now.Before(next) {
		now = next
	}
	w.last = now
	w.turns = append(w.turns, entry.Entry{Role: role, Conversation: conversation, Session: session, Text: trim(text, maxTurn), Created: entry.Stamp(now)})
}

// signal wakes the reader of a channel that holds one signal.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (w *writer) run() {
	var again <-chan time.Time
	for {
		select {
		case <-w.wake:
		case <-again:
		case <-w.stop:
			ctx, cancel := context.WithTimeout(context.Background(), lastWrite)
			defer cancel()
			w.guarded(func() { w.write(ctx) })
			return
		}
		again = nil
		done, begun := false, time.Now()
		w.guarded(func() { done = w.write(context.Background()) })
		if !done {
			again = time.After(againAfter)
		}
		w.rest(time.Since(begun))
	}
}

// extractAll has facts found in messages, one after the other. What waits when the proxy ends is
// not looked at.
func (w *writer) extractAll() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { <-w.stop; cancel() }()
	for {
		select {
		case <-w.stop:
			return
		case <-w.more:
		}
		for ctx.Err() == nil {
			w.mu.Lock()
			if len(w.extract) == 0 {
				w.mu.Unlock()
				break
			}
			e := w.extract[0]
			w.extract = w.extract[1:]
			w.mu.Unlock()
			w.guarded(func() {
				bounded, cancel := context.WithTimeout(ctx, extractTime)
				defer cancel()
				if err := w.env.Extract(bounded, e); err != nil && ctx.Err() == nil {
					e.unread()
					w.say("no facts were found in a message: " + err.Error())
				}
			})
			w.stored()
		}
	}
}

// rest waits after a write, the longer the more it took: under load there are fewer writes, with
// more turns each, and requests have the machine.
func (w *writer) rest(took time.Duration) {
	select {
	case <-time.After(min(restFactor*took, maxRest)):
	case <-w.stop:
	}
}

// close stores the rest, and waits for it.
func (w *writer) close() {
	close(w.stop)
	w.running.Wait()
}

// guarded runs a part of the work, so that a fault in it ends nothing else.
func (w *writer) guarded(work func()) {
	defer func() {
		if cause := recover(); cause != nil {
			w.say(fmt.Sprint("memory cannot be written; this is a bug: ", cause))
		}
	}()
	work()
}

// write stores what waits. It reports whether everything is done.
func (w *writer) write(ctx context.Context) (ok bool) {
	for {
		w.mu.Lock()
		turns, notes, given := w.turns, w.notes, w.given // all at once: a commit of many costs little more than one of few
		w.mu.Unlock()
		if len(turns)+len(notes)+len(given) == 0 {
			return true
		}
		ss, err := w.env.Open(ctx)
		if err == nil && len(given) > 0 && localstate.RecordHanded(ss, given) != nil {
			w.say("what sessions were given cannot be kept for a restart")
		}
		if err == nil {
			w.mu.Lock()
			w.given = w.given[len(given):]
			w.mu.Unlock()
		}
		if err == nil && len(turns) > 0 {
			err = w.store(ctx, ss, turns)
		}
		if err != nil {
			w.say("memory cannot be written now: " + err.Error())
			return false
		}
		w.mu.Lock()
		w.turns, w.notes = w.turns[len(turns):], w.notes[len(notes):]
		w.mu.Unlock()
		if len(turns)+len(notes) > 0 { // else memory has not changed
			w.noteAll(ctx, ss, notes)
			w.stored()
		}
	}
}

// scope is the store of turns.
func (w *writer) scope(ss *store.Stores) string {
	switch {
	case ss.Alone():
		return store.Only
	case w.env.Scope != "":
		return w.env.Scope
	case ss.Repo() == nil:
		return store.User
	}
	return store.Private
}

// store keeps turns in one commit, and makes room where their conversations have too many.
func (w *writer) store(ctx context.Context, ss *store.Stores, turns []entry.Entry) error {
	if on, err := ss.Setting(ctx, store.Enabled); err != nil || !on.On() {
		return err
	}
	scope := w.scope(ss)
	in := capture.Result{}
	conversations := map[string]bool{}
	for i, e := range turns {
		in.Entries = append(in.Entries, capture.EntryLine{Line: i + 1, Entry: e, Scope: scope})
		conversations[e.Conversation] = true
	}
	options := memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Automatic, Name: doorName}}
	_, err := edit.Import(ctx, ss, edit.ImportRequest{Options: options, Name: doorName, Input: in, Turns: true})
	if err != nil {
		return err
	}

	for conversation := range conversations {
		if _, err := upkeep.Evict(ctx, ss, scope, conversation); err != nil {
			w.say("old turns cannot be moved away: " + err.Error())
		}
	}
	return nil
}

// noteAll notes what messages state, by the rules of capture, for the person to review.
func (w *writer) noteAll(ctx context.Context, ss *store.Stores, list []statement) {
	for _, s := range list {
		noted, err := notice.Note(ctx, ss, notice.Prompt{Agent: doorName, Session: s.conversation, Text: s.text})
		if err == nil && noted.Person != "" {
			_, err = notice.Keep(ctx, ss, s.conversation) // no record of the client proves that a person typed it
			w.say("noted what somebody asked to remember; it waits in memctl review")
		}
		if err == nil { // where a person configured models, they read it later
			err = extraction.Follow(ctx, ss, extraction.Event{Agent: doorName, Session: s.conversation, Prompt: s.text, Ended: s.ends})
		}
		if err != nil {
			w.say("a request to remember cannot be noted: " + err.Error())
		}
	}
}

// trim shortens a text to so many bytes, of whole characters.
func trim(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
