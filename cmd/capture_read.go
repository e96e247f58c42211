package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/extraction"
)

// placeHere is the place of sessions in this repository, or in this folder outside one.
const placeHere = "."

// sessionReader reads transcripts and finds out which repository each session was in.
type sessionReader struct {
	*session
	all      bool
	heard    capture.Heard
	turns    func(extraction.Conversation) error // takes what a model shall read; nil where the rules do
	sessions map[string]bool
	skipped  int
	text     string                   // the name of a plain text that was read instead of sessions
	places   map[string]string        // the place of a folder
	stores   map[string]*store.Stores // of a place; none for a place outside every repository
}

// sessionReader begins a reading of transcripts.
func (s *session) sessionReader(o *captureOptions) *sessionReader {
	return &sessionReader{
		session: s, all: o.all, sessions: map[string]bool{},
		places: map[string]string{}, stores: map[string]*store.Stores{placeHere: s.stores},
	}
}

// readSessions hears what the person said in the transcripts that the command names.
func (s *session) readSessions(o *captureOptions, args []string) (*sessionReader, error) {
	l := s.sessionReader(o)
	if len(args) > 0 {
		return l, l.file(args[0])
	}
	if o.all {
		if err := onlyPerson(l.Options, "capture --all", "memctl capture --all"); err != nil {
			return nil, err
		}
	}
	return l, l.machineSessions()
}

// file reads one file, or stdin: a transcript, or a text of the person.
func (l *sessionReader) file(name string) error {
	var input io.Reader = l.streams.Reader(l.ctx)
	shown := "stdin"
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return cannotRead(name, err)
		}
		if !info.Mode().IsRegular() {
			return cannotRead(name, errors.New("not a file"))
		}
		f, err := os.Open(name)
		if err != nil {
			return cannotRead(name, err)
		}
		defer f.Close()
		input, shown = f, filepath.Base(name)
	}
	const head = 64 << 10
	in := bufio.NewReaderSize(input, head)
	first, _ := in.Peek(head)
	switch transcript.Detect(first) {
	case transcript.Unknown:
	case transcript.Unsupported:
		return cannotRead(name, errUnsupported)
	default:
		return l.transcript(in, shown, func(s transcript.Session) (string, error) {
			place := l.placeOf(s.Folder)
			if !l.Explicit() && s.Folder != "" && place != placeHere {
				return "", refusal(memory.RuleExplicitOnly, named(inert(name), "is a session of another folder: only a person may read it"), "memctl capture "+shell.Quote(inert(name)))
			}
			return cmp.Or(place, placeHere), nil
		})
	}
	text, err := capture.ReadMost(shown, in)
	if bad := fault.Find(err, fault.Format); bad != nil {
		return cannotRead(name, errors.New(bad.Cause))
	}
	if err != nil {
		return err
	}
	l.sessions[shown], l.text = true, shown
	if l.turns != nil {
		c := extraction.Conversation{Time: l.now()}
		for _, p := range capture.Paragraphs(text) {
			c.Turns = append(c.Turns, extract.Turn{By: transcript.Person, Text: p})
		}
		return l.turns(c)
	}
	for _, p := range capture.Paragraphs(text) {
		l.heard.Hear(capture.Message{Text: p, Session: shown, Place: placeHere, Time: l.now(), Typed: l.Explicit()})
	}
	return nil
}

// machineSessions reads the sessions that agents keep on this machine.
func (l *sessionReader) machineSessions() error {
	progress := l.progress("reading", "sessions")
	defer progress.Clear()
	files := agents.Transcripts(l.agentsMachine())
	for i, file := range files {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		progress.Update(i, len(files))
		about, err := agents.SessionOf(file.Path, l.stores[placeHere].Root())
		place := l.placeOf(about.Folder)
		switch {
		case err != nil:
			l.skipped++
			continue
		case !l.all && place != placeHere:
			continue
		}
		if err := l.path(file.Path, place); err != nil {
			l.skipped++
		}
	}
	return nil
}

func (l *sessionReader) path(name, place string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return l.transcript(f, filepath.Base(name), func(transcript.Session) (string, error) { return place, nil })
}

// transcript hears what the person said in a transcript. place is asked once, with the session as it begins.
func (l *sessionReader) transcript(in io.Reader, shown string, placeOf func(transcript.Session) (string, error)) error {
	r := transcript.NewReader(in, transcript.Options{})
	if l.turns != nil {
		return l.conversation(r, shown, placeOf)
	}
	place, asked := "", false
	var failed error
	l.heard.Turns(r, func(m *capture.Message, t transcript.Turn) bool {
		if !asked {
			asked = true
			place, failed = placeOf(t.Session)
		}
		m.Session = cmp.Or(m.Session, shown)
		if m.Time.IsZero() {
			m.Time = l.now()
		}
		if failed != nil {
			return false
		}
		l.sessions[m.Session] = true
		m.Place = place
		// A person vouches for what they name, except for prompts that a program gave.
		m.Typed = m.Typed || l.Explicit() && t.Session.Mode != transcript.Headless
		return true
	})
	l.skipped += r.Skipped()
	return errors.Join(failed, r.Err())
}

func (l *sessionReader) now() time.Time { return l.stores[placeHere].Now() }

// placeOf is the place of a session's folder: here, the top folder of another repository, or ""
// where there is none. Another worktree of this repository is here.
func (l *sessionReader) placeOf(folder string) (place string) {
	if place, known := l.places[folder]; known || folder == "" {
		return place
	}
	defer func() { l.places[folder] = place }()
	if memory.IsSessionFolder(l.stores[placeHere], folder) {
		return placeHere
	}
	repo, err := gitops.Open(folder)
	if err != nil || repo.Root == "" {
		return ""
	}
	// Variables such as GIT_DIR may lead elsewhere.
	if ss, err := l.openIn(l.ctx, repo.Root); err == nil && ss.Repo() != nil && ss.Repo().CommonDir == repo.CommonDir {
		l.stores[repo.Root] = ss
	}
	return repo.Root
}
