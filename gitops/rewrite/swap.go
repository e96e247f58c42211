package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
)

// temporaryFiles are the files in which git notes commits and messages for a while.
func temporaryFiles() []string {
	return []string{"ORIG_HEAD", "FETCH_HEAD", "AUTO_MERGE", "COMMIT_EDITMSG", "SQUASH_MSG", "TAG_EDITMSG"}
}

// Swap moves the refs to the rewritten commits in one transaction; files and the index
// stay as they are. Errors: a ref that moved meanwhile (none has moved then);
// fault.Blocked; *Error.
func Swap(ctx context.Context, r *gitops.Repo, w *Rewritten) error {
	if len(w.Refs) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, ref := range w.Refs {
		fmt.Fprintf(&b, "update %s %s %s\n", ref.Name, ref.New, ref.Old)
	}
	_, err := r.Git(ctx, gitops.Call{Args: []string{"update-ref", "--stdin"}, Stdin: b.Bytes(), Config: []string{"core.fsync=all"}, Writes: true})
	return r.Explain(err)
}

// Sweep deletes everything that no ref leads to, in a repository of memctl's own:
// reflogs, what git noted for a while, and every unreachable object. Errors:
// fault.Blocked; *Error.
func Sweep(ctx context.Context, r *gitops.Repo) error {
	ctx, cancel := context.WithTimeout(ctx, object.ScanTime)
	defer cancel()
	for _, name := range temporaryFiles() {
		if err := os.Remove(filepath.Join(r.GitDir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for range 3 { // what could not be removed git only warns of
		if _, err := r.Git(ctx, gitops.Call{Args: []string{"gc", "-q", "--prune=now"}, Config: noReflogs(), Writes: true}); err != nil {
			return r.Explain(err)
		}
		if swept, err := swept(ctx, r); swept || err != nil {
			return err
		}
	}
	return fmt.Errorf("%q: unreachable objects cannot be removed", r.CommonDir)
}

// Prune deletes every object that neither a ref nor a reflog leads to. Errors: fault.Blocked; *Error.
func Prune(ctx context.Context, r *gitops.Repo) error {
	_, err := r.Git(ctx, gitops.Call{Args: []string{"gc", "-q", "--prune=now"}, Writes: true})
	return r.Explain(err)
}

// swept reports whether no object is left that nothing leads to: none that would
// be pruned, and none in an older pack.
func swept(ctx context.Context, r *gitops.Repo) (bool, error) {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"prune", "-n", "--expire=now"}})
	if err != nil {
		return false, gitops.PublicError(err)
	}
	dir := filepath.Join(r.CommonDir, "objects", "pack")
	// A git that was killed leaves packs that no other git removes: the one that it was
	// about to put in place, and one without an index.
	begun := safefile.Glob(dir, ".tmp-*")
	left := 0
	for _, name := range safefile.Glob(dir, "*.pack") {
		base := strings.TrimSuffix(name, ".pack")
		switch {
		case gitops.Exists(base + ".keep"):
		case gitops.Exists(base + ".idx"):
			left++
		default:
			begun = append(begun, name)
		}
	}
	for !gitops.LocksSettled(begun) && ctx.Err() == nil { // a git that lives gets on with it
		time.Sleep(gitops.RetryMost)
	}
	for _, name := range begun {
		if base, ok := strings.CutSuffix(name, ".pack"); ok && gitops.Exists(base+".idx") || os.Remove(name) != nil {
			left++
		}
	}
	return left <= 1 && len(bytes.TrimSpace(out)) == 0, nil
}

// noReflogs are the settings with which `git gc` deletes the entries of reflogs. With
// --expire=now in their place it would delete the stash too.
func noReflogs() []string { return []string{"gc.reflogExpire=now", "gc.reflogExpireUnreachable=now"} }

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

// PushesOver are the commands that put the rewritten commits in the place of what
// remotes are known to have. Errors: fault.Blocked; *Error.
func PushesOver(ctx context.Context, r *gitops.Repo, w *Rewritten) (list []string, err error) {
	remotes, err := remotes(ctx, r)
	for _, ref := range w.Refs {
		if remote, branch := remoteOf(ref.Name, remotes); remote != "" {
			list = append(list, PushOver(r, remote, branch, ref.Old, ref.New))
		}
	}
	return list, err
}

// remotes lists the names of the repository's remotes.
func remotes(ctx context.Context, r *gitops.Repo) ([]string, error) {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"remote"}})
	return strings.Fields(string(out)), gitops.PublicError(err)
}

// PushOver is the command that puts a commit in the place of the remote's
// branch, where that is still at the commit old.
func PushOver(r *gitops.Repo, remote, branch, old, next string) string {
	return fmt.Sprintf("git -C %s push --force-with-lease=%s:%s %s %s:refs/heads/%s", shell.Quote(r.Root), shell.Quote(branch), old, shell.Quote(remote), next, shell.Quote(branch))
}
