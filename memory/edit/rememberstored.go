package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// place finds the file of what is told, and its bytes: of a fact the one that says the
// same, whatever its name, since a person may have moved it, or written other words into
// the file of its id; else the first of its names where no other text stands. The
// entry's id is that of the file then.
func (r *remembering) place(same func(entry.Entry) (contents.Entry, bool)) (name string, was []byte, err error) {
	if r.e.Role != entry.RoleFact {
		was, err = contents.EntryBytes(r.st, r.e.Path())
		return r.e.Path(), was, err
	}
	if was, err = factPlace(r.st, &r.e); was != nil || err != nil {
		return r.e.Path(), was, err
	}
	there, ok := same(r.e)
	if !ok {
		return r.e.Path(), nil, nil
	}
	r.e.ID = there.ID
	was, err = contents.EntryBytes(r.st, there.Path)
	return there.Path, was, err
}

// sameFact finds the one among these that says the same.
func sameFact(facts []contents.Entry) func(entry.Entry) (contents.Entry, bool) {
	return func(e entry.Entry) (contents.Entry, bool) {
		text := entry.NormalText(e.Text)
		i := slices.IndexFunc(facts, func(f contents.Entry) bool {
			return !f.Deleted && f.Conversation == e.Conversation && entry.NormalText(f.Text) == text
		})
		if i < 0 {
			return contents.Entry{}, false
		}
		return facts[i], true
	}
}

// sameFact finds the one among these that says the same: for an agent in other words, too.
// What a person says in other words is a fact of its own, and the answer names the similar one.
func (r *remembering) sameFact(facts []contents.Entry) func(entry.Entry) (contents.Entry, bool) {
	return func(e entry.Entry) (contents.Entry, bool) {
		if there, ok := sameFact(facts)(e); ok || r.Explicit() || r.Replace != "" {
			return there, ok
		}
		said := similar.NewRule("", e.Text)
		i := slices.IndexFunc(facts, func(f contents.Entry) bool {
			return !f.Deleted && f.Conversation == e.Conversation && len(f.Withheld) == 0 && !f.Expired(r.ss.Today()) && said.Restated(f.Text)
		})
		if i < 0 {
			return contents.Entry{}, false
		}
		r.restated = facts[i].Text
		return facts[i], true
	}
}

// factPlace gives a fact the first of its ids whose file is not there, or says the same,
// or cannot be read, and returns the bytes of that file.
func factPlace(st *store.Store, e *entry.Entry) ([]byte, error) {
	for n := range entry.FactIDs {
		e.ID = entry.FactID(e.Text, n)
		was, err := contents.EntryBytes(st, e.Path())
		if was == nil || err != nil {
			return nil, err
		}
		if f, _ := entry.Parse(e.Path(), was); f == nil || entry.NormalText(f.Entry().Text) == entry.NormalText(e.Text) {
			return was, nil
		}
	}
	return nil, memory.Refuse(memory.RuleAmbiguous, "another text already uses each file name that its id could have", memory.Facts{Why: "taken"})
}

// facts are the store's facts, to compare the new one with; none where that would be
// felt, unless one of them is named.
func (r *remembering) facts() ([]contents.Entry, error) {
	if r.e.Role != entry.RoleFact {
		return nil, nil
	}
	files, _, err := contents.EntryFiles(r.ctx, r.st)
	if err != nil || r.Replace == "" && len(files) > maxCompared {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f contents.EntryFile) bool {
		p, _ := entry.ParsePath(f.Path)
		return f.Deleted || p.Tier != entry.Fact
	})
	return contents.ReadEntries(r.ctx, r.st, files)
}

// named are the keys and the subject of the commit, as the files were found.
func (r *remembering) named() (keys []string, subject string) {
	return []string{r.e.ID}, r.subject()
}

// inOtherWords is the text of the fact that says the same in other words, for a note.
func (r *remembering) inOtherWords() string {
	if r.restated == "" {
		return ""
	}
	return ": " + memory.OneLine(memfile.Str(r.restated))
}

// overBudget is a note for a write after which the briefing is over its
// budget; "" where it is not.
func (r *remembering) overBudget() string {
	if !r.e.Pinned && !slices.Contains(r.e.Tags, entry.TagBootstrap) {
		return ""
	}
	res, err := briefing.Bootstrap(r.ctx, r.ss, briefing.BootstrapRequest{})
	if err != nil || res.Tokens <= res.Budget {
		return ""
	}
	return fmt.Sprintf("the briefing has %d tokens now, over its budget of %d: pinned items and those with the tag bootstrap are never shortened", res.Tokens, res.Budget)
}

