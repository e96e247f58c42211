package briefing

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/capture/rules"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// tierSession is the tier of a hit in a past session.
const tierSession = "session"

// HistoryOptions say which past sessions are searched.
type HistoryOptions struct {
	history.Machine
	Agent bool // an agent asks, so it gets the sessions of this repository only
	All   bool // the sessions of every folder; only for a person
	// Open opens the stores of another folder, whose tombstones apply to its sessions; nil
	// where there are no other folders.
	Open     func(ctx context.Context, folder string) (*store.Stores, error)
	MaxRead  int64                 // bytes of changed transcripts to read at most; 0: no limit
	Progress func(done, total int) // while transcripts are read; nil for nobody
}

// HistoryRequest is one question about past sessions.
type HistoryRequest struct {
	Query string // "" for what the person said last
	K     int    // how many hits; 0 takes the setting's
	Since string // a day
}

// HistoryResult is what was found, the best first.
type HistoryResult struct {
	Schema   int          `json:"schema"`
	Query    string       `json:"query"`
	Hits     []HistoryHit `json:"hits"`
	Took     float64      `json:"took_ms"`
	Warnings []string     `json:"warnings,omitempty"`
}

// HistoryHit is a message of a past session.
type HistoryHit struct {
	ID      string  `json:"id"`
	Tier    string  `json:"tier"`
	Agent   string  `json:"agent"`
	Session string  `json:"session"`
	Folder  string  `json:"folder,omitempty"` // of the session, where it is not of this repository
	Time    string  `json:"time,omitempty"`   // RFC 3339
	Role    string  `json:"role"`             // user or assistant
	Text    string  `json:"text"`             // the part of the message that fits the query best
	Score   float64 `json:"score"`
}

// Source says in the source of a memory where the hit is from.
func (h HistoryHit) Source() string {
	day, _, _ := strings.Cut(h.Time, "T")
	return strings.TrimSpace("session of " + h.Agent + " " + day)
}

// hitText is how many bytes of a message a hit shows.
const hitText = 600

// historian answers questions about past sessions.
type historian struct {
	ctx  context.Context
	ss   *store.Stores
	opt  HistoryOptions
	lib  *history.Library
	here map[string]bool // by folder
	// forgotten tells what was forgotten where a session ran, by folder; nil: it cannot be told.
	forgotten map[string][]*contents.Forgotten
}

// History searches past sessions. Errors: a refusal where the setting is off; those of
// history.Open; a day that is none.
func History(ctx context.Context, ss *store.Stores, opt HistoryOptions, req HistoryRequest) (HistoryResult, error) {
	start := time.Now()
	res := HistoryResult{Schema: memory.SchemaNumber, Query: req.Query, Hits: []HistoryHit{}}
	since, err := sinceOf(ss, req.Since)
	if err != nil {
		return res, err
	}
	h, err := openHistory(ctx, ss, opt)
	if err != nil {
		return res, err
	}
	if req.K <= 0 {
		req.K = recallCount
	}
	words := index.Terms(req.Query)
	shown := map[string]bool{} // a session that goes on in another file repeats its messages
	for _, hit := range h.lib.Search(cutAt(req.Query, maxQueryBytes), since) {
		if len(res.Hits) == req.K || ctx.Err() != nil {
			break
		}
		text := h.readable(hit)
		if text == "" || shown[text] {
			continue
		}
		shown[text] = true
		res.Hits = append(res.Hits, h.view(hit, passage(text, words)))
	}
	if h.lib.Behind > 0 {
		res.Warnings = append(res.Warnings, "the index of past sessions is behind; memctl recall --history brings it up to date")
	}
	res.Took = math.Round(float64(time.Since(start).Microseconds())) / 1000
	return res, ctx.Err()
}

// HistoryTurn is the message that the ID of a hit names, with its whole text. Errors: a refusal
// where there is none that may be read; those of History.
func HistoryTurn(ctx context.Context, ss *store.Stores, opt HistoryOptions, id string) (HistoryHit, error) {
	opt.MaxRead = -1
	h, err := openHistory(ctx, ss, opt)
	if err != nil {
		return HistoryHit{}, err
	}
	if hit, ok := h.lib.Turn(id); ok {
		if text := h.readable(hit); text != "" {
			return h.view(hit, text), nil
		}
	}
	return HistoryHit{}, &fault.Error{Code: memory.RuleNotFound, Status: 1, Hints: []string{"memctl recall --history QUERY"}, Cause: memory.Quoted(id) + ": no message of a past session has this id"}
}

func openHistory(ctx context.Context, ss *store.Stores, opt HistoryOptions) (*historian, error) {
	on, err := ss.Setting(ctx, store.History)
	if err != nil {
		return nil, err
	}
	if on.Text != "on" {
		if opt.Agent {
			return nil, &fault.Error{Code: memory.RuleDisabled, Status: 1, Cause: store.History.Name + " is off: only the person turns the search of past sessions on"}
		}
		return nil, &fault.Error{Code: memory.RuleDisabled, Status: 1, Hints: []string{"git config --global memctl.recall.history on"}, Cause: store.History.Name + " is off: memctl does not search past sessions"}
	}
	if opt.Agent {
		if err := agentsMayAsk(ctx, ss); err != nil {
			return nil, err
		}
	}
	h := &historian{ctx: ctx, ss: ss, opt: opt, here: map[string]bool{}, forgotten: map[string][]*contents.Forgotten{}}
	dir := ss.DataState()
	dir.Folder = filepath.Join(dir.Folder, "history")
	h.lib, err = history.Open(ctx, history.Request{
		Machine: opt.Machine, Dir: dir, MaxRead: opt.MaxRead, Progress: opt.Progress,
		Here: func(folder string) bool { return h.isHere(folder) || opt.All && !opt.Agent },
	})
	return h, err
}

