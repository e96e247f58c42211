// Package statedir is one folder of local state: files of mode 0600 that are reached without
// following a link, and replaced as a whole.
package statedir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
)

const (
	// MaxStateBytes caps what is read of a local state file.
	MaxStateBytes = 16 << 20
	stateMode     = 0o600
	// formatFile holds the number of the format that the folder's files have. Without it
	// the format is 1, the only one so far. A memctl that changes a file so that an older
	// one would lose data writes the number first.
	formatFile = "format"
	format     = 1
)

// Dir is one folder of local state, which is reached from top without links: see
// safefile.OpenBelow.
type Dir struct {
	Folder string // absolute
	Top    string // the git folder or memctl's data folder
	// ReadOnly makes every change of the folder do nothing, and locks without effect: a dry
	// run's writer.
	ReadOnly bool
	// Kept holds the folders that the session has opened; nil opens the folder each time.
	Kept *Kept
}

// Kept are folders of local state that stay open, so that the way to each is walked once.
type Kept struct {
	mu      sync.Mutex
	folders map[string]keptFolder
}

type keptFolder struct {
	root *os.Root
	info fs.FileInfo // of the folder as it was opened
}

// find is the open folder; nil where it is not open, or another one has taken its place.
func (k *Kept) find(folder string) *os.Root {
	kept, ok := k.folders[folder]
	if !ok {
		return nil
	}
	if now, err := os.Lstat(folder); err == nil && os.SameFile(now, kept.info) {
		return kept.root
	}
	delete(k.folders, folder) // another goroutine may still use it, so the garbage collector closes it
	return nil
}

// Path is where a file of the folder is.
func (d Dir) Path(name string) string { return filepath.Join(d.Folder, name) }

// Open opens the folder; with make, which is for those who write, it creates it first. Without a
// data folder there is no state: a relative path would lead into somebody's project. Errors:
// fs.ErrNotExist, also with make where the folder is ReadOnly; fault.LocalState for a link on
// the way; fault.Scope.
func (d Dir) Open(make bool) (*os.Root, error) {
	root, err := d.open(make)
	if err == nil && d.Kept != nil {
		root, err = root.OpenRoot(".")
	}
	return root, err
}

// open is Open for this package: the caller does not close a folder that is kept.
func (d Dir) open(make bool) (*os.Root, error) {
	if make && d.ReadOnly {
		return nil, fs.ErrNotExist
	}
	if d.Kept == nil {
		return d.reach(make)
	}
	d.Kept.mu.Lock()
	defer d.Kept.mu.Unlock()
	if root := d.Kept.find(d.Folder); root != nil {
		return root, nil
	}
	root, err := d.reach(make)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if d.Kept.folders == nil {
		d.Kept.folders = map[string]keptFolder{}
	}
	d.Kept.folders[d.Folder] = keptFolder{root, info}
	return root, nil
}

// use calls do with the open folder. Errors: those of Open and of do.
func (d Dir) use(make bool, do func(root *os.Root) error) error {
	root, err := d.open(make)
	if err != nil {
		return err
	}
	if d.Kept == nil {
		defer root.Close()
	}
	return d.fault(do(root))
}

// reach opens the folder from top on.
func (d Dir) reach(make bool) (*os.Root, error) {
	if !filepath.IsAbs(d.Folder) {
		if !make {
			return nil, fs.ErrNotExist
		}
		return nil, fault.New(fault.Scope, "HOME", NoDataFolder)
	}
	root, err := safefile.OpenBelow(d.Top, d.Folder, make)
	return root, d.fault(err)
}

// fault names the whole path of what is no regular file in the place of local state.
func (d Dir) fault(err error) error {
	kind := fault.Find(err, fault.NotAFile)
	if kind == nil {
		return err
	}
	path := kind.Thing
	if !filepath.IsAbs(path) {
		path = d.Path(path)
	}
	return Damaged(path, kind)
}

// Look is an error where the file is there and no regular one.
func (d Dir) Look(name string) error {
	_, err := d.ReadUpTo(name, 0)
	return err
}

// Lock takes a lock of the folder. Errors: those of safefile.Lock; fault.LocalState for a
// link; fault.NewerVersion for a folder that a newer memctl has changed.
func (d Dir) Lock(ctx context.Context, name, what string, died func(since time.Time) error) (unlock func() error, err error) {
	if d.ReadOnly {
		return func() error { return nil }, nil
	}
	err = d.use(true, func(root *os.Root) error {
		err := d.newer(root)
		if err == nil {
			unlock, err = safefile.Lock(ctx, root, name, what, died)
		}
		return err
	})
	return unlock, err
}

