// Package transcript reads what coding agents write down about their sessions, and tells the
// person's own words from everything else in it.
//
// A transcript is a file of records, most of them JSON lines. A turn is one thing that a
// record says: a message, the start of a tool call, or its result. One record can hold
// several turns. The harness is the program around the model: it puts texts of its own into
// the person's place (context of hooks, summaries, slash commands), and these are no words
// of the person.
//
// The package is pure: it takes a reader and returns turns. Any turn can be found again by
// its offset in the file, and reading can go on from there.
package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"time"
)

// Format is a kind of transcript.
type Format string

// The formats. Unsupported is a conversation in a form that memctl recognises and does not read, so that nobody takes
// it for a text of the person.
const (
	Unknown     Format = ""
	Claude      Format = "claude"
	Codex       Format = "codex"
	Gemini      Format = "gemini"
	Copilot     Format = "copilot"
	Lines       Format = "lines" // {"role","content"} or {"role","text"}, one a line
	Unsupported Format = "unsupported"
)

// Speaker is who said something.
type Speaker int

// The speakers. A subagent's orders come from a model, so they count as the harness's.
const (
	Harness Speaker = iota
	Person
	Assistant
	Tool
)

// Mode is how a session is run.
type Mode string

// The modes. Most clients do not record theirs.
const (
	ModeUnknown Mode = ""
	Interactive Mode = "interactive" // a person sits at a terminal
	Headless    Mode = "headless"    // a program gave the prompt
)

// Session is what the records so far say about the session. Reading that goes on from an
// offset needs it, because some clients say it only once. It can be stored as JSON.
type Session struct {
	Format   Format    `json:"format"`
	ID       string    `json:"id,omitempty"`
	Folder   string    `json:"folder,omitempty"` // the working directory, of the last record that names it
	Mode     Mode      `json:"mode,omitempty"`   // of the last record that tells: another program may resume a session
	Subagent bool      `json:"subagent,omitempty"`
	Start    time.Time `json:"start,omitzero"`
}

// Turn is one thing that was said or done.
type Turn struct {
	By Speaker
	// Typed reports that the client's own record proves that a person typed the text.
	Typed bool
	Text  string    // "" for tools
	Time  time.Time // zero where the client does not record it
	// ID is the client's name for the message. A client may write a message again later: a
	// turn with the ID of an earlier one then replaces that one.
	ID string
	// Prompt is the client's name for the prompt that the turn belongs to: the prompt_id of
	// Claude Code's hooks, the turn_id of Codex'.
	Prompt  string
	Session Session // as of this turn
	// Start and End are the offsets of the record in the file. The turns of one record have
	// the same offsets; reading can go on at End.
	Start, End int64
	Call       *Call // only for tools
}

// Status says how a tool call ended.
type Status int

// The states of a call. Stopped means that somebody refused or interrupted it, so that its
// end says nothing about the command.
const (
	Started Status = iota
	Passed
	Failed
	Stopped
)

// Call is the start of a tool call, its end, or both. A client may record one call in
// several turns, which have the same ID; Calls joins them.
type Call struct {
	ID      string
	Tool    string
	Command string   // the command line; "" where the tool runs none
	Files   []string // the files that the tool writes, as the client names them
	Status  Status
	Exit    int // the exit status, -1 where none is recorded
}

// Options say how to read.
type Options struct {
	// Offset is where the input begins in the file.
	Offset int64
	// Session is what reading up to Offset found; of the zero value the format is detected.
	Session Session
	// Limit ends the reading after about this many bytes, where a record ends; 0 is no limit.
	Limit int64
	// MaxRecord is the size of a record that is skipped, in bytes; 0 is 16 MiB.
	MaxRecord int
}

const (
	maxRecord = 16 << 20
	headSize  = 64 << 10 // enough to detect the format
)

// Reader reads the turns of one transcript.
type Reader struct {
	session Session
	in      *lines
	layout  *layout // nil where nothing is read
	start   int64
	limit   int64
	offset  int64
	skipped int
	err     error
	queue   []Turn
	held    []Turn // of a record whose meaning depends on the next one
	record  record // being read
	top     *node  // of it
	room    []member

	heldEvent bool   // the message that is held comes from an event
	heldID    string // of the message that is held
	heldStart int64
	begun     bool // a message was read before
}

