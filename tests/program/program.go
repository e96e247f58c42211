// Package program builds memctl and memctl-full for the tests that run them as processes.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/memctl/memctl/internal/safefile"
)

// Dir returns the folder that contains memctl and memctl-full, built from the present source. All test packages share
// the folder, bin/test of the module, so only the first one links the programs. If COVER_PROGRAMS names a folder, the
// programs are those in bin/cover, which write there what they cover (go test -coverprofile uses GOCOVERDIR itself). TESTS_PROGRAMS names a folder that has them
// already, for a machine without Go.
func Dir() (dir string, err error) {
	if dir := os.Getenv("TESTS_PROGRAMS"); dir != "" {
		return dir, nil
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	args := []string{"build", "-buildvcs=false"}
	dir = filepath.Join(root, "bin", "test")
	if covered := os.Getenv("COVER_PROGRAMS"); covered != "" {
		os.Setenv("GOCOVERDIR", covered)
		dir = filepath.Join(root, "bin", "cover")
		args = append(args, "-cover", "-coverpkg=./...")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	locked, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	unlock, err := safefile.Lock(context.Background(), locked, "lock", "tests", nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	build := exec.Command("go", append(args, "-o", dir+string(filepath.Separator), "./tests/program/memctl", "./tests/program/memctl-full")...)
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
}

// Memctl returns the path of memctl in the folder that Dir returns.
func Memctl() (string, error) {
	dir, err := Dir()
	name := filepath.Join(dir, "memctl")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name, err
}

// Root returns the top folder of the module that contains the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			err = errors.New("no go.mod above the working directory")
		}
		dir = up
	}
	return "", err
}
