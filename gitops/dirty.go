package gitops

import (
	"bytes"
	"context"
	"strings"
)

// DirtyFiles tells which of the files differ from HEAD, untracked ones too.
// content gives a file's bytes, so that those that HEAD has just so cost no
// start of git. Errors: *BlockedError, *Error.
func (r *Repo) DirtyFiles(ctx context.Context, paths []string, content func(path string) []byte) ([]string, error) {
	suspects, err := r.unlikeHead(ctx, paths, content)
	if err != nil || len(suspects) == 0 {
		return nil, err
	}
	args := []string{"status", "--porcelain=v2", "-z", "--no-renames", "--ignored=matching", "--untracked-files=all"}
	out, err := r.git(ctx, call{args: append(args, pathspecs(suspects)...)})
	if err != nil {
		return nil, publicError(err)
	}
	asked := setOf(suspects)
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
func (r *Repo) unlikeHead(ctx context.Context, paths []string, content func(string) []byte) (list []string, err error) {
	s, err := r.State()
	if err != nil || s.Unborn || len(paths) == 0 {
		return paths, err
	}
	err = r.withObjects(ctx, func(o objectReader) error {
		list = nil
		trees := newCachedTrees(o)
		for _, p := range paths {
			data, ok, err := fileAt(trees, s.Head, p)
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
