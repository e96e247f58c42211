package rewrite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/shell"
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

// FilterRepo reports whether `git filter-repo` is installed.
func FilterRepo(ctx context.Context, r *gitops.Repo) bool {
	const name = "git-filter-repo"
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	dir, err := r.Git(ctx, gitops.Call{Args: []string{"--exec-path"}})
	return err == nil && gitops.Exists(filepath.Join(strings.TrimSpace(string(dir)), name))
}

// Filtered are the refs among those of Reaching that git filter-repo can rewrite:
// branches, tags and the newest entry of the stash.
func Filtered(refs []string) (list []string) {
	for _, ref := range refs {
		switch {
		case strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/"):
			list = append(list, ref)
		case ref == stashEntry+"0}":
			list = append(list, stashRef)
		}
	}
	return list
}

// FilterCommands returns the commands with which a person removes a text from the refs that
// Reaching found: git filter-repo with a file of rules, the pushes, and the deletion of unreachable
// objects. Each needs the success of all before it. rules is "" if Filtered is empty. Errors:
// fault.Blocked; *Error.
func FilterCommands(ctx context.Context, r *gitops.Repo, refs []string, rules string) (list []string, err error) {
	if filtered := Filtered(refs); len(filtered) > 0 {
		// Without --refs filter-repo rewrites refs/memctl too, and makes branches of
		// remote-tracking refs. It wants --force outside of a fresh clone.
		line := "git filter-repo --force --replace-text " + shell.Quote(rules) + " --replace-message " + shell.Quote(rules) + " --refs"
		for _, ref := range filtered {
			line += " " + shell.Quote(ref)
		}
		if list = append(list, line); slices.Contains(filtered, stashRef) {
			// Filter-repo puts the rewritten entry on top of the one as it was.
			old, err := r.Git(ctx, gitops.Call{Args: []string{"rev-parse", stashRef}})
			if err != nil {
				return nil, gitops.PublicError(err)
			}
			list = append(list, `test "$(git rev-parse 'stash@{1}')" = `+strings.TrimSpace(string(old)), "git stash drop -q 'stash@{1}'")
		}
	}
	remotes, err := remotes(ctx, r)
	for _, remote := range remotes {
		line := ""
		for _, ref := range refs {
			if of, branch := remoteOf(ref, remotes); of == remote && slices.Contains(refs, "refs/heads/"+branch) {
				line += " " + shell.Quote(branch)
			}
		}
		if line != "" {
			list = append(list, "git push --force-with-lease "+shell.Quote(remote)+line)
		}
	}
	return append(list, "git -c "+strings.Join(noReflogs(), " -c ")+" gc -q --prune=now"), err
}
