package gitops

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scanTime bounds a look at every object.
const scanTime = 30 * time.Minute

// noReplace shows objects as they are stored.
const noReplace = "GIT_NO_REPLACE_OBJECTS=1"

// EachObject calls fn for every object that the repository has, reachable or
// not, loose or packed, borrowed ones too, in no order. unread lists those that
// are too large to be looked into. Nothing is fetched. Errors: *BlockedError;
// *Error; fn's.
func (r *Repo) EachObject(ctx context.Context, fn func(id, kind string, data []byte) error) (unread []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	args := []string{"cat-file", "--batch", "--batch-all-objects", "--unordered"}
	cmd, err := command(ctx, r.Root, append(r.environment(), noReplace), call{args: args})
	if err != nil {
		return nil, err
	}
	errs := &capped{max: maxStderr, lenient: true}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	unread, err = eachObject(bufio.NewReaderSize(out, 1<<16), fn)
	if err != nil {
		cancel()
	}
	_, _ = io.Copy(io.Discard, out)
	if ended := cmd.Wait(); ended != nil && err == nil {
		return unread, publicError(failure(ctx, args, ended, errs.String()))
	}
	return unread, err
}

func eachObject(out *bufio.Reader, fn func(id, kind string, data []byte) error) (unread []string, err error) {
	for {
		line, err := out.ReadString('\n')
		if err == io.EOF && line == "" {
			return unread, nil
		}
		f := strings.Fields(line) // id type size, or: id missing
		if err != nil || len(f) < 2 {
			return unread, fmt.Errorf("git cat-file: cut short: %w", io.ErrUnexpectedEOF)
		}
		if len(f) != 3 {
			unread = append(unread, f[0])
			continue
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return unread, fmt.Errorf("git cat-file: %w", err)
		}
		if size > maxObject {
			unread = append(unread, f[0])
			if _, err := io.CopyN(io.Discard, out, size+1); err != nil {
				return unread, err
			}
			continue
		}
		data := make([]byte, size+1) // a line end follows
		if _, err := io.ReadFull(out, data); err != nil {
			return unread, fmt.Errorf("git cat-file: %w", err)
		}
		if err := fn(f[0], f[1], data[:size]); err != nil {
			return unread, err
		}
	}
}

// EachOwnFile calls fn for every regular file under the common git folder that
// is no object: refs, reflogs, the state of what is in progress, memctl's own.
// The name is relative to that folder, with slashes. What is too large to be
// read is in unread.
func (r *Repo) EachOwnFile(fn func(name string, data []byte) error) (unread []string, err error) {
	err = filepath.WalkDir(r.CommonDir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.CommonDir, path)
		name := filepath.ToSlash(rel)
		if d.IsDir() && (name == "objects" || name == "modules") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() > maxObject {
			unread = append(unread, name)
			return nil
		}
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil // a lock that went meanwhile
		}
		if err != nil {
			return err
		}
		return fn(name, data)
	})
	return unread, err
}

// Worktree is one worktree of the repository.
type Worktree struct {
	Path   string
	Head   string // the commit, "" where unborn
	Branch string // the full name of the ref, "" where detached
}

// Worktrees lists the worktrees, the main one first. Errors: *BlockedError; *Error.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.git(ctx, call{args: []string{"worktree", "list", "--porcelain"}})
	if err != nil {
		return nil, publicError(err)
	}
	var list []Worktree
	for block := range strings.SplitSeq(string(out), "\n\n") {
		var w Worktree
		for line := range strings.Lines(block) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
			switch name {
			case "worktree":
				w.Path = value
			case "HEAD":
				if strings.Trim(value, "0") != "" {
					w.Head = value
				}
			case "branch":
				w.Branch = value
			}
		}
		if w.Path != "" {
			if len(list) == 0 && r.GitDir == r.CommonDir && r.Root != "" && !exists(filepath.Join(w.Path, ".git")) {
				w.Path = r.Root // git names the git folder where that stands elsewhere
			}
			list = append(list, w)
		}
	}
	return list, nil
}

// WorktreePath is the folder of the worktree that WorktreeName calls so, there or not; ""
// where there is none. Errors: *BlockedError; *Error.
func (r *Repo) WorktreePath(ctx context.Context, name string) (string, error) {
	if name != "." {
		top, err := r.worktreeLink(name)
		if err != nil {
			return "", nil
		}
		return filepath.Dir(top), nil
	}
	trees, err := r.Worktrees(ctx)
	if err != nil || len(trees) == 0 {
		return "", err
	}
	return trees[0].Path, nil
}

// WithoutPeople is a commit or a tag without the lines that name its author, committer
// or tagger.
func WithoutPeople(object []byte) []byte {
	head, message, _ := bytes.Cut(object, []byte("\n\n"))
	lines := slices.DeleteFunc(bytes.Split(head, []byte("\n")), func(line []byte) bool {
		name, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(" ")), []byte(" ")) // of a merged tag too
		return slices.Contains([]string{"author", "committer", "tagger"}, string(name))
	})
	return slices.Concat(bytes.Join(lines, []byte("\n")), []byte("\n\n"), message)
}

// ReflogMessages are the messages of a reflog, which come after the ids and the name of
// a person.
func ReflogMessages(data []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		_, message, _ := bytes.Cut(line, []byte("\t"))
		b.Write(message)
	}
	return b.Bytes()
}
