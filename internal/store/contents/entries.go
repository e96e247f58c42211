package contents

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
)

// Bounds of what is read of a store's entries.
const (
	maxEntryFiles = 200_000
	maxEntryDepth = 8
)

// Entry is an entry with where it stands and the rules that withhold it from
// agents.
type Entry struct {
	entry.Entry
	Judged
	Path    string // from the store's folder, with slashes
	Scope   string
	Deleted bool
	Digest  string // of the file's bytes
}

// Entries are a store's entries.
type Entries struct {
	List []Entry // in the order of their paths, deleted ones too
	// Copies are files that another program copied beside an entry: their ids are those of entries in List.
	Copies []Entry
	// Unread are the files that cannot be read as entries, and why.
	Unread []UnreadEntry
	// Bytes is the size of all files.
	Bytes int64
}

// UnreadEntry is a file in an entry's place that cannot be read as one.
type UnreadEntry struct {
	Path    string
	Problem entry.Problem
}

// EntryFiles lists the paths of the store's entries from its folder, with slashes, in order. It looks at names alone: what is no
// regular file is passed over by whoever reads it.
func EntryFiles(ctx context.Context, st *store.Store) (list []string, err error) {
	err = walkEntries(ctx, st, func(folder string, _ fs.FileInfo, names []string) {
		for _, name := range names {
			name = folder + "/" + name
			if _, ok := entry.ParsePath(name); ok && len(list) < maxEntryFiles {
				list = append(list, name)
			}
		}
	})
	slices.Sort(list)
	return list, err
}

// walkEntries calls see for each folder of entries, with the names in it that end as a file of an entry does. It asks the system
// about no such file: a store may have 100,000. A folder that cannot be read hides no other.
func walkEntries(ctx context.Context, st *store.Store, see func(folder string, info fs.FileInfo, names []string)) error {
	root, err := OpenRoot(st)
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	var walk func(folder string) error
	walk = func(folder string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := st.OnDisk(folder)
		info, err := root.Lstat(at)
		if err != nil || !info.IsDir() || strings.Count(folder, "/") > maxEntryDepth {
			return nil
		}
		names := namesIn(root, at)
		files := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return path.Ext(name) != ".md" })
		see(folder, info, files)
		for _, name := range names {
			if path.Ext(name) == ".md" || name[0] == '.' {
				continue
			}
			if err := walk(folder + "/" + name); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(entry.Root)
}

// namesIn are the names in a folder; none where it cannot be read. The listing of a folder below an os.Root would ask the system
// about each file.
func namesIn(root *os.Root, folder string) []string {
	f, err := root.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	slices.Sort(names)
	return names
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
	_ = walkEntries(context.Background(), st, func(folder string, info fs.FileInfo, _ []string) {
		b.WriteString(" " + folder + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10))
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
	files, err := EntryFiles(ctx, st)
	if err != nil || len(files) == 0 {
		return &Entries{}, err
	}
	forgotten, err := ReadForgotten(ctx, st)
	if err != nil {
		return nil, err
	}
	all := &Entries{List: make([]Entry, 0, len(files))}
	err = EachEntry(ctx, st, files, func(name string, src []byte) {
		all.Bytes += int64(len(src))
		switch e, problems := interpretEntry(st, name, src, forgotten, ""); {
		case e != nil && isCopy(st, e):
			all.Copies = append(all.Copies, *e)
		case e != nil:
			all.List = append(all.List, *e)
		default:
			all.Unread = append(all.Unread, UnreadEntry{Path: name, Problem: problems[0]})
		}
	})
	return all, err
}

// EachEntry reads the named files, one after the other in the order of the
// list; what is gone, or is no regular file any more, is passed over.
func EachEntry(ctx context.Context, st *store.Store, files []string, fn func(name string, src []byte)) error {
	root, err := OpenRoot(st)
	if root == nil || err != nil {
		return err
	}
	defer root.Close()
	var folder *os.Root // of the file before: most share it
	at := ""
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if dir := path.Dir(name); dir != at || folder == nil {
			if folder != nil {
				folder.Close()
			}
			if folder, err = root.OpenRoot(st.OnDisk(dir)); err != nil {
				folder = nil
				continue
			}
			at = dir
		}
		if src, _, err := safefile.Read(folder, path.Base(name), entry.MaxFileBytes); err == nil {
			fn(name, src)
		}
	}
	if folder != nil {
		folder.Close()
	}
	return nil
}

// ReadEntries reads some of the store's entries, by path; what is gone, cannot be
// read as an entry, or is a copy of one is passed over. accepted are the digests of files, by path, to which the policy
// objected under the same RulesKey in nothing: it is not asked again.
func ReadEntries(ctx context.Context, st *store.Store, files []string, accepted map[string]string) ([]Entry, error) {
	forgotten, err := ReadForgotten(ctx, st)
	if err != nil {
		return nil, err
	}
	st.Stores.Accepted(ctx)
	list := make([]Entry, 0, len(files))
	err = EachEntry(ctx, st, files, func(name string, src []byte) {
		if e, _ := interpretEntry(st, name, src, forgotten, accepted[name]); e != nil && !isCopy(st, e) {
			list = append(list, *e)
		}
	})
	return list, err
}

// isCopy reports whether the entry's file is a copy of another file of the store, which is the entry.
func isCopy(st *store.Store, e *Entry) bool {
	return e.OriginalPath(e.Path, func(home string) []byte {
		src, _ := EntryBytes(st, home)
		return src
	}) != ""
}

// EntryBytes are the bytes of one entry's file; nil without an error where it is
// not there. Errors: fault.NotAFile, fault.TooLarge.
func EntryBytes(st *store.Store, name string) ([]byte, error) {
	return readFile(st, name, entry.MaxFileBytes)
}

func interpretEntry(st *store.Store, name string, src []byte, forgotten *Forgotten, accepted string) (*Entry, []entry.Problem) {
	read, problems := entry.ParseEntry(name, src)
	if read == nil {
		return nil, problems
	}
	place, _ := entry.ParsePath(name)
	e := &Entry{Entry: *read, Path: name, Scope: st.Scope}
	e.Deleted = place.Deleted || e.IsSuperseded()
	sum := sha256.Sum256(src)
	if e.Digest = string(sum[:16]); e.Digest != accepted {
		e.Withheld = RuleEntryAt(st, name, e.Entry).Rules()
	}
	if forgotten.BindsEntry(e.Entry) {
		e.hide(RuleForgotten)
	}
	e.Entry = e.Sanitized()
	return e, nil
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
		count += len(namesIn(root, path.Join(entry.Root, "entries", entry.Slug(conversation), folder)))
	}
	return count, nil
}
