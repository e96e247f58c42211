package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/exchange"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// untouchedFor is how long an item stands before review asks whether it still
// holds: a year.
const untouchedFor = 365 * 24 * time.Hour

// The reasons why something waits for review.
const (
	waitsHeld      = "held"
	waitsConflict  = "conflict"
	waitsOutranked = session.WhyOutranked // a person's value in another scope wins
	waitsUntouched = "untouched"

	// WaitsForgotten is the reason of a value that a merge kept with its item's tombstone.
	WaitsForgotten = "set aside"
)

// Review lists what waits for a person: the queue, items and facts in doubt, items in
// conflict, and what nobody has touched for a year.
func Review(ctx context.Context, ss *store.Stores, scope string) (ReviewResult, error) {
	res := ReviewResult{Schema: SchemaNumber, Waiting: []Waiting{}}
	stores, err := storesOf(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	for _, st := range stores {
		queue, err := ledger.Queue(st)
		if err != nil {
			return res, err
		}
		for _, w := range queue {
			res.Waiting = append(res.Waiting, queued(w, st.Scope))
		}
	}
	memories, err := read(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	old := ss.Now().UTC().Add(-untouchedFor).Format(time.DateOnly)
	outranks := bindings(ctx, ss, false).outranks()
	unreviewed := unreviewedItems(ctx, ss)
	for _, m := range memories {
		for _, it := range m.Items {
			why := waits(it, old)
			if why == "" && unreviewed(m.Store.Scope, &it) {
				why = session.WhyUnreviewed
			}
			if why == "" {
				continue
			}
			w := waitingItem(it, m.Store.Scope, why)
			if why == waitsOutranked {
				person := outranks[session.Ref{Scope: m.Store.Scope, Key: it.Key}]
				if memfile.Same(person.Item.Value, it.Value) {
					continue // there is nothing to choose
				}
				w.Stated = &StatedView{Scope: person.Scope, Value: person.Item.Value}
			}
			res.Waiting = append(res.Waiting, w)
		}
		for _, t := range m.Deletions {
			if v := tombstoneView(t, m.Store); t.Key != "" && len(v.Conflict) > 0 {
				res.Waiting = append(res.Waiting, Waiting{
					Key: v.Key, Scope: m.Store.Scope, Why: WaitsForgotten, Rules: []string{ruleForgotten},
					Value: v.Conflict[len(v.Conflict)-1].Value, Source: v.Conflict[len(v.Conflict)-1].Source, Day: v.Removed,
				})
			}
		}
	}
	facts, err := waitingFacts(ctx, ss, stores)
	res.Waiting = append(res.Waiting, facts...)
	return res, err
}

func queued(w ledger.Waiting, scope string) Waiting {
	why := w.Why
	if why != waitsHeld {
		why = "deferred: " + why
	}
	return Waiting{
		ID: w.ID, Key: w.Key, Scope: scope, Why: why, Rules: w.Rules, Value: w.Value, Source: w.Source,
		Day: w.Since.UTC().Format(time.DateOnly),
	}
}

// unreviewedItems tests items of the project that trust reviewed keeps from agents: a
// person who confirms one reviews it.
func unreviewedItems(ctx context.Context, ss *store.Stores) func(scope string, it *contents.Item) bool {
	reviewed := reviewedOnly(ctx, ss, true)
	return func(scope string, it *contents.Item) bool {
		return reviewed != nil && scope == store.Project && !reviewed.Item(it)
	}
}

// waits is why an item waits for a person, "" where it does not.
func waits(it contents.Item, old string) string {
	day := max(it.Day(), it.Seen)
	switch {
	case len(it.Conflict) > 0:
		return waitsConflict
	case slices.Contains(it.Withheld, session.WhyOutranked):
		return waitsOutranked
	case it.HasTag(memfile.TagNeedsConfirmation):
		return memfile.TagNeedsConfirmation
	case itemUnconfirmed(&it.Item):
		return memfile.Low
	case len(day) == len(old) && day < old && !it.Locked:
		return waitsUntouched
	}
	return ""
}

// itemUnconfirmed reports whether an item waits for confirmation.
func itemUnconfirmed(it *memfile.Item) bool {
	return it.HasTag(memfile.TagNeedsConfirmation) || it.Confidence != memfile.Medium && it.Confidence != memfile.High
}

func waitingItem(it contents.Item, scope, why string) Waiting {
	v := itemView(it)
	return Waiting{Key: v.Key, Scope: scope, Why: why, Rules: v.Withheld, Value: v.Value, Source: v.Source, Day: it.Day(), Conflict: v.Conflict}
}

// Decide carries out a person's answer about one thing that waits: keep it,
// keep it with another value, or forget it. Only a person decides.
func Decide(ctx context.Context, ss *store.Stores, d Decision) (Write, error) {
	d.Scope = d.Waiting.Scope
	w := d.answer("review", d.Waiting.Key, d.Scope)
	if !d.explicit() {
		return w.refused(refuse(ruleExplicitOnly, "only a person reviews", reviewCommand))
	}
	if d.Waiting.ID != "" {
		return d.queued(ctx, ss)
	}
	if d.Waiting.Why == WaitsForgotten {
		return d.setAside(ctx, ss)
	}
	if d.Waiting.Stated != nil {
		return d.outranked(ctx, ss)
	}
	if d.Waiting.Tier == entry.Fact && d.Action == "edit" {
		return d.editFact(ctx, ss)
	}
	switch d.Action {
	case "forget":
		return First(Forget(ctx, ss, ForgetRequest{Options: d.Options, Targets: []string{d.Waiting.Key}}))
	case "edit":
		if d.Value == nil {
			return Write{}, errors.New("review: edit without a value")
		}
		return SetValue(ctx, ss, d.Options, d.Waiting.Key, *d.Value)
	}
	req := ConfirmRequest{Options: d.Options, Keys: []string{d.Waiting.Key}, Value: d.Choice}
	if rivals := d.Waiting.Conflict; len(rivals) > 0 && d.Choice <= len(rivals) {
		req.said = d.chose()
	}
	return First(Confirm(ctx, ss, req))
}

// setAside brings a forgotten item back, or lets go of what a merge kept with
// its tombstone.
func (d Decision) setAside(ctx context.Context, ss *store.Stores) (Write, error) {
	switch d.Action {
	case "keep":
		return Restore(ctx, ss, RestoreRequest{Options: d.Options, Key: d.Waiting.Key})
	case "edit":
		return Add(ctx, ss, AddRequest{Options: d.Options, Key: d.Waiting.Key, Value: *d.Value})
	}
	w := d.answer("review", d.Waiting.Key, d.Scope)
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return w, err
	}
	out, err := update(ctx, st, txn.Write{
		Act: "review", Keys: []string{d.Waiting.Key}, Message: d.Message, Wait: d.wait(), DryRun: d.DryRun,
		Change: func(doc *memfile.Document) error {
			for i := range doc.Deletions {
				if doc.Deletions[i].Key == d.Waiting.Key {
					doc.Deletions[i].Conflict = nil
				}
			}
			return nil
		},
	})
	if err != nil {
		return w.refused(err)
	}
	return w.outcome(out), nil
}

// queued decides about a write that waits in the queue.
func (d Decision) queued(ctx context.Context, ss *store.Stores) (Write, error) {
	w := d.answer("review", d.Waiting.Key, d.Scope)
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return w, err
	}
	queue, err := ledger.Queue(st)
	if err != nil {
		return w, err
	}
	i := slices.IndexFunc(queue, func(q ledger.Waiting) bool { return q.ID == d.Waiting.ID })
	if i < 0 {
		return w.refused(refuse(ruleNotFound, "it does not wait any more", reviewCommand))
	}
	dropped := policy.Inert(redacted(d.Waiting.Key)) + " = " + shownValue(d.Waiting.Value)
	switch {
	case d.Action != "forget":
		if w, err = d.keep(ctx, ss, queue[i]); err != nil || d.DryRun || w.Verdict != policy.Accept.String() {
			return w, err
		}
	case d.DryRun:
		w.Changed, w.Why, w.Notes = true, txn.WhyDryRun, []string{"the queue would drop it: " + dropped}
		return w, nil
	default:
		w.Changed, w.Saved = true, "Dropped: "+dropped+"; nothing of it was saved"
	}
	return w, ledger.Dequeue(ctx, st, d.Waiting.ID, d.wait())
}

