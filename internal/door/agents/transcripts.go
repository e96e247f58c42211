package agents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/session"
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

const (
	// transcriptBytes is how much of a transcript's end is read.
	transcriptBytes = 64 << 10
	// transcriptTime bounds the reading: a transcript may lie on a slow disk.
	transcriptTime = 200 * time.Millisecond
	// recentMessages is how many of the last messages are given.
	recentMessages = 4
	// messageBytes caps each of them.
	messageBytes = 4 << 10
)

// recent gives the last messages of the session, oldest first; none where the
// transcript cannot be read in time.
func (c Call) recent() []string {
	if !filepath.IsAbs(c.Transcript) {
		return nil
	}
	list, _ := inTime(func() []string { return lastMessages(readTranscript(c.Transcript, transcriptBytes)) })
	return list
}

// lastAnswer returns the agent's last message, "" if the transcript cannot be read in time.
func (c Call) lastAnswer() (said string) {
	if !filepath.IsAbs(c.Transcript) {
		return ""
	}
	said, _ = inTime(func() (last string) {
		for t := range readerOf(readTranscript(c.Transcript, transcriptBytes)).Turns() {
			if t.By == transcript.Assistant && strings.TrimSpace(t.Text) != "" {
				last = t.Text
			}
		}
		return last
	})
	return said
}

// inTime returns what f makes of a transcript; ok is false where it takes too long.
func inTime[T any](f func() T) (got T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case got = <-done:
		return got, true
	case <-time.After(transcriptTime):
		return got, false
	}
}

// readTranscript reads the end of a regular file, up to that many bytes; nil where there is
// none.
func readTranscript(name string, most int64) []byte {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := safefile.ReadTail(root, filepath.Base(name), most)
	if err != nil {
		return nil
	}
	return data
}

// readHead reads the beginning of a regular file; nil where there is none.
func readHead(name string) []byte {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() { // opening a named pipe would wait
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, transcriptBytes))
	return data
}

// lastMessages are the last messages of a person and an agent among a transcript's records,
// oldest first. What memctl itself handed in is no message.
func lastMessages(data []byte) []string {
	var list []string
	for t := range readerOf(data).Turns() {
		text := strings.TrimSpace(t.Text)
		if text == "" || t.By != transcript.Person && t.By != transcript.Assistant || session.HoldsBriefing(text) {
			continue
		}
		list = append(list, text[:min(len(text), messageBytes)])
		list = list[max(0, len(list)-recentMessages):]
	}
	return list
}

// readerOf reads the end of a transcript. Its first record is cut off where the transcript
// is longer.
func readerOf(data []byte) *transcript.Reader {
	if i := bytes.IndexByte(data, '\n'); i >= 0 && len(data) >= transcriptBytes {
		data = data[i+1:]
	}
	return transcript.NewReader(bytes.NewReader(data), transcript.Options{})
}
