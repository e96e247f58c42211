package proxy

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// maxName bounds the name of a conversation or a session, in bytes.
const maxName = 200

// sessionOf is the session that a client names, "" for none.
func sessionOf(h http.Header) string {
	for _, header := range []string{"X-Claude-Code-Session-Id", "Session-Id", "Session_id", "X-Session-Id", "X-Session-Affinity", "X-Openwebui-Chat-Id"} {
		if id := strings.TrimSpace(h.Get(header)); id != "" && len(id) <= maxName {
			return id
		}
	}
	return ""
}

// said is a person's message on its way, for its answer.
type said struct {
	session      *session
	name         name
	id           string
	conversation string
	kind         kind
	fresh        bool // the client names no session, and this is the first request of a new one
}

type saidKey struct{}

// messageOf is the message that a request carries or goes on from; nil for none.
func messageOf(ctx context.Context) *said {
	s, _ := ctx.Value(saidKey{}).(*said)
	return s
}

// remember adds to a request what memory knows, and has what the person says in it stored. The
// parts are the body to send.
func (p *Proxy) remember(r *http.Request, req *request) (parts [][]byte, size int, s *said) {
	var edits []splice
	memoryID := text(req.body, req.fields["memory_id"])
	if e, ok := req.without("memory_id"); ok {
		edits = append(edits, e) // services refuse members that they do not know
	}
	if names := req.names(); len(names) > 0 && isConversation(r.Header, req) {
		s = p.said(r, req, names, memoryID)
		edits = append(edits, p.add(r, req, names, s)...)
	}
	parts, size = edited(req.body, edits)
	return parts, size, s
}

// said finds the conversation and the session that a request belongs to.
func (p *Proxy) said(r *http.Request, req *request, names map[int]name, memoryID string) *said {
	id := sessionOf(r.Header)
	s := &said{id: id, kind: req.kind, conversation: cmp.Or(memoryID, id, p.env.Conversation)}
	s.conversation = trim(s.conversation, maxName)
	key := "id " + id
	if id == "" {
		first := names[slices.Min(slices.Collect(maps.Keys(names)))]
		key, s.fresh = "first "+s.conversation+" "+string(first[:]), len(names) == 1 && !req.answered()
	}
	s.session = p.live.of(key, s.fresh)
	return s
}

// add is what the session was given before, and what the new message is given now.
func (p *Proxy) add(r *http.Request, req *request, names map[int]name, s *said) (edits []splice) {
	live := s.session
	q := question{id: s.id, conversation: s.conversation, has: func(text string) bool { return bytes.Contains(req.body, []byte(escapeJSON(text))) }}
	if req.last >= 0 {
		q.text = req.said(req.turns[req.last])
	}
	words, asked, found := q.text, false, briefing.MessageResult{}
	profile, served := live.begin(func() (answer, bool) {
		first := q
		first.begins = true
		a, ok := p.memory.ask(r.Context(), first)
		a.served = a.served || bytes.Contains(req.body, []byte(briefing.Heading))
		asked, found = true, a.found
		return a, ok
	})
	if words != "" {
		if _, decided := live.block(names[req.last]); !decided {
			if !asked {
				q.profile = profile
				a, _ := p.memory.ask(r.Context(), q)
				found = a.found
			}
			if p.env.NoSummaries {
				found.Summary = ""
			}
			live.give(names[req.last], found)
		}
	}
	if profile != "" {
		edits = append(edits, req.afterSystem(profile)...)
	}
	for i, n := range names {
		if block, _ := live.block(n); block != "" {
			edits = append(edits, req.appendTo(req.turns[i], block)...)
		}
	}
	p.hear(r, req, names, s, words, served)
	return edits
}

// hear has the person's new message stored, and remembers whose answer comes.
func (p *Proxy) hear(r *http.Request, req *request, names map[int]name, s *said, words string, served bool) {
	if req.last < 0 { // it goes on after a tool, with the answer to the last message
		s.name = names[slices.Max(slices.Collect(maps.Keys(names)))]
		return
	}
	s.name = names[req.last]
	if s.session.toStore(s.name) {
		p.writer.storeMessage(p.exchange(r, req, s, words), served)
	}
}

// exchange is what a message says, and to which service it goes.
func (p *Proxy) exchange(r *http.Request, req *request, s *said, words string) door.Exchange {
	e := door.Exchange{Conversation: s.conversation, Session: s.id, Text: words, Model: text(req.body, req.fields["model"])}
	if _, named, ok := strings.Cut(r.URL.Path, "/models/"); ok {
		e.Model, _, _ = strings.Cut(named, ":")
	}
	if p.env.Extract != nil {
		service := *p.upstreamOf(r)
		service.Path = joined(service.Path, req.is.learn)
		e.Kind, e.Base, e.Key = req.is.llm, service.String(), keyOf(r.Header)
	}
	return e
}

// keyOf is the key of a request, "" for none.
func keyOf(h http.Header) string {
	if key := cmp.Or(h.Get("X-Api-Key"), h.Get("X-Goog-Api-Key")); key != "" {
		return key
	}
	_, key, _ := strings.Cut(h.Get("Authorization"), " ")
	return key
}

// answered reports whether the request has an answer of the model.
func (r *request) answered() bool {
	for _, m := range r.turns {
		if m.isFromModel() || m.tool {
			return true
		}
	}
	return false
}
