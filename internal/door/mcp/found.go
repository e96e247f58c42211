package mcp

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

// hit is a memory of an answer.
type hit struct {
	view.Record
	Day        string  `json:"day,omitempty"`
	Agent      string  `json:"agent,omitempty"` // this and the time are of a hit of a past session
	Time       string  `json:"time,omitempty"`
	Repository string  `json:"repository,omitempty"` // of a hit of the shared index
	Score      float64 `json:"score,omitempty"`
	Weak       bool    `json:"weak,omitempty"`       // it matches too little of the query
	InSession  bool    `json:"in_session,omitempty"` // the session was handed it at its start
}

// newHit is a memory with what an agent needs to know of it.
func newHit(r view.Record) hit {
	h := hit{Record: r, Day: r.Day()}
	h.Added, h.Updated, h.Created, h.Role, h.Conversation, h.Anchors, h.Usage = "", "", "", "", "", nil, nil
	return h
}

type recallArguments struct {
	Query   string `json:"query" need:"true"`
	Guess   string `json:"guess" doc:"a sentence the answer may contain"`
	History bool   `json:"history"`
	Limit   int    `json:"limit"`
}

func (c *call) recall(in recallArguments) (any, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	res := view.Found{}
	opt := briefing.RecallOptions{Reader: contents.Agent, Engine: briefing.EngineAuto, Dial: c.link.env.Dial, Progress: c.progress()}
	if in.History {
		in.Guess = "" // past sessions have no use for it
		opt.Sessions = &briefing.HistoryOptions{Machine: c.link.env.Transcripts(ss.Root()), Agent: true, MaxRead: historyBytes, Progress: opt.Progress}
	} else if res, err = view.Find(c.ctx, ss, view.Query{Tier: view.Item}); err != nil { // for its notes
		return nil, err
	}
	found, err := briefing.Recall(c.ctx, ss, opt, briefing.RecallRequest{Query: in.Query, Guess: in.Guess, K: limit(in.Limit, recallDefault)})
	if err != nil {
		return nil, err
	}
	answer := newItems(c.ctx, ss, res)
	for _, w := range found.Warnings {
		answer.note(plain(w))
	}
	if found.Weak {
		answer.note(briefing.Nearest)
	}
	for _, h := range found.Hits {
		a := newHit(h.Record)
		switch h.Tier {
		case view.Item:
			a.Key, a.ID = h.ID, ""
		case index.TierFile.String():
			a.ID = "" // its path
		}
		if a.Day, _, _ = strings.Cut(h.Time, "T"); in.History {
			a.Day, a.Time, a.Agent, a.Role = "", h.Time, h.Agent, h.Role
		}
		a.Score, a.Weak, a.InSession, a.Repository = h.Score, h.Weak, h.InSession, h.Repository
		answer.add(a, h.Scope == store.Project && h.Repository == "")
	}
	if len(found.Hits) > 0 { // the uses are counted beside the call, which neither waits for that nor fails with it
		ctx := context.WithoutCancel(c.ctx)
		c.link.running.Go(func() { briefing.NoteUsed(ctx, ss, found.Hits) })
	}
	return answer, nil
}

// historyBytes is how much of changed transcripts one call reads, so that it takes seconds. The next
// call reads the rest.
const historyBytes = 32 << 20
