package proxy

import (
	"cmp"
	"container/list"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// maxSessions bounds the sessions that the proxy knows; the one that was used longest ago goes.
	maxSessions = 1000
	// maxBlocks bounds what one session was given, in bytes: what is beyond is given up, the oldest
	// first, so that memory does not fill the model's window.
	maxBlocks = 64 << 10
)

// session is what the proxy gave one session, so that later requests repeat it byte for byte.
type session struct {
	mu      sync.Mutex
	key     string
	used    time.Time
	begun   bool          // profile and served are decided
	asking  chan struct{} // is closed when memory has answered about them; nil while nobody asks
	profile string
	served  bool // a hook hands memory to it
	summary string
	blocks  map[name]localstate.Handed // by message; Text is "" for one that got nothing
	order   []name                     // of blocks, the oldest first
	size    int                        // of the texts of blocks, in bytes
	told    map[string]bool            // lines that are in blocks
	stored  map[name]bool              // messages whose turn is stored and that were not answered yet
	unread  map[name]bool              // messages in which no model has looked for facts, because it failed
	flushed bool                       // the conversation is nearly as long as the model's window, and flush was called
}

func newSession(key string) *session {
	return &session{key: key, blocks: map[name]localstate.Handed{}, told: map[string]bool{}, stored: map[name]bool{}, unread: map[name]bool{}}
}

// begin has the session's profile decided, once. ask does that, and reports whether memory
// answered; if it did not, the next request asks again. Requests at the same time wait for the
// one that asks.
func (s *session) begin(ask func() (answer, bool), decide func(answer)) (profile string, served bool) {
	s.mu.Lock()
	if asking := s.asking; asking != nil {
		s.mu.Unlock()
		<-asking
		s.mu.Lock()
	} else if !s.begun {
		s.asking = make(chan struct{})
		s.mu.Unlock()
		a, ok := ask()
		s.mu.Lock()
		if s.begun = ok; ok {
			decide(a)
		}
		close(s.asking)
		s.asking = nil
	}
	defer s.mu.Unlock()
	return s.profile, s.served
}

// restore gives the session again what an earlier process gave it.
func (s *session) restore(list []localstate.Handed) {
	for _, h := range list {
		switch {
		case h.Begins:
			s.profile, s.served = h.Text, h.Served
		case h.Dropped:
			s.giveUp(0)
		default:
			var n name
			if digits, err := hex.DecodeString(h.Message); err == nil && copy(n[:], digits) == len(n) {
				s.keep(n, h)
			}
		}
	}
}

// give decides what a message gets: the summary where the session does not have it, and lines that
// it does not have. Of two requests that ask at once the first decides. ok is false where that was decided
// before.
func (s *session) give(n name, found briefing.MessageResult) (h localstate.Handed, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, decided := s.blocks[n]; decided {
		return h, false
	}
	h = localstate.Handed{Session: s.digest(), Message: hex.EncodeToString(n[:])}
	var b strings.Builder
	if found.Summary != "" && found.Summary != s.summary {
		h.Summary = found.Summary
		b.WriteString("[summary] " + found.Summary + "\n")
	}
	for _, m := range found.Memories {
		if len(h.Memories) < maxLines && !s.told[m.Line] {
			h.Memories = append(h.Memories, m)
			b.WriteString(m.Line + "\n")
		}
	}
	if b.Len() > 0 {
		h.Text = heading + strings.TrimSuffix(b.String(), "\n")
	}
	s.keep(n, h)
	return h, true
}

// keep has later requests repeat what a message got, and gives up the oldest beyond the limit.
func (s *session) keep(n name, h localstate.Handed) {
	at := len(s.order)
	if h.Older {
		at = max(at-1, 0) // the newest stays the last one, which giveUp keeps
	}
	s.blocks[n], s.order, s.size = h, slices.Insert(s.order, at, n), s.size+len(h.Text)
	for _, m := range h.Memories {
		s.told[m.Line] = true
	}
	s.summary = cmp.Or(h.Summary, s.summary)
	if s.size > maxBlocks {
		s.giveUp(maxBlocks / 2) // seldom and much, because each time the provider's cache is of no use
	}
}

// digest names the session in local state.
func (s *session) digest() string { return localstate.TextDigest(s.key) }

// giveUp drops the oldest blocks until the rest has at most so many bytes. What they had may be given
// to a later message.
func (s *session) giveUp(most int) {
	for s.size > most && len(s.order) > 1 {
		oldest := s.order[0]
		dropped := s.blocks[oldest]
		s.size -= len(dropped.Text)
		s.order = s.order[1:]
		s.blocks[oldest] = localstate.Handed{}
		for _, m := range dropped.Memories {
			delete(s.told, m.Line)
		}
		if dropped.Summary == s.summary {
			s.summary = ""
		}
	}
}

// giveUpAll drops the blocks of all messages but the last. The record says so.
func (s *session) giveUpAll() localstate.Handed {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(0)
	return localstate.Handed{Session: s.digest(), Dropped: true}
}

// block is what a message was given. ok is false where that is not decided.
func (s *session) block(n name) (block string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.blocks[n]
	return h.Text, ok
}

// toStore reports whether the turn of a message is to be stored: not where a client sends it once
// more because it got no answer.
func (s *session) toStore(n name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored[n] {
		return false
	}
	if len(s.stored) > maxSessions {
		clear(s.stored)
	}
	s.stored[n] = true
	return true
}

// answered notes that a message got its answer: sent once more, it is another turn.
func (s *session) answered(n name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.stored, n)
}

// sessions are those that the proxy knows.
type sessions struct {
	mu    sync.Mutex
	byKey map[string]*list.Element
	used  list.List // of *session, the one that was used last in front
}

// of is the session of a key; fresh begins another one.
func (all *sessions) of(key string, fresh bool, now time.Time) *session {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byKey == nil {
		all.byKey = map[string]*list.Element{}
	}
	if e := all.byKey[key]; e != nil {
		s := e.Value.(*session)
		if !fresh {
			s.used = now
			all.used.MoveToFront(e)
			return s
		}
		all.used.Remove(e)
	}
	s := newSession(key)
	s.used = now
	all.byKey[key] = all.used.PushFront(s)
	for all.used.Len() > maxSessions {
		last := all.used.Back()
		delete(all.byKey, all.used.Remove(last).(*session).key)
	}
	return s
}
