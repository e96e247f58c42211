package remotes

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
)

// The merge driver, as git's config names it. Without memctl, and where memctl
// cannot merge by meaning, git merges the text. Graphical clients start git with a
// path of their own, so the driver also names the program that set it.
const (
	driverName    = "merge.memctl.name"
	driverCommand = "merge.memctl.driver"
	driverTitle   = "memctl: memory files by meaning"
	driverArgs    = " merge-driver %O %A %B %P"
	driverText    = " || git merge-file -L ours -L base -L theirs %A %O %B"
	driverLine    = "{ command -v memctl >/dev/null 2>&1 && memctl" + driverArgs + "; }" + driverText
	driverHead    = "{ if command -v memctl >/dev/null 2>&1; then memctl" + driverArgs + "; else "
	driverTail    = driverArgs + "; fi; }" + driverText
)

// driverWith is the driver that falls back to the program; driverLine where there is none.
func driverWith(program string) string {
	if program == "" {
		return driverLine
	}
	// Git replaces what follows a percent sign.
	return driverHead + strings.ReplaceAll(shell.QuoteForSh(filepath.ToSlash(program)), "%", "%%") + driverTail
}

// isDriver reports whether the line is a driver of ours, with any program.
func isDriver(line string) bool {
	return line == driverLine || strings.HasPrefix(line, driverHead) && strings.HasSuffix(line, driverTail)
}

// thisProgram is the absolute path of memctl: as it is found on the path where that is this
// very program, because a package manager may put a link there that outlives a version. It
// is "" in a process that is not memctl, such as a test.
func thisProgram() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	if found, err := exec.LookPath("memctl"); err == nil && filepath.IsAbs(found) {
		a, errA := os.Stat(own)
		b, errB := os.Stat(found)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return found
		}
	}
	switch dir, name := filepath.Split(own); strings.TrimSuffix(name, ".exe") {
	case "memctl":
		return own
	case "memctl-full": // memctl is beside it
		if beside, err := exec.LookPath(filepath.Join(dir, "memctl")); err == nil {
			return beside
		}
	}
	return ""
}

// maxAttributes is the size, in bytes, above which info/attributes is left alone.
const maxAttributes = 1 << 20

// attributes is our part of the repository's own info/attributes, which all
// its worktrees share and no commit holds.
func attributes() managed.Block {
	return managed.Block{
		Begin: "# memctl: merge memory by meaning",
		End:   "# memctl end",
		Body:  "memories.md merge=memctl\nmemories/entries/**/*.md merge=memctl\nmemories/notes/**/*.md merge=memctl\n",
	}
}

// MergeDriver reports whether the repository merges memory files by meaning.
// Errors: *Error, fault.Blocked; managed.ErrBadMarks, managed.ErrChangedByHand.
func MergeDriver(ctx context.Context, r *gitops.Repo) (bool, error) {
	_, there, err := mergeDriver(ctx, r)
	return there, err
}

// mergeDriver is MergeDriver with the command that git would run.
func mergeDriver(ctx context.Context, r *gitops.Repo) (line string, there bool, err error) {
	cfg, err := r.Config(ctx)
	if err != nil {
		return "", false, err
	}
	e, _ := cfg.Get(driverCommand)
	if !isDriver(e.Value) {
		return e.Value, false, nil
	}
	src, err := readAttributes(r)
	if err != nil {
		return e.Value, false, err
	}
	_, there, err = attributes().Status(src)
	return e.Value, there, err
}

// HasMergeRules reports whether info/attributes says of any file how git merges it: memctl's
// own rules, or the person's, who may not want others. It is cheaper than MergeDriver, and true
// where the file cannot be read: nothing can be set then.
func HasMergeRules(r *gitops.Repo) bool {
	src, err := readAttributes(r)
	return err != nil || bytes.Contains(src, []byte("merge"))
}

// InstallMergeDriver makes git merge memory files by meaning in this repository:
// the driver in its own config, the attributes in its info/attributes. It
// reports whether anything had to be changed. Errors: as MergeDriver;
// fault.ChangedOnDisk where the attributes changed meanwhile.
func InstallMergeDriver(ctx context.Context, r *gitops.Repo) (changed bool, err error) {
	wanted := driverWith(thisProgram())
	line, there, err := mergeDriver(ctx, r)
	if err != nil || there && (line != driverLine || wanted == driverLine) {
		return false, err // a driver that names no program gets one
	}
	src, err := readAttributes(r)
	if err != nil {
		return false, err
	}
	next, err := attributes().Install(src)
	if err != nil {
		return false, err
	}
	// The command first, the attributes last: git ends a merge with an error
	// where a driver has a name and no command.
	for _, set := range [][2]string{{driverCommand, wanted}, {driverName, driverTitle}} {
		if err := r.SetConfig(ctx, set[0], set[1]); err != nil {
			return false, err
		}
	}
	return true, writeAttributes(r, src, next)
}

// RemoveMergeRules removes memctl's part of info/attributes. Errors: as InstallMergeDriver.
func RemoveMergeRules(r *gitops.Repo) error {
	src, err := readAttributes(r)
	if err != nil {
		return err
	}
	next, err := attributes().Remove(src)
	switch {
	case err != nil || bytes.Equal(next, src):
		return err
	case next == nil:
		return os.Remove(filepath.Join(r.CommonDir, "info", "attributes"))
	}
	return writeAttributes(r, src, next)
}

func readAttributes(r *gitops.Repo) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Join(r.CommonDir, "info"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, "attributes", maxAttributes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return src, err
}

func writeAttributes(r *gitops.Repo, was, next []byte) error {
	dir := filepath.Join(r.CommonDir, "info")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return safefile.WriteIf(root, "attributes", was, next, 0o666)
}
