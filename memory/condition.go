package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
)

// Condition lets an act go on only if a record is still as somebody saw it.
type Condition struct {
	Scope   string
	Name    string // the item's key, or the path of the entry's file
	Version string // a digest of the record; "" for a condition that always holds
}

// ConditionOn returns the condition that the record of the scope stays as it is.
func ConditionOn(scope string, r *txn.Record) Condition {
	var said []string
	var l labels.Labels
	c := Condition{Scope: scope, Name: r.Path}
	if r.Item != nil {
		it := r.Item.Formed()
		c.Name, l, said = it.Key, it.Labels, []string{it.Value.Canonical()}
		for _, rival := range it.Conflict {
			said = append(said, rival.Value.Canonical())
		}
	} else {
		e := r.Entry.Sanitized()
		l, said = e.Labels, append([]string{e.Text, e.Category}, e.Topics...)
	}
	for _, f := range l.Fields() {
		said = append(said, f.Text())
	}
	sum := sha256.Sum256([]byte(strings.Join(said, "\x00")))
	c.Version = hex.EncodeToString(sum[:12])
	return c
}

// unchanged refuses an act on records that are not as the request expects them.
func (o Options) unchanged(ctx context.Context, d *txn.Draft) error {
	for _, c := range o.Expected {
		if c.Version == "" {
			continue
		}
		in := d
		if c.Scope != d.Store.Scope {
			st, err := d.Store.Stores.Get(ctx, c.Scope)
			if err != nil {
				return err
			}
			doc, err := contents.Document(ctx, st)
			if err != nil {
				return err
			}
			in = &txn.Draft{Document: &doc, Store: st}
		}
		r, err := in.Find(c.Name)
		if err != nil {
			return err
		}
		if r == nil || ConditionOn(c.Scope, r) != c && (r.Item == nil || ConditionOn(c.Scope, txn.NewRecord(contents.ByHand(*r.Item))) != c) {
			return Refuse(RuleChanged, "it changed meanwhile, so nothing was done; look at it again")
		}
	}
	return nil
}

// HandedOut returns the conditions for a session's profile; guarded means that a hook asks.
func HandedOut(ctx context.Context, ss *store.Stores, guarded bool) session.Conditions {
	// A team's file that the person does not vouch for has no say in how much of memory
	// is shown.
	team := ss.TeamOf(VouchedFiles(ctx, ss, guarded))
	return session.Conditions{Today: ss.Today(), Folder: ss.SessionFolder(), MaxBytes: team.Bytes}
}

// VouchedFiles returns a test for the project's files that a hook (guarded) may use:
// under trust reviewed only reviewed ones, without trust none. It is nil if every
// file counts.
func VouchedFiles(ctx context.Context, ss *store.Stores, guarded bool) func(name string, data []byte) bool {
	level := ss.TrustLevel(ctx)
	if !guarded || level == store.TrustAll {
		return nil
	}
	return func(name string, data []byte) bool {
		return level == store.TrustReviewed && contents.LoadReviewed(ctx, ss).HasFile(ctx, name, data)
	}
}
