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
	// maxSmallFolder is the number of files under which a folder's files are
	// compared though the folder did not change, unless they are turns;
	// maxSmallFiles bounds them over all folders.
	maxSmallFolder = 2000
	maxSmallFiles  = 4000
	maxDepth       = 12
	// maxFiles bounds what one store's index is made of.
	maxFiles = 1_000_000
	// storeFolder stands for the store's folder itself, which is never listed: of its
	// files only those are looked at that have a name in the request.
	storeFolder = "."
)

// changes are what a store's folder holds now beside what was indexed.
type changes struct {
	list            *fileList
	toRead          []string // new or changed, by path
	indexedBefore   []string // of those, what was indexed before
	removed         []string // indexed, and not there any more
	onlyListChanged bool     // the list changed and no file did
	// notCompared is set where the times of some files, turns apart, were not compared.
	notCompared bool
}

// filesToDrop lists the files whose docs in the index count no more.
func (f *changes) filesToDrop() []string { return append(slices.Clone(f.indexedBefore), f.removed...) }

// scanner compares a store's folder with the list.
type scanner struct {
	ctx              context.Context
	st               *store.Store
	root             *os.Root
	old              *fileList
	wanted           wantedFiles
	now              time.Time
	compareAll       bool
	namesOnly        bool
	subfolders       map[string][]string // the folders that were listed, by the folder they stand in
	unchangedFolders []folder            // those whose files may be compared
	found            changes
	fileCount        int
	maxFiles         int // where nothing is indexed yet: of a store with more files nothing is indexed; 0 for no limit
}

// errTooManyFiles ends a scan that has found more files than may be read: a hook does not
// walk a large store at every prompt while it has no index.
var errTooManyFiles = errors.New("there is more to index than this command may read")

func (k *updater) scan(ctx context.Context, root *os.Root) (*changes, error) {
	s := &scanner{ctx: ctx, st: k.st, root: root, old: k.old, wanted: k.wantedFiles(), now: k.now, compareAll: k.req.CompareAll, namesOnly: k.req.NamesOnly && k.old != nil}
	s.found.list = &fileList{}
	if k.old != nil {
		s.found.list.Nested, s.found.list.NestedAt = k.old.Nested, k.old.NestedAt
		s.subfolders = map[string][]string{}
		for _, d := range k.old.Folders {
			s.subfolders[path.Dir(d.Path)] = append(s.subfolders[path.Dir(d.Path)], d.Path)
		}
	} else {
		s.old, s.maxFiles = &fileList{}, k.req.MaxChangedFiles
	}
	if d := s.old.findFolder(storeFolder); s.namesOnly && d != nil {
		s.found.list.Folders = append(s.found.list.Folders, *d)
	} else if err := s.compareTopFiles(); err != nil {
		return nil, err
	}
	for _, dir := range s.wanted.foldersToWalk {
		if err := s.compareFolder(dir, 0); err != nil {
			return nil, err
		}
	}
	if err := s.compareSmallFolders(); err != nil {
		return nil, err
	}
	return s.addRemovedFolders()
}

