package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// inMemory is a folder without a disk below, where there is one: waiting for
// fsync would be most of the time that the sequences take.
func inMemory() string {
	const shm = "/dev/shm"
	if info, err := os.Stat(shm); err == nil && info.IsDir() {
		return shm
	}
	return os.TempDir()
}

// TestMain gives git and memctl a home of their own, so that nobody's settings
// decide what the tests see.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp(inMemory(), "memory-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMCTL_") && name != sequencesEnv && name != seedEnv {
			os.Unsetenv(name)
		}
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	os.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	xdg.Reload()
	identity := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(home)
	os.Exit(status)
}
