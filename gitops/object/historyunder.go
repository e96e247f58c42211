package object

import (
	"context"
	"io"
	"strings"

	"github.com/memctl/memctl/gitops"
)

// HistoryUnder is History of a file and of the files below a folder at once: fn
// gets each commit that changed any of them, newest first, and those below the
// folder, by path. Before and After are "" both in a commit that left the file alone.
// It costs one start of git and reads no file. Errors: as History.
func HistoryUnder(ctx context.Context, r *gitops.Repo, rev, file, folder string, fn func(v Version, files []ChangedFile) bool) error {
	for _, p := range []string{file, folder} {
		if err := gitops.CheckPath(p); err != nil {
			return err
		}
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
	err := readLog(ctx, r, rev, []string{file, folder}, func(out io.Reader) (bool, error) {
		return readRaw(out, func(v Version, raw, name string) (bool, error) {
			if v.Commit != now.Commit {
				if !flush() {
					return false, nil
				}
				now, files = v, nil
			}
			if err := v.addRaw(raw); err != nil {
				return false, err
			}
			switch {
			case name == file:
				now.Before, now.After, now.Befores = v.Before, v.After, v.Befores
			case strings.HasPrefix(name, folder+"/") && v.Before != v.After:
				files = append(files, ChangedFile{Path: name, Before: v.Before, After: v.After})
			}
			return true, nil
		})
	})
	if err == nil && more {
		flush()
	}
	return err
}
