//go:build !linux

package gitops

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// gitProcesses lists the gits of this machine that we did not start, without
// their folders, which ps does not tell. Errors: a system without ps.
func gitProcesses(ctx context.Context) ([]process, error) {
	all, err := processes(ctx)
	if err != nil {
		return nil, err
	}
	var list []process
	for id, fields := range all {
		if fields[1] != strconv.Itoa(os.Getpid()) && strings.HasPrefix(path.Base(fields[2]), "git") {
			list = append(list, process{id: id, args: fields[2:]})
		}
	}
	return list, nil
}

// reaches is never asked here, where no process shows its folder: each counts.
func (process) reaches() (list []string, known bool) { return nil, false }

// processes lists all of the machine by their ids: id, parent, command.
func processes(ctx context.Context) (map[string][]string, error) {
	out, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 2 {
			all[fields[0]] = fields
		}
	}
	return all, nil
}

// gitAncestors lists the gits that this process stands below, the nearest
// first. The look at all processes is for those alone that bear git's mark.
func gitAncestors(ctx context.Context) (list []process) {
	if !startedByGit() {
		return nil
	}
	all, err := processes(ctx)
	if err != nil {
		return nil
	}
	for id := strconv.Itoa(os.Getppid()); len(all[id]) > 0 && len(list) < len(all); {
		fields := all[id]
		delete(all, id) // no way round, whatever ps says
		if name := path.Base(fields[2]); name == "git" || strings.HasPrefix(name, "git-") {
			list = append(list, process{id: id, args: fields[2:]})
		}
		id = fields[1]
	}
	return list
}

// startedByGit reports whether the environment is one that git made: it sets
// variables for its hooks, and puts the folder of its own programs into PATH.
func startedByGit() bool {
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_EXEC_PATH"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool { return filepath.Base(dir) == "git-core" })
}
