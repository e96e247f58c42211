package object

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/memctl/memctl/gitops"
)

// fileReader reads objects from the repository's files, without starting
// git: loose ones here, packed ones with go-git.
type fileReader struct {
	mu     sync.Mutex // it is no reader for two at once
	folder string
	packs  map[string]*pack // by the index's path; open while in use
	recent map[string]small // loose commits and trees that were read last, by id
}

// small is a loose commit or tree. One act looks up HEAD's and the journal's several times.
type small struct {
	kind string
	data []byte
}

const (
	maxSmall  = 1 << 20 // bytes, a folder of 15,000 entries
	maxRecent = 32
)

// opened is the reader of a repository.
type opened struct {
	once  sync.Once
	plain *fileReader // nil where objects are read by git alone
}

// plainReader gives the reader without git, nil where the repository is not
// plain enough for it. That is looked at once.
func plainReader(r *gitops.Repo) *fileReader {
	o := gitops.Attached[opened](r)
	o.once.Do(func() {
		if isPlain(r) {
			o.plain = &fileReader{folder: filepath.Join(r.CommonDir, "objects")}
		}
	})
	return o.plain
}

// isPlain: nothing that makes git read another object than the one in the files, and none
// borrowed from another repository.
func isPlain(r *gitops.Repo) bool {
	for key, value := range r.FileConfig() {
		name, isExtension := strings.CutPrefix(key, "extensions.")
		harmless := name == "worktreeconfig" || name == "noop" || name == "relativeworktrees" ||
			name == "preciousobjects" || name == "partialclone" || name == "objectformat" && value == "sha1"
		if isExtension && !harmless {
			return false
		}
	}
	return !hasReplacements(r) && !gitops.Exists(filepath.Join(r.CommonDir, "objects", "info", "alternates"))
}

// hasReplacements: refs/replace makes git read one object for another.
func hasReplacements(r *gitops.Repo) bool {
	if names, err := os.ReadDir(filepath.Join(r.CommonDir, "refs", "replace")); err == nil && len(names) > 0 {
		return true
	}
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(data, []byte(" refs/replace/"))
}

func (p *fileReader) Read(id string) (kind string, data []byte, err error) {
	if len(id) != 40 {
		return "", nil, fmt.Errorf("%q: not a SHA-1 id", id)
	}
	if s, ok := p.recent[id]; ok {
		return s.kind, s.data, nil
	}
	kind, data, err = readLoose(filepath.Join(p.folder, id[:2], id[2:]))
	switch {
	case err == nil:
		p.remember(id, small{kind, data})
		return kind, data, nil
	case !errors.Is(err, os.ErrNotExist):
		return "", nil, fmt.Errorf("%q: %w", id, err)
	}
	return p.readPacked(id)
}

func (p *fileReader) remember(id string, s small) {
	if s.kind == "blob" || len(s.data) > maxSmall {
		return
	}
	if p.recent == nil || len(p.recent) == maxRecent {
		p.recent = map[string]small{}
	}
	p.recent[id] = s
}

// readPacked looks the packs through. They stay open, for their unfolded
// objects are the base of the next version that is read.
func (p *fileReader) readPacked(id string) (string, []byte, error) {
	if p.packs == nil {
		p.packs = map[string]*pack{}
		dir := filepath.Join(p.folder, "pack")
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", nil, err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".idx") {
				p.packs[filepath.Join(dir, e.Name())] = nil
			}
		}
	}
	for path, k := range p.packs {
		if k == nil {
			var err error
			if k, err = openPack(path); err != nil {
				return "", nil, err
			}
			p.packs[path] = k
		}
		kind, data, err := k.read(id)
		if !errors.Is(err, ErrMissing) {
			return kind, data, err
		}
	}
	return "", nil, fmt.Errorf("%q: %w", id, ErrMissing)
}

// close lets go of the packs; the next reading lists them anew.
func (p *fileReader) close() {
	for _, k := range p.packs {
		if k != nil {
			k.close()
		}
	}
	p.packs = nil
}
