package notice

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// The states of a proposal.
const (
	StateNew       = "new"
	StateKnown     = "known"     // memory has it
	StateWaiting   = "waiting"   // it waits for review
	StateForgotten = "forgotten" // the person forgot it
	StateLocked    = "locked"    // its key has a value that is locked
)

// Proposal is a statement that a person made in one or more sessions, and what memory knows
// of it.
type Proposal struct {
	Key      string `json:"key"`
	Scope    string `json:"scope"`
	Text     string `json:"text"`     // what is remembered
	Sentence string `json:"sentence"` // what the person wrote
	Agent    string `json:"agent,omitempty"`
	Session  string `json:"session"` // the last one that has it
	Day      string `json:"day"`     // of that session
	Times    int    `json:"times"`   // in how many sessions it was said
	State    string `json:"state"`
	Known    string `json:"known,omitempty"`  // with known: the key under which memory has it
	Folder   string `json:"folder,omitempty"` // of the repository that it is about, where that is another one

	stores *store.Stores
	last   capture.Saying
	texts  []string // every wording
}

// Request is one reading of transcripts.
type Request struct {
	memory.Options
	// Stores are the stores of a place of the messages; nil for a place that has none.
	Stores func(place string) *store.Stores
}

// Proposals finds out of each statement what memory knows of it. The policy rules on each as
// on an automatic write, and refused is how many it does not let through. Statements that the
// person dropped before are left out. Errors: a store that cannot be read.
func Proposals(ctx context.Context, here *store.Stores, req Request, rows []capture.Repeated) (list []*Proposal, refused int, err error) {
	for _, r := range rows {
		p := newProposal(here, req, r)
		if whyRefused(p.stores, p.last.Key, p.last.Text) != "" || !mayShow(p) {
			refused++
			continue
		}
		dropped, err := localstate.DroppedStatements(p.stores)
		if err == nil {
			err = p.find(ctx, !req.Explicit())
		}
		if err != nil {
			return nil, 0, err
		}
		if slices.ContainsFunc(p.texts, dropped) {
			continue
		}
		list = append(list, p)
	}
	separate(list)
	return list, refused, nil
}

// separate gives new proposals that share a key keys of their own. The newest keeps the key: the person may have changed their
// mind, or mean another thing.
func separate(list []*Proposal) {
	newest := slices.Clone(list)
	slices.Reverse(newest)
	slices.SortStableFunc(newest, func(a, b *Proposal) int { return b.last.Message.Time.Compare(a.last.Message.Time) })
	used := map[string]bool{}
	for _, p := range newest {
		if p.State != StateNew {
			continue
		}
		for n, key := 2, p.Key; used[p.Scope+p.Folder+p.Key]; n++ {
			p.Key = key + "-" + strconv.Itoa(n)
		}
		used[p.Scope+p.Folder+p.Key] = true
	}
}

func newProposal(here *store.Stores, req Request, r capture.Repeated) *Proposal {
	m := r.Last.Message
	p := &Proposal{
		Key: r.Key, Text: r.Last.Text, Sentence: r.Last.Sentence, Agent: m.Agent,
		Session: m.Session, Day: m.Time.UTC().Format(time.DateOnly), Times: r.Sessions(), State: StateNew, last: r.Last,
	}
	p.last.Key = p.Key
	for _, s := range r.Sayings {
		p.texts = append(p.texts, s.Text)
	}
	p.stores, p.Scope = here, req.Scope
	if p.Scope != "" {
		return p
	}
	about := req.Stores(m.Place)
	if here.IsSingleStore() {
		about = here
	}
	p.Scope = memory.SaidScope(about, r.Last.Person)
	if p.Scope == store.Private && about != here {
		p.stores, p.Folder = about, about.Root()
	}
	return p
}

// mayShow asks the policy about the whole sentence, which can say more than what is kept of it.
func mayShow(p *Proposal) bool {
	return p.stores.Rule(policy.Candidate{Value: memfile.Str(p.Sentence), Raw: true, Automatic: true, SaidByPerson: true}).Verdict != policy.Refuse
}

// find looks for the statement in memory and in the queue.
func (p *Proposal) find(ctx context.Context, agent bool) error {
	memories, err := contents.Readable(ctx, p.stores, "")
	if err != nil {
		return err
	}
	for _, m := range memories {
		for _, it := range m.Items {
			if it.Secret() || agent && it.Hidden() {
				continue // its key tells nothing to an agent
			}
			if capture.Same(it.Key, it.Value.Plain(), p.Key, p.Text) {
				p.State, p.Known = StateKnown, it.Key
				return nil
			}
		}
	}
	w := trial(ctx, p.stores, p.Scope, p.Key, p.Text)
	for rule, state := range map[string]string{memory.RuleForgotten: StateForgotten, memory.RuleLocked: StateLocked} {
		if len(w.Findings) > 0 && w.Findings[0].Rule == rule {
			p.State = state
		}
	}
	st, err := p.stores.Get(ctx, p.Scope)
	if err != nil {
		return err
	}
	queue, err := ledger.Queue(st)
	for _, q := range queue {
		if capture.Same(q.Key, q.Value.Plain(), p.Key, p.Text) {
			p.State = StateWaiting
		}
	}
	return err
}

// Enqueue puts the proposals into the review queue. Errors: those of ledger.Enqueue.
func Enqueue(ctx context.Context, o memory.Options, list []*Proposal) error {
	for _, p := range list {
		st, err := p.stores.Get(ctx, p.Scope)
		if err != nil {
			return err
		}
		m := p.last.Message
		if err := ledger.Enqueue(ctx, st, proposalOf(localstate.Asked{Key: p.Key, Text: p.Text, Sentence: p.Sentence}, m.Agent, m.Session, p.Day), o.Wait()); err != nil {
			return err
		}
		p.State = StateWaiting
	}
	return nil
}
