package edit

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// heldAnswer is the act's object for a write that waits, or would if this were no dry run.
func heldAnswer(ctx context.Context, st *store.Store, w memory.Write, why string, found []policy.Finding) memory.Write {
	w.Verdict, w.Why, w.Findings, w.WouldWait = policy.Hold.String(), why, memory.Findings(found), st.DryRun()
	way := ""
	switch why {
	case gitops.WhyNoIdentity: // review can write nothing either
		way = gitops.IdentityHint
	case store.WhyAbsent:
		way = txn.Missing(ctx, st).RestoreCommand
	}
	if way == "" && !st.DryRun() {
		way = memory.ReviewHint
	}
	if way != "" {
		w.Hints = []string{way}
	}
	if w.Notes = append(w.Notes, queued(st, why)...); !st.DryRun() {
		w.Notes = append(w.Notes, txn.LockNote(st, why)...)
	}
	return w
}

// ComesIn reports whether the write waits for a commit to be possible, or for a git to
// end, and not for a person.
func ComesIn(q ledger.Waiting) bool {
	return (q.Act == "add" || q.Entry != nil) && q.Why != memory.Held
}

// Queued is a write that waited in the queue, on its way into memory. It is refused if its key has
// changed since it was queued.
type Queued struct {
	ledger.Waiting
	// Left is how a queued write that came in before left the key, and after Add how this one does.
	Left string
}

// current refuses the write if its key has another value in the document than when the write was
// queued, or was forgotten. The write's own value does not count as another.
func (q *Queued) current(st *store.Store, doc memfile.Document) error {
	now, err := keyState(st, doc, q.Waiting)
	if err != nil || q.Was == "" || now == q.Was || now == q.Left {
		return err
	}
	if q.Entry != nil && now != stoodForgotten || q.Entry == nil && now == memfile.AllowDigest(q.Value) {
		return nil
	}
	return memory.Refuse(memory.RuleChanged, "its key changed after the write was queued")
}

// watched returns the change. For a queued write it first checks, under the lock, that its key has not changed.
func (q *Queued) watched(st *store.Store, change func(*txn.Draft) error) func(*txn.Draft) error {
	if q == nil {
		return change
	}
	return func(d *txn.Draft) (err error) {
		if err = q.current(st, *d.Document); err == nil {
			err = change(d)
		}
		if err == nil {
			q.Left, err = keyState(st, *d.Document, q.Waiting)
		}
		return err
	}
}

// document is the memory of a store. If a git has taken the file away for a moment, it is the one that is kept of it.
func document(ctx context.Context, st *store.Store) (memfile.Document, error) {
	doc, err := contents.Document(ctx, st)
	if err != nil || st.HasFile() {
		return doc, err
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return doc, err
	}
	kept, err := m.Kept(ctx)
	if kept != nil {
		doc = *kept
	}
	return doc, err
}

// keyState is how the key of a queued write, or the text of its entry, stands in a document, for comparison alone.
func keyState(st *store.Store, doc memfile.Document, q ledger.Waiting) (string, error) {
	if q.Entry != nil {
		f, _ := entry.Parse("", q.Entry)
		forgotten, err := contents.ForgottenOf(st, doc)
		if err != nil || f == nil || !forgotten.BindsEntry(f.Entry()) {
			return stoodAbsent, err
		}
		return stoodForgotten, nil
	}
	stood := stoodAbsent
	if i := memory.Find(&doc, q.Key); i >= 0 {
		stood = memfile.AllowDigest(doc.Items[i].Value)
	}
	if contents.Tombstone(doc, q.Key) != nil {
		stood = stoodForgotten + " " + stood
	}
	return stood, nil
}

// How a key stood when a write of it was put into the queue, where it had no value.
const (
	stoodAbsent    = "absent"
	stoodForgotten = "forgotten"
)

// queue puts a candidate where it waits, with how its key stands. A file that cannot be read now
// says nothing of that, and the rules let nothing automatic overwrite what was said.
func queue(c *candidate, w memory.Write, why string, found []policy.Finding) (memory.Write, error) {
	w = heldAnswer(c.ctx, c.st, w, why, found)
	q, err := c.pending()
	if err != nil {
		return w, err
	}
	q.Origin, q.Agent, q.Message, q.Why = c.Origin.Kind, c.Origin.Name, c.Message, why
	if day, said := memfile.SaidOn(c.source(), c.Options.By()); said {
		q.SaidOn = day
	}
	for _, f := range found {
		if f.Verdict >= policy.Hold {
			q.Rules = append(q.Rules, f.Rule)
		}
	}
	if q.Origin != memory.Automatic {
		if doc, err := document(c.ctx, c.st); err == nil {
			q.Was, _ = keyState(c.st, doc, q)
		}
	}
	return w, ledger.Enqueue(c.ctx, c.st, q, c.Wait())
}

// FromQueue returns the request of a memory that waited. Errors: the file of its entry cannot be read.
func FromQueue(q ledger.Waiting, o memory.Options) (Request, error) {
	req := Request{Options: o, Labels: q.Labels, Acknowledged: q.Acknowledged}
	if q.Entry == nil {
		req.Key, req.Value, req.NoAsk = q.Key, q.Value, q.NoAsk
		return req, nil
	}
	f, problems := entry.Parse("", q.Entry)
	if f == nil {
		return Request{}, errors.New("the queue: " + problems[0].Message)
	}
	e := f.Entry()
	req.Labels, req.Source, req.Confidence = e.Labels, q.Source, q.Confidence
	req.Text, req.Role, req.Category, req.Topics, req.Session = e.Text, e.Role, e.Category, e.Topics, e.Session
	req.Conversation, req.Weight, req.Created, req.Replace = e.Conversation, e.Weight, e.Time(), q.Replace
	for _, a := range e.Anchors {
		req.Anchors = append(req.Anchors, a.Path)
	}
	return req, nil
}
