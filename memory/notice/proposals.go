package notice

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
)

// The states of a proposal.
const (
	StateNew       = "new"
	StateKnown     = "known"     // memory has it
	StateWaiting   = "waiting"   // it waits for review
	StateForgotten = "forgotten" // the person forgot it
	StateLocked    = "locked"    // its key has a value that is locked
	StateStored    = "stored"    // it is an item now
	StateConflict  = "conflict"  // it stands beside a value that the person stated
	StateHeld      = "held"      // the policy wants the person to decide: it waits for review
	StateRefused   = "refused"   // it could not be stored
)

// Proposal is a statement that a person made in one or more sessions, and what memory knows
// of it.
type Proposal struct {
	Key        string `json:"key"`
	Scope      string `json:"scope"`
	Confidence string `json:"confidence"` // medium where it becomes an item without being accepted by itself, else low
	Text       string `json:"text"`       // what is remembered
	Sentence   string `json:"sentence"`   // what the person wrote
	Agent      string `json:"agent,omitempty"`
	Session    string `json:"session"` // the last one that has it
	Day        string `json:"day"`     // of that session
	Times      int    `json:"times"`   // in how many sessions it was said
	State      string `json:"state"`
	Known      string `json:"known,omitempty"`    // with known: the key under which memory has it
	Replaces   string `json:"replaces,omitempty"` // the other value that the key has now
	Folder     string `json:"folder,omitempty"`   // of the repository that it is about, where that is another one

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
	without, err := tryOut(ctx, req.Options, list)
	list = slices.DeleteFunc(list, func(p *Proposal) bool { return without[p] })
	return list, refused + len(without), err
}

// separate gives new proposals that share a key keys of their own. The newest keeps the key, and an
// older one is left to the person: they may have changed their mind, or mean another thing.
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
			p.Key, p.Replaces, p.Confidence = key+"-"+strconv.Itoa(n), "", memfile.Low
		}
		used[p.Scope+p.Folder+p.Key] = true
	}
}

func newProposal(here *store.Stores, req Request, r capture.Repeated) *Proposal {
	m := r.Last.Message
	p := &Proposal{
		Key: r.Key, Confidence: memfile.Low, Text: r.Last.Text, Sentence: r.Last.Sentence, Agent: m.Agent,
		Session: m.Session, Day: m.Time.UTC().Format(time.DateOnly), Times: r.Sessions(), State: StateNew, last: r.Last,
	}
	p.last.Key = p.Key
	if p.last.Explicit && !p.last.Long && m.Typed {
		p.Confidence = memfile.Medium
	}
	for _, s := range r.Sayings {
		p.texts = append(p.texts, s.Text)
	}
	p.stores, p.Scope = here, req.Scope
	if p.Scope != "" {
		return p
	}
	about := req.Stores(m.Place)
	if here.Alone() {
		about = here
	}
	p.Scope = memory.SaidScope(about, r.Last.Person)
	switch {
	case p.Scope == store.User && !r.Last.Person:
		p.Confidence = memfile.Low // it may hold in one folder only
	case p.Scope == store.Private && about != here:
		p.stores, p.Folder = about, about.Root()
	}
	return p
}

// mayShow asks the policy about the whole sentence, which can say more than what is kept of it.
func mayShow(p *Proposal) bool {
	return p.stores.Rule(policy.Candidate{Value: memfile.Str(p.Sentence), Raw: true, Automatic: true, Said: true}).Verdict != policy.Refuse
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
				p.State, p.Known, p.Replaces = StateKnown, it.Key, ""
				return nil
			}
			if it.Key != p.Key {
				continue
			}
			if m.Store.Scope == p.Scope {
				p.Replaces = memory.OneLine(it.Value)
			}
			if said, _ := memfile.SaidOn(it.Source, it.By); cmp.Or(said, it.Day()) >= p.Day {
				p.Confidence = memfile.Low // what was said later counts
			}
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

// tryOut stores the new proposals in a dry run, as a write that no person accepted, and takes over what
// the act says of each. without are those that the policy refuses.
func tryOut(ctx context.Context, o memory.Options, list []*Proposal) (without map[*Proposal]bool, err error) {
	o.Message, o.Origin.Kind = "", memory.Explicit // an agent's would be refused where it repeats an item
	without = map[*Proposal]bool{}
	for _, part := range byStores(list, func(p *Proposal) bool { return p.State == StateNew }) {
		res, err := edit.Import(ctx, part[0].stores.Trial(), importOf(o, part))
		if err != nil {
			return nil, err
		}
		for _, e := range res.Rows {
			p := part[e.Line-1]
			switch rule := e.RefusedBy(); {
			case e.Known():
				p.State, p.Known = StateKnown, p.Key
			case rule == memory.RuleForgotten:
				p.State = StateForgotten
			case rule == memory.RuleLocked:
				p.State = StateLocked
			case rule != "" && rule != memory.RuleDisabled: // what is disabled, a person can store all the same
				without[p] = true
			}
		}
	}
	return without, nil
}

// importOf makes one import of the proposals; the line of each is its number.
func importOf(o memory.Options, list []*Proposal) edit.ImportRequest {
	req := edit.ImportRequest{Options: o, Said: true, Input: capture.Result{}}
	for i, p := range list {
		req.Input.Rows = append(req.Input.Rows, capture.Row{
			Line: i + 1, Key: p.Key, Value: memfile.Str(p.Text), Entry: entry.Entry{Labels: labels.Labels{Source: p.Day}}, Scope: p.Scope,
		})
	}
	return req
}

// byStores are the chosen proposals, one list for the stores of each repository.
func byStores(list []*Proposal, chosen func(*Proposal) bool) (parts [][]*Proposal) {
	for _, p := range list {
		if !chosen(p) {
			continue
		}
		i := slices.IndexFunc(parts, func(part []*Proposal) bool { return part[0].stores == p.stores })
		if i < 0 {
			i, parts = len(parts), append(parts, nil)
		}
		parts[i] = append(parts[i], p)
	}
	return parts
}

// StoreUnasked stores new proposals as what agents pass on, and puts those of low confidence before the
// person. The results are those of each repository's stores, and waiting counts what is for review. Errors:
// those of edit.Import and ledger.Enqueue.
func StoreUnasked(ctx context.Context, o memory.Options, list []*Proposal) (results []edit.ImportResult, waiting int, err error) {
	if err := Enqueue(ctx, o, slices.DeleteFunc(slices.Clone(list), func(p *Proposal) bool { return p.Confidence == memfile.Medium })); err != nil {
		return nil, 0, err
	}
	for _, part := range byStores(list, func(p *Proposal) bool { return p.State == StateNew }) {
		res, err := edit.Import(ctx, part[0].stores, importOf(o, part))
		if err != nil {
			return results, 0, err
		}
		results = append(results, res)
		for _, e := range res.Rows {
			part[e.Line-1].State = stateOf(e)
		}
	}
	for _, p := range list {
		if p.State == StateWaiting {
			waiting++
		}
	}
	return results, waiting, nil
}

// stateOf is the state of a proposal of which an act made this.
func stateOf(e edit.ImportRow) string {
	switch {
	case e.Known():
		return StateKnown
	case e.RefusedBy() != "":
		return StateRefused
	case e.Outcome == StateConflict, e.Outcome == StateHeld:
		return e.Outcome
	}
	return StateStored
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