// compareTopFiles looks at the files in the store's own folder by their names.
func (s *scanner) compareTopFiles() error {
	var files []fileState
	var infos []fs.FileInfo
	s.wanted.topNames = s.topNames()
	for _, name := range append([]string{memfile.FileName}, s.wanted.topNames...) {
		info, err := s.wanted.stat(s.root, name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		// MEMORY.md and memory.md are one file where case does not count.
		if slices.ContainsFunc(infos, func(i fs.FileInfo) bool { return os.SameFile(i, info) }) {
			continue
		}
		infos = append(infos, info)
		f := s.stateOf(info)
		f.name = name
		files = append(files, f)
	}
	return s.compareFiles(folder{Path: storeFolder}, files)
}

// compareFolder compares one folder, and those below it.
func (s *scanner) compareFolder(dir string, depth int) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	// One call, where an os.Root opens each folder above. Each of these was looked at before: none is a link.
	info, err := os.Lstat(filepath.Join(s.root.Name(), s.st.OnDisk(dir)))
	if err != nil || !info.IsDir() || depth > maxDepth {
		return nil // what was indexed of it is missed in result
	}
	was := s.old.findFolder(dir)
	if was != nil && was.Time != 0 && was.Time == info.ModTime().UnixNano() {
		s.fileCount += was.Count
		// People edit facts and notes, but not what was said.
		if ofTurns := path.Base(path.Dir(dir)) == entry.TurnsFolder; was.Count > 0 && !s.namesOnly && (s.compareAll || was.Count < maxSmallFolder && !ofTurns) {
			s.unchangedFolders = append(s.unchangedFolders, *was)
		} else {
			s.found.list.Folders = append(s.found.list.Folders, *was)
			s.found.notCompared = s.found.notCompared || was.Count > 0 && !ofTurns
		}
		for _, sub := range s.subfolders[dir] {
			if err := s.compareFolder(sub, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if was != nil && s.namesOnly {
		return s.compareByNames(was, depth)
	}
	return s.compareByListing(dir, info, depth)
}

// compareByNames compares the names in a folder that was indexed with those that are there now. It asks the system about new
// names alone, while Go asks about every file that it lists in a folder below an os.Root.
func (s *scanner) compareByNames(was *folder, depth int) error {
	known, err := was.readFiles()
	if err != nil {
		return err
	}
	s.found.list.Folders, s.found.notCompared = append(s.found.list.Folders, *was), true
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
		case info.IsDir() && s.wanted.wantsFolder(at):
			if err := s.compareFolder(at, depth+1); err != nil {
				return err
			}
		case info.Mode().IsRegular() && s.wanted.wantsFile(at):
			s.found.toRead = append(s.found.toRead, at)
		}
	}
	for name := range left {
		s.found.removed = append(s.found.removed, path.Join(was.Path, name))
	}
	return nil
}

// compareByListing compares a folder by a new listing.
func (s *scanner) compareByListing(dir string, info fs.FileInfo, depth int) error {
	files, below, err := s.listFolder(dir)
	if errors.Is(err, errTooManyFiles) {
		return err
	}
	if err != nil {
		return nil // a folder that cannot be read hides no other
	}
	s.found.onlyListChanged = true
	s.fileCount += len(files)
	for _, sub := range below {
		if err := s.compareFolder(sub, depth+1); err != nil {
			return err
		}
	}
	return s.compareFiles(folder{Path: dir, Time: s.settledTime(info.ModTime())}, files)
}

// listBatch is how many files of a folder are held with all that the system
// tells of them.
const listBatch = 1000

// listFolder gives the files of a folder that are indexed, and the folders in it that
// are walked into.
func (s *scanner) listFolder(dir string) (files []fileState, below []string, err error) {
	f, err := s.root.Open(s.st.OnDisk(dir))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(listBatch)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir() && s.wanted.wantsFolder(name):
				below = append(below, name)
			case e.Type().IsRegular() && s.wanted.wantsFile(name) && s.fileCount+len(files) < maxFiles:
				if info, err := e.Info(); err == nil {
					files = append(files, s.stateOf(info))
				}
			}
		}
		if s.maxFiles > 0 && s.fileCount+len(files) > s.maxFiles {
			return nil, nil, errTooManyFiles
		}
		if errors.Is(err, io.EOF) {
			return files, below, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// compareSmallFolders compares the files of unchanged folders, the newest first, as far
// as maxSmallFiles goes.
func (s *scanner) compareSmallFolders() error {
	slices.SortFunc(s.unchangedFolders, func(a, b folder) int { return cmp.Compare(b.Time, a.Time) })
	left := maxSmallFiles
	for _, d := range s.unchangedFolders {
		if left -= d.Count; left < 0 && !s.compareAll {
			s.found.notCompared = true
			s.found.list.Folders = append(s.found.list.Folders, d)
			continue
		}
		files, _, err := s.listFolder(d.Path)
		if err != nil {
			files = nil // what was indexed of it is gone
		}
		if err := s.compareFiles(folder{Path: d.Path, Time: d.Time}, files); err != nil {
			return err
		}
	}
	return nil
}

// compareFiles notes what changed among a folder's files, and keeps the new list.
func (s *scanner) compareFiles(d folder, files []fileState) error {
	slices.SortFunc(files, func(a, b fileState) int { return cmp.Compare(a.name, b.name) })
	var was []fileState
	if old := s.old.findFolder(d.Path); old != nil {
		var err error
		if was, err = old.readFiles(); err != nil {
			return err
		}
	}
	for i, j := 0, 0; i < len(files) || j < len(was); {
		switch {
		case j == len(was) || i < len(files) && files[i].name < was[j].name:
			s.found.toRead = append(s.found.toRead, path.Join(d.Path, files[i].name))
			i++
		case i == len(files) || was[j].name < files[i].name:
			s.found.removed = append(s.found.removed, path.Join(d.Path, was[j].name))
			j++
		default:
			if was[j].time == 0 || files[i] != was[j] {
				name := path.Join(d.Path, files[i].name)
				s.found.toRead, s.found.indexedBefore = append(s.found.toRead, name), append(s.found.indexedBefore, name)
			}
			i, j = i+1, j+1
		}
	}
	d.Count, d.Files = len(files), blockOfFiles(files)
	s.found.list.Folders = append(s.found.list.Folders, d)
	return nil
}

// addRemovedFolders adds what was indexed in folders that are no more.
func (s *scanner) addRemovedFolders() (*changes, error) {
	l := s.found.list
	slices.SortFunc(l.Folders, func(a, b folder) int { return cmp.Compare(a.Path, b.Path) })
	for _, was := range s.old.Folders {
		if l.findFolder(was.Path) != nil {
			continue
		}
		files, err := was.readFiles()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			s.found.removed = append(s.found.removed, path.Join(was.Path, f.name))
		}
		s.found.onlyListChanged = true
	}
	return &s.found, nil
}

func (s *scanner) stateOf(info fs.FileInfo) fileState {
	f := fileState{name: info.Name(), size: info.Size(), time: s.settledTime(info.ModTime())}
	if at := safefile.ChangedAt(info); f.time != 0 && at != 0 {
		// An edit may set the first of them back to what it was, not the second.
		// Both in one number, which is compared and nothing else; never 0.
		f.time = f.time ^ at<<1 | 1
	}
	return f
}

// settledTime is a time of last change that a later change cannot repeat; 0 where it
// can: what changed a moment ago may change again within the clock's tick. File
// systems that keep whole seconds tick slowly.
func (s *scanner) settledTime(t time.Time) int64 {
	tick := 50 * time.Millisecond
	if t.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	if age := s.now.Sub(t); age > -tick && age < tick {
		return 0
	}
	return t.UnixNano()
}
