package agents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/transcript"
)

// transcriptHead is how much of a transcript's beginning says what session it is.
const transcriptHead = 64 << 10

// TranscriptFile is a file in which an agent keeps a session.
type TranscriptFile struct {
	Path     string
	Modified time.Time
}

// Transcripts lists the files in which agents keep their sessions on this machine, the one
// that was changed first before the others. Files of subagents are not among them.
func Transcripts(m Machine) []TranscriptFile {
	var list []TranscriptFile
	for _, a := range All() {
		folder := a.Settings(m)
		if a.sessions == "" || !filepath.IsAbs(folder) {
			continue
		}
		paths, _ := filepath.Glob(filepath.Join(literal(folder), filepath.FromSlash(a.sessions)))
		for _, path := range paths {
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				list = append(list, TranscriptFile{path, info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b TranscriptFile) int { return a.Modified.Compare(b.Modified) })
	return list
}

// literal is a path that means itself in a pattern.
func literal(path string) string {
	var b bytes.Buffer
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' {
			b.WriteString("[" + string(r) + "]")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// SessionOf reads the beginning of a transcript. The session's folder is the one in which it began. Gemini CLI records no folder but a digest of it, so it can
// only be told for the folders that are given. Errors: the file cannot be read.
func SessionOf(name string, folders ...string) (s transcript.Session, err error) {
	f, err := os.Open(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	r := transcript.NewReader(f, transcript.Options{Limit: transcriptHead})
	for t := range r.Turns() {
		if s = t.Session; s.Folder != "" {
			return s, nil
		}
	}
	if s = r.Session(); s.Format != transcript.Gemini {
		return s, r.Err()
	}
	head := make([]byte, transcriptHead)
	n, _ := f.ReadAt(head, 0)
	for _, folder := range folders {
		digest := sha256.Sum256([]byte(folder))
		if bytes.Contains(head[:n], []byte(hex.EncodeToString(digest[:]))) {
			s.Folder = folder
		}
	}
	return s, r.Err()
}