// RememberAll stores entries of memctl's own as Remember does, with one commit for each store. The
// answers are in the order of the requests. An entry that changes a file which an earlier one
// changes, or restates an earlier one, is stored after them in its own commit. So is one that is
// refused under the lock. Errors: those of Remember.
func RememberAll(ctx context.Context, ss *store.Stores, reqs []RememberRequest) ([]memory.Write, error) {
	answers := make([]memory.Write, len(reqs))
	batches := map[string]*rememberBatch{}
	var order []*rememberBatch
	var failed error
	for i, req := range reqs {
		r, err := req.remembering(ctx, ss)
		w := req.Answer(r.act(), memory.ShortID(r.e.ID), req.Scope)
		if err != nil {
			answers[i], err = r.refused(w, err)
			failed = errors.Join(failed, err)
			continue
		}
		w.Scope = r.st.Scope
		if err := r.rule(); err != nil {
			answers[i], err = r.waitOrRefuse(w, err)
			failed = errors.Join(failed, err)
			continue
		}
		b := batches[r.st.Scope]
		if b == nil {
			b = &rememberBatch{}
			batches[r.st.Scope], order = b, append(order, b)
		}
		b.list, answers[i] = append(b.list, &batched{remembering: r, at: i}), w
	}
	for _, b := range order {
		failed = errors.Join(failed, b.store(answers))
	}
	return answers, failed
}

// rememberBatch is what one commit stores.
type rememberBatch struct{ list []*batched }

// batched is one entry of a batch.
type batched struct {
	*remembering
	at      int  // its place among the requests
	alone   bool // it is stored by itself, after the batch
	changed bool
}

// store makes the commit and fills in the answers.
func (b *rememberBatch) store(answers []memory.Write) error {
	r := b.list[0]
	out, err := r.Update(r.ctx, r.st, txn.Write{
		Act: b.act(), Source: r.e.Source, Create: memory.CreatesFile(r.st.Scope), Change: b.change, Files: b.files, Named: b.named,
	})
	var failed error
	for _, r := range b.list {
		w := &answers[r.at]
		var wrong error
		switch {
		case fault.Is(err, fault.Deferred):
			*w, wrong = r.waitOrRefuse(*w, err)
		case err != nil || r.alone:
			*w, wrong = Remember(r.ctx, r.ss, r.RememberRequest)
		case !r.changed:
			*w, wrong = r.answered(*w, txn.Outcome{After: out.After, Why: txn.WhyUnchanged})
		default:
			*w, wrong = r.answered(*w, out)
			if out.Diff == "" && r.ss.DryRun() {
				w.Saved = ""
			}
			out.Diff, out.Notes = "", nil // of the commit: said once
		}
		failed = errors.Join(failed, wrong)
	}
	return failed
}

// act is that of the entries, or remember where they differ.
func (b *rememberBatch) act() string {
	act := b.list[0].act()
	if slices.ContainsFunc(b.list, func(r *batched) bool { return r.act() != act }) {
		return "remember"
	}
	return act
}

func (b *rememberBatch) change(doc *memfile.Document) error {
	for _, r := range b.list {
		if err := r.change(doc); err != nil {
			return err
		}
	}
	return nil
}

// files are the changes of the entries that can be made together.
func (b *rememberBatch) files() (all []store.FileChange, err error) {
	taken := map[string]bool{}
	for i, r := range b.list {
		var refusal *memory.Refusal
		r.changed, r.alone = false, slices.ContainsFunc(b.list[:i], func(earlier *batched) bool { return !earlier.alone && r.restates(earlier.e) })
		if r.alone {
			continue
		}
		changes, err := r.changes()
		if errors.As(err, &refusal) || slices.ContainsFunc(changes, func(c store.FileChange) bool { return taken[c.Path] }) {
			r.alone = true
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			taken[c.Path] = true
			r.changed = r.changed || !bytes.Equal(c.Before, c.After)
		}
		all = append(all, changes...)
	}
	return all, nil
}

// restates reports whether the fact says in other words what another one says.
func (r *remembering) restates(other entry.Entry) bool {
	return r.e.Role == entry.RoleFact && other.Role == entry.RoleFact && r.Replace == "" && r.e.Conversation == other.Conversation &&
		similar.NewRule("", r.e.Text).Restated(other.Text)
}

func (b *rememberBatch) named() (keys []string, subject string) {
	for _, r := range b.list {
		if r.changed {
			keys, subject = append(keys, r.e.ID), r.subject()
		}
	}
	if len(keys) > 1 {
		subject = fmt.Sprintf("%s %d entries", b.act(), len(keys))
	}
	return keys, subject
}
