package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// RememberAll keeps many entries, in one commit for each store that they go to:
// what import and capture bring in. It answers for each in order. What is nearly
// the same is not looked for; Replace is refused. progress, if any, hears how
// many are ruled on. The origin, message and dry run are those of the first.
func RememberAll(ctx context.Context, ss *store.Stores, reqs []RememberRequest, progress func(done, total int)) ([]Write, error) {
	b := &rememberingAll{ctx: ctx, ss: ss, answers: make([]Write, len(reqs)), groups: map[string]*rememberGroup{}, stores: map[string]*store.Store{}}
	for i, req := range reqs {
		if err := b.take(i, req); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(i+1, len(reqs))
		}
	}
	for _, scope := range b.order {
		if err := b.write(b.groups[scope]); err != nil {
			return nil, err
		}
	}
	return b.answers, nil
}

// rememberingAll is one RememberAll under way.
type rememberingAll struct {
	ctx     context.Context
	ss      *store.Stores
	answers []Write
	stores  map[string]*store.Store // by what decides the scope
	groups  map[string]*rememberGroup
	order   []string
}

// rememberGroup are the entries that go to one store.
type rememberGroup struct {
	st        *store.Store
	list      []*remembering
	at        []int // their places in the answers
	forgotten []func(text string) bool
	off       error // why an agent may write nothing here now
}

// take rules on one entry and puts it with those of its store.
func (b *rememberingAll) take(i int, req RememberRequest) error {
	r := &remembering{RememberRequest: req, ctx: b.ctx, ss: b.ss}
	r.normalise()
	b.answers[i] = req.answer(r.act(), shortID(r.e.ID), req.Scope)
	err := r.check()
	if err == nil && req.Replace != "" {
		err = refuse(ruleValue, "one of many takes no other's place")
	}
	var g *rememberGroup
	if err == nil {
		g, err = b.group(r)
	}
	if err == nil {
		b.answers[i].Scope, r.st = g.st.Scope, g.st
		err = r.complete()
	}
	if err == nil {
		err = r.policy()
	}
	if err == nil && !r.explicit() {
		err = g.permitted(r)
	}
	if err != nil {
		b.answers[i], err = r.waitOrRefuse(b.answers[i], err)
		return err
	}
	g.list, g.at = append(g.list, r), append(g.at, i)
	return nil
}

func (b *rememberingAll) group(r *remembering) (*rememberGroup, error) {
	key := ""
	if r.e.Category == "personal" {
		key = userPrefix
	}
	decides := key + " " + r.Scope + " " + r.Origin.Kind
	st := b.stores[decides]
	if st == nil {
		var err error
		if st, err = target(b.ctx, b.ss, key, r.Options); err != nil {
			return nil, err
		}
		b.stores[decides] = st
	}
	if g := b.groups[st.Scope]; g != nil {
		return g, nil
	}
	g := &rememberGroup{st: st}
	if !r.explicit() {
		doc, err := st.Document(b.ctx)
		if err != nil {
			return nil, err
		}
		if g.off = enabledFor(b.ctx, b.ss, &doc); !isRefusal(g.off) {
			return nil, g.off
		}
		stores, err := storesOf(b.ctx, b.ss, "")
		if err != nil {
			return nil, err
		}
		for _, other := range stores {
			forgotten, err := other.ForgottenTexts(b.ctx)
			if err != nil {
				return nil, err
			}
			g.forgotten = append(g.forgotten, forgotten)
		}
	}
	b.groups[st.Scope], b.order = g, append(b.order, st.Scope)
	return g, nil
}

// isRefusal reports whether an error is none, or a refusal.
func isRefusal(err error) bool {
	var r *refusal
	return err == nil || errors.As(err, &r)
}

func (g *rememberGroup) permitted(r *remembering) error {
	if g.off != nil {
		return g.off
	}
	for _, forgotten := range g.forgotten {
		if forgotten(r.e.Text) {
			return refuse(ruleForgotten, "this was forgotten: only a person brings it back", "memctl "+r.act()+" TEXT")
		}
	}
	return nil
}

// write keeps the entries of one store, in one commit.
func (b *rememberingAll) write(g *rememberGroup) error {
	if len(g.list) == 0 {
		return nil
	}
	first := g.list[0]
	out, err := update(b.ctx, b.ss, g.st, store.Write{
		Act: first.act(), Subject: fmt.Sprintf("remember %d entries", len(g.list)), Source: first.e.Source, Message: first.Message,
		Origin: first.Origin.Kind, Automatic: first.automatic(), Wait: first.wait(), Create: createsFile(g.st.Scope), DryRun: first.DryRun,
		Change: g.change, Files: g.files,
	})
	for n, r := range g.list {
		w := &b.answers[g.at[n]]
		if err != nil {
			var fault error
			if *w, fault = r.waitOrRefuse(*w, err); fault != nil {
				return fault
			}
			continue
		}
		*w = w.outcome(out)
		w.Diff, w.Findings, w.Changed = "", findings(r.noted), out.Changed && !r.known
		if w.Changed && out.After.Settings.AnnounceWrites {
			w.Saved = "Saved: " + r.kind() + " " + w.Key + " = " + oneLine(memfile.Str(r.e.Text))
		}
	}
	return nil
}

// change lifts, for a person, the tombstones of the texts.
func (g *rememberGroup) change(doc *memfile.Document) error {
	if !g.list[0].explicit() || len(doc.Deletions) == 0 {
		return nil
	}
	for _, r := range g.list {
		if err := g.st.LiftTexts(doc, r.e.Text); err != nil {
			return err
		}
	}
	return nil
}

// files are the entries' files; several tellings of one fact are one file.
func (g *rememberGroup) files() ([]store.FileChange, error) {
	at := map[string]int{}
	var list []store.FileChange
	for _, r := range g.list {
		name := r.e.Path()
		i, known := at[name]
		if !known {
			was, err := g.st.EntryBytes(name)
			if err != nil {
				return nil, err
			}
			i, at[name] = len(list), len(list)
			list = append(list, store.FileChange{Path: name, Before: was, After: was})
		}
		now, err := r.print(name, list[i].After)
		if err != nil {
			if isRefusal(err) {
				r.notes = append(r.notes, err.Error())
				continue // locked, or a file that cannot be read: the others go on
			}
			return nil, err
		}
		list[i].After = now
	}
	return list, nil
}

// policy asks the policy about every string of the entry.
func (r *remembering) policy() error {
	ruling := r.st.RuleEntry(r.e, r.Message, !r.explicit(), false)
	switch ruling.Verdict {
	case policy.Refuse:
		return &refusal{findings: findings(ruling.Findings)}
	case policy.Hold:
		return &heldError{findings: ruling.Findings}
	}
	r.noted = ruling.Findings
	if ruling.Lower && !r.explicit() && r.e.Confidence != "" {
		r.doubt, r.e.Confidence = true, memfile.Low
	}
	return nil
}
