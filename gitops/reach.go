package gitops

import (
	"bufio"
	"context"
	"fmt"
	"strings"
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
// Errors: *BlockedError; *Error.
func (r *Repo) Reaching(ctx context.Context, objects map[string]bool, named func(path string) bool) (Reach, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	out := Reach{Paths: map[string]bool{}, Reached: map[string]bool{}}
	stash, err := r.stash(ctx)
	if err != nil {
		return out, err
	}
	has := map[string]bool{} // the commits whose history has one
	at := ""
	args := []string{"log", "--topo-order", "--reverse", "--root", "-c", "--raw", "--no-abbrev", "--no-renames", "--no-show-signature", "--no-color", "--format=>%H %P", "--all"}
	err = r.eachLine(ctx, call{args: append(append(args, stash...), "--"), config: []string{"core.quotePath=false"}}, func(line string) {
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
			if !isID(strings.ReplaceAll(path, "/", "")) { // else it is a note of git's
				out.Paths[path] = true
			}
		}
	})
	if err != nil {
		return out, err
	}
	err = r.eachLine(ctx, call{args: []string{"for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"}}, func(line string) {
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
func (r *Repo) stash(ctx context.Context) (list []string, err error) {
	if _, err := r.git(ctx, call{args: []string{"rev-parse", "-q", "--verify", stashRef}}); err != nil {
		return nil, nil
	}
	err = r.eachLine(ctx, call{args: []string{"log", "-g", "--format=%H", stashRef, "--"}}, func(line string) { list = append(list, line) })
	return list, err
}

// eachLine runs git and calls fn for every line that it prints. Errors: *BlockedError;
// *Error.
func (r *Repo) eachLine(ctx context.Context, c call, fn func(line string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, err := command(ctx, r.Root, append(r.environment(), noReplace), c)
	if err != nil {
		return err
	}
	errs := &capped{max: maxStderr, lenient: true}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", c.args[0], err)
	}
	const longest = 1 << 20
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		fn(lines.Text())
	}
	cut := lines.Err()
	if cut != nil {
		cancel()
	}
	if err := cmd.Wait(); err != nil && cut == nil {
		return publicError(failure(ctx, c.args, err, errs.String()))
	}
	if cut != nil {
		return fmt.Errorf("git %s: %w", c.args[0], cut)
	}
	return nil
}
