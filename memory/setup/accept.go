package setup

import (
	"context"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// AcceptRequest is one `trust --item`, or with Remove the taking back of one,
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

// The rules of refusals to accept.
const (
	ruleNothingToAccept = "not-withheld"
	ruleUnacceptable    = "not-acceptable"
)

// Accept lets agents of this person, on this machine, have an item or an entry that the
// policy withholds; or takes that back. It changes git's configuration and
// nothing in memory. Only a person accepts, and nobody a secret.
func Accept(ctx context.Context, ss *store.Stores, req AcceptRequest) (memory.Write, error) {
	w := req.Answer("accept", req.Key, req.Scope)
	if err := req.Permit("accept", memory.StateAbsent); err != nil {
		return w.Refused(err)
	}
	withdraw := func(digest string) (memory.Write, error) {
		return w.Uncommitted(ss, "", fault.NewNote("would-withdraw", "would withdraw the acceptance")), ss.Unaccept(ctx, digest)
	}
	if req.Remove && slices.Contains(ss.Accepted(ctx), req.Key) { // a digest, of what changed or is gone
		return withdraw(req.Key)
	}
	a, err := find(ctx, ss, req.Key, req.Scope)
	if err != nil {
		return w.Refused(err)
	}
	w.Key, w.Scope = a.name, a.st.Scope
	w.Findings = memory.Findings(a.others)
	switch known := slices.Contains(ss.Accepted(ctx), a.digest); {
	case a.forgotten():
		return w.Refused(memory.Refuse(ruleNothingToAccept, "the policy does not withhold it: an agent wrote it again after the project had forgotten it", "memctl confirm "+w.Key+memory.ScopeFlag(w.Scope)))
	case known != req.Remove:
		w.Why = txn.WhyUnchanged
		return w, nil
	case req.Remove:
		return withdraw(a.digest)
	case len(a.never) > 0:
		return w.Refused(&memory.Refusal{
			Findings: append([]fault.Finding{{Rule: ruleUnacceptable, Message: "a secret cannot be accepted, and only the key, the value and the text can; correct the other fields"}}, memory.Findings(a.never)...),
			Hints:    []string{"memctl why " + w.Key, "memctl forget " + w.Key},
		})
	case len(a.others) == 0:
		return w.Refused(memory.Refuse(ruleNothingToAccept, "the policy does not withhold this", "memctl why "+w.Key))
	}
	if w = w.Uncommitted(ss, "", fault.NewNote("would-accept", "your agents on this machine would receive it until it changes")); ss.DryRun() {
		return w, nil
	}
	w.Notes = []fault.Note{fault.NewNote("accepted-here", "your agents on this machine receive it until it changes (undo: memctl trust off --item "+w.Key+")")}
	return w, a.st.Accept(ctx, a.digest)
}

// acceptable is an item or an entry as an acceptance sees it.
type acceptable struct {
	st            *store.Store
	name          string // as it is printed
	digest        string
	bound         bool
	never, others []policy.Finding // what nobody can accept, and the rest
}

// forgotten reports whether no policy withholds it, but a project's tombstone.
func (a acceptable) forgotten() bool { return a.bound && len(a.never)+len(a.others) == 0 }

func ofItem(st *store.Store, it contents.Item) acceptable {
	a := acceptable{st: st, name: policy.Inert(memory.Redacted(it.Key)), digest: contents.AcceptDigest(it.Key, it.Value), bound: it.Bound}
	a.never, a.others = contents.Objections(st, policy.FromItem(it.Item, st.Scope))
	return a
}

func ofEntry(st *store.Store, e contents.Entry) acceptable {
	a := acceptable{st: st, name: memory.ShortID(e.ID), digest: contents.EntryDigest(e.Entry), bound: e.Bound}
	a.never, a.others = contents.Objections(st, contents.EntryCandidate(e.Entry, e.Path, st.Scope))
	return a
}

// find finds the item of a key, or the entry of an id. Errors: those of memory.Locate.
func find(ctx context.Context, ss *store.Stores, name, scope string) (acceptable, error) {
	st, key, err := memory.Locate(ctx, ss, name, scope)
	if err != nil {
		if from, e, other := view.EntryByID(ctx, ss, scope, name); other == nil {
			return ofEntry(from, e.Entry), nil
		}
		return acceptable{}, err
	}
	v := contents.NewView(ctx, ss, contents.Person)
	m, err := v.Memory(st.Scope)
	if err != nil {
		return acceptable{}, err
	}
	if it := m.Find(key); it != nil {
		return ofItem(st, *it), nil
	}
	return acceptable{}, memory.Refuse(memory.RuleNotFound, "no item has this key", "memctl show")
}

// accepted lists what this person accepted on this machine.
func accepted(ctx context.Context, ss *store.Stores) (list []AcceptedView, err error) {
	digests := ss.Accepted(ctx)
	for _, digest := range digests {
		list = append(list, AcceptedView{Digest: policy.Inert(digest), Rules: []string{}})
	}
	if len(list) == 0 {
		return nil, nil
	}
	take := func(a acceptable) {
		if i := slices.Index(digests, a.digest); list[i].Key == "" {
			list[i] = AcceptedView{list[i].Digest, a.name, a.st.Scope, policy.Ruling{Findings: a.others}.Rules()}
		}
	}
	memories, err := contents.Readable(ctx, ss, "")
	for _, m := range memories {
		for _, it := range m.Items {
			if slices.Contains(digests, contents.AcceptDigest(it.Key, it.Value)) {
				take(ofItem(m.Store, it))
			}
		}
	}
	if err != nil {
		return list, err
	}
	entries, err := view.Entries(ctx, ss, "")
	for _, e := range entries {
		if st, err := ss.Get(ctx, e.Scope); err == nil && slices.Contains(digests, contents.EntryDigest(e.Entry.Entry)) {
			take(ofEntry(st, e.Entry))
		}
	}
	return list, err
}
