package mcpserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/store"
)

// hit is a memory of an answer.
type hit struct {
	view.Record
	Day        string  `json:"day,omitempty"`
	Repository string  `json:"repository,omitempty"` // of a hit of the shared index
	Score      float64 `json:"score,omitempty"`
	Weak       bool    `json:"weak,omitempty"` // even the best hit matches too little of the query
}

// newHit is a memory with what an agent needs to know of it.
func newHit(r view.Record) hit {
	h := hit{Record: r, Day: r.Day()}
	h.Added, h.Updated, h.Created, h.Role, h.Conversation, h.Anchors, h.Usage = "", "", "", "", "", nil, nil
	return h
}

func (c *call) recall() (any, error) {
	var in struct {
		Query   string `json:"query"`
		Limit   int    `json:"limit"`
		Scope   string `json:"scope"`
		History bool   `json:"history"`
	}
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	switch {
	case in.Query == "":
		return nil, missing("query")
	case in.History && in.Scope != "":
		return nil, wrong(`"scope": past sessions have none`)
	}
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	if in.History {
		return c.history(ss, in.Query, limit(in.Limit, recallDefault))
	}
	res, err := view.Find(c.ctx, ss, view.FindRequest{Scope: in.Scope, Tier: view.Item})
	if err != nil {
		return nil, err
	}
	engine, err := ss.Setting(c.ctx, briefing.RecallEngine)
	if err != nil {
		return nil, err
	}
	hits, err := briefing.Recall(c.ctx, ss, briefing.RecallOptions{Scope: in.Scope, Agent: true, Engine: engine.Text, Dial: c.link.dial()}, briefing.RecallRequest{Query: in.Query, K: limit(in.Limit, recallDefault)})
	if err != nil {
		return nil, err
	}
	answer := items{Schema: memory.SchemaNumber, About: about, Items: []any{}, Notes: notes(res)}
	for _, w := range hits.Warnings {
		if note := plain(w); !slices.Contains(answer.Notes, note) {
			answer.Notes = append(answer.Notes, note)
		}
	}
	fromProject := false
	for _, h := range hits.Hits {
		fromProject = fromProject || h.Scope == store.Project && h.Repository == ""
		if h.Tier == view.Item && !h.Shared {
			for _, it := range res.Items {
				if it.Key == h.ID && it.Scope == h.Scope {
					found := newHit(it)
					found.Score, found.Weak, found.Path = h.Score, h.Weak, h.Path
					answer.Items = append(answer.Items, found)
				}
			}
			continue
		}
		found := newHit(h.Record)
		if h.Tier == index.TierFile.String() {
			found.ID = "" // its path
		}
		found.Day, _, _ = strings.Cut(h.Time, "T")
		found.Score, found.Weak, found.Repository = h.Score, h.Weak, h.Repository
		answer.Items = append(answer.Items, found)
	}
	if fromProject && !ss.Trusted(c.ctx) && !slices.Contains(answer.Notes, untrusted) {
		answer.Notes = append(answer.Notes, untrusted)
	}
	answer.Matches = len(answer.Items)
	c.link.used(c.ctx, ss, hits.Hits)
	return answer, nil
}

// historyBytes is how much of changed transcripts one call reads, so that it takes seconds. The next
// call reads the rest.
const historyBytes = 32 << 20

// history searches the past sessions of this repository.
func (c *call) history(ss *store.Stores, query string, k int) (any, error) {
	opt := briefing.HistoryOptions{Machine: c.link.env.Transcripts(ss.Root()), Agent: true, MaxRead: historyBytes}
	res, err := briefing.History(c.ctx, ss, opt, briefing.HistoryRequest{Query: query, K: k})
	if err != nil {
		return nil, err
	}
	answer := items{Schema: memory.SchemaNumber, About: about, Items: []any{}, Notes: res.Warnings, Matches: len(res.Hits)}
	for _, h := range res.Hits {
		answer.Items = append(answer.Items, h)
	}
	return answer, nil
}

// usesWait is how long the counting of uses waits for a lock: what it does not get
// is not counted.
const usesWait = 50 * time.Millisecond

// used counts what an agent was given, beside the call: it neither waits for that nor
// fails with it.
func (l *link) used(ctx context.Context, ss *store.Stores, hits []briefing.RecallHit) {
	if len(hits) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	l.running.Go(func() { briefing.NoteUsed(ctx, ss, hits, usesWait) })
}
