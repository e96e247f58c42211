package notice

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
	"github.com/memctl/memctl/transcript"
)

const (
	// maxProof is how much of a transcript is read for the proof that a person typed a prompt.
	maxProof = 4 << 20
	// headOfTranscript is how much of its beginning says what session it is.
	headOfTranscript = 64 << 10
	// unprovedFor is how long a record waits for its prompt to be in the transcript, where
	// nobody says that the session has ended.
	unprovedFor = 24 * time.Hour
)

// Check looks in the transcripts for the prompts of which hooks stored records. A record becomes a
// proposal if its prompt is there and nobody typed it, or if it is not there when the session has
// ended. ended is that session, "" for none, whose prompts are forgotten. The lines tell the person of
// records that became proposals since the last call for which tell is set. Errors: the local state
// cannot be read or written, or is held.
func Check(ctx context.Context, ss *store.Stores, ended string, tell bool) (lines []string, err error) {
	list, err := localstate.Prompts(ss)
	over := func(p localstate.Prompt) bool { return p.Session == ended || ss.Now().Sub(p.Time) > unprovedFor }
	if err != nil || !slices.ContainsFunc(list, func(p localstate.Prompt) bool { return len(p.Stored) > 0 || over(p) }) {
		return nil, err
	}
	proof := proofs{prompts: list, typed: map[string]map[string]bool{}}
	err = localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		for i := range list {
			p := &list[i]
			typed, written := proof.of(*p)
			var left []localstate.Stored
			for _, s := range p.Stored {
				if !s.Heard && !typed && !s.Answered && (written || over(*p)) {
					s.Heard = withdraw(ctx, ss, *p, s)
				}
				switch {
				case s.Heard && tell:
					lines = append(lines, "memctl heard "+quoted(s.Text)+"; not remembered until you keep it: memctl review")
				case s.Heard || !over(*p):
					left = append(left, s)
				}
			}
			if p.Stored = left; over(*p) {
				p.Words = nil
			}
		}
		return slices.DeleteFunc(list, func(p localstate.Prompt) bool { return len(p.Stored)+len(p.Words) == 0 })
	})
	return lines, err
}

// withdraw makes a proposal of a record that a hook stored, as far as it is still as the hook left it.
func withdraw(ctx context.Context, ss *store.Stores, p localstate.Prompt, s localstate.Stored) (done bool) {
	st, err := ss.Get(ctx, s.Scope)
	if err != nil {
		return false
	}
	queue, _ := ledger.Queue(st)
	for _, q := range queue {
		if q.SaidOn != "" && q.Why != ledger.WhyHeld && q.Key == s.Key && q.Value.Plain() == s.Text {
			return ledger.HoldQueued(ctx, st, q.ID, nil, hookWait) == nil
		}
	}
	o := memory.Options{Scope: s.Scope, Origin: memory.Origin{Kind: memory.Automatic, Name: p.Agent}}
	ours := func(v memfile.Value, l labels.Labels) bool {
		_, said := memfile.SaidOn(l.Source, l.By)
		return said && v.Plain() == s.Text
	}
	out, err := o.Update(ctx, st, txn.Write{Act: "forget", Keys: []string{s.Key}, Change: func(d *txn.Draft) error {
		i := memory.Find(d.Document, s.Key)
		if i < 0 {
			return nil
		}
		it := &d.Items[i]
		if ours(it.Value, it.Labels) {
			return d.Remove(s.Key)
		}
		it.Conflict = slices.DeleteFunc(slices.Clone(it.Conflict), func(r memfile.Rival) bool {
			return ours(r.Value, labels.Labels{Source: r.Source, By: r.By})
		})
		return nil
	}})
	if err != nil || !out.Changed {
		return false
	}
	return ledger.Enqueue(ctx, st, proposalOf(s, p.Agent, p.Session, p.Time.Format(time.DateOnly)), hookWait) == nil
}

// proofs knows which prompts the agents' own records have. Each record is read once.
type proofs struct {
	prompts []localstate.Prompt
	typed   map[string]map[string]bool // by transcript: digests of prompts, and whether a person typed them
}

// of reports whether the transcript shows that a person typed the prompt, and whether it has it at all.
func (p proofs) of(prompt localstate.Prompt) (typed, written bool) {
	digests, ok := p.typed[prompt.Transcript]
	if !ok {
		from := prompt.Offset
		for _, other := range p.prompts {
			if other.Transcript == prompt.Transcript {
				from = min(from, other.Offset)
			}
		}
		digests = promptsIn(prompt.Transcript, from)
		p.typed[prompt.Transcript] = digests
	}
	typed, written = digests[prompt.Prompt]
	return typed, written
}

// promptsIn are the digests of the prompts from about that offset on, and whether a person typed them.
func promptsIn(name string, offset int64) map[string]bool {
	f := open(name)
	if f == nil {
		return nil
	}
	defer f.Close()
	var session transcript.Session
	from := max(0, offset-headOfTranscript) // an agent may write the prompt before it calls hooks
	if from > 0 {                           // some agents say only at the beginning who gives the prompts
		head := transcript.NewReader(f, transcript.Options{Limit: headOfTranscript})
		for range head.Turns() {
			continue
		}
		session = head.Session()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return nil
		}
	}
	typed := map[string]bool{}
	r := transcript.NewReader(f, transcript.Options{Offset: from, Session: session, Limit: maxProof})
	for t := range r.Turns() {
		if t.By == transcript.Person {
			digest := localstate.TextDigest(t.Text)
			typed[digest] = typed[digest] || t.Typed
		}
	}
	return typed
}

// open opens a transcript; nil where there is no regular file of that name. Opening a named pipe would wait.
func open(name string) *os.File {
	if info, err := os.Stat(name); !filepath.IsAbs(name) || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	return f
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
