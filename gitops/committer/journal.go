package committer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// JournalRef is the journal: a chain of commits of our own, whose trees hold
// memory's files alone and whose only parents are earlier entries. So it keeps
// memory alive, and nothing else, through whatever happens to branches.
const JournalRef = "refs/memctl/journal"

// The trailers that entries have beside those of the commit they tell of.
const (
	journalNumber = "Journal-Entry" // how many entries the chain has with this one
	journalBranch = "Journal-Branch"
	journalPlace  = "Journal-Worktree"
	journalCommit = "Journal-Commit"
	journalWhy    = "Journal-Why"
	journalAct    = "Journal-Act"
	journalTree   = "Journal-Tree"
	journalWaits  = "Journal-Waits"
)

// BeforeFolder holds, in an entry's tree, its files Before.
const BeforeFolder = ".memctl-before/"

// JournalEntry is one write.
type JournalEntry struct {
	ID       string
	Previous string // the entry before, "" for the first
	Author   string
	Email    string
	Date     time.Time
	Subject  string
	Body     string
	Trailers []object.Trailer // the write's own
	Branch   string           // full name of the ref, "" with a detached HEAD
	Worktree string           // with a detached HEAD, Repo.WorktreeName; else ""
	Commit   string           // the commit it tells of, "" where there was none
	Why      string           // why there was none
	Act      string           // what undo needs to know of the act; "" for an entry that is none
	Tree     string           // names the worktree whose files the write changes
	Waits    string           // the acts before this one whose files wait for a commit
	// Files are the files that the entry holds: path to blob id. Before are the same, as the act found them. JournalFiles reads both, and AddJournal writes them.
	Files, Before map[string]string

	number int
	tree   string
	ident  string // the author's line, as it stands in the commit
}

// journalIdent names the author where git knows none.
const journalIdent = "memctl <memctl@localhost>"

// Journal calls fn for the entries, newest first, until it returns false. It
// starts no process where objects and refs are plain files. A chain that
// breaks off (damage) ends there, without an error.
func Journal(ctx context.Context, r *gitops.Repo, fn func(JournalEntry) bool) error {
	return journal(ctx, r, func(_ object.Reader, e JournalEntry) (bool, error) { return fn(e), nil })
}

// journal is Journal with the reader of objects.
func journal(ctx context.Context, r *gitops.Repo, fn func(object.Reader, JournalEntry) (more bool, err error)) error {
	id, err := journalTip(ctx, r)
	if err != nil || id == "" {
		return err
	}
	return object.WithReader(ctx, r, func(o object.Reader) error {
		for at, more := id, true; at != "" && more; {
			e, err := readEntry(o, at)
			if err != nil && (at != id || errors.Is(err, object.ErrMissing)) {
				return nil
			}
			if err == nil {
				more, err = fn(o, e)
			}
			if err != nil {
				return err
			}
			at = e.Previous
		}
		return nil
	})
}

// JournalLast is the newest entry that of picks and that holds the file, and the
// file's blob id there. No more than max entries are looked at.
func JournalLast(ctx context.Context, r *gitops.Repo, max int, of func(JournalEntry) bool, path string) (e JournalEntry, blob string, ok bool, err error) {
	err = journal(ctx, r, func(o object.Reader, at JournalEntry) (bool, error) {
		max--
		if of(at) {
			_, blob, ok, _ = object.EntryAt(o, at.ID, path) // what is damaged is as good as gone
		}
		e = at
		return !ok && max > 0, nil
	})
	return e, blob, ok, err
}

// JournalWithFiles is Journal with the files of each entry. fn may read objects. Errors: those of Journal; a tree that is not
// there or damaged.
func JournalWithFiles(ctx context.Context, r *gitops.Repo, fn func(JournalEntry) bool) error {
	tip, err := journalTip(ctx, r)
	for at := tip; at != "" && err == nil; {
		var e JournalEntry
		err = object.WithReader(ctx, r, func(o object.Reader) (err error) {
			if e, err = readEntry(o, at); err == nil {
				err = e.readFiles(o)
			} else if at != tip { // the chain breaks off
				err = nil
			}
			return err
		})
		if at = e.Previous; err == nil && e.ID != "" && !fn(e) {
			break
		}
	}
	return err
}

