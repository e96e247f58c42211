// Package history searches past sessions: the transcripts that coding agents keep on this
// machine.
//
// It has an index file for each transcript. An index file has, of each turn of a person or an
// assistant, where the turn is in the transcript, when it was said and by whom, and hashes of
// its words. It contains no text: the text of a hit is read from the transcript again.
package history

import (
	"context"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
)

// MaxText is how many bytes of a turn count, from its beginning.
const MaxText = 64 << 10

// Machine is what agents keep on this machine.
type Machine struct {
	// Files are the paths of transcripts, the newest last.
	Files []string
	// About reads the beginning of a transcript: its session, with the folder in which it began.
	About func(path string) (transcript.Session, error)
}

// Request says which sessions are opened.
type Request struct {
	Machine
	// Dir is where the index files are.
	Dir statedir.Dir
	// Here reports whether the sessions of a folder are wanted. Others are not even read.
	Here func(folder string) bool
	// MaxRead is after how many bytes of changed transcripts no other one is read, the newest files
	// being first; 0 is no limit, and less than 0 reads none.
	MaxRead  int64
	Progress func(done, total int) // nil for nobody
}

// Library is the sessions that are searched.
type Library struct {
	dir      statedir.Dir
	sessions []*session
	// Behind is the number of sessions that are not in the index, or not to their end.
	Behind int
}

// session is the index of one transcript.
type session struct {
	header
	turns []turn
}

// header is what an index file says about its transcript.
type header struct {
	Path     string             `json:"path"`
	Folder   string             `json:"folder,omitempty"` // in which the session began
	Size     int64              `json:"size"`
	Modified int64              `json:"modified"` // in nanoseconds
	Offset   int64              `json:"offset"`   // where reading goes on
	About    transcript.Session `json:"about"`    // at Offset
	Turns    int                `json:"turns"`
}

// Open brings the index up to date and opens it. A transcript that has grown is read on from
// where the last reading ended. Index files of transcripts that are gone are removed. Errors: the
// context's; no place for the index.
func Open(ctx context.Context, req Request) (*Library, error) {
	lib := &Library{dir: req.Dir}
	root, err := req.Dir.Open(true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if root != nil {
		defer root.Close()
		removeGone(req.Dir, root, req.Files)
	}
	left := req.MaxRead
	for i, path := range slices.Backward(req.Files) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if req.Progress != nil {
			req.Progress(len(req.Files)-1-i, len(req.Files))
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		s := load(req.Dir, path)
		if s.Folder == "" {
			about, err := req.About(path)
			if err != nil {
				continue
			}
			s.Folder = about.Folder
		}
		if s.Folder == "" || !req.Here(s.Folder) {
			continue
		}
		if !s.current(info) {
			if req.MaxRead != 0 && left <= 0 {
				lib.Behind++
			} else if left -= info.Size() - s.Offset; s.read(ctx, info) == nil {
				req.Dir.WriteCache(nameOf(path), s.encode())
			}
		}
		if len(s.turns) > 0 {
			lib.sessions = append(lib.sessions, s)
		}
	}
	return lib, nil
}

// suffix ends the names of index files.
const suffix = ".idx"

// nameOf is the name of the index file of a transcript.
func nameOf(path string) string {
	h := fnv.New128a()
	h.Write([]byte(path))
	return hex.EncodeToString(h.Sum(nil)) + suffix
}

// removeGone removes the index files of transcripts that no longer exist. One that is not among
// the listed files may be of an agent whose folder another variable names.
func removeGone(dir statedir.Dir, root *os.Root, files []string) {
	listed := map[string]bool{}
	for _, path := range files {
		listed[nameOf(path)] = true
	}
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) || listed[e.Name()] {
			continue
		}
		s := decodeFile(dir, e.Name())
		if _, err := os.Lstat(s.Path); s.Path == "" || errors.Is(err, fs.ErrNotExist) {
			_ = root.Remove(e.Name())
		}
	}
}

// load reads the index file of a transcript; an empty session where there is none.
func load(dir statedir.Dir, path string) *session {
	s := decodeFile(dir, nameOf(path))
	if s.Path != path {
		s = &session{header: header{Path: path}}
	}
	return s
}

func (s *session) current(info fs.FileInfo) bool {
	return s.Size == info.Size() && s.Modified == info.ModTime().UnixNano()
}