// agentsMayAsk refuses an agent where the person has switched memory off.
func agentsMayAsk(ctx context.Context, ss *store.Stores) error {
	v, err := ss.Setting(ctx, store.Enabled)
	if err == nil && !v.On() {
		err = &fault.Error{Code: memory.RuleDisabled, Status: 1, Cause: store.Enabled.Name + " is false: agents get no memory"}
	}
	return err
}

func (h *historian) isHere(folder string) bool {
	is, known := h.here[folder]
	if !known {
		is = memory.Here(h.ss, folder)
		h.here[folder] = is
	}
	return is
}

// sinceOf is the time at which a day begins; zero for none.
func sinceOf(ss *store.Stores, day string) (time.Time, error) {
	if day == "" {
		return time.Time{}, nil
	}
	from, _, err := view.DaysOf(ss, day)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.DateOnly, from)
}

// readable is the text of a hit; "" where it may not be shown. The policy rules on the whole
// message, because a part of a secret may not look like one. An agent gets only what the policy
// has nothing against, and a person all that it does not refuse. Nobody gets memctl's own
// briefing, or what was forgotten.
func (h *historian) readable(hit history.Hit) string {
	text := hit.Text()
	if text == "" || session.HoldsBriefing(text) {
		return ""
	}
	ruling := h.ss.Rule(policy.Candidate{Value: memfile.Str(text), Raw: true, Turn: true, Limit: history.MaxText})
	if ruling.Verdict == policy.Refuse || h.opt.Agent && len(ruling.Rules()) > 0 {
		return ""
	}
	list, known := h.forgottenIn(hit.Folder)
	if !known || slices.ContainsFunc(list, func(f *contents.Forgotten) bool { return saysForgotten(f, text) }) {
		return ""
	}
	return text
}

// forgottenIn tells what was forgotten in this repository's stores, and in those of the folder.
// known is false where a store cannot be read.
func (h *historian) forgottenIn(folder string) (list []*contents.Forgotten, known bool) {
	if h.isHere(folder) {
		folder = ""
	}
	list, asked := h.forgotten[folder]
	if asked {
		return list, list != nil
	}
	all := []*store.Stores{h.ss}
	if folder != "" && h.opt.Open != nil {
		if other, err := h.opt.Open(h.ctx, folder); err == nil { // else the folder is no more
			all = append(all, other)
		}
	}
	list = []*contents.Forgotten{}
	for _, ss := range all {
		more, err := memory.Forgotten(h.ctx, ss)
		if err != nil {
			h.forgotten[folder] = nil
			return nil, false
		}
		list = append(list, more...)
	}
	h.forgotten[folder] = list
	return list, true
}

// saysForgotten reports whether a message, a line or a sentence of it, or a statement in it, was
// forgotten.
func saysForgotten(f *contents.Forgotten, text string) bool {
	if f.Text(text) {
		return true
	}
	for _, sentence := range sentences(text) {
		if f.Text(sentence) {
			return true
		}
	}
	return slices.ContainsFunc(capture.Said(text, "").Statements, func(s rules.Statement) bool { return f.Text(s.Text) })
}

// sentences splits a text at line ends and behind the marks that end a sentence.
func sentences(text string) (list []string) {
	from := 0
	for i := range len(text) {
		end := text[i] == '\n' || strings.IndexByte(".!?;:", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n')
		if end || i+1 == len(text) {
			if s := strings.TrimSpace(text[from : i+1]); s != "" {
				list = append(list, s)
			}
			from = i + 1
		}
	}
	return list
}

// passage is the part of a text that has the most words of the query: whole sentences, or the
// beginning of one that is long.
func passage(text string, words []string) string {
	if len(text) <= hitText {
		return text
	}
	list := sentences(text)
	has := make([]map[string]bool, len(list))
	for i, s := range list {
		has[i] = map[string]bool{}
		for _, term := range index.Terms(s) {
			if slices.Contains(words, term) {
				has[i][term] = true
			}
		}
	}
	best, most := 0, -1
	end := func(from int) (to int) {
		for size := 0; to+from < len(list) && size+len(list[from+to]) < hitText; to++ {
			size += len(list[from+to]) + 1
		}
		return from + max(to, 1)
	}
	for i := range list {
		found := map[string]bool{}
		for _, terms := range has[i:end(i)] {
			for term := range terms {
				found[term] = true
			}
		}
		if len(found) > most {
			best, most = i, len(found)
		}
	}
	return policy.Cut(strings.Join(list[best:end(best)], " "), hitText)
}

// view is a hit as the doors print it.
func (h *historian) view(hit history.Hit, text string) HistoryHit {
	v := HistoryHit{
		ID: hit.ID, Tier: tierSession, Agent: string(hit.Agent), Session: hit.Session, Role: "assistant", Text: text,
		Score: math.Round(hit.Score*1e6) / 1e6,
	}
	if hit.Person {
		v.Role = "user"
	}
	if !hit.Time.IsZero() {
		v.Time = hit.Time.Format(time.RFC3339)
	}
	if !h.isHere(hit.Folder) {
		v.Folder = hit.Folder
	}
	if h.opt.Agent {
		v.Session, v.Text = session.Defuse(v.Session), session.Defuse(v.Text)
	}
	return v
}
