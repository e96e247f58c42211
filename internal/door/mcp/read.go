package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/guidance/skill"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

// The numbers of items that recall and list return.
const (
	recallDefault = 5
	listDefault   = 50
	mostItems     = 200
)

// items is the answer of recall and list.
type items struct {
	About   string             `json:"about"`
	Items   []any              `json:"items"` // hits, or turns of past sessions
	Matches int                `json:"match_count"`
	Notes   []string           `json:"notes,omitempty"`
	Scopes  []view.ScopeCounts `json:"scopes,omitempty"` // the counts of all that there is

	untrusted bool // the person has not trusted the project
}

// newItems is an answer without items yet, with what an agent must know of a result.
func newItems(ctx context.Context, ss *store.Stores, res view.Found) items {
	return items{About: about, Items: []any{}, Notes: notes(res), untrusted: !ss.Trusted(ctx)}
}

func (a *items) add(item any, fromProject bool) {
	a.Items, a.Matches = append(a.Items, item), a.Matches+1
	if fromProject && a.untrusted {
		a.note(untrusted)
	}
}

// note adds a note that is not there yet.
func (a *items) note(text string) {
	if !slices.Contains(a.Notes, text) {
		a.Notes = append(a.Notes, text)
	}
}

type listArguments struct {
	Pattern  string `json:"pattern" doc:"key or glob"`
	Tier     string `json:"tier" oneof:"item fact note summary review"`
	Category string `json:"category"`
	Limit    int    `json:"limit"`
	Scope    string `json:"scope" oneof:"project private user"`
}

func (c *call) list(in listArguments) (any, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	if in.Tier == tierReview {
		return c.review(ss, in)
	}
	req := view.Query{Scope: in.Scope, Tier: in.Tier, Category: in.Category}
	if in.Pattern != "" {
		req.Patterns = []string{in.Pattern}
	}
	res, err := view.Find(c.ctx, ss, req)
	if err != nil {
		return nil, err
	}
	answer := newItems(c.ctx, ss, res)
	for _, r := range res.Records[:min(len(res.Records), limit(in.Limit, listDefault))] {
		answer.add(newHit(r), r.Scope == store.Project)
	}
	answer.Matches = len(res.Records)
	if in.Pattern == "" && in.Tier == "" && in.Category == "" {
		answer.Scopes = res.Scopes
	}
	return answer, nil
}

// tierReview asks for what waits for the person.
const tierReview = "review"

// review lists what waits for the person, what agents stored lately first.
func (c *call) review(ss *store.Stores, in listArguments) (any, error) {
	res, err := view.Review(c.ctx, ss, contents.Agent, in.Scope)
	if err != nil {
		return nil, err
	}
	answer := items{About: about, Items: []any{}, Notes: []string{"The person decides, with the command of a choice."}, untrusted: !ss.Trusted(c.ctx)}
	for _, w := range res.Waiting[:min(len(res.Waiting), limit(in.Limit, listDefault))] {
		answer.add(w, w.Scope == store.Project)
	}
	answer.Matches = len(res.Waiting)
	return answer, nil
}

func limit(asked, usual int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, mostItems)
}

// notes says what of the memory an agent is not given, and why.
func notes(res view.Found) []string {
	var list []string
	left := func(n int, text string) {
		if n > 0 {
			list = append(list, text)
		}
	}
	if res.Off != "" {
		list = append(list, res.Off)
	}
	for _, s := range res.Scopes {
		switch {
		case s.Why == session.WhyDisabled && res.Off != "":
		case s.Why == session.WhyDisabled:
			list = append(list, "The "+s.Scope+" memory is disabled, so none of it is shown. The person can enable it with `memctl config enabled on --scope "+s.Scope+"`.")
		case !s.Trusted && s.Items > 0:
			list = append(list, untrusted)
		}
		if s.Why == "" {
			left(s.Withheld, "Some "+s.Scope+" items are withheld by a rule, or because the project has forgotten them; `memctl show"+memory.ScopeFlag(s.Scope)+"` lists them for the person.")
		}
	}
	for _, w := range res.Warnings {
		list = append(list, plain(w))
	}
	left(res.Hidden, "Some entries are withheld by a rule, or because the project has forgotten them; `memctl list --tier fact` lists them for the person.")
	return list
}

// untrusted goes with items of a project that the person has not said they
// trust. They were asked for, so they are there, with their scope.
const untrusted = "The person has not trusted this repository, so anybody may have written its items of scope project (`memctl trust`, at a terminal)."

type skillArguments struct {
	Query string `json:"query" need:"true"`
}

// skillSearch answers with the skills that fit the query, or with the whole skill where the
// query is its name.
func (c *call) skillSearch(in skillArguments) (any, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	agent := cmp.Or(c.client(), "agent")
	one, err := skill.Show(c.ctx, ss, in.Query, agent, "")
	switch {
	case err == nil:
		return struct {
			Skills []skill.ShowResult `json:"skills"`
		}{[]skill.ShowResult{one}}, nil
	case !fault.Is(err, memory.RuleNotFound):
		return nil, err
	}
	return briefing.SearchSkills(c.ctx, ss, in.Query, agent, "")
}

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
		opt.Sessions = &briefing.HistoryOptions{Transcripts: c.link.env.Transcripts(ss.Root()), Agent: true, MaxRead: historyBytes, Progress: opt.Progress}
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
