//go:build !linux

package gitops

import (
	"context"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
)

// gitRuns reports whether a git that we did not start runs on the machine; so
// does a system that cannot tell.
func (r *Repo) gitRuns(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "ppid=,comm=").Output()
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(out)) {
		parent, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(path.Base(strings.TrimSpace(name)), "git") && parent != strconv.Itoa(os.Getpid()) {
			return true
		}
	}
	return false
}
