// Package pulled is the copy that this machine has of skills and context files in the shared index. `memctl index
// pull` writes it and everything else reads it, so that neither a hook nor a session needs the server.
//
// The copy is the folder shared in memctl's data folder. copy.json says what it has, and every set of files has a folder
// that is named by its content: a reader sees the files of one pull, and the path of an unchanged skill stays the same.
package pulled

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Copy is what the last pull brought.
type Copy struct {
	Server  string    `json:"server"` // see store.ServerName
	Person  string    `json:"person"` // the role that pulled
	Pulled  time.Time `json:"pulled"`
	Skills  []Skill   `json:"skills"`
	Context string    `json:"context"` // the folder with the person's context files, as a store has them; "" for none
	Files   int       `json:"files"`   // how many these are
}

// Skill is a skill in the copy.
type Skill struct {
	Name       string    `json:"name"`
	Repository string    `json:"repository"` // as the shared index calls it
	Scope      string    `json:"scope"`
	Root       string    `json:"root"`
	Remote     string    `json:"remote"`
	Visibility string    `json:"visibility"`
	Owner      string    `json:"owner"` // a role of the server
	Grants     []Grant   `json:"grants"`
	Versions   []Version `json:"versions"`
}

// Grant lets an agent or a user use a skill.
type Grant struct {
	Agent   string `json:"agent,omitempty"`
	User    string `json:"user,omitempty"` // a role of the server
	Version string `json:"version,omitempty"`
}

// Version is the files of a skill.
type Version struct {
	Commit string `json:"commit,omitempty"` // that a grant pins; "" for the current version
	Hash   string `json:"hash"`             // the server's, by which a pull sees that nothing changed
	Folder string `json:"folder"`           // in the copy: the skill is a folder in it
}

// File is a file to keep.
type File struct {
	Path string // with slashes, below the folder
	Data []byte
}

const (
	folderName = "shared"
	listFile   = "copy.json"
	lockFile   = "copy.lock"
	remembered = "pulled"
	fileMode   = 0o600
	lockWait   = 10 * time.Second // for another pull
	mostBytes  = 8 << 20          // of a folder
)

func state(ss *store.Stores) statedir.Dir {
	dir := ss.DataState()
	dir.Folder = filepath.Join(dir.Folder, folderName)
	return dir
}

func list(ss *store.Stores) statedir.File[*Copy] {
	return statedir.File[*Copy]{In: state(ss), Name: listFile}
}

// ListFile is the path of the file that changes with each pull.
func ListFile(ss *store.Stores) string { return state(ss).Path(listFile) }

// Dir is the path of a folder of the copy.
func Dir(ss *store.Stores, folder string) string { return state(ss).Path(folder) }

// Read returns the copy, once a session; nil where there is none, or where it comes from another server or person than
// memctl.pg.url names now.
func Read(ctx context.Context, ss *store.Stores) *Copy {
	if c, ok := ss.Remembered(remembered).(*Copy); ok {
		return c
	}
	c := Last(ss)
	if c != nil && (c.Server == "" || c.Server != ss.LookupConfig(ctx).Shared) {
		c = nil
	}
	ss.CacheValue(remembered, c)
	return c
}

// Last returns the copy, whichever server it comes from; nil where there is none that can be read.
func Last(ss *store.Stores) *Copy {
	if ss.IsSingleStore() {
		return nil
	}
	c, _ := list(ss).Read()
	return c
}

// Trusted reports whether agents may have the skill: it is the person's own, or its repository is among those listed.
func (s Skill) Trusted(listed []string) bool { return s.Scope != store.Project || s.rank(listed) >= 0 }

// rank is the place of the skill's repository among those listed; -1 where it is not.
func (s Skill) rank(listed []string) int {
	return slices.IndexFunc(listed, func(name string) bool { return name == s.Root || name == s.Remote })
}

// Sort orders skills by precedence: the person's own, then those of the repositories listed, in their order, then the others.
func Sort(list []Skill, listed []string) {
	place := func(s Skill) int {
		switch rank := s.rank(listed); {
		case s.Scope != store.Project:
			return -1
		case rank >= 0:
			return rank
		}
		return len(listed)
	}
	slices.SortStableFunc(list, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.Name, b.Name))
	})
}

// Writer writes the next copy. It holds the lock of the copy until Close.
type Writer struct {
	ss    *store.Stores
	root  *os.Root
	end   func() error
	saved bool
	kept  map[string]bool // folders that this copy has
}

