package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// dropAct is the act of a journal entry that keeps what was dropped from the queue.
const dropAct = "drop"

// Drop says which writes an act drops from the queue.
type Drop struct {
	Act, Origin string
	IDs         []string
	// Began is when the act began, if undo takes back the rest of it first; zero for now.
	Began time.Time
	Wait  time.Duration
}

// DropQueued takes writes off the queue as one act. kept reports whether undo can put them back. It can
// if there is a journal to keep them, and not what the policy objects to, because git may not have that. Errors:
// the local state cannot be read or written, or is held.
func DropQueued(ctx context.Context, st *store.Store, drop Drop) (kept bool, err error) {
	list, err := queued(st)
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

// recordDrop puts the writes into the journal, and the act into the ledger. It reports whether both have them.
func recordDrop(ctx context.Context, st *store.Store, drop Drop, list []Waiting) bool {
	if st.Repo == nil || !st.Stores.Journals(ctx) {
		return false
	}
	data, err := json.Marshal(list)
	if err != nil || len(policy.Scan(data)) > 0 {
		return false
	}
	id, err := worktree.Clean(ctx, st.Repo, st.GitPath(), data)
	if err != nil || id != object.BlobID(len(id), data) { // a filter encrypts what is stored beside memory
		return false
	}
	rec := NewAct(st.Stores, st.Scope, drop.Act, "", drop.Origin)
	rec.State, rec.Sums = ActDone, []FileSum{{Path: QueueFile, Was: id}}
	rec.Undone = drop.Act == "undo" // the next undo takes back what came before
	if !drop.Began.IsZero() {
		rec.Order = drop.Began.UnixNano()
	}
	_, err = committer.AddJournal(ctx, st.Repo, committer.JournalEntry{
		Date: rec.Time, Subject: "memory: drop from the queue", Files: map[string]string{st.GitPathOf(QueueFile): id},
		Trailers: []object.Trailer{{Name: TrailerAct, Value: dropAct}, {Name: "Memory-Scope", Value: st.Scope}},
	})
	return err == nil && AddLine(st, rec.Line(), false) == nil
}

// DroppedIn returns the writes that an entry of the journal, with its files, keeps as dropped from the queue.
func DroppedIn(ctx context.Context, st *store.Store, e committer.JournalEntry) (list []Waiting) {
	if id := e.Files[st.GitPathOf(QueueFile)]; actOf(e) == dropAct && id != "" {
		list, _ = writesIn(ctx, st, id)
	}
	return list
}

// IsDrop reports whether the act dropped writes from the queue and changed nothing else.
func (rec ActRecord) IsDrop() bool { return len(rec.Sums) == 1 && rec.Sums[0].Path == QueueFile }

// Dropped returns the writes that the act dropped from the queue. Errors: git does not have them any more.
func (rec ActRecord) Dropped(ctx context.Context, st *store.Store) (list []Waiting, err error) {
	return writesIn(ctx, st, rec.Sums[0].Was)
}

func writesIn(ctx context.Context, st *store.Store, blob string) (list []Waiting, err error) {
	data, err := object.Blob(ctx, st.Repo, blob)
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
	if err != nil {
		return err
	}
	rec.Undone = true
	return AddLine(st, rec.Line(), false)
}
