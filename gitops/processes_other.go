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

// gitProcesses lists the gits of this machine that we did not start, without
// their folders, which ps does not tell. Errors: a system without ps.
func gitProcesses(ctx context.Context) ([]process, error) {
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return nil, err
	}
	var list []process
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] == strconv.Itoa(os.Getpid()) || !strings.HasPrefix(path.Base(fields[2]), "git") {
			continue
		}
		list = append(list, process{id: fields[0], args: fields[2:]})
	}
	return list, nil
}
