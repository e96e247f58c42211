package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// maxPackIndexes bounds the pack indexes that are read in this process, in
// bytes together: go-git reads each of them whole, 0.4 s at 2 million objects,
// where starting git costs 1.3 ms.
const maxPackIndexes = 8 << 20

// plainObjects reads objects from the files with go-git's storage.
type plainObjects struct{ storage *filesystem.Storage }

// plainReader gives the reader without git, nil where the repository is not
// plain enough for it. That is looked at once.
func (r *Repo) plainReader() *plainObjects {
	r.plainOnce.Do(func() {
		if !r.isPlain() {
			return
		}
		r.plain = &plainObjects{storage: filesystem.NewStorageWithOptions(
			osfs.New(r.CommonDir), cache.NewObjectLRU(4*cache.MiByte),
			filesystem.Options{AlternatesFS: osfs.New(string(filepath.Separator)), LargeObjectThreshold: maxObject},
		)}
	})
	return r.plain
}

// isPlain: nothing that go-git does not know or would read differently from git.
func (r *Repo) isPlain() bool {
	for _, name := range []string{"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_REPLACE_REF_BASE"} {
		if os.Getenv(name) != "" {
			return false
		}
	}
	cfg := r.fileConfig()
	for key, value := range cfg {
		name, isExtension := strings.CutPrefix(key, "extensions.")
		harmless := name == "worktreeconfig" || name == "noop" || name == "relativeworktrees" ||
			name == "preciousobjects" || name == "objectformat" && value == "sha1"
		if isExtension && !harmless {
			return false
		}
	}
	return !r.hasReplacements() && r.plainAlternates() && r.packIndexSize() <= maxPackIndexes
}

// hasReplacements: refs/replace makes git read one object for another.
func (r *Repo) hasReplacements() bool {
	if names, err := os.ReadDir(filepath.Join(r.CommonDir, "refs", "replace")); err == nil && len(names) > 0 {
		return true
	}
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(data, []byte(" refs/replace/"))
}

// plainAlternates: at most one level, named by absolute paths.
func (r *Repo) plainAlternates() bool {
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "objects", "info", "alternates"))
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	if err != nil {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n") {
		if !filepath.IsAbs(line) {
			return false
		}
		if _, err := os.Stat(filepath.Join(line, "info", "alternates")); err == nil {
			return false
		}
	}
	return true
}

// packIndexSize is the size of all pack indexes, alternates' not counted twice.
func (r *Repo) packIndexSize() int64 {
	folders := []string{filepath.Join(r.CommonDir, "objects")}
	if data, err := os.ReadFile(filepath.Join(r.CommonDir, "objects", "info", "alternates")); err == nil {
		folders = append(folders, strings.Fields(string(data))...)
	}
	var sum int64
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(folder, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if fi, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".idx") {
				sum += fi.Size()
			}
		}
	}
	return sum
}

func (p *plainObjects) read(id string) (string, []byte, error) {
	if len(id) != 40 {
		return "", nil, fmt.Errorf("%q: not a SHA-1 id", id)
	}
	o, err := p.storage.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return "", nil, fmt.Errorf("%q: %w", id, errMissing)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", id, err)
	}
	if o.Size() > maxObject {
		return "", nil, fmt.Errorf("%q: object of %d bytes is too large", id, o.Size())
	}
	reader, err := o.Reader()
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", id, err)
	}
	data, err := io.ReadAll(reader)
	return o.Type().String(), data, errors.Join(err, reader.Close())
}
