package shell

import (
	"os"
	"os/exec"
)

// Find returns the path of a POSIX shell: sh, or the one beside git; "" for none.
func Find() string {
	if sh, err := exec.LookPath("sh"); err == nil {
		return sh
	}
	if git, err := exec.LookPath("git"); err == nil {
		for _, sh := range BesideGit(git) {
			if info, err := os.Stat(sh); err == nil && info.Mode().IsRegular() {
				return sh
			}
		}
	}
	return ""
}