// JournalFiles lists the files that an entry holds, and those before it, path to blob id.
func JournalFiles(ctx context.Context, r *gitops.Repo, e JournalEntry) (files, before map[string]string, err error) {
	err = object.WithReader(ctx, r, e.readFiles)
	return e.Files, e.Before, err
}

// readFiles reads the entry's Files and Before.
func (e *JournalEntry) readFiles(o object.Reader) error {
	e.Files, e.Before = map[string]string{}, map[string]string{}
	err := object.ListTree(o, e.tree, "", e.Files)
	for name, blob := range e.Files {
		if name, ok := strings.CutPrefix(name, BeforeFolder); ok {
			e.Before[name] = blob
			delete(e.Files, BeforeFolder+name)
		}
	}
	return err
}

// writeTree stores the entry's Files and Before.
func (e *JournalEntry) writeTree(w object.Writer) (err error) {
	all := map[string]string{}
	maps.Copy(all, e.Files)
	for name, blob := range e.Before {
		all[BeforeFolder+name] = blob
	}
	e.tree, err = object.WriteTree(w, all)
	return err
}

// AddJournal adds an entry at the end of the journal. If instead is the newest entry, it is replaced. AddJournal returns the
// stored entry and the new number of entries. e's ID, Previous, Author, Email and Body need not be set; its author is that of
// e.Commit. Another process's entry is never lost. Errors: the system's cause; fault.Blocked; *Error. The journal is as it was
// then.
func AddJournal(ctx context.Context, r *gitops.Repo, e JournalEntry, instead string) (added JournalEntry, count int, err error) {
	w := object.NewWriter(ctx, r)
	if err = e.writeTree(w); err != nil {
		return e, 0, err
	}
	if e.ident == "" {
		e.ident = fmt.Sprintf("%s %d +0000", journalIdent, e.Date.Unix())
		if e.Commit != "" { // else a git would be asked about it
			_ = object.WithReader(ctx, r, func(o object.Reader) error {
				c, err := object.ReadCommit(o, e.Commit)
				e.ident = cmp.Or(c.Ident, e.ident)
				return err
			})
		}
	}
	for range maxJournalTries {
		tip, err := journalTip(ctx, r)
		if err != nil {
			return e, 0, err
		}
		e.Previous, e.number = "", 1
		if tip != "" {
			// Where what the ref names is gone, a new chain begins.
			if err := Journal(ctx, r, func(last JournalEntry) bool {
				if e.Previous, e.number = last.ID, last.number+1; last.ID == instead {
					e.Previous, e.number = last.Previous, last.number
				}
				return false
			}); err != nil {
				return e, 0, err
			}
		}
		if e.ID, err = w.Write("commit", e.object()); err != nil {
			return e, 0, err
		}
		err = setRef(ctx, r, JournalRef, tip, e.ID)
		if !errors.Is(err, errMoved) {
			return e, e.number, err
		}
	}
	return e, 0, errMoved
}

// DropJournal takes an entry out of the journal. Errors: those of AddJournal.
func DropJournal(ctx context.Context, r *gitops.Repo, e JournalEntry) error {
	err := setRef(ctx, r, JournalRef, e.ID, e.Previous)
	if errors.Is(err, errMoved) {
		_, err = RewriteJournal(ctx, r, func(other *JournalEntry) (bool, error) { return other.ID != e.ID, nil })
	}
	return err
}

// maxJournalTries bounds the race with other stores of one repository.
const maxJournalTries = 20

