package worktree

import (
	"bytes"
	"context"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// DirtyFiles tells which of the files differ from HEAD, untracked ones too.
// content gives a file's bytes, so that those that HEAD has just so cost no
// start of git. Errors: fault.Blocked, *Error.
func DirtyFiles(ctx context.Context, r *gitops.Repo, paths []string, content func(path string) []byte) ([]string, error) {
	suspects, err := unlikeHead(ctx, r, paths, content)
	if err != nil || len(suspects) == 0 {
		return nil, err
	}
	args := []string{"status", "--porcelain=v2", "-z", "--no-renames", "--ignored=matching", "--untracked-files=all"}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, gitops.Pathspecs(suspects)...)})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	asked := gitops.PathSet(suspects)
	var dirty []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		name := recordPath(string(record))
		switch s, ok := parseStatus(string(record), name); {
		case !ok || s.Conflict:
		case asked[name]:
			dirty = append(dirty, name)
		case strings.HasSuffix(name, "/"): // an ignored folder stands for what is in it
			for _, p := range suspects {
				if strings.HasPrefix(p, name) {
					dirty = append(dirty, p)
				}
			}
		}
	}
	return dirty, nil
}

// Ignored tells which of the files git ignores and does not track.
func Ignored(ctx context.Context, r *gitops.Repo, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard"}
	out, err := r.Git(ctx, gitops.Call{Args: append(args, gitops.Pathspecs(paths)...)})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	asked := gitops.PathSet(paths)
	var ignored []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if asked[string(name)] {
			ignored = append(ignored, string(name))
		}
	}
	return ignored, nil
}

// recordPath is the path of one record of porcelain version 2.
func recordPath(record string) string {
	fields := map[string]int{"?": 2, "!": 2, "1": 9, "u": 11}
	kind, _, _ := strings.Cut(record, " ")
	if f := strings.SplitN(record, " ", fields[kind]); len(f) == fields[kind] && len(f) > 0 {
		return f[len(f)-1]
	}
	return ""
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
		trees := object.CacheTrees(o)
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
