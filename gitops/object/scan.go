package object

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

	"github.com/memctl/memctl/gitops"
)

// ScanTime bounds a look at every object.
const ScanTime = 30 * time.Minute

// NoReplace shows objects as they are stored.
const NoReplace = "GIT_NO_REPLACE_OBJECTS=1"

// EachObject calls fn for every object that the repository has, reachable or
// not, loose or packed, borrowed ones too, in no order. unread lists those that
// are too large to be looked into. Nothing is fetched. Errors: fault.Blocked;
// *Error; fn's.
func EachObject(ctx context.Context, r *gitops.Repo, fn func(id, kind string, data []byte) error) (unread []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, ScanTime)
	defer cancel()
	c := gitops.Call{Args: []string{"cat-file", "--batch", "--batch-all-objects", "--unordered"}, Env: []string{NoReplace}}
	err = r.Stream(ctx, c, func(out io.Reader) (bool, error) {
		unread, err = eachObject(bufio.NewReaderSize(out, 1<<16), fn)
		return false, err
	})
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
		if size > MaxSize {
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
func EachOwnFile(r *gitops.Repo, fn func(name string, data []byte) error) (unread []string, err error) {
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
		if info, err := d.Info(); err == nil && info.Size() > MaxSize {
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
