//go:build unix

package gitops

import (
	"os"
	"path/filepath"
	"syscall"
)

// IsOwn reports whether the repository belongs to who runs this: in another's
// git decides whether it is to be trusted. It looks once.
func IsOwn(r *Repo) bool {
	r.owner.Do(func() { r.ours = ours(r) })
	return r.ours
}

func ours(r *Repo) bool {
	if os.Getenv("GIT_TEST_ASSUME_DIFFERENT_OWNER") != "" {
		return false // git's own tests make it refuse every repository so
	}
	for _, dir := range []string{r.Root, r.GitDir, r.CommonDir, filepath.Join(r.Root, ".git")} {
		info, err := os.Lstat(dir)
		if os.IsNotExist(err) {
			continue // the git folder may be elsewhere
		}
		if err != nil {
			return false
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
			return false
		}
	}
	return true
}
