package proxy

import (
	"encoding/hex"
	"maps"
	"net/http"
	"slices"

	"github.com/memctl/memctl/capture/extract"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/transcript"
)

const (
	// flushParts is how many requests to a model a flush takes at most.
	flushParts = 5
	// flushAt is the size of a request, in bytes, at which its client is about to compact: 24,000
	// tokens of 3.5 bytes before the end of the usual window of 200,000.
	flushAt = (200_000 - 24_000) * 7 / 2
)

// flush has memory learn what it would lose when the client compacts a conversation. Messages that
// were new while this proxy or an earlier one served the session are known, so what is left are those
// that a client brought along from elsewhere, and those in which a model failed to look for facts.
// Configured models read the conversation now instead of when it rests. It all runs in the background.
func (p *Proxy) flush(r *http.Request, req *request, names map[int]name, s *said) {
	live := s.session
	begun, served := live.hasBegun()
	if !begun {
		return // what an earlier proxy knows of the session is not known yet
	}
	var texts, unheard []string
	var of []name
	newest := slices.Max(slices.Collect(maps.Keys(names))) // known, or the client's request to compact
	for i, size := newest-1, 0; i >= 0 && size < flushParts*extract.MaxPart; i-- {
		n, ok := names[i]
		if !ok {
			continue
		}
		heard, read := live.knows(n)
		if heard && read {
			continue
		}
		words := req.said(req.turns[i])
		if words == "" {
			continue
		}
		size += extract.Turn{By: transcript.Person, Text: words}.Size()
		texts, of = append(texts, words), append(of, n)
		if !heard {
			unheard = append(unheard, words)
		}
	}
	slices.Reverse(texts)
	slices.Reverse(unheard)
	for _, h := range live.learned(of) {
		p.writer.handed(h)
	}
	p.writer.flush(p.exchange(r, req, s, texts, of), unheard, served)
}

// hasBegun reports whether the session's profile is decided, and whether a hook serves it.
func (s *session) hasBegun() (begun, served bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun, s.served
}

// nearlyFull reports, once before each compaction, that a request of this size is nearly as long as
// the model's window. It waits for the session to begin, because flush does nothing before.
func (s *session) nearlyFull(size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return false
	}
	was := s.flushed
	s.flushed = size >= flushAt
	return s.flushed && !was
}

// knows reports whether memory has heard a message, and whether a model has read it or is about to.
func (s *session) knows(n name) (heard, read bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, heard = s.blocks[n]
	return heard, !s.unread[n]
}

// learned notes that memory knows messages now. It returns the records of those that it did not know.
func (s *session) learned(names []name) (records []localstate.Handed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		delete(s.unread, n)
		if _, heard := s.blocks[n]; !heard {
			h := localstate.Handed{Session: s.digest(), Message: hex.EncodeToString(n[:]), Older: true}
			s.keep(n, h)
			records = append(records, h)
		}
	}
	return records
}

// notRead notes that a model failed to read messages.
func (s *session) notRead(names []name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		s.unread[n] = true
	}
}