// keep writes what waited, as the person's own word. Milder personal data,
// which the policy held, goes with an allowance into the person's own scopes;
// whatever else was held for its content is held again.
func (d Decision) keep(ctx context.Context, ss *store.Stores, q ledger.Waiting) (Write, error) {
	if q.Origin != Explicit {
		q.Source = "" // an agent's: the person states it now
	}
	if q.Entry != nil {
		return d.keepEntry(ctx, ss, q)
	}
	value := q.Value
	if d.Value != nil {
		value = *d.Value
	}
	return Add(ctx, ss, AddRequest{
		Options: d.Options, Key: q.Key, Value: value, Source: q.Source, Tags: q.Tags,
		Expires: q.Expires, Pin: q.Pinned, Paths: q.Paths, Commands: q.Commands, Ask: q.Ask, NoAsk: q.NoAsk, Seen: true,
	})
}

// allowance is what a person's keeping of the value writes beside it; nil where
// they were not asked, or more than milder personal data speaks against it.
func (a *adding) allowance(r policy.Ruling) *memfile.Allowance {
	own := a.st.Scope == store.Private || a.st.Scope == store.User
	if !a.Seen || !a.explicit() || !own || r.Verdict != policy.Hold || !slices.Equal(r.Rules(), []string{policy.RulePersonal}) {
		return nil
	}
	return &memfile.Allowance{Rule: policy.RulePersonal, Digest: memfile.AllowDigest(a.Value), Why: "kept in review " + a.today}
}

// Settings lists every setting, its value and where it came from.
func Settings(ctx context.Context, ss *store.Stores) ([]SettingView, error) {
	var list []SettingView
	var failed error
	for _, row := range Rows() {
		v, err := ss.Setting(ctx, row)
		failed = errors.Join(failed, err)
		view := SettingView{Name: row.Name, Value: v.Text, Origin: v.Origin, Default: row.Default, Env: row.Env, Help: row.Help}
		if row.Secret && v.Text != "" {
			view.Value = "set"
		}
		list = append(list, view)
	}
	return append(list, remoteSettings(ctx, ss)...), failed
}

// remoteSettings are the remotes of the person's own stores, which are no settings of
// this repository, and which people look for among them.
func remoteSettings(ctx context.Context, ss *store.Stores) []SettingView {
	var list []SettingView
	for _, scope := range ss.Scopes() {
		if scope != store.Private && scope != store.User {
			continue
		}
		st, err := ss.Get(ctx, scope)
		if err != nil {
			continue
		}
		if remote := exchange.Remote(ctx, st); remote != "" {
			list = append(list, SettingView{Name: "remote." + scope, Value: remote, Origin: "git config (the store's own)",
				Help: "where memctl sync exchanges the " + scope + " store; set by memctl sync --scope " + scope + " --remote URL"})
		}
	}
	return list
}