// newer is the error of a folder whose format this memctl does not know: it would write
// over what it cannot read.
func (d Dir) newer(root *os.Root) error {
	data, _, err := safefile.Read(root, formatFile, 16)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && n <= format {
		return nil
	}
	return fault.New(fault.NewerVersion, d.Folder, "a newer memctl has written this local state; this one can read the memory but not change it")
}

// Read returns a file's bytes; nil without an error where it is not there.
func (d Dir) Read(name string) ([]byte, error) { return d.ReadUpTo(name, MaxStateBytes) }

// ReadUpTo is Read with a limit in bytes. Errors: fault.TooLarge.
func (d Dir) ReadUpTo(name string, limit int64) (data []byte, err error) {
	err = d.use(false, func(root *os.Root) (err error) {
		data, _, err = safefile.Read(root, name, limit)
		return err
	})
	return data, d.unlessOthers(name, err)
}

// unlessOthers drops the error of a file or folder that is not there, or that belongs to another user who lets nobody
// read it: reading goes on without this state, and a write names the owner (see Store.Unwritable).
func (d Dir) unlessOthers(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		for _, path := range []string{d.Folder, d.Path(name)} {
			if _, other := safefile.OtherOwner(path); other {
				return nil
			}
		}
	}
	return unlessMissing(err)
}

// unlessMissing drops the error of a file or folder that is not there.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Tail returns a file's last max bytes; nil without an error where it is not
// there.
func (d Dir) Tail(name string, max int64) (data []byte, err error) {
	err = d.use(false, func(root *os.Root) (err error) {
		data, err = safefile.ReadTail(root, name, max)
		return err
	})
	return data, d.unlessOthers(name, err)
}

// Write replaces a file, crash-safe.
func (d Dir) Write(name string, data []byte) error {
	if d.ReadOnly {
		return nil
	}
	return d.use(true, func(root *os.Root) error { return safefile.Write(root, name, data, stateMode) })
}

// WriteCache replaces a file that can be rebuilt; a failure is of no account.
func (d Dir) WriteCache(name string, data []byte) {
	_ = d.writeQuick(name, data)
}

// ReadJSON decodes a file into v and leaves v alone where there is none.
func (d Dir) ReadJSON(name string, v any) error {
	data, err := d.Read(name)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return Damaged(d.Path(name), err)
	}
	return nil
}

// WriteJSON replaces a file with v, crash-safe. Errors: fault.TooLarge.
func (d Dir) WriteJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= MaxStateBytes { // it could not be read again, and every act after it would fail
		return TooMuch(d.Path(name), MaxStateBytes)
	}
	return d.Write(name, append(data, '\n'))
}

// WriteQuickJSON is WriteJSON without waiting for the disk: it survives the end
// of the process, not a power cut.
func (d Dir) WriteQuickJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return d.writeQuick(name, data)
}

func (d Dir) writeQuick(name string, data []byte) error {
	if d.ReadOnly {
		return nil
	}
	return d.use(true, func(root *os.Root) error { return safefile.WriteCache(root, name, data, stateMode) })
}

// Remove takes a file away; one that is not there is no error.
func (d Dir) Remove(name string) error {
	if d.ReadOnly {
		return nil
	}
	return unlessMissing(d.use(false, func(root *os.Root) error { return root.Remove(name) }))
}

// Damaged is the error of local state that cannot be read for the reason in err.
func Damaged(path string, err error) error {
	if IsLink(err) {
		return &fault.Error{Code: fault.LocalState, Thing: path, Cause: "is a symbolic link, and memctl follows no links in its local state", Hints: []string{"rm " + shell.Quote(path)}, Err: err}
	}
	return &fault.Error{Code: fault.LocalState, Thing: path, Cause: "local state is damaged: " + err.Error(), Hints: []string{"mv " + shell.Quote(path) + " " + shell.Quote(path+".damaged")}, Err: err}
}

// IsLink reports whether the error is about a symbolic link in the place of a file or folder.
func IsLink(err error) bool { return fault.Why(err, fault.NotAFile) == safefile.Symlink }

// TooMuch is the error of an act that is too large: for one write, or for what local state
// has to keep of it until it is over. Nothing was changed. path has no room for more than max
// bytes.
func TooMuch(path string, max int64) error {
	return fault.New(fault.TooLarge, path, fmt.Sprintf("one command can change at most %d MB of it, so nothing was changed; use several commands", max>>20))
}

// NoDataFolder says what is wrong, and the way out, where there is no data folder.
const NoDataFolder = "HOME is not the absolute path of a home folder, so memctl has no place for its files; set HOME or XDG_DATA_HOME"
