package gitops

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// setAside begins the names of originals that held a secret: they stay their
// owner's own.
const setAside = "original-"

// ShareBits are the permissions of files that core.sharedRepository gives to
// others than the owner; 0 where the repository is not shared.
func (r *Repo) ShareBits() fs.FileMode {
	value := strings.ToLower(r.FileConfig()["core.sharedrepository"])
	switch value {
	case "", "umask", "false", "no", "off", "0":
		return 0
	case "group", "true", "yes", "on", "1":
		return 0o060
	case "all", "world", "everybody", "2":
		return 0o064
	}
	bits, err := strconv.ParseUint(value, 8, 16)
	if err != nil || bits&0o600 != 0o600 {
		return 0 // git refuses it
	}
	return fs.FileMode(bits) & 0o066
}

// Share gives memctl's own files and folders in the git folder the permissions
// that core.sharedRepository asks for, as git gives them to its own. What is
// another person's has them from that person's act, so what cannot be changed is
// left.
func (r *Repo) Share() {
	bits := r.ShareBits()
	if bits == 0 || runtime.GOOS == "windows" {
		return
	}
	for _, top := range []string{
		filepath.Join(r.CommonDir, "memctl"), filepath.Join(r.GitDir, "memctl"), filepath.Join(r.CommonDir, "info", "attributes"),
	} {
		_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if !strings.HasPrefix(d.Name(), setAside) {
				share(name, d, bits)
			}
			return nil
		})
	}
}

func share(name string, d fs.DirEntry, bits fs.FileMode) {
	info, err := d.Info()
	if err != nil {
		return
	}
	mode := info.Mode()
	want := mode | bits
	switch {
	case mode.IsDir():
		want |= fs.ModeSetgid | bits&0o044>>2 // who may read may enter
	case !mode.IsRegular():
		return
	}
	if want != mode {
		_ = os.Chmod(name, want)
	}
}
