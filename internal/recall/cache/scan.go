package cache

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

const (
	// smallFolder is the number of files under which a folder's files are
	// compared though the folder did not change, unless they are turns;
	// smallFiles bounds them over all folders.
	smallFolder = 2000
	smallFiles  = 4000
	maxDepth    = 12
	// maxFiles bounds what one store's index is made of.
	maxFiles = 1_000_000
	// top stands for the store's folder itself, which is never listed: of its
	// files only those are looked at that have a name in the request.
	top = "."
)

// findings are what a store's folder holds now beside what was indexed.
type findings struct {
	list   *list
	read   []string // new or changed, by path
	was    []string // of those, what was indexed before
	gone   []string // indexed, and no more there
	relist bool     // the list changed and no file did
	// glanced is set where the times of some files, turns apart, were not compared.
	glanced bool
}

// changed reports whether docs must be read or dropped.
func (f *findings) changed() bool { return len(f.read)+len(f.gone) > 0 }

// dropped lists the files whose docs in the index count no more.
func (f *findings) dropped() []string { return append(slices.Clone(f.was), f.gone...) }

// scanner compares a store's folder with the list.
type scanner struct {
	ctx    context.Context
	st     *store.Store
	root   *os.Root
	old    *list
	wants  wanted
	now    time.Time
	fresh  bool
	names  bool
	below  map[string][]string // the folders that were listed, by the folder they stand in
	small  []folder            // unchanged folders whose files may be compared
	found  findings
	counts int
	limit  int // of files, where nothing is indexed yet: over it nothing is; 0 for none
}

// errBehind ends a scan that has found more files than may be read: a hook does not
// walk a large store at every prompt while it has no index.
var errBehind = errors.New("there is more to index than this command may read")

func (k *keeper) scan(ctx context.Context, root *os.Root) (*findings, error) {
	s := &scanner{ctx: ctx, st: k.st, root: root, old: k.old, wants: k.wants(), now: k.now, fresh: k.req.Fresh, names: k.req.Names && k.old != nil}
	s.found.list = &list{}
	if k.old != nil {
		s.found.list.Nested, s.found.list.NestedAt = k.old.Nested, k.old.NestedAt
		s.below = map[string][]string{}
		for _, d := range k.old.Folders {
			s.below[path.Dir(d.Path)] = append(s.below[path.Dir(d.Path)], d.Path)
		}
	} else {
		s.old, s.limit = &list{}, k.req.MaxRead
	}
	if d := s.old.folder(top); s.names && d != nil {
		s.found.list.Folders = append(s.found.list.Folders, *d)
	} else if err := s.topFiles(); err != nil {
		return nil, err
	}
	for _, dir := range s.wants.trees {
		if err := s.folder(dir, 0); err != nil {
			return nil, err
		}
	}
	if err := s.smallOnes(); err != nil {
		return nil, err
	}
	return s.result()
}