// object is the entry as a commit.
func (e JournalEntry) object() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", e.tree)
	if e.Previous != "" {
		fmt.Fprintf(&b, "parent %s\n", e.Previous)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s\n\n", e.ident, e.ident, object.OneLine(e.Subject))
	if body := strings.Trim(e.Body, "\n"); body != "" {
		b.WriteString(body + "\n\n")
	}
	trailers := append([]object.Trailer{}, e.Trailers...)
	for _, name := range []string{journalBranch, journalPlace, journalCommit, journalWhy, journalTree, journalWaits, journalAct} {
		if value := *e.trailer(name); value != "" {
			trailers = append(trailers, object.Trailer{Name: name, Value: value})
		}
	}
	for _, t := range append(trailers, object.Trailer{Name: journalNumber, Value: strconv.Itoa(e.number)}) {
		b.WriteString(strings.TrimRight(t.Name+": "+object.OneLine(t.Value), " ") + "\n")
	}
	return b.Bytes()
}

// readEntry reads an entry back.
func readEntry(o object.Reader, id string) (JournalEntry, error) {
	c, err := object.ReadCommit(o, id)
	if err == nil && c.Tree == "" {
		err = fmt.Errorf("%q: no entry of the journal", id)
	}
	if err != nil {
		return JournalEntry{}, err
	}
	e := JournalEntry{ID: id, tree: c.Tree, ident: c.Ident, Author: c.Author, Email: c.Email, Date: c.Date}
	if len(c.Parents) > 0 {
		e.Previous = c.Parents[0]
	}
	subject, body, _ := strings.Cut(c.Message, "\n")
	e.Subject = subject
	e.Body, _, _ = strings.Cut(strings.Trim(body, "\n"), "\n\n"+"Memory-")
	if strings.HasPrefix(e.Body, "Memory-") || strings.HasPrefix(e.Body, "Journal-") {
		e.Body = ""
	}
	for _, t := range object.ParseTrailers(c.Message) {
		if at := e.trailer(t.Name); at != nil {
			*at = t.Value
		} else if t.Name == journalNumber {
			e.number, _ = strconv.Atoi(t.Value)
		} else {
			e.Trailers = append(e.Trailers, t)
		}
	}
	return e, nil
}

// trailer is the field that a trailer of the journal's own holds; nil for another name.
func (e *JournalEntry) trailer(name string) *string {
	switch name {
	case journalBranch:
		return &e.Branch
	case journalPlace:
		return &e.Worktree
	case journalCommit:
		return &e.Commit
	case journalWhy:
		return &e.Why
	case journalTree:
		return &e.Tree
	case journalWaits:
		return &e.Waits
	case journalAct:
		return &e.Act
	}
	return nil
}

// RewriteJournal calls change for each entry, the oldest first, and replaces the chain by the
// results. change may edit the message and the blobs in Files and Before, which are filled in; keep
// false leaves the entry out, and a later git gc deletes it. RewriteJournal fails if an entry was
// added meanwhile.
func RewriteJournal(ctx context.Context, r *gitops.Repo, change func(*JournalEntry) (keep bool, err error)) (count int, err error) {
	tip, err := journalTip(ctx, r)
	if err != nil || tip == "" {
		return 0, err
	}
	var list []JournalEntry
	if err := Journal(ctx, r, func(e JournalEntry) bool { list = append(list, e); return true }); err != nil {
		return 0, err
	}
	w := object.NewWriter(ctx, r)
	previous := ""
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		if e.Files, e.Before, err = JournalFiles(ctx, r, e); err != nil {
			return 0, err
		}
		keep, err := change(&e)
		if err != nil {
			return 0, err
		}
		if !keep {
			continue
		}
		count++
		e.Previous, e.number = previous, count
		if err = e.writeTree(w); err == nil {
			previous, err = w.Write("commit", e.object())
		}
		if err != nil {
			return 0, err
		}
	}
	return count, setRef(ctx, r, JournalRef, tip, previous)
}
