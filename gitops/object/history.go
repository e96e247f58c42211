package object

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
)

// Version is one commit that changed a file. Where only its mode changed, Before
// and After are equal; what is no regular file counts as none.
type Version struct {
	Commit   string
	Parents  []string
	Author   string
	Email    string
	Date     time.Time // the author's, in their time zone
	Subject  string
	Body     string // the message after the subject, trailers included
	Trailers []Trailer
	Before   string // blob id in the (first) parent, "" where it had none
	After    string // blob id, "" where the commit deleted it
	// Befores are the blob ids in all parents, in their order; Before is the
	// first. A merge is listed only where its file differs from every
	// parent's, and then only what differs from all of them is its own change.
	Befores []string
}

// History lists the commits that changed the file, newest first. max 0 is no
// limit. It ends early when fn returns false. rev "" is HEAD; "--all" every
// ref, less our own under refs/memctl; "A..B", of two full ids, B without what A has. Renames are not followed. An unborn
// branch has no history, which is no error. Errors: fault.UnknownRevision;
// fault.Blocked; *Error.
func History(ctx context.Context, r *gitops.Repo, rev, path string, max int, fn func(Version) bool) error {
	count := 0
	return HistoryUnder(ctx, r, rev, path, "", func(v Version, _ []ChangedFile) bool {
		count++
		return fn(v) && count != max
	})
}

// historyRange gives the arguments that name where to begin; nil: there is
// nothing yet.
func historyRange(ctx context.Context, r *gitops.Repo, rev string) ([]string, error) {
	switch rev {
	case "--all":
		return []string{"--exclude=refs/memctl/*", "--all"}, nil
	case "", "HEAD":
		s, err := r.State()
		if err != nil || s.Unborn {
			return nil, err
		}
		return []string{s.Head}, nil
	}
	if without, of, ok := strings.Cut(rev, ".."); ok && gitops.IsID(without) && gitops.IsID(of) {
		return []string{of, "^" + without}, nil
	}
	id, err := Resolve(ctx, r, rev)
	if err != nil {
		return nil, err
	}
	return []string{id}, nil
}

// historyFormat: a mark, then fields that cannot hold a NUL. Raw records and
// the next commit follow, all of them NUL-separated because of -z.
const (
	historyMark   = "\x02"
	historyFormat = "%x02%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"
	historyFields = 6
)

// eachRawChange calls fn for each record of git's answer: the commit, how the file
// changed, and its path; until it returns false.
func eachRawChange(out io.Reader, fn func(v Version, raw, path string) (more bool, err error)) (ended bool, err error) {
	sc := bufio.NewScanner(out)
	sc.Buffer(make([]byte, 0, 64<<10), MaxSize)
	sc.Split(splitNUL)
	var v Version
	var fields []string
	for sc.Scan() {
		token := sc.Text()
		switch {
		case len(fields) > 0 && len(fields) < historyFields:
			if fields = append(fields, token); len(fields) == historyFields {
				if v, err = newVersion(fields); err != nil {
					return false, err
				}
				fields = nil
			}
		case strings.HasPrefix(token, historyMark):
			fields = []string{strings.TrimPrefix(token, historyMark)}
		case strings.HasPrefix(strings.TrimLeft(token, "\n"), ":"):
			if !sc.Scan() {
				return false, errors.New("git log: answer cut short")
			}
			if v.Commit == "" {
				return false, errors.New("git log: a change without its commit")
			}
			if more, err := fn(v, strings.TrimLeft(token, "\n"), sc.Text()); err != nil || !more {
				return err == nil, err
			}
		}
	}
	if err := sc.Err(); err != nil {
		return false, fmt.Errorf("git log: %w", err)
	}
	return false, nil
}

func splitNUL(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

func newVersion(f []string) (Version, error) {
	date, err := time.Parse(time.RFC3339, f[4])
	if err != nil {
		// A commit can hold any nonsense; its place in history is still sound.
		date = time.Time{}
	}
	if !gitops.IsID(f[0]) {
		return Version{}, fmt.Errorf("git log: %q: no commit id", f[0])
	}
	message := strings.TrimLeft(f[5], "\n")
	subject, body, _ := strings.Cut(message, "\n")
	return Version{
		Commit: f[0], Parents: strings.Fields(f[1]), Author: f[2], Email: f[3], Date: date,
		Subject: subject, Body: strings.Trim(body, "\n"), Trailers: ParseTrailers(message),
	}, nil
}

// addRaw reads ":modeA modeB idA idB status"; a merge of n parents has n
// colons, n+1 modes and n+1 ids, the result's last.
func (v *Version) addRaw(raw string) error {
	meta := strings.TrimLeft(raw, ":")
	n := len(raw) - len(meta)
	f := strings.Fields(meta)
	if len(f) != 2*(n+1)+1 {
		return fmt.Errorf("git log: %q: unknown form", raw)
	}
	modes, ids := f[:n+1], f[n+1:2*(n+1)]
	for i, id := range ids {
		if !gitops.IsID(id) {
			return fmt.Errorf("git log: %q: no blob id", id)
		}
		if !strings.HasPrefix(modes[i], RegularMode) {
			ids[i] = "" // 000000: not there; else a link or a submodule, as for FileAt
		}
	}
	v.Befores, v.After = ids[:n:n], ids[n]
	v.Before = v.Befores[0]
	return nil
}

// HistoryUnder is History of a file and of the files below a folder at once: fn
// gets each commit that changed any of them, newest first, and those below the
// folder, by path. Before and After are "" both in a commit that left the file alone.
// It costs one start of git and reads no file. Errors: as History.
func HistoryUnder(ctx context.Context, r *gitops.Repo, rev, file, folder string, fn func(v Version, files []ChangedFile) bool) error {
	paths := []string{file}
	if folder != "" {
		paths = append(paths, folder)
	}
	if err := gitops.CheckPaths(paths); err != nil {
		return err
	}
	which, err := historyRange(ctx, r, rev)
	if err != nil || which == nil {
		return err
	}
	var now Version
	var files []ChangedFile
	more := true
	flush := func() bool {
		if now.Commit != "" && (files != nil || now.Before != now.After) {
			more = fn(now, files)
		}
		return more
	}
	args := append([]string{
		"log", "-z", "--raw", "-c", "--root", "--full-history", "--no-abbrev", "--no-follow", "--no-renames",
		"--no-show-signature", "--no-notes", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8",
		"--format=" + historyFormat,
	}, which...)
	c := gitops.Call{Args: append(append(args, "--"), paths...), Config: []string{"log.showRoot=true", "log.mailmap=false"}}
	err = r.Stream(ctx, c, func(out io.Reader) (bool, error) {
		return eachRawChange(out, func(v Version, raw, name string) (bool, error) {
			fresh := v.Commit != now.Commit
			if fresh && folder != "" && !flush() {
				return false, nil
			}
			if fresh {
				now, files = v, nil
			}
			if err := v.addRaw(raw); err != nil {
				return false, err
			}
			switch {
			case name == file && folder == "": // nothing more is to come of the commit
				return !fresh || fn(v, nil), nil
			case name == file:
				now.Before, now.After, now.Befores = v.Before, v.After, v.Befores
			case strings.HasPrefix(name, folder+"/") && v.Before != v.After:
				files = append(files, ChangedFile{Path: name, Before: v.Before, After: v.After})
			}
			return true, nil
		})
	})
	if err == nil && more && folder != "" {
		flush()
	}
	return err
}
