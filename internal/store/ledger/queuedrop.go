package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/policy"
)

// The acts of journal entries on the queue: two keep what was dropped and what a person let in, the other says that it is back.
const (
	dropAct    = "drop"
	letInAct   = "let-in"
	putBackAct = "put-back"
)

// Drop says which writes an act drops from the queue.
type Drop struct {
	Act, Origin string
	Command     string // of the act that let them in; "" where they are dropped for good
	IDs         []string
	// Began is when the act began, if undo takes back the rest of it first; zero for now.
	Began time.Time
	Wait  time.Duration
}

// DropQueued takes writes off the queue as one act. kept reports whether undo can put them back. It can
// if there is a journal to keep them, and not what the policy objects to, because git may not have that. Errors:
// the local state cannot be read or written, or is held.
func DropQueued(ctx context.Context, st *store.Store, drop Drop) (kept bool, err error) {
	list, err := QueueOfAll(st)
	if err != nil {
		return false, err
	}
	list = slices.DeleteFunc(list, func(w Waiting) bool {
		c := policy.Candidate{Key: w.Key, Value: w.Value, Labels: w.Labels, Reason: w.Reason, Message: w.Message, Scope: st.Scope, Raw: true}
		return !slices.Contains(drop.IDs, w.ID) || st.Rule(c).Verdict != policy.Accept
	})
	if len(list) > 0 && !st.DryRun() {
		kept = recordDrop(ctx, st, drop, list)
	}
	return kept, changeQueue(ctx, st, drop.Wait, func(list []Waiting) ([]Waiting, error) {
		return slices.DeleteFunc(list, func(w Waiting) bool { return slices.Contains(drop.IDs, w.ID) }), nil
	})
}

// recordDrop puts the act and the writes into the journal. It reports whether that has them.
func recordDrop(ctx context.Context, st *store.Store, drop Drop, list []Waiting) bool {
	data, err := json.Marshal(list)
	if err != nil || len(policy.Scan(data)) > 0 || st.Repo == nil {
		return false
	}
	id, err := worktree.Clean(ctx, st.Repo, st.GitPath(), data)
	if err != nil || id != object.BlobID(len(id), data) { // a filter encrypts what is stored beside memory
		return false
	}
	rec := NewAct(st.Stores, st.Scope, drop.Act, "", drop.Origin)
	rec.Command, rec.Undone = drop.Command, drop.Act == "undo" // the next undo takes back what came before
	if !drop.Began.IsZero() {
		rec.Order = drop.Began.UnixNano()
	}
	kind := dropAct
	if drop.Command != "" {
		kind = letInAct
	}
	return addQueueAct(ctx, st, rec, kind, "drop from the queue", map[string]string{st.GitPathOf(QueueFile): id}) == nil
}

// addQueueAct adds an act that changed only the queue to the journal.
func addQueueAct(ctx context.Context, st *store.Store, rec ActRecord, kind, subject string, files map[string]string) error {
	_, _, err := committer.AddJournal(ctx, st.Repo, committer.JournalEntry{
		Date: rec.Time, Subject: "memory: " + subject, Files: files, Act: rec.inJournal(),
		Trailers: []object.Trailer{{Name: TrailerAct, Value: kind}, {Name: "Memory-Scope", Value: st.Scope}},
	}, "")
	return err
}

// DroppedIn returns the writes that an entry of the journal, with its files, keeps as dropped from the queue.
func DroppedIn(ctx context.Context, st *store.Store, e committer.JournalEntry) (list []Waiting) {
	if actOf(e) == dropAct {
		list, _ = writesIn(ctx, st, e)
	}
	return list
}

// IsDrop reports whether the act took writes off the queue and changed nothing else.
func (rec ActRecord) IsDrop() bool {
	return rec.entry != nil && (actOf(*rec.entry) == dropAct || rec.LetIn())
}

// LetIn reports whether a person let these writes in: the act of the same command stored them.
func (rec ActRecord) LetIn() bool { return rec.entry != nil && actOf(*rec.entry) == letInAct }

// Dropped returns the writes that the act took off the queue. Errors: git does not have them any more.
func (rec ActRecord) Dropped(ctx context.Context, st *store.Store) (list []Waiting, err error) {
	e := *rec.entry
	if e.Files, _, err = committer.JournalFiles(ctx, st.Repo, e); err != nil {
		return nil, err
	}
	list, _ = writesIn(ctx, st, e)
	return list, nil
}

func writesIn(ctx context.Context, st *store.Store, e committer.JournalEntry) (list []Waiting, err error) {
	data, err := object.Blob(ctx, st.Repo, e.Files[st.GitPathOf(QueueFile)])
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	return list, err
}

// PutBack puts what an act dropped into the queue again, and undo does not look at the act any more. Errors: the
// local state cannot be read or written, or is held.
func PutBack(ctx context.Context, st *store.Store, rec ActRecord, list []Waiting, wait time.Duration) error {
	err := changeQueue(ctx, st, wait, func(now []Waiting) ([]Waiting, error) {
		for _, w := range list {
			if !slices.ContainsFunc(now, func(q Waiting) bool { return q.ID == w.ID }) {
				now = append(now, w)
			}
		}
		slices.SortStableFunc(now, func(a, b Waiting) int { return a.Since.Compare(b.Since) })
		return now, nil
	})
	if err != nil || st.DryRun() {
		return err
	}
	return addQueueAct(ctx, st, NewAct(st.Stores, st.Scope, "put back", rec.ID, rec.Origin), putBackAct, "put back into the queue", nil)
}
