// Package statedir is one folder of local state: files of mode 0600 that are reached without
// following a link, and replaced as a whole.
package statedir

import (
	"bytes"
	"context"
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

// find is the open folder. It opens it anew where another one has taken its place. Whatever is no longer used the garbage
// collector closes: another goroutine may still use it.
func (k *Kept) find(d Dir, make bool) (*os.Root, error) {
	if k == nil {
		return safefile.OpenBelow(d.Top, d.Folder, make)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept, ok := k.folders[d.Folder]; ok {
		if now, err := os.Lstat(d.Folder); err == nil && os.SameFile(now, kept.info) {
			return kept.root, nil
		}
	}
	delete(k.folders, d.Folder)
	root, err := safefile.OpenBelow(d.Top, d.Folder, make)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if k.folders == nil {
		k.folders = map[string]keptFolder{}
	}
	k.folders[d.Folder] = keptFolder{root, info}
	return root, nil
}

// Path is where a file of the folder is.
func (d Dir) Path(name string) string { return filepath.Join(d.Folder, name) }

// Open opens the folder, which the caller closes; with make, which is for those who write, it creates it first. Without a
// data folder there is no state: a relative path would lead into somebody's project. Errors:
// fs.ErrNotExist, also with make where the folder is ReadOnly; fault.LocalState for a link on
// the way; fault.Scope.
func (d Dir) Open(make bool) (root *os.Root, err error) {
	err = d.use(make, func(kept *os.Root) (err error) {
		root, err = kept.OpenRoot(".")
		return err
	})
	return root, err
}

// use calls do with the open folder. Errors: those of Open and of do.
func (d Dir) use(make bool, do func(root *os.Root) error) error {
	switch {
	case make && d.ReadOnly, !make && !filepath.IsAbs(d.Folder):
		return fs.ErrNotExist
	case !filepath.IsAbs(d.Folder):
		return fault.New(fault.Scope, "HOME", NoDataFolder)
	}
	root, err := d.Kept.find(d, make)
	if err != nil {
		return d.fault(err)
	}
	if d.Kept == nil {
		defer root.Close()
	}
	return d.fault(do(root))
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

// TailBytes returns a file's last max bytes; nil without an error where it is not
// there.
func (d Dir) TailBytes(name string, max int64) (data []byte, err error) {
	err = d.use(false, func(root *os.Root) (err error) {
		data, err = safefile.ReadTail(root, name, max)
		return err
	})
	return data, d.unlessOthers(name, err)
}

// Names lists the folder's files, sorted; none where it is not there.
func (d Dir) Names() (names []string, err error) {
	err = d.use(false, func(root *os.Root) error {
		files, err := fs.ReadDir(root.FS(), ".")
		for _, f := range files {
			names = append(names, f.Name())
		}
		return err
	})
	return names, unlessMissing(err)
}

// Write replaces a file, crash-safe. Errors: fault.TooLarge; the system's cause.
func (d Dir) Write(name string, data []byte) error { return d.write(name, data, false) }

// WriteCache replaces a file that can be rebuilt; a failure is of no account.
func (d Dir) WriteCache(name string, data []byte) { _ = d.write(name, data, true) }

// write replaces a file. Quick does not wait for the disk: the file survives the end of the process, not a power cut.
func (d Dir) write(name string, data []byte, quick bool) error {
	switch {
	case d.ReadOnly:
		return nil
	case len(data) > MaxStateBytes: // it could not be read again, and every act after it would fail
		return TooMuch(d.Path(name), MaxStateBytes)
	}
	return d.use(true, func(root *os.Root) error {
		if quick {
			return safefile.WriteCache(root, name, data, stateMode)
		}
		return safefile.Write(root, name, data, stateMode)
	})
}

// Change replaces a file with what change makes of it, and removes it if nothing is left. Nobody
// else adds to the file or changes it meanwhile, so change may not do it either. Errors: those of Lock and of change;
// the file cannot be read or written.
func (d Dir) Change(name string, change func(data []byte) ([]byte, error)) error {
	return d.change(name, false, change)
}

func (d Dir) change(name string, quick bool, change func(data []byte) ([]byte, error)) error {
	return d.Locked(name, func() error {
		was, err := d.Read(name)
		if err != nil {
			return err
		}
		next, err := change(was)
		switch {
		case err != nil || bytes.Equal(was, next):
			return err
		case len(next) == 0:
			return d.Remove(name)
		}
		return d.write(name, next, quick)
	})
}

// logWait bounds the wait for the lock of a file, which a process holds while it adds a line or replaces the file. A
// hook has two seconds in all.
const logWait = time.Second

// Locked calls do while it holds the lock of a file. Everything that changes a file goes this way, unless it holds the store's
// lock: replacing it without the lock would lose what others add.
func (d Dir) Locked(name string, do func() error) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), logWait)
	defer cancel()
	unlock, err := d.Lock(ctx, name+".lock", "memctl writes "+name, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do()
}

// Append adds a line to a file of lines. Where that has more than max bytes, it keeps the newest half. Errors: those of Lock; the
// system's cause.
func (d Dir) Append(name string, line []byte, max int64) error {
	return d.appendLine(name, line, max, func() bool { return false }, newestHalf)
}

// newestHalf is the second half of the lines of a file.
func newestHalf(data []byte) ([]byte, error) {
	data = data[len(data)/2:]
	return data[bytes.IndexByte(data, '\n')+1:], nil
}

// appendLine adds nothing if skip holds, which is asked under the lock. cut makes a file shorter that has more than max bytes.
func (d Dir) appendLine(name string, line []byte, max int64, skip func() bool, cut func(data []byte) ([]byte, error)) error {
	return d.Locked(name, func() error {
		if skip() || d.ReadOnly {
			return nil
		}
		// With a line end on both sides, a line that a crash tore spoils no other.
		line = append(append([]byte{'\n'}, line...), '\n')
		var size int64
		err := d.use(true, func(root *os.Root) error {
			f, was, err := safefile.OpenLog(root, name, stateMode)
			if err != nil {
				return err
			}
			size = was + int64(len(line))
			_, err = f.Write(line)
			return errors.Join(err, f.Close())
		})
		if err != nil || size <= max {
			return err
		}
		data, err := d.Read(name)
		if err == nil {
			data, err = cut(data)
		}
		if err != nil {
			return err
		}
		return d.Write(name, data)
	})
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
