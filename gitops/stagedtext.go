package gitops

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/shell"
)

// indexOf is a worktree's index, for a call of this repository's.
func (r *Repo) indexOf(t Worktree) []string {
	return []string{"GIT_INDEX_FILE=" + filepath.Join(r.gitDirOf(t.Path), "index")}
}

// unstaging are the commands that take out of the indexes what holds the text and is in
// no commit there, and why: an index keeps what it names, and what is staged is the
// person's.
// Errors: *BlockedError; *Error.
func (r *Repo) unstaging(ctx context.Context, trees []Worktree, objects map[string]bool) (list []string, why string, err error) {
	var places []string
	for _, t := range trees {
		paths, err := r.stagedWith(ctx, t, objects)
		if err != nil {
			return nil, "", err
		}
		if len(paths) == 0 {
			continue
		}
		git, words := "git -C "+shell.Quote(t.Path), ""
		if slices.ContainsFunc(paths, func(path string) bool { return strings.ContainsAny(path, `*?[\`) || path[0] == ':' }) {
			git = "git --literal-pathspecs -C " + shell.Quote(t.Path)
		}
		for _, path := range paths {
			words += " " + shell.Quote(path)
			places = append(places, filepath.Join(t.Path, filepath.FromSlash(path)))
		}
		if t.Head == "" { // there is no commit to restore from
			list = append(list, git+" rm -q --cached --"+words)
			continue
		}
		list = append(list, git+" restore --staged --"+words)
	}
	if len(list) == 0 {
		return nil, "", nil
	}
	return list, strings.Join(places, ", ") + ": staged with the text, and in no commit: take it out of the index first (the file stays as it is), or edit the file and git add it", nil
}

// stagedWith are the files of a worktree that are staged otherwise than HEAD has them,
// with one of the objects.
func (r *Repo) stagedWith(ctx context.Context, t Worktree, objects map[string]bool) (paths []string, err error) {
	asked := [][]string{{"ls-files", "-s", "-z"}}
	if t.Head != "" {
		asked = [][]string{{"diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", t.Head}, {"ls-files", "-u", "-z"}}
	}
	for _, args := range asked {
		out, err := r.git(ctx, call{args: args, env: r.indexOf(t)})
		if err != nil {
			return nil, publicError(err)
		}
		if args[0] == "ls-files" {
			paths = append(paths, listedWith(string(out), objects)...)
			continue
		}
		fields := strings.Split(string(out), "\x00") // :mode mode id id status, path, in turn
		for i := 0; i+1 < len(fields); i += 2 {
			if meta := strings.Fields(fields[i]); len(meta) == 5 && objects[meta[3]] {
				paths = append(paths, fields[i+1])
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// listedWith are the paths of what ls-files lists with one of the objects.
func listedWith(out string, objects map[string]bool) (paths []string) {
	for record := range strings.SplitSeq(out, "\x00") {
		meta, name, _ := strings.Cut(record, "\t")
		if f := strings.Fields(meta); len(f) == 3 && objects[f[1]] { // mode id stage
			paths = append(paths, name)
		}
	}
	return paths
}

// forgetResolved are the commands that let go of what indexes keep of conflicts that were
// resolved, where that holds the text. Errors: *BlockedError; *Error.
func (r *Repo) forgetResolved(ctx context.Context, trees []Worktree, objects map[string]bool) (list []string, err error) {
	for _, t := range trees {
		out, err := r.git(ctx, call{args: []string{"ls-files", "--resolve-undo", "-z"}, env: r.indexOf(t)})
		if err != nil {
			return nil, publicError(err)
		}
		if len(listedWith(string(out), objects)) > 0 {
			list = append(list, "git -C "+shell.Quote(t.Path)+" update-index --clear-resolve-undo")
		}
	}
	return list, nil
}

// astray are the commands by which git learns where a linked worktree is, or that it is
// gone, and why; none where the folder leads to its git folder.
func (r *Repo) astray(t Worktree) (list []string, why string) {
	name := r.registered(t.Path)
	link := filepath.Join(t.Path, ".git")
	if _, err := os.Stat(link); err == nil {
		if name == "" || r.leadsTo(link, name) {
			return nil, ""
		}
		return []string{"rm -r " + shell.Quote(filepath.Join(r.CommonDir, "worktrees", name))},
			"where git looks for worktree " + t.Path + " another repository stands; where it was moved: git worktree repair FOLDER, with the folder where it stands now; else let go of what git keeps of it"
	}
	prune := []string{"git worktree prune"}
	gone, ways := "the folder of worktree "+t.Path+" is gone", ": put it back; where it was moved, git worktree repair FOLDER, with the folder where it stands now; else let git know that it is gone"
	switch {
	case name != "" && filepath.Base(r.GitDir) == name && r.GitDir != r.CommonDir:
		return []string{"git -C " + shell.Quote(r.Root) + " worktree repair"},
			"this worktree was moved, and git looks for it in " + t.Path + ": let git know first"
	case t.Locked:
		return append([]string{"git worktree unlock " + shell.Quote(t.Path)}, prune...), gone + ", and it is locked" + ways
	}
	return prune, gone + ways
}

// registered is git's name of the linked worktree that it looks for in a folder; "" for
// none, and where the two are written differently.
func (r *Repo) registered(root string) string {
	dirs, _ := os.ReadDir(filepath.Join(r.CommonDir, "worktrees"))
	for _, d := range dirs {
		if top, err := r.worktreeLink(d.Name()); err == nil && filepath.Clean(filepath.FromSlash(top)) == filepath.Join(filepath.FromSlash(root), ".git") {
			return d.Name()
		}
	}
	return ""
}

// leadsTo reports whether a worktree's .git is a file that names the git folder.
func (r *Repo) leadsTo(link, name string) bool {
	data, err := os.ReadFile(link)
	dir, linked := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !linked {
		return false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(link), dir)
	}
	there, err := os.Stat(dir)
	own, ownErr := os.Stat(filepath.Join(r.CommonDir, "worktrees", name))
	return err == nil && ownErr == nil && os.SameFile(there, own)
}
