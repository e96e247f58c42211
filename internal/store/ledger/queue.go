package ledger

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Waiting is one write that waits for a person, or for the repository to be
// ready. The queue is its only copy.
type Waiting struct {
	ID            string        `json:"id"`
	Act           string        `json:"act"` // add or forget
	Key           string        `json:"key"`
	Value         memfile.Value `json:"value"`
	labels.Labels               // as asked for; By and Seen do not wait, because the act sets them
	NoAsk         bool          `json:"no_ask,omitempty"`
	Reason        string        `json:"reason,omitempty"`
	Message       string        `json:"message,omitempty"` // the person's own words for the commit
	Acknowledged  bool          `json:"seen,omitempty"`    // the person was shown why the policy would hold it
	Replace       string        `json:"replace,omitempty"` // the fact that the entry takes the place of
	Origin        string        `json:"origin"`
	Agent         string        `json:"by,omitempty"`
	Why           string        `json:"why"` // "held", or what kept it from being committed
	Rules         []string      `json:"rules,omitempty"`
	Entry         []byte        `json:"entry,omitempty"` // the file of a fact or note; Value is its text
	Since         time.Time     `json:"since"`
	Worktree      string        `json:"worktree,omitempty"` // the folder of the store's worktree in which it was said
	Folder        string        `json:"folder,omitempty"`   // the session's, whose act it was
	Said          string        `json:"said,omitempty"`     // the person's sentence that a hook noted
	Session       string        `json:"session,omitempty"`  // the agent's session in which they said it
	SaidOn        string        `json:"said_on,omitempty"`  // the day on which they said it
	Near          string        `json:"near,omitempty"`     // with Said: the key of the item that it may change
	Was           string        `json:"was,omitempty"`      // how the key stood when it was said, in the writer's own terms
}

// waitingFile is a Waiting as it stands in the file. JSON alone would turn a
// number such as 1.10 into text, and the queue is the write's only copy.
type waitingFile struct {
	waitingFields
	YAML string `json:"yaml"`
}

type waitingFields Waiting

