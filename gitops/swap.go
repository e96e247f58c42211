package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
)

// passing are the names under which git keeps commits for a while, beside refs.
func passing() []string {
	return []string{"ORIG_HEAD", "FETCH_HEAD", "AUTO_MERGE", "COMMIT_EDITMSG", "SQUASH_MSG", "TAG_EDITMSG"}
}

// Swap moves refs, stashes and detached worktrees to the rewritten objects in
// one transaction; files and indexes stay as they are. Errors: a ref that moved
// meanwhile (none has moved then); *BlockedError; *Error.
func (r *Repo) Swap(ctx context.Context, w *Rewritten) error {
	if err := r.noteShallow(w.Shallow); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, ref := range w.Refs {
		if ref.NewName != "" {
			fmt.Fprintf(&b, "delete %s %s\ncreate %s %s\n", ref.Name, ref.Old, ref.NewName, ref.New)
			continue
		}
		fmt.Fprintf(&b, "update %s %s %s\n", ref.Name, ref.New, ref.Old)
	}
	for _, h := range w.Heads {
		if h.Name == r.Root {
			fmt.Fprintf(&b, "option no-deref\nupdate HEAD %s %s\n", h.New, h.Old)
		}
	}
	if b.Len() > 0 {
		if _, err := r.git(ctx, call{args: []string{"update-ref", "--stdin"}, stdin: b.Bytes(), config: []string{"core.fsync=all"}, writes: true}); err != nil {
			return r.explain(err)
		}
	}
	return nil
}

// noteShallow adds commits whose parents are not here.
func (r *Repo) noteShallow(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(r.CommonDir, "shallow"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(ids, "\n") + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// ResetTo takes out of the index what holds one of the blobs, so that the files
// stand there as in HEAD: an index keeps what it names. Errors: *BlockedError; *Error.
func (r *Repo) ResetTo(ctx context.Context, blobs map[string]bool) error {
	out, err := r.git(ctx, call{args: []string{"ls-files", "-s", "-z"}})
	if err != nil {
		return publicError(err)
	}
	var paths []string
	for record := range bytes.SplitSeq(out, []byte{0}) {
		meta, name, _ := strings.Cut(string(record), "\t")
		if f := strings.Fields(meta); len(f) == 3 && blobs[f[1]] { // mode id stage
			paths = append(paths, name)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return r.Restage(ctx, paths)
}

// Sweep lets go of all that no ref leads to: reflogs, what git noted in
// passing, and every unreachable object. The stash, which is a reflog, is made
// again as it was rewritten. Errors: *BlockedError; *Error.
func (r *Repo) Sweep(ctx context.Context, w *Rewritten) error {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	for _, name := range passing() {
		if err := os.Remove(filepath.Join(r.GitDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for _, args := range w.sweeping() {
		if _, err := r.git(ctx, call{args: args, writes: true}); err != nil {
			return r.explain(err)
		}
	}
	// What could not be removed git only warns of.
	for range 2 {
		if swept, err := r.swept(ctx); swept || err != nil {
			return err
		}
		if _, err := r.git(ctx, call{args: collectAll(), writes: true}); err != nil {
			return r.explain(err)
		}
	}
	return fmt.Errorf("%q: objects that nothing leads to cannot be removed", r.CommonDir)
}

// swept reports whether no object is left that nothing leads to: none that would
// be pruned, and none in an older pack.
func (r *Repo) swept(ctx context.Context) (bool, error) {
	out, err := r.git(ctx, call{args: []string{"prune", "-n", "--expire=now"}})
	if err != nil {
		return false, publicError(err)
	}
	dir := filepath.Join(r.CommonDir, "objects", "pack")
	// A git that was killed leaves packs that no other git removes: the one that it was
	// about to put in place, and one without an index.
	begun := safefile.Glob(dir, ".tmp-*")
	left := 0
	for _, name := range safefile.Glob(dir, "*.pack") {
		base := strings.TrimSuffix(name, ".pack")
		switch {
		case exists(base + ".keep"):
		case exists(base + ".idx"):
			left++
		default:
			begun = append(begun, name)
		}
	}
	for !settled(begun) && ctx.Err() == nil { // a git that lives gets on with it
		time.Sleep(retryMost)
	}
	for _, name := range begun {
		if base, ok := strings.CutSuffix(name, ".pack"); ok && exists(base+".idx") || os.Remove(name) != nil {
			left++
		}
	}
	return left <= 1 && len(bytes.TrimSpace(out)) == 0, nil
}

// collectAll removes all that nothing leads to, and leaves one pack.
func collectAll() []string { return []string{"gc", "-q", "--prune=now"} }

// Tidy packs what has gathered, where git's own settings (gc.auto) say that it is
// time. It has ended when it returns, and takes no object away that is younger than git
// allows. Errors: *BlockedError; *Error.
func (r *Repo) Tidy(ctx context.Context) error {
	_, err := r.git(ctx, call{args: []string{"gc", "--auto", "-q"}, config: []string{"gc.autoDetach=false", "gc.cruftPacks=true"}, writes: true})
	return publicError(err)
}

// sweeping are the commands of Sweep.
func (w *Rewritten) sweeping() [][]string {
	list := [][]string{{"reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"}}
	return append(append(list, w.restashing()...), collectAll())
}

// restashing are the commands that make the stash again, without its reflog.
func (w *Rewritten) restashing() (list [][]string) {
	if len(w.Stashes) > 0 {
		list = append(list, []string{"stash", "clear"})
	}
	for _, s := range slices.Backward(w.Stashes) {
		list = append(list, []string{"stash", "store", "-q", "-m", s.Message, s.New})
	}
	return list
}

// gitLine is a command line of git.
func gitLine(args []string) string {
	words := []string{"git"}
	for _, arg := range args {
		words = append(words, shell.Quote(arg))
	}
	return strings.Join(words, " ")
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// remoteOf is the remote, and the branch there, that a remote-tracking ref is
// of; "" where it is none.
func remoteOf(ref string, remotes []string) (remote, branch string) {
	name, ok := strings.CutPrefix(ref, "refs/remotes/")
	for _, r := range remotes {
		if b, of := strings.CutPrefix(name, r+"/"); ok && of && len(r) > len(remote) {
			remote, branch = r, b
		}
	}
	return remote, branch
}
