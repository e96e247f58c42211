package contents

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// Bounds of what is read of a store's entries.
const (
	maxEntryFiles = 200_000
	maxEntryDepth = 8
)

// EntryFile is one file of an entry, as a folder's listing tells of it.
type EntryFile struct {
	Path    string // from the store's folder, with slashes
	Size    int64
	ModTime time.Time
	Deleted bool // something took its place
}

// Entry is an entry with where it stands and the rules that withhold it from
// agents.
type Entry struct {
	entry.Entry
	Judged
	Path    string // from the store's folder, with slashes
	Scope   string
	Deleted bool
}

// Entries are a store's entries.
type Entries struct {
	List []Entry // in the order of their paths, deleted ones too
	// Copies are files that another program copied beside an entry: their ids are those of entries in List.
	Copies []Entry
	// Unread are the files that cannot be read as entries, and why.
	Unread []UnreadEntry
	// More says that there are more files than are read.
	More bool
}

// UnreadEntry is a file in an entry's place that cannot be read as one.
type UnreadEntry struct {
	Path    string
	Problem entry.Problem
}

// EntryFiles lists the files of the store's entries by path, without reading
// them. Links and what is no regular file are left out. more says that there
// are more than maxEntryFiles.
func EntryFiles(ctx context.Context, st *store.Store) (list []EntryFile, more bool, err error) {
	err = walkEntries(ctx, st, func(name string, d fs.DirEntry) error {
		place, ok := entry.ParsePath(name)
		if !ok || !d.Type().IsRegular() {
			return nil
		}
		if len(list) == maxEntryFiles {
			more = true
			return fs.SkipAll
		}
		info, err := d.Info()
		if err == nil {
			list = append(list, EntryFile{Path: name, Size: info.Size(), ModTime: info.ModTime(), Deleted: place.Deleted})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b EntryFile) int { return cmp.Compare(a.Path, b.Path) })
	return list, more, err
}

// walkEntries calls see for all that is in the entries' folders, and for these. A folder that cannot be read
// hides no other.
func walkEntries(ctx context.Context, st *store.Store, see func(name string, d fs.DirEntry) error) error {
	root, err := OpenRoot(st)
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(st.OnDisk(entry.Root)); err != nil || !info.IsDir() {
		return nil
	}
	return fs.WalkDir(root.FS(), st.OnDisk(entry.Root), func(at string, d fs.DirEntry, err error) error {
		name := st.FromDisk(at)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case d.IsDir() && (strings.Count(name, "/") > maxEntryDepth || strings.HasPrefix(path.Base(name), ".")):
			return fs.SkipDir
		}
		return see(name, d)
	})
}

// HasEntries reports whether the store has a folder for entries.
func HasEntries(st *store.Store) bool {
	if st.Dir == "" {
		return false
	}
	info, err := os.Lstat(filepath.Join(st.Dir, st.OnDisk(entry.Root)))
	return err == nil && info.IsDir()
}

// EntriesStamp is what the entries' folders look like now: a file that comes, goes
// or is replaced changes it; one that is overwritten in place does not.
func EntriesStamp(st *store.Store) string {
	var b strings.Builder
	_ = walkEntries(context.Background(), st, func(name string, d fs.DirEntry) error {
		if !d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			b.WriteString(" " + name + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10))
		}
		return nil
	})
	return b.String()
}

