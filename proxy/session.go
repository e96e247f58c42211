package proxy

import (
	"container/list"
	"sync"
	"time"
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
	begin   sync.Once
	profile string // decided by begin, as served is
	served  bool   // a hook hands memory to it
	summary string
	blocks  map[name]string // by message; "" for one that got nothing
	order   []name          // of blocks, the oldest first
	size    int             // of blocks, in bytes
	told    map[string]bool // lines that it has
	stored  map[name]bool   // messages whose turn is stored and that were not answered yet
}

func newSession(key string) *session {
	return &session{key: key, blocks: map[name]string{}, told: map[string]bool{}, stored: map[name]bool{}}
}

// give keeps the block of a message, and gives up the oldest ones beyond the limit. Of two
// requests that ask at once the first decides.
func (s *session) give(n name, block string, lines []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.blocks[n]; ok {
		return was
	}
	s.blocks[n], s.order, s.size = block, append(s.order, n), s.size+len(block)
	for _, line := range lines {
		s.told[line] = true
	}
	if s.size > maxBlocks {
		s.giveUp(maxBlocks / 2) // seldom and much, because each time the provider's cache is of no use
	}
	return block
}

// giveUp drops the oldest blocks until the rest has at most so many bytes.
func (s *session) giveUp(most int) {
	for s.size > most && len(s.order) > 1 {
		oldest := s.order[0]
		s.size -= len(s.blocks[oldest])
		s.order = s.order[1:]
		s.blocks[oldest] = ""
	}
}

// giveUpAll drops the blocks of all messages but the last.
func (s *session) giveUpAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(0)
}

// block is what a message was given. ok is false where that is not decided.
func (s *session) block(n name) (block string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	block, ok = s.blocks[n]
	return block, ok
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
