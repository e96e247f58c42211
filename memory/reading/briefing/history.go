package briefing

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall"
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

// TierSession is the tier of a hit in a past session.
const TierSession = "session"

// HistoryOptions say which past sessions are searched.
type HistoryOptions struct {
	history.Transcripts
	Agent bool // an agent asks, so it gets the sessions of this repository only
	All   bool // the sessions of every folder; only for a person
	// Open opens the stores of another folder, whose tombstones apply to its sessions; nil
	// where there are no other folders.
	Open     func(ctx context.Context, folder string) (*store.Stores, error)
	MaxRead  int64                 // bytes of changed transcripts to read at most; 0: no limit
	Progress func(done, total int) // while transcripts are read; nil for nobody
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

// PastMessage is the message that the ID of a hit names, with its whole text. Errors: a refusal
// where there is none that may be read; those of OpenRecall.
func PastMessage(ctx context.Context, ss *store.Stores, opt HistoryOptions, id string) (RecallHit, error) {
	opt.MaxRead = -1
	h, err := openHistory(ctx, ss, opt)
	if err != nil {
		return RecallHit{}, err
	}
	for d, err := range h.lib.Docs() {
		if err == nil && d.ID == id && h.canShow(&d) {
			return h.view(recall.Hit{Doc: d, Score: 1}), nil
		}
	}
	return RecallHit{}, &fault.Error{Code: memory.RuleNotFound, Status: 1, Hints: []string{"memctl recall --history QUERY"}, Cause: memory.Quoted(id) + ": no message of a past session has this id"}
}

// search finds messages.
func (h *historian) search(q recall.Query) ([]recall.Hit, error) {
	q.Scopes, q.Keep = h.lib.Folders, h.canShow
	if len(q.Scopes) == 0 {
		return nil, nil
	}
	words := index.Terms(q.Text)
	hits, err := recall.Search(h.lib.Index, q)
	// Of so many messages one always means something like it.
	hits = slices.DeleteFunc(hits, func(h recall.Hit) bool { return h.Weak && len(h.Matched) == 0 })
	for i := range hits {
		hits[i].Text = passage(hits[i].Text, words)
	}
	return hits, err
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
	h.lib, err = history.OpenUpdated(ctx, history.Request{
		Transcripts: opt.Transcripts, IndexDir: dir, MaxRead: opt.MaxRead, Progress: opt.Progress,
		IsWanted: func(folder string) bool { return h.isHere(folder) || opt.All && !opt.Agent },
	})
	return h, err
}

// agentsMayAsk refuses an agent where the person has switched memory off.
func agentsMayAsk(ctx context.Context, ss *store.Stores) error {
	v, err := ss.Setting(ctx, store.Enabled)
	if err == nil && !v.Bool() {
		err = &fault.Error{Code: memory.RuleDisabled, Status: 1, Cause: store.Enabled.Name + " is false: agents get no memory"}
	}
	return err
}

func (h *historian) isHere(folder string) bool {
	is, known := h.here[folder]
	if !known {
		is = memory.IsSessionFolder(h.ss, folder)
		h.here[folder] = is
	}
	return is
}

// canShow reports whether a message may be shown, and reads its text. The policy rules on the whole
// message, because a part of a secret may not look like one. An agent gets only what the policy
// has nothing against, and a person all that it does not refuse. Nobody gets memctl's own
// briefing, or what was forgotten.
func (h *historian) canShow(d *index.Doc) bool {
	if h.ctx.Err() != nil || !slices.Contains(h.lib.Folders, d.Scope) {
		return false
	}
	if d.Text = h.lib.ReadText(d); d.Text == "" || session.HoldsBriefing(d.Text) {
		return false
	}
	ruling := h.ss.Rule(policy.Candidate{Value: memfile.Str(d.Text), Raw: true, IsTurn: true, MaxValueBytes: history.MaxText})
	if ruling.Verdict == policy.Refuse || h.opt.Agent && len(ruling.Rules()) > 0 {
		return false
	}
	list, known := h.forgottenIn(d.Scope)
	return known && !slices.ContainsFunc(list, func(f *contents.Forgotten) bool { return saysForgotten(f, d.Text) })
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
	if f.HasText(text) {
		return true
	}
	for _, sentence := range sentences(text) {
		if f.HasText(sentence) {
			return true
		}
	}
	return slices.ContainsFunc(capture.Said(text, "").Statements, func(s capture.Statement) bool { return f.HasText(s.Text) })
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
func (h *historian) view(hit recall.Hit) RecallHit {
	v := RecallHit{
		Record: view.Record{ID: hit.ID, Tier: TierSession, Session: hit.Session, Role: hit.Speaker, Text: hit.Text}, Agent: h.lib.AgentOf(&hit.Doc),
		Weak: hit.Weak, Score: math.Round(hit.Score*1e6) / 1e6, Parts: hit.Parts, Matched: hit.Matched, Missing: hit.Missing,
	}
	if !hit.Time.IsZero() {
		v.Time = hit.Time.Format(time.RFC3339)
	}
	if !h.isHere(hit.Scope) {
		v.Folder = hit.Scope
	}
	if h.opt.Agent {
		v.Session, v.Text = session.Defuse(v.Session), session.Defuse(v.Text)
	}
	return v
}
