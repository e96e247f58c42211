package rewrite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// Reach is what leads to some objects.
type Reach struct {
	Refs     []string        // full names of refs; of the stash its entries, "stash@{0}" the newest
	Detached []string        // worktrees with a detached HEAD
	Paths    map[string]bool // the files in history that contain them, or are named so
	Reached  map[string]bool // the objects that refs and HEADs lead to
}

// stashEntry is what the name of an entry of the stash begins with.
const stashEntry = "stash@{"

// Reaching finds what leads to the objects, and to files whose path named accepts.
// Errors: fault.Blocked; *Error.
func Reaching(ctx context.Context, r *gitops.Repo, objects map[string]bool, named func(path string) bool) (Reach, error) {
	ctx, cancel := context.WithTimeout(ctx, object.ScanTime)
	defer cancel()
	out := Reach{Paths: map[string]bool{}, Reached: map[string]bool{}}
	stash, err := stash(ctx, r)
	if err != nil {
		return out, err
	}
	has := map[string]bool{} // the commits whose history has one
	at := ""
	args := []string{"log", "--topo-order", "--reverse", "--root", "-c", "--raw", "--no-abbrev", "--no-renames", "--no-show-signature", "--no-color", "--format=>%H %P", "--all"}
	err = eachLine(ctx, r, gitops.Call{Args: append(append(args, stash...), "--"), Config: []string{"core.quotePath=false"}}, func(line string) {
		if ids, ok := strings.CutPrefix(line, ">"); ok {
			at = strings.Fields(ids)[0]
			out.Reached[at] = objects[at]
			has[at] = objects[at]
			for _, parent := range strings.Fields(ids)[1:] {
				has[at] = has[at] || has[parent]
			}
			return
		}
		meta, path, _ := strings.Cut(line, "\t")
		parents := len(meta) - len(strings.TrimLeft(meta, ":"))
		f := strings.Fields(meta) // modes, ids, status: one of each for a parent, then the file's own
		if id := 2*parents + 1; len(f) > id && (objects[f[id]] || named(path)) {
			out.Reached[f[id]], has[at] = objects[f[id]], true
			if !gitops.IsID(strings.ReplaceAll(path, "/", "")) { // else it is a note of git's
				out.Paths[path] = true
			}
		}
	})
	if err != nil {
		return out, err
	}
	err = eachLine(ctx, r, gitops.Call{Args: []string{"for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"}}, func(line string) {
		f := strings.Fields(line)
		for _, id := range f[1:] {
			if objects[id] || has[id] {
				out.Reached[id] = objects[id]
				if f[0] != stashRef {
					out.Refs = append(out.Refs, f[0])
				}
				break
			}
		}
	})
	for i, id := range stash {
		if has[id] {
			out.Refs = append(out.Refs, fmt.Sprintf("%s%d}", stashEntry, i))
		}
	}
	trees, failed := r.Worktrees(ctx)
	for _, t := range trees {
		if t.Branch == "" && has[t.Head] {
			out.Detached = append(out.Detached, t.Path)
		}
	}
	if err == nil {
		err = failed
	}
	return out, err
}

const stashRef = "refs/stash"

// stash lists the commits of the stash, the newest first.
func stash(ctx context.Context, r *gitops.Repo) (list []string, err error) {
	if _, err := r.Git(ctx, gitops.Call{Args: []string{"rev-parse", "-q", "--verify", stashRef}}); err != nil {
		return nil, nil
	}
	err = eachLine(ctx, r, gitops.Call{Args: []string{"log", "-g", "--format=%H", stashRef, "--"}}, func(line string) { list = append(list, line) })
	return list, err
}

// eachLine runs git and calls fn for every line that it prints. Errors: fault.Blocked;
// *Error.
func eachLine(ctx context.Context, r *gitops.Repo, c gitops.Call, fn func(line string)) error {
	c.Env = append(c.Env, object.NoReplace)
	return r.Stream(ctx, c, func(out io.Reader) (bool, error) {
		const longest = 1 << 20
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, longest)
		for lines.Scan() {
			fn(lines.Text())
		}
		return false, lines.Err()
	})
}
