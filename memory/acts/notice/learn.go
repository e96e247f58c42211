package notice

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

const (
	// learnBytes and learnTime bound how much of transcripts one hook or act reads.
	learnBytes = 4 << 20
	learnTime  = 200 * time.Millisecond
	// learnPart is how much is read between two looks at the clock.
	learnPart = 256 << 10
	// idleFor is how long after a turn a session counts as ended. Not every agent has a hook
	// for the end, and none calls it after a crash.
	idleFor = time.Hour
	// maxJudged is the longest command line, in bytes, that is judged as a whole. A longer one
	// holds the text of a file.
	maxJudged = 2000
)

// Follow notes that the transcript of a session has grown, so that Learn reads it: at once
// where the session has ended, else an hour after its last turn. Copilot names the transcript
// after each turn, and not at the end. Errors: the local state cannot be written or is held.
func Follow(ctx context.Context, ss *store.Stores, r localstate.Reading, ended bool) error {
	named := filepath.IsAbs(r.Transcript)
	if !named && !ended || !isNoticing(ctx, ss) {
		return nil
	}
	r.Due = ss.Now().UTC()
	if !ended {
		r.Due = r.Due.Add(idleFor)
	}
	return localstate.ChangeReadings(ss, func(list []localstate.Reading) ([]localstate.Reading, error) {
		i := slices.IndexFunc(list, func(was localstate.Reading) bool {
			return was.Transcript == r.Transcript || !named && was.Agent == r.Agent && was.Session == r.Session
		})
		switch {
		case i >= 0:
			r.Transcript, r.Offset, r.Facts = list[i].Transcript, list[i].Offset, list[i].Facts
			list = slices.Delete(list, i, i+1)
		case !named:
			return list, nil
		}
		return append(list, r), nil
	})
}

// Learn reads on in the transcripts of sessions that have ended, and adds to the notes of the days. It reads at most 4 MB and for 200 ms; the next call reads the
// rest. Errors: the local state cannot be read or written, or is held.
func Learn(ctx context.Context, ss *store.Stores) error {
	list, err := localstate.Readings(ss)
	due := func(r localstate.Reading) bool { return r.IsDue(ss.Now()) }
	if err != nil || !slices.ContainsFunc(list, due) || !isNoticing(ctx, ss) {
		return err
	}
	return localstate.ChangeReadings(ss, func(list []localstate.Reading) ([]localstate.Reading, error) {
		l := learner{ss: ss, left: learnBytes, until: time.Now().Add(learnTime), accepted: map[string]bool{}}
		for i := range slices.Backward(list) { // the session that ended last comes first
			if !due(list[i]) || !l.hasTime() {
				continue
			}
			if err := l.learn(l.read(&list[i])); err != nil {
				return nil, err
			}
		}
		return list, nil
	})
}

// learner reads transcripts until it has no time left.
type learner struct {
	ss       *store.Stores
	left     int64 // bytes that it may still read
	until    time.Time
	accepted map[string]bool // whether the policy accepts a command line or a path
}

func (l *learner) hasTime() bool { return l.left > 0 && time.Now().Before(l.until) }

// read returns the tool calls of the next parts of a transcript, without those of subagents
// and without what the policy does not accept, and moves the reading on.
func (l *learner) read(r *localstate.Reading) (turns []transcript.Turn) {
	f := open(r.Transcript)
	if f == nil {
		r.Due = time.Time{}
		return nil
	}
	defer f.Close()
	for l.hasTime() {
		if _, err := f.Seek(r.Offset, io.SeekStart); err != nil {
			break
		}
		part := transcript.NewReader(f, transcript.Options{Offset: r.Offset, Session: r.Facts, Limit: min(learnPart, l.left)})
		for t := range part.Turns() {
			if t.Call != nil && !t.Session.Subagent {
				l.clean(t.Call)
				turns = append(turns, t)
			}
		}
		if part.Offset() <= r.Offset {
			r.Due = time.Time{} // nothing is left but a record that is still being written
			break
		}
		l.left -= part.Offset() - r.Offset
		r.Offset, r.Facts = part.Offset(), part.Session()
	}
	return turns
}

// clean takes out of a call the command line and the paths that the policy does not accept,
// and names files in the worktree from its root. It judges whole command lines: in one that
// was cut, the policy could miss the beginning of a secret.
func (l *learner) clean(c *transcript.Call) {
	if len(c.Command) > maxJudged {
		c.Command, _, _ = strings.Cut(c.Command, "\n")
	}
	if len(c.Command) > maxJudged || !l.isAccepted("line "+c.Command, func() policy.Ruling {
		return l.ss.Rule(policy.Candidate{Value: memfile.Str(c.Command), Automatic: true})
	}) {
		c.Command = ""
	}
	var files []string
	for _, file := range c.Files {
		if rel, err := filepath.Rel(l.ss.Root(), file); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		if l.isAccepted("file "+file, func() policy.Ruling { return policy.RulePath(file) }) {
			files = append(files, file)
		}
	}
	c.Files = files
}

// isAccepted reports whether the policy accepts a text, which it judges once for each name.
func (l *learner) isAccepted(name string, rule func() policy.Ruling) bool {
	accepted, known := l.accepted[name]
	if !known {
		accepted = rule().Verdict == policy.Accept
		l.accepted[name] = accepted
	}
	return accepted
}

// learn adds the calls to the notes of their days.
func (l *learner) learn(turns []transcript.Turn) error {
	byDay := map[string][]transcript.Turn{}
	today := l.ss.Today()
	for _, t := range turns {
		day := t.Time.UTC().Format(time.DateOnly)
		if t.Time.IsZero() || day > today {
			day = today
		}
		byDay[day] = append(byDay[day], t)
	}
	for day, turns := range byDay {
		if err := localstate.AddToDay(l.ss, day, transcript.Summarize(transcript.Calls(slices.Values(turns)))); err != nil {
			return err
		}
	}
	return nil
}

// ForgetDays removes the notes that memctl made of the days among the targets of a person's forget, and returns the other
// targets. Errors: the local state cannot be read or written, or is held.
func ForgetDays(ss *store.Stores, o memory.Options, targets []string) (writes []memory.Write, rest []string, err error) {
	for _, target := range targets {
		dropped := false
		if _, wrong := time.Parse(time.DateOnly, target); wrong == nil && o.Explicit() {
			if dropped, err = localstate.DropDay(ss, target); err != nil {
				return writes, nil, err
			}
		}
		if !dropped {
			rest = append(rest, target)
			continue
		}
		w := o.Answer("forget", target, "")
		w.Changed, w.Saved = true, ss.Said("Forgot", "Would forget")+" memctl's note of "+target
		writes = append(writes, w)
	}
	return writes, rest, nil
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
