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

// itemHit is an item that was found, with its place and score.
type itemHit struct {
	Tier  string  `json:"tier"`
	Score float64 `json:"score"`
	Path  string  `json:"path"`
	view.Found
}

// entryHit is a fact, a note, a summary, a turn or a part of a Markdown file.
type entryHit struct {
	Tier       string   `json:"tier"`
	Score      float64  `json:"score,omitempty"`
	Path       string   `json:"path"`
	ID         string   `json:"id,omitempty"`
	Text       string   `json:"text"`
	Scope      string   `json:"scope"`
	Repository string   `json:"repository,omitempty"` // of a hit of the shared index
	Category   string   `json:"category,omitempty"`
	Confidence string   `json:"confidence,omitempty"`
	Day        string   `json:"day,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Topics     []string `json:"topics,omitempty"`
	Session    string   `json:"session,omitempty"`
	Pinned     bool     `json:"pinned,omitempty"`
	Locked     bool     `json:"locked,omitempty"`
	Stale      bool     `json:"stale,omitempty"` // what it is about has changed since
}

// listedEntry is an entry of a list.
func listedEntry(e view.EntryView) entryHit {
	day, _, _ := strings.Cut(e.Created, "T")
	return entryHit{
		Tier: e.Tier, Path: plain(e.Path), ID: e.ID, Text: e.Text, Scope: e.Scope, Category: e.Category, Confidence: e.Confidence, Day: day,
		Tags: e.Tags, Topics: e.Topics, Session: e.Session, Pinned: e.Pinned, Locked: e.Locked, Stale: e.Stale,
	}
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
	res, err := view.Find(c.ctx, ss, view.FindRequest{Scope: in.Scope})
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
		if h.Tier == index.TierItem.String() && !h.Shared {
			for _, it := range res.Items {
				if it.Key == h.ID && it.Scope == h.Scope {
					answer.Items = append(answer.Items, itemHit{h.Tier, h.Score, h.Path, it})
				}
			}
			continue
		}
		answer.Items = append(answer.Items, foundEntry(h))
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

func foundEntry(h briefing.RecallHit) entryHit {
	day, _, _ := strings.Cut(h.Time, "T")
	hit := entryHit{
		Tier: h.Tier, Score: h.Score, Path: h.Path, ID: h.ID, Text: h.Text, Scope: h.Scope, Repository: h.Repository, Category: h.Category, Confidence: h.Confidence, Day: day,
		Tags: h.Tags, Topics: h.Topics, Session: h.Session, Stale: h.Stale,
	}
	if h.Tier == index.TierFile.String() {
		hit.ID = "" // its path
	}
	return hit
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
