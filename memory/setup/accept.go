package setup

import (
	"context"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// AcceptRequest is one `policy accept`, or with Remove the taking back of one,
// whose Key can be the digest too.
type AcceptRequest struct {
	memory.Options
	Key    string
	Remove bool
}

// AcceptedView is one acceptance as the doors print it. Key and Scope are ""
// where no item of this session has the digest any more: the item changed, is
// gone, or stands in another repository.
type AcceptedView struct {
	Digest string   `json:"digest"`
	Key    string   `json:"key"`
	Scope  string   `json:"scope"`
	Rules  []string `json:"rules"` // what it lifts
}

// AcceptedResult lists what this person accepted on this machine.
type AcceptedResult struct {
	Schema   int            `json:"schema"`
	Accepted []AcceptedView `json:"accepted"`
}

// The rules of refusals to accept.
const (
	ruleNothingToAccept = "not-withheld"
	ruleUnacceptable    = "not-acceptable"
)

// Accept lets agents of this person, on this machine, have an item that the
// policy withholds; or takes that back. It changes git's configuration and
// nothing in memory. Only a person accepts, and nobody a secret.
func Accept(ctx context.Context, ss *store.Stores, req AcceptRequest) (memory.Write, error) {
	act := "policy accept"
	w := req.Answer(act, req.Key, req.Scope)
	if !req.Explicit() {
		return w.Refused(memory.Refuse(memory.RuleExplicitOnly, "only a person can accept what the policy withholds"))
	}
	if req.Remove && slices.Contains(ss.Accepted(ctx), req.Key) { // a digest, of an item that changed or is gone
		return w.Local(ss, "", "would withdraw the acceptance"), ss.Unaccept(ctx, req.Key)
	}
	st, key, err := memory.Locate(ctx, ss, req.Key, req.Scope)
	if err != nil {
		if from, e, other := view.EntryByID(ctx, ss, req.Scope, req.Key); other == nil {
			w.Key, w.Scope = memory.ShortID(e.ID), from.Scope
			never, others := contents.EntryObjections(from, e.Path, e.Entry.Entry)
			if e.Bound && len(never)+len(others) == 0 {
				return w.Refused(req.forgottenBeside(w))
			}
			return req.apply(ctx, ss, from, acceptable{contents.EntryDigest(e.Entry.Entry), never, others}, w)
		}
		return w.Refused(err)
	}
	w.Key, w.Scope = policy.Inert(memory.Redacted(key)), st.Scope
	v, err := contents.NewView(ctx, ss, false)
	if err != nil {
		return w, err
	}
	m, err := v.Memory(st.Scope)
	if err != nil {
		return w, err
	}
	it := m.Find(key)
	if it == nil {
		return w.Refused(memory.Refuse(memory.RuleNotFound, "no item has this key", memory.Facts{Why: "item"}))
	}
	never, others := contents.Objections(st, it.Item)
	if len(never)+len(others) == 0 && it.Bound {
		return w.Refused(req.forgottenBeside(w))
	}
	return req.apply(ctx, ss, st, acceptable{contents.AcceptDigest(it.Key, it.Value), never, others}, w)
}

// forgottenBeside is the refusal of what no policy withholds, but a project's tombstone.
func (req AcceptRequest) forgottenBeside(w memory.Write) error {
	return memory.Refuse(ruleNothingToAccept, "the policy does not withhold this; it is withheld because the project has forgotten the same and only an agent says it again", memory.Facts{Why: "forgotten", Scope: w.Scope})
}

// acceptable is an item or an entry as an acceptance sees it.
type acceptable struct {
	digest        string
	never, others []policy.Finding // what nobody can accept, and the rest
}

// apply records the acceptance, or takes it back.
func (req AcceptRequest) apply(ctx context.Context, ss *store.Stores, st *store.Store, a acceptable, w memory.Write) (memory.Write, error) {
	digest, never, others := a.digest, a.never, a.others
	known := slices.Contains(ss.Accepted(ctx), digest)
	w.Findings = memory.Findings(others)
	switch {
	case known != req.Remove:
		w.Why = txn.WhyUnchanged
		return w, nil
	case req.Remove:
	case len(never) > 0:
		return w.Refused(&memory.Refusal{
			Findings: append([]memory.Finding{{Rule: ruleUnacceptable, Message: "a secret cannot be accepted, and only the key, the value and the text can; correct the other fields"}}, memory.Findings(never)...),
		})
	case len(others) == 0:
		return w.Refused(memory.Refuse(ruleNothingToAccept, "the policy does not withhold this"))
	}
	if req.Remove {
		return w.Local(ss, "", "would withdraw the acceptance"), ss.Unaccept(ctx, digest)
	}
	if w = w.Local(ss, "", "would accept it for you, on this machine, until it changes"); ss.DryRun() {
		return w, nil
	}
	w.Notes = []string{"for you, on this machine, until it changes (undo: memctl policy accept --remove " + w.Key + ")"}
	return w, st.Accept(ctx, digest)
}

// Accepted lists what this person accepted on this machine.
func Accepted(ctx context.Context, ss *store.Stores) (AcceptedResult, error) {
	res := AcceptedResult{Schema: memory.SchemaNumber, Accepted: []AcceptedView{}}
	memories, err := contents.Readable(ctx, ss, "")
	if err != nil {
		return res, err
	}
	for _, digest := range ss.Accepted(ctx) {
		view := AcceptedView{Digest: policy.Inert(digest), Rules: []string{}}
		for _, m := range memories {
			for _, it := range m.Items {
				if contents.AcceptDigest(it.Key, it.Value) != digest {
					continue
				}
				view.Key, view.Scope = policy.Inert(memory.Redacted(it.Key)), m.Store.Scope
				_, others := contents.Objections(m.Store, it.Item)
				view.Rules = policy.Ruling{Findings: others}.Rules()
			}
		}
		res.Accepted = append(res.Accepted, view)
	}
	return res, res.nameEntries(ctx, ss)
}

// nameEntries names the entries that have the digests of no item.
func (res *AcceptedResult) nameEntries(ctx context.Context, ss *store.Stores) error {
	if !slices.ContainsFunc(res.Accepted, func(v AcceptedView) bool { return v.Key == "" }) {
		return nil
	}
	entries, err := view.Entries(ctx, ss, "")
	for i := range res.Accepted {
		view := &res.Accepted[i]
		for _, e := range entries {
			if view.Key != "" || contents.EntryDigest(e.Entry.Entry) != view.Digest {
				continue
			}
			st, err := ss.Get(ctx, e.Scope)
			if err != nil {
				return err
			}
			_, others := contents.EntryObjections(st, e.Path, e.Entry.Entry)
			view.Key, view.Scope, view.Rules = memory.ShortID(e.ID), e.Scope, policy.Ruling{Findings: others}.Rules()
		}
	}
	return err
}
