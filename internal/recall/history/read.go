package history

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/transcript"
)

// maxReadBytes is how many bytes of a transcript are read between two looks at the context.
const maxReadBytes = 4 << 20

// readDocs reads the turns of a part up to an offset, at least, and says where the part ends. What the session is then is in About.
func (s *session) readDocs(ctx context.Context, p *part, to int64) (readDocs []index.Doc, err error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := map[spokenText]bool{}
	about, source := p.About, s.sourceName(p.From)
	for p.To = p.From; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := f.Seek(p.To, io.SeekStart); err != nil {
			return nil, err
		}
		from := p.To
		r := transcript.NewReader(f, transcript.Options{Offset: from, Session: about, Limit: min(maxReadBytes, max(to-from, 1))})
		for t := range r.Turns() {
			if !isConversation(t) {
				continue
			}
			d := s.turnDoc(t, source)
			if who := (spokenText{d.Speaker, d.Text}); !seen[who] {
				seen[who] = true
				readDocs = append(readDocs, d)
			}
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
		if p.To, about = r.Offset(), r.Session(); p.To >= to || p.To == from {
			break
		}
	}
	if p.To >= s.Offset {
		s.About = about
	}
	return readDocs, nil
}

// spokenText is a text of a session. Clients write some texts twice.
type spokenText struct{ speaker, text string }

// isConversation reports whether a turn is what a person or their agent said. What a subagent says goes to
// the agent.
func isConversation(t transcript.Turn) bool {
	return (t.By == transcript.Person || t.By == transcript.Assistant) && !t.Session.Subagent && strings.TrimSpace(t.Text) != ""
}

// turnDoc is the doc of a turn: its scope is the folder of the session, and its path the place in the transcript.
func (s *session) turnDoc(t transcript.Turn, source string) index.Doc {
	d := index.Doc{
		Tier: index.TierTurn, Scope: s.Folder, Source: source, Session: t.Session.ID, Path: fmt.Sprintf("%d+%d", t.Start, t.End-t.Start), Speaker: entry.RoleAssistant,
		Text: cutToMaxText(t.Text), Time: cmp.Or(t.Time, t.Session.Start), Seq: int(min(t.Start, math.MaxInt32)),
	}
	if t.By == transcript.Person {
		d.Speaker = entry.RoleUser
	}
	d.ID = s.turnID(t.Session.ID, t.Start, d.Text)
	return d
}

// cutToMaxText returns the first MaxText bytes of a turn's text.
func cutToMaxText(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "")
	}
	return text
}

// turnID is the name of a turn on this machine. It depends on the text.
func (s *session) turnID(session string, start int64, text string) string {
	words := fnv.New32a()
	io.WriteString(words, text)
	h := fnv.New64a()
	io.WriteString(h, session+"\x00"+s.Path+"\x00"+time.Unix(start, int64(words.Sum32())).UTC().Format(time.RFC3339Nano))
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// AgentOf is whose transcript has a doc; "" for a doc that is not in a transcript any more.
func (l *Library) AgentOf(d *index.Doc) string {
	if s := l.bySource[d.Source]; s != nil {
		return string(s.About.Format)
	}
	return ""
}

// ReadText reads what was said from the transcript, at most MaxText bytes of it; "" where the
// transcript does not have it any more.
func (l *Library) ReadText(d *index.Doc) string {
	s := l.bySource[d.Source]
	if s == nil {
		return ""
	}
	at, length, _ := strings.Cut(d.Path, "+")
	start, err := strconv.ParseInt(at, 10, 64)
	size, err2 := strconv.ParseInt(length, 10, 64)
	if err != nil || err2 != nil {
		return ""
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return ""
	}
	defer f.Close()
	about := s.About
	if start == 0 {
		about = transcript.Session{} // the first record may say what the session is
	}
	in := io.NewSectionReader(f, start, size)
	for t := range transcript.NewReader(in, transcript.Options{Offset: start, Session: about}).Turns() {
		if text := cutToMaxText(t.Text); isConversation(t) && s.turnID(d.Session, start, text) == d.ID {
			return text
		}
	}
	return ""
}
