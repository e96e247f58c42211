package history

import (
	"cmp"
	"context"
	"encoding/hex"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/transcript"
)

// turn is what the index says about a turn.
type turn struct {
	start, size int64  // of its record in the transcript
	at          int64  // in seconds since 1970, 0 where it is not known
	person      bool   // else an assistant
	text        uint32 // hash of its text, by which it is found in its record again
	length      int    // in words
	terms       []term // in the order of their hashes
}

// term is a word of a turn.
type term struct {
	hash  uint32
	count int
}

// readPart is how many bytes of a transcript are read between two looks at the context.
const readPart = 4 << 20

// read indexes what the transcript has beyond Offset. A file that is no longer than at the last
// reading was written again, so it is read from the beginning.
func (s *session) read(ctx context.Context, info fs.FileInfo) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() <= s.Size {
		s.Offset, s.About, s.turns = 0, transcript.Session{}, nil
	}
	seen := map[said]bool{}
	for _, t := range s.turns {
		seen[said{t.person, t.text}] = true
	}
	var words index.Analyzer
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.Seek(s.Offset, io.SeekStart); err != nil {
			return err
		}
		from := s.Offset
		r := transcript.NewReader(f, transcript.Options{Offset: from, Session: s.About, Limit: readPart})
		for t := range r.Turns() {
			if !spoken(t) {
				continue
			}
			made := newTurn(&words, t)
			if who := (said{made.person, made.text}); len(made.terms) > 0 && !seen[who] {
				seen[who] = true
				s.turns = append(s.turns, made)
			}
		}
		if r.Err() != nil {
			return r.Err()
		}
		s.Offset, s.About = r.Offset(), r.Session()
		if s.Offset >= info.Size() || s.Offset == from {
			break
		}
	}
	s.Size, s.Modified = info.Size(), info.ModTime().UnixNano()
	return nil
}

// said is a text of a session. Clients write some texts twice.
type said struct {
	person bool
	text   uint32
}

// spoken reports whether a turn is what a person or their agent said. What a subagent says goes to
// the agent.
func spoken(t transcript.Turn) bool {
	return (t.By == transcript.Person || t.By == transcript.Assistant) && !t.Session.Subagent && strings.TrimSpace(t.Text) != ""
}

func newTurn(words *index.Analyzer, t transcript.Turn) turn {
	text := counted(t.Text)
	made := turn{start: t.Start, size: t.End - t.Start, person: t.By == transcript.Person, text: hash(text)}
	if at := cmp.Or(t.Time, t.Session.Start); !at.IsZero() {
		made.at = at.Unix()
	}
	counts := map[uint32]int{}
	words.Analyze(text, func(tok index.Token) {
		counts[hash(tok.Term)]++
		made.length++
	})
	for h, n := range counts {
		made.terms = append(made.terms, term{h, n})
	}
	slices.SortFunc(made.terms, func(a, b term) int { return cmp.Compare(a.hash, b.hash) })
	return made
}

// counted is the part of a turn's text that counts.
func counted(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	return text
}

func hash(text string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, text)
	return h.Sum32()
}

// again reads the text of a turn from the transcript; "" where it is not there any more.
func (s *session) again(t turn) (text string) {
	f, err := os.Open(s.Path)
	if err != nil {
		return ""
	}
	defer f.Close()
	about := s.About
	if t.start == 0 {
		about = transcript.Session{} // the first record may say what the session is
	}
	in := io.NewSectionReader(f, t.start, t.size)
	for found := range transcript.NewReader(in, transcript.Options{Offset: t.start, Session: about}).Turns() {
		if (found.By == transcript.Person) != t.person || !spoken(found) {
			continue
		}
		if text = counted(found.Text); hash(text) == t.text {
			return text
		}
	}
	return ""
}

// id is the name of a turn on this machine.
func (s *session) id(t turn) string {
	h := fnv.New64a()
	io.WriteString(h, s.About.ID+"\x00"+s.Path+"\x00"+time.Unix(t.start, int64(t.text)).UTC().Format(time.RFC3339Nano))
	return hex.EncodeToString(h.Sum(nil))[:12]
}
