package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// quarantineAge is how old what a killed process has left of a quarantine is at
// least: no look at a remote takes as long.
const quarantineAge = time.Hour

// Quarantine is the same repository with one more folder of objects: what is
// fetched or stored through it goes into that folder alone, which end removes.
// So a remote is looked into before anything of it is let in. Errors: the
// system's cause.
func (r *Repo) Quarantine() (q *Repo, end func() error, err error) {
	const pattern = "quarantine-*"
	dir := filepath.Join(r.CommonDir, "memctl")
	left := safefile.Glob(dir, pattern)
	for _, name := range left {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > quarantineAge {
			_ = os.RemoveAll(name) // the next one tries again
		}
	}
	if err := r.MakeOwnFolder(); err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp(dir, pattern)
	if err != nil {
		return nil, nil, err
	}
	end = func() error { return os.RemoveAll(folder) }
	err = os.Mkdir(filepath.Join(folder, "info"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "info", "alternates"), []byte(filepath.Join(r.CommonDir, "objects")+"\n"), 0o600)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	q = &Repo{Root: r.Root, GitDir: r.GitDir, CommonDir: r.CommonDir, pinned: r.pinned, objects: folder}
	return q, end, nil
}

// MakeOwnFolder makes memctl's folder in the common git folder where it is missing. Errors:
// fault.NotAFile for a link in its place; the system's cause.
func (r *Repo) MakeOwnFolder() error {
	if r.ownFolder.Load() {
		return nil
	}
	folder, err := safefile.OpenBelow(r.CommonDir, filepath.Join(r.CommonDir, "memctl"), true)
	if err != nil {
		return err
	}
	r.ownFolder.Store(true)
	return folder.Close()
}

// Quarantined reports whether the repository is one that Quarantine made.
func (r *Repo) Quarantined() bool { return r.objects != "" }

// ObjectVariables name the object folder of a quarantine.
func (r *Repo) ObjectVariables() []string {
	if r.objects == "" {
		return nil
	}
	return []string{"GIT_OBJECT_DIRECTORY=" + r.objects}
}
