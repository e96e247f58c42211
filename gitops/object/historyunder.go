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