// Write begins a copy. Errors: those of a lock; fault.LocalState.
func Write(ctx context.Context, ss *store.Stores) (*Writer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	end, err := state(ss).Lock(ctx, lockFile, "memctl index pull", nil)
	if err != nil {
		return nil, err
	}
	root, err := state(ss).Open(true)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &Writer{ss: ss, root: root, end: end, kept: map[string]bool{}}, nil
}

// Has reports whether the folder is there with the content that it is named by, and keeps it.
func (w *Writer) Has(folder string) bool {
	if w.kept[folder] {
		return true
	}
	var files []File
	total := int64(0)
	err := fs.WalkDir(w.root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || total+info.Size() > mostBytes {
			return errors.Join(fs.ErrInvalid, err)
		}
		total += info.Size()
		data, err := w.root.ReadFile(name)
		files = append(files, File{Path: strings.TrimPrefix(name, folder+"/"), Data: data})
		return err
	})
	there := err == nil && nameOf(files) == folder
	if there {
		w.kept[folder] = true
	}
	return there
}

// nameOf is the name of a folder with these files.
func nameOf(files []File) string {
	sum := sha256.New()
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) }) {
		fmt.Fprintf(sum, "%s\x00%d\x00", f.Path, len(f.Data))
		sum.Write(f.Data)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Keep writes files to a folder that is named by their content, and returns its name. Errors: fault.NotAFile if not every
// system, or not this one, can have files of these names, or they are too large; those of writing.
func (w *Writer) Keep(files []File) (folder string, err error) {
	total := 0
	for _, f := range files {
		if total += len(f.Data); !isPortablePath(f.Path) || total > mostBytes {
			return "", fault.New(fault.NotAFile, f.Path, "is not a path below the folder, or too large")
		}
	}
	folder = nameOf(files)
	if w.Has(folder) {
		return folder, nil
	}
	temp := folder + ".new"
	if err := w.root.RemoveAll(temp); err != nil {
		return "", err
	}
	for _, f := range files {
		at := path.Join(temp, f.Path)
		err := w.root.MkdirAll(path.Dir(at), 0o700)
		if err == nil {
			err = safefile.Write(w.root, at, f.Data, fileMode)
		}
		for _, name := range []error{syscall.ENAMETOOLONG, syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST} {
			if errors.Is(err, name) { // a file is a folder of another, or this system limits names or ignores their case
				return "", fault.New(fault.NotAFile, f.Path, "cannot be a file here")
			}
		}
		if err != nil {
			return "", err
		}
	}
	if err := w.root.RemoveAll(folder); err != nil { // its files are not those any more
		return "", err
	}
	if err := w.root.Rename(temp, folder); err != nil {
		return "", err
	}
	w.kept[folder] = true
	return folder, nil
}

// isPortablePath reports whether a path from the server is one below its folder on every system.
func isPortablePath(name string) bool {
	return fs.ValidPath(name) && name != "." && filepath.IsLocal(name) && !strings.ContainsAny(name, "\\:\x00") &&
		!slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// Save makes the copy the one that everybody reads. Folders that it does not have go when the writer is closed.
func (w *Writer) Save(c *Copy) error {
	if err := list(w.ss).Write(c); err != nil {
		return err
	}
	w.ss.CacheValue(remembered, nil)
	w.saved = true
	return nil
}

// Close ends the writing. Without Save the last copy stays.
func (w *Writer) Close() error {
	var failed error
	if w.saved {
		entries, err := fs.ReadDir(w.root.FS(), ".")
		failed = err
		for _, e := range entries {
			if e.IsDir() && !w.kept[e.Name()] {
				failed = errors.Join(failed, w.root.RemoveAll(e.Name()))
			}
		}
	}
	return errors.Join(failed, w.root.Close(), w.end())
}

// Remove deletes the copy, and reports whether there was one.
func Remove(ctx context.Context, ss *store.Stores) (bool, error) {
	if _, err := os.Lstat(ListFile(ss)); errors.Is(err, fs.ErrNotExist) || ss.DryRun() {
		return false, nil
	}
	w, err := Write(ctx, ss)
	if err != nil {
		return false, err
	}
	err = list(ss).Remove()
	w.saved = err == nil
	ss.CacheValue(remembered, nil)
	return err == nil, errors.Join(err, w.Close())
}