// topFiles looks at the files in the store's own folder by their names.
func (s *scanner) topFiles() error {
	var files []file
	var infos []fs.FileInfo
	s.wants.top = s.topNames()
	for _, name := range append([]string{memfile.FileName}, s.wants.top...) {
		info, err := s.wants.stat(s.root, name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		// MEMORY.md and memory.md are one file where case does not count.
		if slices.ContainsFunc(infos, func(i fs.FileInfo) bool { return os.SameFile(i, info) }) {
			continue
		}
		infos = append(infos, info)
		f := s.file(info)
		f.name = name
		files = append(files, f)
	}
	return s.compare(folder{Path: top}, files)
}

// folder compares one folder, and those below it.
func (s *scanner) folder(dir string, depth int) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	// One call, where an os.Root opens each folder above. Each of these was looked at before: none is a link.
	info, err := os.Lstat(filepath.Join(s.root.Name(), s.st.OnDisk(dir)))
	if err != nil || !info.IsDir() || depth > maxDepth {
		return nil // what was indexed of it is missed in result
	}
	was := s.old.folder(dir)
	if was != nil && was.Time != 0 && was.Time == info.ModTime().UnixNano() {
		s.counts += was.Count
		// People edit facts and notes, but not what was said.
		if ofTurns := path.Base(path.Dir(dir)) == entry.TurnsFolder; was.Count > 0 && !s.names && (s.fresh || was.Count < smallFolder && !ofTurns) {
			s.small = append(s.small, *was)
		} else {
			s.found.list.Folders = append(s.found.list.Folders, *was)
			s.found.glanced = s.found.glanced || was.Count > 0 && !ofTurns
		}
		for _, sub := range s.below[dir] {
			if err := s.folder(sub, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if was != nil && s.names {
		return s.named(was, depth)
	}
	return s.compareByListing(dir, info, depth)
}

// named compares the names in a folder that was indexed with those that are there now. It asks the system about new
// names alone, while Go asks about every file that it lists in a folder below an os.Root.
func (s *scanner) named(was *folder, depth int) error {
	known, err := was.list()
	if err != nil {
		return err
	}
	s.found.list.Folders, s.found.glanced = append(s.found.list.Folders, *was), true
	left := make(map[string]bool, len(known))
	for _, f := range known {
		left[f.name] = true
	}
	f, err := s.root.Open(s.st.OnDisk(was.Path))
	if err != nil {
		return nil
	}
	names, err := f.Readdirnames(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil
	}
	for _, name := range names {
		if left[name] {
			delete(left, name)
			continue
		}
		at := path.Join(was.Path, name)
		info, err := s.root.Lstat(s.st.OnDisk(at))
		switch {
		case err != nil:
		case info.IsDir() && s.wants.wantsFolder(at):
			if err := s.folder(at, depth+1); err != nil {
				return err
			}
		case info.Mode().IsRegular() && s.wants.wantsFile(at):
			s.found.read = append(s.found.read, at)
		}
	}
	for name := range left {
		s.found.gone = append(s.found.gone, path.Join(was.Path, name))
	}
	return nil
}

// compareByListing compares a folder by a new listing.
func (s *scanner) compareByListing(dir string, info fs.FileInfo, depth int) error {
	files, below, err := s.list(dir)
	if errors.Is(err, errBehind) {
		return err
	}
	if err != nil {
		return nil // a folder that cannot be read hides no other
	}
	s.found.relist = true
	s.counts += len(files)
	for _, sub := range below {
		if err := s.folder(sub, depth+1); err != nil {
			return err
		}
	}
	return s.compare(folder{Path: dir, Time: s.settled(info.ModTime())}, files)
}

// listAtOnce is how many files of a folder are held with all that the system
// tells of them.
const listAtOnce = 1000

// list gives the files of a folder that are indexed, and the folders in it that
// are walked into.
func (s *scanner) list(dir string) (files []file, below []string, err error) {
	f, err := s.root.Open(s.st.OnDisk(dir))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(listAtOnce)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir() && s.wants.wantsFolder(name):
				below = append(below, name)
			case e.Type().IsRegular() && s.wants.wantsFile(name) && s.counts+len(files) < maxFiles:
				if info, err := e.Info(); err == nil {
					files = append(files, s.file(info))
				}
			}
		}
		if s.limit > 0 && s.counts+len(files) > s.limit {
			return nil, nil, errBehind
		}
		if errors.Is(err, io.EOF) {
			return files, below, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// smallOnes compares the files of unchanged folders, the newest first, as far
// as smallFiles goes.
func (s *scanner) smallOnes() error {
	slices.SortFunc(s.small, func(a, b folder) int { return cmp.Compare(b.Time, a.Time) })
	left := smallFiles
	for _, d := range s.small {
		if left -= d.Count; left < 0 && !s.fresh {
			s.found.glanced = true
			s.found.list.Folders = append(s.found.list.Folders, d)
			continue
		}
		files, _, err := s.list(d.Path)
		if err != nil {
			files = nil // what was indexed of it is gone
		}
		if err := s.compare(folder{Path: d.Path, Time: d.Time}, files); err != nil {
			return err
		}
	}
	return nil
}

// compare notes what changed among a folder's files, and keeps the new list.
func (s *scanner) compare(d folder, files []file) error {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var was []file
	if old := s.old.folder(d.Path); old != nil {
		var err error
		if was, err = old.list(); err != nil {
			return err
		}
	}
	for i, j := 0, 0; i < len(files) || j < len(was); {
		switch {
		case j == len(was) || i < len(files) && files[i].name < was[j].name:
			s.found.read = append(s.found.read, path.Join(d.Path, files[i].name))
			i++
		case i == len(files) || was[j].name < files[i].name:
			s.found.gone = append(s.found.gone, path.Join(d.Path, was[j].name))
			j++
		default:
			if was[j].time == 0 || files[i] != was[j] {
				name := path.Join(d.Path, files[i].name)
				s.found.read, s.found.was = append(s.found.read, name), append(s.found.was, name)
			}
			i, j = i+1, j+1
		}
	}
	d.Count, d.Files = len(files), blockOfFiles(files)
	s.found.list.Folders = append(s.found.list.Folders, d)
	return nil
}

// result adds what was indexed in folders that are no more.
func (s *scanner) result() (*findings, error) {
	l := s.found.list
	slices.SortFunc(l.Folders, func(a, b folder) int { return cmp.Compare(a.Path, b.Path) })
	for _, was := range s.old.Folders {
		if l.folder(was.Path) != nil {
			continue
		}
		files, err := was.list()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			s.found.gone = append(s.found.gone, path.Join(was.Path, f.name))
		}
		s.found.relist = true
	}
	return &s.found, nil
}

func (s *scanner) file(info fs.FileInfo) file {
	f := file{name: info.Name(), size: info.Size(), time: s.settled(info.ModTime())}
	if at := safefile.ChangedAt(info); f.time != 0 && at != 0 {
		// An edit may set the first of them back to what it was, not the second.
		// Both in one number, which is compared and nothing else; never 0.
		f.time = f.time ^ at<<1 | 1
	}
	return f
}

// settled is a time of last change that a later change cannot repeat; 0 where it
// can: what changed a moment ago may change again within the clock's tick. File
// systems that keep whole seconds tick slowly.
func (s *scanner) settled(t time.Time) int64 {
	tick := 50 * time.Millisecond
	if t.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	if age := s.now.Sub(t); age > -tick && age < tick {
		return 0
	}
	return t.UnixNano()
}
