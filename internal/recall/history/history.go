// Package history indexes past sessions: the transcripts that coding agents keep on this
// machine.
//
// The index is that of package index, in a few segments, with a doc for each turn of a person or
// an assistant. It contains no text, and hashes of words: the text of a hit is read from the transcript again.
package history

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
)

const (
	// MaxText is how many bytes of a turn count, from its beginning.
	MaxText = 64 << 10
	// listVersion is the version of the list's format.
	listVersion   = 1
	listFile      = "sessions.json"
	segmentSuffix = ".seg"
	// maxSegments is how many segments there are beside the newest one, and maxBatch how many bytes of text one has from one reading.
	maxSegments = 12
	maxBatch    = 64 << 20
	// minJoinedBytes is a size under which something is not worth a segment, in bytes of transcripts.
	minJoinedBytes = 1 << 20
	maxFile        = 256 << 20
	cacheMode      = 0o600
	// orphanAge is how long a segment that the list does not name is left to the process that may be about to name it.
	orphanAge = 10 * time.Minute
)

// Transcripts are the transcripts that agents keep on this machine.
type Transcripts struct {
	// Files are the paths of transcripts, the newest last.
	Files []string
	// ReadSession reads the beginning of a transcript: its session, with the folder in which it began.
	ReadSession func(path string) (transcript.Session, error)
}

// Request says which sessions are opened.
type Request struct {
	Transcripts
	// IndexDir is where the index is.
	IndexDir statedir.Dir
	// IsWanted reports whether the sessions of a folder are wanted. Others are not even read.
	IsWanted func(folder string) bool
	// MaxRead is after how many bytes of changed transcripts no other one is read, the newest files
	// being first; 0 is no limit, and less than 0 reads none.
	MaxRead  int64
	Progress func(done, total int) // nil for nobody
}

// Library is the sessions that are searched.
type Library struct {
	*index.Index
	// Folders are those in which the wanted sessions began: the scopes of their docs.
	Folders []string
	// NotIndexed is the number of sessions that are not in the index, or not to their end.
	NotIndexed int

	dir          statedir.Dir
	list         list
	segments     map[string][]byte   // by name
	bySource     map[string]*session // by source
	unsavedDocs  []index.Doc         // that are in no segment yet
	unsavedBytes int                 // of their texts
	newSegments  []string            // segments of this reading
}

// list is the file that says what is indexed.
type list struct {
	Version  int        `json:"version"`
	Sessions []*session `json:"sessions"`
}

// session is a transcript, as far as it is indexed.
type session struct {
	Path     string             `json:"path"`
	Folder   string             `json:"folder"` // in which the session began
	Size     int64              `json:"size"`
	Modified int64              `json:"modified"` // in nanoseconds
	Offset   int64              `json:"offset"`   // where reading goes on
	About    transcript.Session `json:"about"`    // at Offset
	Parts    []part             `json:"parts"`
}

// part is a part of a transcript that was read at once.
type part struct {
	From    int64              `json:"from"`
	To      int64              `json:"to"`
	About   transcript.Session `json:"about"`   // at From
	Segment string             `json:"segment"` // "" for one whose docs are in no segment yet
}