// NewReader returns a reader of the transcript. The input begins at Options.Offset.
func NewReader(in io.Reader, o Options) *Reader {
	if o.MaxRecord <= 0 {
		o.MaxRecord = maxRecord
	}
	buf := bufio.NewReaderSize(in, headSize)
	r := &Reader{session: o.Session, start: o.Offset, offset: o.Offset, limit: o.Limit}
	if r.session.Format == Unknown {
		head, _ := buf.Peek(headSize)
		r.session.Format = Detect(head)
	}
	r.in = &lines{buf: buf, off: o.Offset, max: o.MaxRecord}
	r.layout, r.begun = layoutOf(r.session.Format), r.start > 0
	return r
}

// Turns returns the turns, oldest first. It can be used once.
func (r *Reader) Turns() iter.Seq[Turn] {
	return func(yield func(Turn) bool) {
		for more := true; more; {
			more = r.read()
			for _, t := range r.queue {
				if !yield(t) {
					return
				}
			}
			r.queue = r.queue[:0]
		}
	}
}

// read reads one record. It reports whether there may be another one.
func (r *Reader) read() bool {
	if r.limit > 0 && r.offset-r.start >= r.limit {
		// What is held is read again the next time, unless that would go on for ever.
		if len(r.held) > 0 && r.held[0].Start > r.start {
			r.offset = r.held[0].Start
		} else {
			r.release()
		}
		return false
	}
	rec, err := r.in.next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
		r.release()
		return false
	}
	r.record = rec
	switch sound := !rec.tooLong && r.layout != nil && r.layout.decode(r, rec.data); {
	case sound:
	case rec.cut:
		r.queue = r.queue[:0]
		r.release()
		return false // the client is still writing this record
	default:
		r.skipped++
	}
	r.offset = rec.end
	return true
}

// Session returns what the transcript says about the session, up to the last turn.
func (r *Reader) Session() Session { return r.session }

// Offset returns where the next reading begins, once all turns are read.
func (r *Reader) Offset() int64 { return r.offset }

// Skipped returns how many records were broken or too long.
func (r *Reader) Skipped() int { return r.skipped }

// Err returns the input's error, nil at its end.
func (r *Reader) Err() error { return r.err }

// emit adds a turn of the record that is being read.
func (r *Reader) emit(t Turn) { r.queue = append(r.queue, r.complete(t)) }

// release emits the turns that are held.
func (r *Reader) release() {
	r.queue, r.held = append(r.queue, r.held...), nil
}

// complete gives a turn its session and the offsets of the record that is being read.
func (r *Reader) complete(t Turn) Turn {
	t.Session, t.Start, t.End = r.session, r.record.start, r.record.end
	return t
}

// record is a part of the file that is read at once.
type record struct {
	data       []byte // without the line's end; valid until the next record
	start, end int64
	tooLong    bool
	cut        bool // the file ends before the record does, or at least before its line
}

const byteOrderMark = "\xEF\xBB\xBF"

// lines gives the lines of a file that are not empty; io.EOF after the last one.
type lines struct {
	buf  *bufio.Reader
	off  int64
	max  int
	long []byte // a line that is longer than the buffer
}

func (l *lines) next() (record, error) {
	for {
		rec, err := l.line()
		if err != nil || rec.tooLong || len(rec.data) > 0 {
			return rec, err
		}
	}
}

// line reads a line of any length, and keeps no more than the most of it.
func (l *lines) line() (record, error) {
	rec := record{start: l.off}
	l.long = l.long[:0]
	for {
		part, err := l.buf.ReadSlice('\n')
		l.off += int64(len(part))
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case l.off-rec.start > int64(l.max):
			rec.tooLong = true
		case full || len(l.long) > 0:
			l.long = append(l.long, part...)
			rec.data = l.long
		default:
			rec.data = part
		}
		if full {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || l.off == rec.start) {
			return record{}, err
		}
		rec.end, rec.cut = l.off, err != nil
		if rec.tooLong {
			rec.data = nil
		}
		rec.data = bytes.TrimRight(rec.data, "\r\n")
		if rec.start == 0 {
			rec.data = bytes.TrimPrefix(rec.data, []byte(byteOrderMark))
		}
		return rec, nil
	}
}
