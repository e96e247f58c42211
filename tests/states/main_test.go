// Package states puts memctl into every state of a repository that a person
// can be in, with a real git, and holds it to its manners there: its own file
// alone is committed, everything else stays as it was, and what the person had
// begun ends as it would have ended without it.
//
// Words: a row is one state; the world is a person with a home, a repository
// and work under way; its twin is a world in the same state without memctl.
package states

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
	"github.com/memctl/memctl/tests/program"
)

var (
	update = flag.Bool("update", false, "rewrite the table in README.md; read the diff")
	full   = flag.Bool("full", false, "every act in a repository of its own too, not only one after the other")
)

var (
	scratch   string // where worlds are made; any user of the machine can enter it
	memctl    string // memctl
	gitConfig string // of everybody
)

// atOnce is how many states are built at the same time. Many of them only wait
// for a lock.
const atOnce = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(atOnce)
	}
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "memctl-states-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if scratch, err = filepath.EvalSymlinks(dir); err != nil {
		return 1, err
	}
	if err := os.Chmod(scratch, 0o755); err != nil {
		return 1, err
	}
	built, err := program.Memctl()
	if err != nil {
		return 1, err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return 1, err
	}
	memctl = filepath.Join(scratch, filepath.Base(built)) // another user can run it here
	if err := os.WriteFile(memctl, data, 0o755); err != nil {
		return 1, err
	}
	if err := gittest.Home(scratch, "Ada Lovelace"); err != nil {
		return 1, err
	}
	settings, err := os.ReadFile(filepath.Join(scratch, ".gitconfig"))
	if err != nil {
		return 1, err
	}
	gitConfig = string(settings) + "[advice]\n\tdetachedHead = false\n"
	return gittest.RunTests(m), nil
}
