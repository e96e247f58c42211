package gitops

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// gitProcesses lists the gits of this machine that we did not start. Errors:
// processes that cannot be listed.
func gitProcesses(context.Context) ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []process
	for _, name := range names {
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		at := filepath.Join("/proc", name)
		if !isGit(at) {
			continue
		}
		folder, err := os.Readlink(filepath.Join(at, "cwd"))
		if os.IsNotExist(err) {
			continue // it has ended
		}
		args, _ := os.ReadFile(filepath.Join(at, "cmdline"))
		list = append(list, process{id: name, args: strings.Split(string(bytes.TrimRight(args, "\x00")), "\x00"), folder: folder})
	}
	return list, nil
}

// reaches lists the folders and files that the process was told of, or has open, beside
// the folder that it runs in. known is false where that is hidden.
func (p process) reaches() (list []string, known bool) {
	at := filepath.Join("/proc", p.id)
	environment, err := os.ReadFile(filepath.Join(at, "environ"))
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) // it has ended
	}
	list = namedFolders(p.args, strings.Split(string(environment), "\x00"), p.folder)
	open, err := os.ReadDir(filepath.Join(at, "fd"))
	if err != nil {
		return list, errors.Is(err, fs.ErrNotExist)
	}
	for _, f := range open {
		if name, err := os.Readlink(filepath.Join(at, "fd", f.Name())); err == nil {
			list = append(list, name)
		}
	}
	return list, true
}

// gitAncestors lists the gits that this process stands below, the nearest first.
func gitAncestors(context.Context) (list []process) {
	for id := strconv.Itoa(os.Getppid()); id != "" && id != "0"; {
		at := filepath.Join("/proc", id)
		name, parent := nameAndParent(at)
		if name == "git" || strings.HasPrefix(name, "git-") {
			args, _ := os.ReadFile(filepath.Join(at, "cmdline"))
			folder, _ := os.Readlink(filepath.Join(at, "cwd"))
			list = append(list, process{id: id, args: strings.Split(string(bytes.TrimRight(args, "\x00")), "\x00"), folder: folder})
		}
		id = parent
	}
	return list
}

// nameAndParent are what a process is called and its parent's id, "" where it has ended.
func nameAndParent(process string) (name, parent string) {
	stat, err := os.ReadFile(filepath.Join(process, "stat"))
	if err != nil {
		return "", ""
	}
	_, rest, _ := strings.Cut(string(stat), "(")
	end := strings.LastIndex(rest, ") ") // a name may hold anything
	if end < 0 {
		return "", ""
	}
	if part := strings.Fields(rest[end+2:]); len(part) > 1 { // state, parent
		parent = part[1]
	}
	return rest[:end], parent
}

// isGit reports whether the process is called git, still runs, and is no child of ours.
func isGit(process string) bool {
	stat, err := os.ReadFile(filepath.Join(process, "stat"))
	if err != nil {
		return false // it has ended
	}
	_, rest, _ := strings.Cut(string(stat), "(")
	name, fields, _ := strings.Cut(rest, ") ")
	part := strings.Fields(fields) // state, parent
	return strings.HasPrefix(name, "git") && len(part) > 1 && part[0] != "Z" && part[1] != strconv.Itoa(os.Getpid())
}
