package extraction

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory"
)

const (
	// restFor is how long after a turn a session's segment is left alone: its next turn may be near.
	restFor = 10 * time.Minute
	// maxText is how much text of a session without a transcript waits, in bytes.
	maxText = 128 << 10
)

// Event is what a hook was told of a session.
type Event struct {
	Agent        string
	Session      string
	Transcript   string // the path; "" where the client keeps none
	Prompt       string // of the person; noted where there is no transcript
	Ended        bool   // the session ends, or its context is compacted now
	Conversation string // what all of it belongs to; "" for the scope's own
	NoSummary    bool   // no rolling summary is kept
}

// isEnabled reports whether conversations wait for a model here.
func isEnabled(ctx context.Context, ss *store.Stores) bool {
	v, err := ss.Setting(ctx, store.Capture)
	if err != nil || v.Text != store.CaptureModel || !ss.HasModels(ctx) {
		return false
	}
	mine, err := ss.Setting(ctx, store.Enabled)
	return err == nil && mine.Bool()
}

// Follow notes what a model has not read of a session. It calls none. Errors: the local state
// cannot be read or written, or is held.
func Follow(ctx context.Context, ss *store.Stores, e Event) error {
	if e.Session == "" || !isEnabled(ctx, ss) {
		return nil
	}
	size := int64(0)
	if filepath.IsAbs(e.Transcript) {
		size = sizeOf(e.Transcript)
	}
	if size == 0 && e.Prompt == "" && !e.Ended {
		return nil
	}
	return localstate.ChangeSegment(ss, e.Agent, e.Session, func(s *localstate.Segment) {
		if e.Transcript != "" {
			s.Transcript = e.Transcript
		}
		switch {
		case size > 0 && size < s.From: // another program has rewritten it
			s.From, s.To, s.Facts = 0, size, transcript.Session{}
		case size > 0:
			s.To = max(size, s.From)
		case e.Prompt != "" && len(strings.Join(s.Text, ""))+len(e.Prompt) <= maxText:
			s.Text = append(s.Text, memory.Redacted(e.Prompt))
		}
		s.Due, s.Conversation, s.NoSummary = ss.Now().UTC(), e.Conversation, e.NoSummary
		if !e.Ended {
			s.Due = s.Due.Add(restFor)
		}
	})
}

// sizeOf is the size of a file; 0 where it is no regular file.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// Pending lets models read the segments that wait here, the oldest first. With due only those
// whose session has ended or rests. A segment that no model could read goes on waiting, and so do those after
// it. Another process that reads them now leaves nothing to do. Errors: those of Extract.
func Pending(ctx context.Context, ss *store.Stores, chain llm.Chain, due bool, res *Result) error {
	list, err := localstate.Segments(ss)
	if err != nil || len(list) == 0 {
		return err
	}
	unlock, ok := localstate.LockReading(ctx, ss)
	if !ok {
		res.Waiting = len(list)
		return nil
	}
	defer unlock()
	for _, s := range list {
		if due && s.Due.After(ss.Now()) {
			continue
		}
		if err = read(ctx, ss, chain, s, res); err != nil {
			break
		}
	}
	if left, e := localstate.Segments(ss); e == nil {
		res.Waiting = len(left)
	}
	return err
}

// read lets models read one segment, part by part. What is read is noted after each part, so that a
// process that is killed repeats one part at most.
func read(ctx context.Context, ss *store.Stores, chain llm.Chain, s localstate.Segment, res *Result) error {
	change := func(change func(*localstate.Segment)) error {
		return localstate.ChangeSegment(ss, s.Agent, s.Session, change)
	}
	err := readText(ctx, ss, chain, &s, res, change)
	if err == nil {
		err = readTranscript(ctx, ss, chain, &s, res, change)
	}
	var failed *llm.ChainError
	if errors.As(err, &failed) {
		err = errors.Join(err, change(func(now *localstate.Segment) { now.Tries++ }))
	}
	return err
}

