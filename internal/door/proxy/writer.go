package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/acts/notice"
	"github.com/memctl/memctl/memory/upkeep"
)

const (
	// doorName is what entries of the proxy have as their source, and its origin as its name.
	doorName = "proxy"
	// maxWaiting bounds what waits to be stored; while memory cannot be written, more is not kept.
	maxWaiting = 1000
	// againAfter is how long after a failure the same turns are tried again.
	againAfter = 5 * time.Second
	// restFactor is how much longer the writer rests than it worked, from minRest to maxRest.
	restFactor = 4
	minRest    = 100 * time.Millisecond
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
	wake    chan struct{} // holds a signal while something waits
	stop    chan struct{}
	extract chan door.Exchange // a model is to look for facts in them
	running sync.WaitGroup

	mu      sync.Mutex
	waiting []statement
	last    time.Time // of the newest turn
}

// statement is a text that somebody said.
type statement struct {
	turn               entry.Entry // to be stored; without a role, it is not
	conversation, text string      // to be searched for what it states
}

func newWriter(env Env, say func(string)) *writer {
	w := &writer{env: env, say: say, wake: make(chan struct{}, 1), stop: make(chan struct{}), extract: make(chan door.Exchange, maxWaiting)}
	w.running.Go(w.run)
	if env.Extract != nil {
		w.running.Go(w.extractAll)
	}
	return w
}

// storeMessage has a person's message stored, as far as the proxy stores any. Where a hook serves the
// session, it notes what the message states.
func (w *writer) storeMessage(e door.Exchange, served bool) {
	w.addTurn(entry.RoleUser, e.Conversation, e.Session, e.Text)
	if !served {
		w.add(statement{conversation: e.Conversation, text: e.Text})
	}
	if w.env.Extract == nil {
		return
	}
	select {
	case w.extract <- e:
	default: // a model is too slow
	}
}

// add has a statement wait for the next write. It reports whether there is room.
func (w *writer) add(s statement) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) >= maxWaiting {
		return false
	}
	if s.turn.Role != "" {
		// A turn's time has milliseconds, and it is the order of the turns: no two have the same.
		now := time.Now()
		if next := w.last.Add(time.Millisecond); now.Before(next) {
			now = next
		}
		w.last, s.turn.Created = now, entry.FormatTime(now)
	}
	w.waiting = append(w.waiting, s)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return true
}

// answered has the model's answer stored.
func (w *writer) answered(s *said, text string) {
	w.addTurn(entry.RoleAssistant, s.conversation, s.id, text)
}

func (w *writer) addTurn(role, conversation, session, text string) {
	if !w.env.Turns || text == "" {
		return
	}
	if !w.add(statement{turn: entry.Entry{Role: role, Conversation: conversation, Session: session, Text: trim(text, maxTurn)}}) {
		w.say("memory cannot be written, so some turns are not stored")
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
			w.runSafely(func() { w.write(ctx) })
			return
		}
		again = nil
		done, begun := false, time.Now()
		w.runSafely(func() { done = w.write(context.Background()) })
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
		case e := <-w.extract:
			w.runSafely(func() {
				bounded, cancel := context.WithTimeout(ctx, extractTime)
				defer cancel()
				if err := w.env.Extract(bounded, e); err != nil && ctx.Err() == nil {
					w.say("no facts were found in a message: " + err.Error())
				}
			})
		}
	}
}

// rest waits after a write, the longer the more it took: under load there are fewer writes, with
// more turns each, and requests have the machine.
func (w *writer) rest(took time.Duration) {
	select {
	case <-time.After(min(max(restFactor*took, minRest), maxRest)):
	case <-w.stop:
	}
}

// close stores the rest, and waits for it.
func (w *writer) close() {
	close(w.stop)
	w.running.Wait()
}

// runSafely runs a part of the work, so that a fault in it ends nothing else.
func (w *writer) runSafely(work func()) {
	defer func() {
		if cause := recover(); cause != nil {
			w.say(fmt.Sprint("memory cannot be written; this is a bug: ", cause))
		}
	}()
	work()
}

// write stores what waits, all at once: a commit of many turns costs little more than one of few. It reports whether
// everything is done.
func (w *writer) write(ctx context.Context) (ok bool) {
	w.mu.Lock()
	list := w.waiting
	w.mu.Unlock()
	if len(list) == 0 {
		return true
	}
	ss, err := w.env.Open(ctx)
	if err == nil {
		err = w.store(ctx, ss, list)
	}
	if err != nil {
		w.say("memory cannot be written now: " + err.Error())
		return false
	}
	w.mu.Lock()
	w.waiting = w.waiting[len(list):]
	w.mu.Unlock()
	w.noteAll(ctx, ss, list)
	return true
}

// scope is the store of turns.
func (w *writer) scope(ss *store.Stores) string {
	switch {
	case ss.IsSingleStore():
		return store.Only
	case w.env.Scope != "":
		return w.env.Scope
	case ss.Repo() == nil:
		return store.User
	}
	return store.Private
}

// store keeps turns in one commit, and makes room where their conversations have too many.
func (w *writer) store(ctx context.Context, ss *store.Stores, list []statement) error {
	scope, in, conversations := w.scope(ss), capture.Result{}, map[string]bool{}
	for i, s := range list {
		if s.turn.Role != "" {
			in.Rows = append(in.Rows, capture.Row{Line: i + 1, Entry: s.turn, Scope: scope})
			conversations[s.turn.Conversation] = true
		}
	}
	if on, err := ss.Setting(ctx, store.Enabled); err != nil || !on.Bool() || len(in.Rows) == 0 {
		return err
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
	if on, err := ss.Setting(ctx, store.Capture); err != nil || on.Text == store.CaptureOff {
		return
	}
	for _, s := range list {
		if s.turn.Role != "" {
			continue
		}
		noted, err := notice.Note(ctx, ss, notice.Prompt{Agent: doorName, Session: s.conversation, Text: s.text})
		if err == nil && noted.Person != "" {
			w.say("heard what somebody asked to remember; it waits in memctl review")
		}
		if err == nil { // where a person configured models, they read it later
			err = extraction.Follow(ctx, ss, extraction.Event{Agent: doorName, Session: s.conversation, Conversation: s.conversation, Prompt: s.text, NoSummary: w.env.NoSummaries})
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
