package worktree

import (
	"bytes"
	"context"
	"maps"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// DirtyFiles returns the States of the files that differ from HEAD, without those in conflict.
// content gives a file's bytes: git is not started for files that equal HEAD. Errors:
// fault.Blocked, *Error.
func DirtyFiles(ctx context.Context, r *gitops.Repo, paths []string, content func(path string) []byte) (map[string]FileState, error) {
	suspects, err := unlikeHead(ctx, r, paths, content)
	if err != nil {
		return nil, err
	}
	dirty, err := States(ctx, r, suspects)
	maps.DeleteFunc(dirty, func(_ string, s FileState) bool { return s.Conflict })
	return dirty, err
}

// States returns, by path, the state of those files that differ from HEAD, untracked ones included.
// It costs one start of git. Errors: fault.Blocked, *Error.
func States(ctx context.Context, r *gitops.Repo, paths []string) (map[string]FileState, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	list, err := status(ctx, r, append([]string{"--ignored=matching", "--untracked-files=all"}, gitops.Pathspecs(paths)...)...)
	if err != nil {
		return nil, err
	}
	states, asked := map[string]FileState{}, gitops.PathSet(paths)
	for _, file := range list {
		name := file.path
		s := FileState{Tracked: file.kind == '1' || file.kind == 'u', Ignored: file.kind == '!', Dirty: true, Conflict: file.kind == 'u'}
		if asked[name] {
			states[name] = s
		} else if strings.HasSuffix(name, "/") { // an ignored folder stands for what is in it
			for _, p := range paths {
				if strings.HasPrefix(p, name) {
					states[p] = s
				}
			}
		}
	}
	return states, nil
}

// Uncommitted lists the files that differ from HEAD, untracked ones included
// and ignored ones not. Errors: fault.Blocked, *Error.
func Uncommitted(ctx context.Context, r *gitops.Repo) (names []string, err error) {
	list, err := status(ctx, r, "--untracked-files=all")
	for _, file := range list {
		names = append(names, file.path)
	}
	return names, err
}

// listed is a file that git status lists.
type listed struct {
	path string
	kind byte   // of porcelain version 2: 1, u, ? or !
	code string // of kind 1 how HEAD, the index and the worktree differ, such as .M
}

// status has git list files that are not as HEAD has them. Errors: fault.Blocked, *Error.
func status(ctx context.Context, r *gitops.Repo, args ...string) (list []listed, err error) {
	out, err := r.Git(ctx, gitops.Call{Args: append([]string{"status", "--porcelain=v2", "-z", "--no-renames"}, args...)})
	fields := map[string]int{"?": 2, "!": 2, "1": 9, "u": 11}
	for record := range strings.SplitSeq(string(out), "\x00") {
		kind, _, _ := strings.Cut(record, " ")
		if f := strings.SplitN(record, " ", fields[kind]); len(f) > 1 && len(f) == fields[kind] {
			list = append(list, listed{f[len(f)-1], kind[0], f[1]})
		}
	}
	return list, gitops.PublicError(err)
}

// unlikeHead lists the paths whose bytes are not those that HEAD has. A filter
// makes them differ where git sees no difference, so they are only suspects.
func unlikeHead(ctx context.Context, r *gitops.Repo, paths []string, content func(string) []byte) (list []string, err error) {
	s, err := r.State()
	if err != nil || s.Unborn || len(paths) == 0 {
		return paths, err
	}
	err = object.WithReader(ctx, r, func(o object.Reader) error {
		list = nil
		trees := object.WithTreeCache(o)
		for _, p := range paths {
			data, ok, err := object.ReadFileAt(trees, s.Head, p)
			if err != nil {
				return err
			}
			if !ok || !bytes.Equal(data, content(p)) {
				list = append(list, p)
			}
		}
		return nil
	})
	return list, err
}