// OpenRoot opens the store's folder; nil without an error where it is not there.
func OpenRoot(st *store.Store) (*os.Root, error) {
	if st.Dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(st.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// ReadAllEntries reads all entries of the store and rules on each. Errors: those of
// reading a folder; what is wrong with one file is no error.
func ReadAllEntries(ctx context.Context, st *store.Store) (*Entries, error) {
	files, more, err := EntryFiles(ctx, st)
	if err != nil || len(files) == 0 {
		return &Entries{More: more}, err
	}
	forgotten, err := ReadForgotten(ctx, st)
	if err != nil {
		return nil, err
	}
	all := &Entries{More: more, List: make([]Entry, 0, len(files))}
	err = EachEntry(ctx, st, files, func(f EntryFile, src []byte) {
		switch e, problems := interpretEntry(st, f.Path, src, forgotten); {
		case e != nil && isCopy(st, e):
			all.Copies = append(all.Copies, *e)
		case e != nil:
			all.List = append(all.List, *e)
		default:
			all.Unread = append(all.Unread, UnreadEntry{Path: f.Path, Problem: problems[0]})
		}
	})
	return all, err
}

// EachEntry reads the named files, one after the other in the order of the
// list; what is gone, or is no regular file any more, is passed over.
func EachEntry(ctx context.Context, st *store.Store, files []EntryFile, fn func(f EntryFile, src []byte)) error {
	root, err := OpenRoot(st)
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	var folder *os.Root // of the file before: most share it
	at := ""
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if dir := path.Dir(f.Path); dir != at || folder == nil {
			if folder != nil {
				folder.Close()
			}
			if folder, err = root.OpenRoot(st.OnDisk(dir)); err != nil {
				folder = nil
				continue
			}
			at = dir
		}
		if src, _, err := safefile.Read(folder, path.Base(f.Path), entry.MaxFileBytes); err == nil {
			fn(f, src)
		}
	}
	if folder != nil {
		folder.Close()
	}
	return nil
}

// ReadEntries reads some of the store's entries, by path; what is gone, cannot be
// read as an entry, or is a copy of one is passed over.
func ReadEntries(ctx context.Context, st *store.Store, files []EntryFile) ([]Entry, error) {
	forgotten, err := ReadForgotten(ctx, st)
	if err != nil {
		return nil, err
	}
	st.Stores.Accepted(ctx)
	var list []Entry
	err = EachEntry(ctx, st, files, func(f EntryFile, src []byte) {
		if e, _ := interpretEntry(st, f.Path, src, forgotten); e != nil && !isCopy(st, e) {
			list = append(list, *e)
		}
	})
	return list, err
}

// isCopy reports whether the entry's file is a copy of another file of the store, which is the entry.
func isCopy(st *store.Store, e *Entry) bool {
	return e.CopyOf(e.Path, func(home string) []byte {
		src, _ := EntryBytes(st, home)
		return src
	}) != ""
}

// EntryBytes are the bytes of one entry's file; nil without an error where it is
// not there. Errors: fault.NotAFile, fault.TooLarge.
func EntryBytes(st *store.Store, name string) ([]byte, error) {
	return readFile(st, name, entry.MaxFileBytes)
}

func interpretEntry(st *store.Store, name string, src []byte, forgotten *Forgotten) (*Entry, []entry.Problem) {
	f, problems := entry.Parse(name, src)
	if f == nil {
		return nil, problems
	}
	place, _ := entry.ParsePath(name)
	e := &Entry{Entry: f.Entry(), Path: name, Scope: st.Scope}
	e.Deleted = place.Deleted || e.Gone()
	e.Withheld = RuleEntryAt(st, name, e.Entry).Rules()
	if forgotten.Entry(e.Entry) {
		e.hide(RuleForgotten)
	}
	e.Entry = e.Formed()
	return e, problems
}

// Live lists the entries that stand: not deleted, not expired; of several with
// one id in one conversation the first. Withheld ones are among them.
func (all *Entries) Live(today string) []Entry {
	seen := map[[2]string]bool{}
	var list []Entry
	for _, e := range all.List {
		key := [2]string{e.Conversation, e.ID}
		if e.Deleted || e.Expired(today) || seen[key] {
			continue
		}
		seen[key] = true
		list = append(list, e)
	}
	return list
}

// CountFiles counts the files in some folders of a conversation, such as entry.TurnsFolder. It reads the names of files alone.
func CountFiles(st *store.Store, conversation string, folders ...string) (count int, err error) {
	root, err := OpenRoot(st)
	if root == nil || err != nil {
		return 0, err
	}
	defer root.Close()
	for _, folder := range folders {
		files, _ := fs.ReadDir(root.FS(), path.Join(entry.Root, "entries", entry.Slug(conversation), folder)) // none where there is no folder
		count += len(files)
	}
	return count, nil
}
