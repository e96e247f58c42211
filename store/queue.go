package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
)

// Waiting is one write that waits for a person, or for the repository to be
// ready. The queue is its only copy.
type Waiting struct {
	ID         string        `json:"id"`
	Act        string        `json:"act"` // add or forget
	Key        string        `json:"key"`
	Value      memfile.Value `json:"value"`
	Source     string        `json:"source,omitempty"`
	Confidence string        `json:"confidence,omitempty"`
	Tags       []string      `json:"tags,omitempty"`
	Expires    string        `json:"expires,omitempty"`
	Pinned     bool          `json:"pinned,omitempty"`
	Paths      []string      `json:"paths,omitempty"`
	Repeated   bool          `json:"repeated,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Message    string        `json:"message,omitempty"` // the person's own words for the commit
	Seen       bool          `json:"seen,omitempty"`    // the person was shown why the policy would hold it
	Replace    string        `json:"replace,omitempty"` // the fact that the entry takes the place of
	Origin     string        `json:"origin"`
	By         string        `json:"by,omitempty"` // the agent's name
	Why        string        `json:"why"`          // "held", or what kept it from being committed
	Rules      []string      `json:"rules,omitempty"`
	Entry      []byte        `json:"entry,omitempty"` // the file of a fact or note; Value is its text
	Since      time.Time     `json:"since"`
	Was        string        `json:"was,omitempty"` // how the key stood when it was said, in the writer's own terms
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
	// RuleOvertaken holds what waited while its key was changed.
	RuleOvertaken = "changed-since"
	queueFile     = "queue.json"
	// maxWaiting bounds the queue: an agent that goes wrong fills no disk.
	maxWaiting = 1000
)

// QueueFullError is a queue that takes no more.
type QueueFullError struct{ Path string }

func (e *QueueFullError) Error() string {
	return "\"" + e.Path + "\": the queue of writes that wait is full"
}

// Queue lists what waits in the store, oldest first.
func (st *Store) Queue() ([]Waiting, error) {
	if st.Dir == "" {
		return nil, nil
	}
	var list []Waiting
	err := st.shared().readJSON(queueFile, &list)
	return list, err
}

// Enqueue adds one write that waits. What waits already, with the same act,
// key and value, is not added again; a person's own word is, where another
// about the key came after it. It makes a private or user store's folder where
// there is none.
func (st *Store) Enqueue(ctx context.Context, w Waiting, wait time.Duration) error {
	if err := st.ensure(ctx); err != nil {
		return err
	}
	return st.changeQueue(ctx, wait, func(list []Waiting) ([]Waiting, error) {
		for _, old := range slices.Backward(list) {
			if old.Act == w.Act && old.Key == w.Key && old.saysAll(w) {
				return list, nil
			}
			if old.Key == w.Key && w.Origin == originExplicit {
				break
			}
		}
		if len(list) >= maxWaiting {
			return nil, &QueueFullError{Path: st.shared().path(queueFile)}
		}
		raw := make([]byte, 6)
		if _, err := rand.Read(raw); err != nil {
			return nil, err
		}
		w.ID, w.Since = hex.EncodeToString(raw), st.ss.Now().UTC()
		return append(list, w), nil
	})
}

// saysAll reports whether a write with the other's act and key leaves nothing of it to add.
func (w Waiting) saysAll(other Waiting) bool {
	if other.Origin != originExplicit {
		return memfile.Same(w.Value, other.Value)
	}
	other.ID, other.Since = w.ID, w.Since
	return memfile.Same(w.Value, other.Value) && reflect.DeepEqual(w, other)
}

// Brought takes one write off the queue that came in. What waits of the same key, and
// was said while the key stood as it did before, was said of what came in: now is
// how the key stands since.
func (st *Store) Brought(ctx context.Context, in Waiting, now string, wait time.Duration) error {
	return st.changeQueue(ctx, wait, func(list []Waiting) ([]Waiting, error) {
		list = slices.DeleteFunc(list, func(w Waiting) bool { return w.ID == in.ID })
		for i := range list {
			if list[i].Act == in.Act && list[i].Key == in.Key && list[i].Was != "" && list[i].Was == in.Was {
				list[i].Was = now
			}
		}
		return list, nil
	})
}

// overtaken lists the writes that wait for a git to end and that a deciding act, which
// has the store's lock now, is about to overtake.
func (st *Store) overtaken(w Write) (ids []string, err error) {
	if !w.Decides || w.DryRun {
		return nil, nil
	}
	list, err := st.Queue()
	for _, q := range list {
		if gitops.HandsOff(q.Why) && slices.Contains(w.Keys, q.Key) {
			ids = append(ids, q.ID)
		}
	}
	return ids, err
}

// holdOvertaken has the person judge what they said before the act. The caller has the
// store's lock.
func (st *Store) holdOvertaken(ids []string) (notes []string) {
	if len(ids) == 0 {
		return nil
	}
	list, err := st.Queue()
	for i := range list {
		if slices.Contains(ids, list[i].ID) {
			list[i].Why, list[i].Rules = WhyHeld, []string{RuleOvertaken}
		}
	}
	if err == nil {
		err = st.shared().writeJSON(queueFile, list)
	}
	if err != nil {
		return []string{"what waits of the same key may still come in: " + err.Error()}
	}
	return []string{"what waited of the same key was said before this, and waits for memctl review now"}
}

// Dequeue takes one write off the queue. One that is gone is no error.
func (st *Store) Dequeue(ctx context.Context, id string, wait time.Duration) error {
	return st.changeQueue(ctx, wait, func(list []Waiting) ([]Waiting, error) {
		return slices.DeleteFunc(list, func(w Waiting) bool { return w.ID == id }), nil
	})
}

// HoldQueued changes why a write waits: the policy holds it now.
func (st *Store) HoldQueued(ctx context.Context, id, why string, rules []string, wait time.Duration) error {
	return st.changeQueue(ctx, wait, func(list []Waiting) ([]Waiting, error) {
		for i := range list {
			if list[i].ID == id {
				list[i].Why, list[i].Rules = why, rules
			}
		}
		return list, nil
	})
}

func (st *Store) changeQueue(ctx context.Context, wait time.Duration, change func([]Waiting) ([]Waiting, error)) error {
	unlock, err := st.lock(ctx, wait, "queue")
	if err != nil {
		return err
	}
	defer unlock()
	list, err := st.Queue()
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil {
		return err
	}
	return st.shared().writeJSON(queueFile, list)
}

// UnwritableError is a store that cannot be written because memctl's folder
// for its local state cannot.
type UnwritableError struct {
	Scope string
	Path  string // the git folder, else the folder of local state
	Git   bool   // Path is a git folder
	Err   error  // the system's cause
}

func (e *UnwritableError) Error() string {
	cause := e.Err
	var of *fs.PathError
	for errors.As(cause, &of) {
		cause = of.Err
	}
	if inner := errors.Unwrap(cause); inner != nil {
		cause = inner
	}
	what := "the folder of local state"
	if e.Git {
		what = "the git folder"
	}
	out := "run memctl outside the sandbox"
	switch e.Scope {
	case Project, Private:
		out += ", or with --scope user or --store FOLDER where those can be written"
	case User:
		out += ", or with --store FOLDER where that can be written"
	}
	return fmt.Sprintf("%q: %s cannot be written (%v): memory can be read; to change it, %s", e.Path, what, cause, out)
}

func (e *UnwritableError) Unwrap() error { return e.Err }

const (
	// patientFrom is the wait from which a writer stands in line for longer,
	// while the line moves. A hook's wait is shorter, and stays what it is.
	patientFrom = time.Second
	// patience is how many times its wait a writer stands in a line that moves.
	patience = 6
)

// lock takes the store's lock. It waits until one holder has kept it for as
// long as wait, or where holders change for longer, up to a bound. Errors: *safefile.HeldError, naming the holder;
// *UnwritableError.
func (st *Store) lock(ctx context.Context, wait time.Duration, what string) (func() error, error) {
	root, err := st.shared().open(true)
	if err != nil {
		return nil, st.unwritable(err)
	}
	root.Close()
	path := st.shared().path("lock")
	most := wait
	if wait >= patientFrom {
		most = patience * wait
	}
	patient, cancel := safefile.Patience(ctx, path, wait, most)
	defer cancel()
	unlock, err := safefile.LockAfter(patient, path, "memctl "+what, st.noteCrash)
	var held *safefile.HeldError
	if errors.As(err, &held) && ctx.Err() == nil {
		held.Cause = context.DeadlineExceeded // patience is over, nobody cancelled
	}
	if err != nil {
		return nil, st.unwritable(err)
	}
	if st.Repo == nil {
		return unlock, nil
	}
	st.Repo.Share() // the lock first of all: who is killed shall keep nobody out
	return func() error {
		if since, left := st.Repo.LocksLeft(); left {
			_ = st.noteCrash(since) // a disk that does not take it has told of that already
		}
		st.Repo.Share()
		return unlock()
	}, nil
}

// unwritable turns a lack of permission into an *UnwritableError, and leaves
// every other error alone.
func (st *Store) unwritable(err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	e := &UnwritableError{Scope: st.Scope, Path: st.shared().dir, Err: err}
	if st.Repo != nil {
		e.Path, e.Git = st.Repo.CommonDir, true
	}
	return e
}