// OpenUpdated brings the index up to date and opens it. A transcript that has grown is read on from
// where the last reading ended. Transcripts that are gone are found no more, and leave the index as segments are joined.
// Errors: the context's; no place for the index.
func OpenUpdated(ctx context.Context, req Request) (*Library, error) {
	lib := &Library{dir: req.IndexDir, segments: map[string][]byte{}, bySource: map[string]*session{}}
	root, err := req.IndexDir.Open(true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if root != nil {
		defer root.Close()
	}
	lib.load()
	before, _ := json.Marshal(lib.list)
	if err := lib.readChanged(ctx, req); err != nil {
		return nil, err
	}
	if err := lib.joinSegments(ctx); err != nil {
		return nil, err
	}
	if after, err := json.Marshal(lib.list); err == nil && string(before) != string(after) && root != nil && !req.IndexDir.ReadOnly {
		lib.save(root, after)
	}
	return lib, lib.open()
}

// load reads the list and its segments. Where one of them is missing, damaged or of another version, nothing is indexed.
func (l *Library) load() {
	data, err := l.dir.ReadUpTo(listFile, maxFile)
	if err == nil && json.Unmarshal(data, &l.list) == nil && l.list.Version == listVersion {
		var all [][]byte
		for name := range l.segmentSizes() {
			data, e := l.dir.ReadUpTo(name, maxFile)
			l.segments[name], all, err = data, append(all, data), cmp.Or(err, e)
		}
		if err == nil {
			_, err = index.Open(all...)
		}
		if err == nil {
			return
		}
	}
	l.list = list{Version: listVersion}
}

// segmentSizes are the segments that have something of the sessions, with how many bytes of their transcripts.
func (l *Library) segmentSizes() map[string]int64 {
	sizes := map[string]int64{}
	for _, s := range l.list.Sessions {
		for _, p := range s.Parts {
			sizes[p.Segment] += p.To - p.From
		}
	}
	delete(sizes, "")
	return sizes
}

// readChanged looks at the transcripts, and reads what is new in those that are wanted.
func (l *Library) readChanged(ctx context.Context, req Request) error {
	known := map[string]*session{}
	for _, s := range l.list.Sessions {
		known[s.Path] = s
	}
	left := req.MaxRead
	for i, path := range slices.Backward(req.Files) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if req.Progress != nil {
			req.Progress(len(req.Files)-1-i, len(req.Files))
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		s := known[path]
		if s == nil {
			about, err := req.ReadSession(path)
			if err != nil || about.Folder == "" || !req.IsWanted(about.Folder) {
				continue
			}
			s = &session{Path: path, Folder: about.Folder}
			l.list.Sessions = append(l.list.Sessions, s)
		}
		if s.Size == info.Size() && s.Modified == info.ModTime().UnixNano() || !req.IsWanted(s.Folder) {
			continue
		}
		if req.MaxRead != 0 && left <= 0 {
			l.NotIndexed++
		} else if left -= info.Size() - s.Offset; l.readTranscript(ctx, s, info) != nil {
			continue // the next search tries again
		}
	}
	l.list.Sessions = slices.DeleteFunc(l.list.Sessions, func(s *session) bool {
		// One that is not among the listed files may be of an agent whose folder another variable names.
		_, err := os.Lstat(s.Path)
		return errors.Is(err, fs.ErrNotExist) || s.Size == 0
	})
	for _, s := range l.list.Sessions {
		if req.IsWanted(s.Folder) && !slices.Contains(l.Folders, s.Folder) {
			l.Folders = append(l.Folders, s.Folder)
		}
	}
	return nil
}

// readTranscript makes docs of what the transcript has beyond Offset. A file that is no longer than at the last
// reading was written again, so it is read from the beginning.
func (l *Library) readTranscript(ctx context.Context, s *session, info fs.FileInfo) error {
	next := *s
	if info.Size() <= s.Size {
		next.Offset, next.About, next.Parts = 0, transcript.Session{}, nil
	}
	p := part{From: next.Offset, About: next.About}
	docs, err := next.readDocs(ctx, &p, info.Size())
	if err != nil {
		return err
	}
	next.Offset, next.Size, next.Modified = p.To, info.Size(), info.ModTime().UnixNano()
	if p.To > p.From {
		next.Parts = append(slices.Clip(next.Parts), p)
	}
	*s = next
	return l.addDocs(docs)
}

// addDocs keeps docs for the next segment. It makes one of very many.
func (l *Library) addDocs(docs []index.Doc) error {
	for i := range docs {
		l.unsavedBytes += len(docs[i].Text)
	}
	if l.unsavedDocs = append(l.unsavedDocs, docs...); l.unsavedBytes > maxBatch {
		return l.buildSegment()
	}
	return nil
}

// buildSegment makes a segment of the docs that are in none.
func (l *Library) buildSegment() error {
	if len(l.unsavedDocs) == 0 {
		return nil
	}
	data, err := index.BuildWithoutText(l.unsavedDocs)
	if err != nil {
		return err
	}
	name := strings.ToLower(rand.Text()) + segmentSuffix
	for _, s := range l.list.Sessions {
		for i := range s.Parts {
			if s.Parts[i].Segment == "" {
				s.Parts[i].Segment = name
			}
		}
	}
	l.unsavedDocs, l.unsavedBytes, l.segments[name], l.newSegments = nil, 0, data, append(l.newSegments, name)
	return nil
}

// joinSegments makes a segment of what is new, together with the segments that are not twice its size: there are few, and each
// part is seldom read again.
func (l *Library) joinSegments(ctx context.Context) error {
	total := int64(0)
	for _, s := range l.list.Sessions {
		for _, p := range s.Parts {
			if p.Segment == "" {
				total += p.To - p.From
			}
		}
	}
	sizes := l.segmentSizes()
	for left := len(sizes); len(l.unsavedDocs) > 0; left-- {
		smallest := ""
		for name, size := range sizes {
			if !slices.Contains(l.newSegments, name) && (smallest == "" || cmp.Or(cmp.Compare(size, sizes[smallest]), cmp.Compare(name, smallest)) < 0) {
				smallest = name
			}
		}
		if smallest == "" || sizes[smallest] >= 2*total+minJoinedBytes && left <= maxSegments {
			break
		}
		total += sizes[smallest]
		delete(sizes, smallest)
		if err := l.rereadSegment(ctx, smallest); err != nil {
			return err
		}
	}
	return l.buildSegment()
}

// rereadSegment makes docs of the parts that a segment has.
func (l *Library) rereadSegment(ctx context.Context, segment string) error {
	for _, s := range l.list.Sessions {
		s.joinPartsOf(segment)
		for i := range s.Parts {
			p := &s.Parts[i]
			if p.Segment != segment {
				continue
			}
			docs, err := s.readDocs(ctx, p, p.To)
			if ctx.Err() != nil {
				return err
			}
			if err != nil { // it is read from the beginning as soon as it can be
				s.Size, s.Offset, s.Parts = 0, 0, nil
				break
			}
			p.Segment = ""
			l.unsavedDocs = append(l.unsavedDocs, docs...)
		}
	}
	return nil
}

// joinPartsOf makes one part of those of a segment that follow one another.
func (s *session) joinPartsOf(segment string) {
	for i := len(s.Parts) - 1; i > 0; i-- {
		if before := &s.Parts[i-1]; before.Segment == segment && s.Parts[i].Segment == segment && before.To == s.Parts[i].From {
			before.To = s.Parts[i].To
			s.Parts = slices.Delete(s.Parts, i, i+1)
		}
	}
}

// open opens the segments as one index, those of this reading last: they take the place of what was written again.
func (l *Library) open() (err error) {
	var segments [][]byte
	for name := range l.segmentSizes() {
		if !slices.Contains(l.newSegments, name) {
			segments = append(segments, l.segments[name])
		}
	}
	for _, name := range l.newSegments {
		segments = append(segments, l.segments[name])
	}
	for _, s := range l.list.Sessions {
		for _, p := range s.Parts {
			l.bySource[s.sourceName(p.From)] = s
		}
	}
	l.Index, err = index.Open(segments...)
	return err
}

// save writes the segments of this reading and the list, and removes files that the list does not name. A failure costs the
// next search the same work again.
func (l *Library) save(root *os.Root, list []byte) {
	for _, name := range l.newSegments {
		if safefile.WriteCache(root, name, l.segments[name], cacheMode) != nil {
			return
		}
	}
	if safefile.WriteCache(root, listFile, list, cacheMode) != nil {
		return
	}
	named := l.segmentSizes()
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		_, keep := named[e.Name()]
		info, err := e.Info()
		_, old := l.segments[e.Name()]
		if err == nil && !keep && (old || strings.HasSuffix(e.Name(), segmentSuffix) && time.Since(info.ModTime()) > orphanAge || strings.HasSuffix(e.Name(), ".idx")) {
			_ = root.Remove(e.Name())
		}
	}
}

// sourceName names a part of a transcript in the index.
func (s *session) sourceName(from int64) string {
	h := fnv.New128a()
	h.Write([]byte(s.Path))
	return hex.EncodeToString(h.Sum(nil)) + "#" + strconv.FormatInt(from, 10)
}
