package proxy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/memory/reading/briefing"
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
	used time.Time // guarded by sessions

	starting sync.Mutex // is held while memory is asked about begun, profile and served
	begun    bool       // profile and served are decided
	profile  string
	served   bool // a hook hands memory to it

	mu      sync.Mutex // guards the rest
	summary string
	blocks  map[name]block
	order   []name          // of blocks, the oldest first
	size    int             // of the texts of blocks, in bytes
	told    map[string]bool // lines that are in blocks
	stored  map[name]bool   // messages whose turn is stored and that were not answered yet
}

// block is what one message was given.
type block struct {
	text    string // "" for nothing
	summary string // the part that is the conversation's summary
	lines   []string
}

func newSession() *session {
	return &session{blocks: map[name]block{}, told: map[string]bool{}, stored: map[name]bool{}}
}

// begin has the session's profile decided, once. ask does that, and reports whether memory
// answered; if it did not, the next request asks again.
func (s *session) begin(ask func() (answer, bool)) (profile string, served bool) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if !s.begun {
		var a answer
		if a, s.begun = ask(); !a.served {
			s.profile = a.profile
		}
		s.served = a.served
	}
	return s.profile, s.served
}

// give decides what a message gets: the summary where the session does not have it, and lines that
// it does not have. Of two requests that ask at once the first decides.
func (s *session) give(n name, found briefing.MessageResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, decided := s.blocks[n]; decided {
		return
	}
	var given block
	var b strings.Builder
	if found.Summary != "" && found.Summary != s.summary {
		given.summary, s.summary = found.Summary, found.Summary
		b.WriteString("[summary] " + found.Summary + "\n")
	}
	for _, line := range found.Memories {
		if len(given.lines) < maxLines && !s.told[line] {
			given.lines = append(given.lines, line)
			s.told[line] = true
			b.WriteString(line + "\n")
		}
	}
	if b.Len() > 0 {
		given.text = heading + strings.TrimSuffix(b.String(), "\n")
	}
	s.blocks[n], s.order, s.size = given, append(s.order, n), s.size+len(given.text)
	if s.size > maxBlocks {
		s.giveUp() // seldom and much, because each time the provider's cache is of no use
	}
}

// giveUp drops the older half of the blocks. What they had may be given to a later message.
func (s *session) giveUp() {
	for s.size > maxBlocks/2 && len(s.order) > 1 {
		dropped := s.blocks[s.order[0]]
		s.blocks[s.order[0]] = block{}
		s.order, s.size = s.order[1:], s.size-len(dropped.text)
		for _, line := range dropped.lines {
			delete(s.told, line)
		}
		if dropped.summary == s.summary {
			s.summary = ""
		}
	}
}

// block is what a message was given. ok is false where that is not decided.
func (s *session) block(n name) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blocks[n]
	return b.text, ok
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
	byKey map[string]*session
}

// of is the session of a key; fresh begins another one.
func (all *sessions) of(key string, fresh bool) *session {
	all.mu.Lock()
	defer all.mu.Unlock()
	s := all.byKey[key]
	if s == nil || fresh {
		s = newSession()
		all.byKey[key] = s
	}
	s.used = time.Now()
	if len(all.byKey) > maxSessions {
		delete(all.byKey, slices.MinFunc(slices.Collect(maps.Keys(all.byKey)), func(a, b string) int {
			return cmp.Compare(all.byKey[a].used.UnixNano(), all.byKey[b].used.UnixNano())
		}))
	}
	return s
}