// conversation is what a segment belongs to.
func conversation(s *localstate.Segment) Conversation {
	return Conversation{Agent: s.Agent, Session: s.Session, Name: s.Conversation, Time: s.Since, NoSummary: s.NoSummary}
}

func readText(ctx context.Context, ss *store.Stores, chain llm.Chain, s *localstate.Segment, res *Result, change func(func(*localstate.Segment)) error) error {
	if len(s.Text) == 0 {
		return nil
	}
	c := conversation(s)
	for _, t := range s.Text {
		c.Turns = append(c.Turns, extract.Turn{By: transcript.Person, Text: t})
	}
	if err := Extract(ctx, ss, chain, c, res); err != nil {
		return err
	}
	return change(func(now *localstate.Segment) {
		now.Text, now.Tries = now.Text[min(len(s.Text), len(now.Text)):], 0
	})
}

func readTranscript(ctx context.Context, ss *store.Stores, chain llm.Chain, s *localstate.Segment, res *Result, change func(func(*localstate.Segment)) error) error {
	for s.From < s.To {
		if size := sizeOf(s.Transcript); size < s.To {
			return change(func(now *localstate.Segment) { // read what there is now from its beginning
				now.From, now.To, now.Facts = 0, size, transcript.Session{}
			})
		}
		c, from, facts, err := stretch(s)
		if err == nil {
			err = Extract(ctx, ss, chain, c, res)
		}
		if err != nil {
			return err
		}
		s.From, s.Facts = from, facts
		if err := change(func(now *localstate.Segment) { now.From, now.Facts, now.Tries = from, facts, 0 }); err != nil {
			return err
		}
	}
	return nil
}

// stretch reads the next stretch of a segment's transcript that fits into one request. A session
// that a program ran, or memctl's own with a model, has no words of a person.
func stretch(s *localstate.Segment) (c Conversation, next int64, facts transcript.Session, err error) {
	c = conversation(s)
	f, err := os.Open(s.Transcript)
	if err != nil {
		return c, 0, facts, err
	}
	defer f.Close()
	if _, err := f.Seek(s.From, io.SeekStart); err != nil {
		return c, 0, facts, err
	}
	r := transcript.NewReader(io.LimitReader(f, s.To-s.From), transcript.Options{Offset: s.From, Session: s.Facts})
	size := 0
	for t := range r.Turns() {
		if t.Session.Subagent || t.Text == "" || t.By != transcript.Person && t.By != transcript.Assistant {
			continue
		}
		if t.By == transcript.Person && (t.Session.Mode == transcript.Headless || strings.Contains(t.Session.Folder, llm.TemporaryFolder)) {
			continue
		}
		turn := extract.Turn{By: t.By, Text: t.Text}
		if size += turn.Size(); size > extract.MaxPart && t.Start > s.From && len(c.Turns) > 0 {
			return c, t.Start, t.Session, nil
		}
		if c.Turns = append(c.Turns, turn); !t.Time.IsZero() {
			c.Time = t.Time
		}
	}
	next = s.To // a record that is cut at the end is read with the next segment
	if at := r.Offset(); at > s.From && at < s.To {
		next = at
	}
	return c, next, r.Session(), r.Err()
}

// Chain returns the configured models. Errors: fault.NoModel where there are none; fault.Setting.
func Chain(ctx context.Context, ss *store.Stores) (llm.Chain, error) {
	chain, err := localstate.Models(ctx, ss)
	if err == nil && len(chain.Providers) == 0 {
		err = fault.New(fault.NoModel, "", "no model is configured")
	}
	return chain, err
}

// Background lets models read the segments that are due here, if the person wants it. It is for a
// process that runs as long as its client does, and ends with ctx. Errors as Pending.
func Background(ctx context.Context, ss *store.Stores) error {
	if !isEnabled(ctx, ss) {
		return nil
	}
	chain, err := Chain(ctx, ss)
	if err != nil {
		return err
	}
	res := NewResult()
	return Pending(ctx, ss, chain, true, &res)
}