// MarshalJSON adds the value as YAML, which keeps it exactly.
func (w Waiting) MarshalJSON() ([]byte, error) {
	return json.Marshal(waitingFile{waitingFields(w), w.Value.YAML()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (w *Waiting) UnmarshalJSON(data []byte) error {
	var f waitingFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	v, err := memfile.ParseValue(f.YAML)
	if err != nil {
		return err
	}
	f.Value = v
	*w = Waiting(f.waitingFields)
	return nil
}

const (
	// WhyHeld is why a write waits that only a person lets in.
	WhyHeld = "held"
	// QueueFile holds the writes that wait.
	QueueFile = "queue.json"
	// QueueLock is held while the queue's file is changed, and nothing else is done. The
	// store's own lock is no matter of the queue: who holds that may be waiting for a hook
	// that has something to say. Where both are held, that one was taken first.
	QueueLock = "queue.lock"
	// ReplayLock is held while what waits comes in: two who did that at once could
	// bring an older word in over a newer one.
	ReplayLock = "replay.lock"
	// proposedFor is how long a statement that a hook noted waits for the person.
	proposedFor = 30 * 24 * time.Hour
	// maxWaiting bounds the queue: an agent that goes wrong fills no disk.
	maxWaiting = 1000
)

// Queue lists what waits in the store for this worktree, oldest first.
func Queue(st *store.Store) ([]Waiting, error) {
	list, err := QueueOfAll(st)
	return slices.DeleteFunc(list, func(w Waiting) bool { return !waitsHere(st, w) }), err
}

// waitsHere reports whether this worktree can store the write. A write that waits for
// git belongs to the worktree in which it was made, until that is gone. A held write
// belongs to every worktree.
func waitsHere(st *store.Store, w Waiting) bool {
	if w.Why == WhyHeld || st.Repo == nil || w.Worktree == st.Repo.Root || !filepath.IsAbs(w.Worktree) || WorktreeGone(w) {
		return true
	}
	there, err := os.Stat(w.Worktree)
	here, hereErr := os.Stat(st.Repo.Root)
	return err == nil && hereErr == nil && os.SameFile(there, here)
}

// SaidHere reports whether the write was said in this session's worktree, as the acts are
// that undo takes back: a private or the user store has those of others too.
func SaidHere(st *store.Store, w Waiting) bool {
	return st.Stores.KeyPath(w.Folder) == st.Stores.KeyPath(st.Stores.ActsFolder())
}

// WorktreeGone reports whether the write was said in a worktree that is not on disk any more.
func WorktreeGone(w Waiting) bool {
	return filepath.IsAbs(w.Worktree) && !gitops.Exists(filepath.Join(w.Worktree, ".git"))
}

// ReviewOf is the command by which a person decides about a write that waits, in the worktree that it waits for.
func ReviewOf(st *store.Store, w Waiting) string {
	if waitsHere(st, w) {
		return "memctl review"
	}
	return "memctl -C " + shell.Quote(policy.Inert(w.Worktree)) + " review"
}

// Holds reports whether any field of the write has the text.
func (w Waiting) Holds(trace policy.TextFinder) bool {
	data, err := json.Marshal(w)
	return err == nil && trace.FoundInState(data)
}

// QueueOf is the file of the writes that wait.
func QueueOf(st *store.Store) statedir.File[[]Waiting] {
	return statedir.File[[]Waiting]{In: st.SharedState(), Name: QueueFile}
}

// QueueOfAll is Queue for all of the repository's worktrees, without proposals that nobody decided for a month.
func QueueOfAll(st *store.Store) ([]Waiting, error) {
	if st.Dir == "" {
		return nil, nil
	}
	list, err := QueueOf(st).Read()
	lapsed := st.Stores.Now().Add(-proposedFor)
	return slices.DeleteFunc(list, func(w Waiting) bool { return w.Said != "" && w.Since.Before(lapsed) }), err
}

// Enqueue adds one write that waits. What waits already, with the same act,
// key and value, is not added again; a person's own word is, where another
// about the key came after it. It makes a private or user store's folder where
// there is none.
func Enqueue(ctx context.Context, st *store.Store, w Waiting, wait time.Duration) error {
	if err := st.Ensure(ctx); err != nil {
		return err
	}
	if st.Repo != nil && w.Worktree == "" {
		w.Worktree = st.Repo.Root
	}
	if w.Folder == "" {
		w.Folder = st.Stores.ActsFolder()
	}
	return changeQueue(ctx, st, wait, func(list []Waiting) ([]Waiting, error) {
		for _, old := range slices.Backward(list) {
			if !waitsHere(st, old) {
				continue
			}
			if old.Act == w.Act && old.Key == w.Key && old.saysAll(w) {
				return list, nil
			}
			if old.Key == w.Key && (w.Origin == OriginExplicit || w.SaidOn != "") {
				break
			}
		}
		if len(list) >= maxWaiting {
			return nil, fault.New(fault.QueueFull, st.SharedState().Path(QueueFile), "the queue of pending writes is full")
		}
		raw := make([]byte, 6)
		if _, err := rand.Read(raw); err != nil {
			return nil, err
		}
		w.ID, w.Since = hex.EncodeToString(raw), st.Stores.Now().UTC()
		return append(list, w), nil
	})
}

// saysAll reports whether a write with the other's act and key leaves nothing of it to add.
func (w Waiting) saysAll(other Waiting) bool {
	if other.Origin != OriginExplicit {
		return memfile.Same(w.Value, other.Value)
	}
	other.ID, other.Since, other.Worktree, other.Folder = w.ID, w.Since, w.Worktree, w.Folder
	return memfile.Same(w.Value, other.Value) && reflect.DeepEqual(w, other)
}

// HoldQueued changes a queued write to one that a person decides, because of the rules.
func HoldQueued(ctx context.Context, st *store.Store, id string, rules []string, wait time.Duration) error {
	return changeQueue(ctx, st, wait, func(list []Waiting) ([]Waiting, error) {
		for i := range list {
			if list[i].ID == id {
				list[i].Why, list[i].Rules = WhyHeld, rules
			}
		}
		return list, nil
	})
}

// Dequeue takes one write off the queue. One that is gone is no error.
func Dequeue(ctx context.Context, st *store.Store, id string, wait time.Duration) error {
	return changeQueue(ctx, st, wait, func(list []Waiting) ([]Waiting, error) {
		return slices.DeleteFunc(list, func(w Waiting) bool { return w.ID == id }), nil
	})
}

// LockState takes a lock on part of the store's local state. Errors: fault.LockHeld,
// fault.FolderNotWritable.
func LockState(ctx context.Context, st *store.Store, name string, wait time.Duration) (func() error, error) {
	patient, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := st.SharedState().Lock(patient, name, "memctl queue", nil)
	return unlock, st.Unwritable(err)
}

func changeQueue(ctx context.Context, st *store.Store, wait time.Duration, change func([]Waiting) ([]Waiting, error)) error {
	unlock, err := LockState(ctx, st, QueueLock, wait)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := QueueOfAll(st)
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil {
		return err
	}
	return QueueOf(st).Write(list)
}
