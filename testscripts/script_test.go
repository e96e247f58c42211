// Package testscripts holds the acceptance tests: scripts that run memctl as a
// person would, on real repositories. One folder an area, one behaviour a
// script.
package testscripts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memctl/memctl/tests/gittest"
	"github.com/memctl/memctl/tests/program"
)

var update = flag.Bool("update", false, "rewrite the wanted output in the scripts")

func TestMain(m *testing.M) {
	// macOS' folder for temporary files is a link, and git tells the real one.
	if real, err := filepath.EvalSymlinks(os.TempDir()); err == nil {
		os.Setenv("TMPDIR", real)
	}
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // a script waits for its processes most of the time
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

func run(m *testing.M) (int, error) {
	programs, err := program.Dir()
	if err != nil {
		return 1, err
	}
	os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	home, err := os.MkdirTemp("", "testscripts-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(home)
	if err := gittest.Home(home, "Ada Lovelace"); err != nil {
		return 1, err
	}
	settings, err := os.ReadFile(filepath.Join(home, ".gitconfig"))
	gitConfig = string(settings)
	if err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// everything reports whether the long tests shall try all their cases, as in `make torture`, and not one of each kind.
func everything() bool { return os.Getenv("MEMCTL_TORTURE") != "" }

// TestScripts runs every area that there is, so that a new folder needs no
// entry in a list.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	areas := map[string]bool{}
	for _, script := range scripts {
		areas[filepath.Dir(script)] = true
	}
	if len(areas) == 0 {
		t.Fatal("no scripts found")
	}
	collected := collectHints(t)
	defer collected()
	for area := range areas {
		t.Run(area, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 area,
				Setup:               setup,
				Cmds:                commands(),
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				UpdateScripts:       *update,
			})
		})
	}
}

// closedPort is an address where nobody listens, so that a call that nobody
// planned fails loudly.
const closedPort = "http://127.0.0.1:9"

// moment is the one moment at which every script happens.
const moment = "2026-11-21T09:00:00Z"

// gitConfig is everybody's configuration of git.
var gitConfig string

// setup fixes what the outcome could depend on: home, git, clock and colour.
func setup(env *testscript.Env) error {
	env.Values[snapshotsKey{}] = map[string]string{}
	env.Setenv("GOCOVERDIR", os.Getenv("GOCOVERDIR"))
	env.Setenv(program.HintsVariable, os.Getenv(program.HintsVariable))
	env.Setenv(program.NotesVariable, env.WorkDir+".notes")
	home := filepath.Join(env.WorkDir, ".home")
	for name, value := range map[string]string{
		"HOME":                home,
		"USERPROFILE":         home,
		"LOCALAPPDATA":        filepath.Join(home, "data"),
		"XDG_DATA_HOME":       filepath.Join(home, "data"),
		"XDG_CONFIG_HOME":     filepath.Join(home, "config"),
		"XDG_STATE_HOME":      filepath.Join(home, "state"),
		"XDG_CACHE_HOME":      filepath.Join(home, "cache"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_GLOBAL":   filepath.Join(home, ".gitconfig"),
		"GIT_AUTHOR_DATE":     moment,
		"GIT_COMMITTER_DATE":  moment,
		"GIT_TERMINAL_PROMPT": "0",
		"GIT_PAGER":           "cat",
		"MEMCTL_NOW":          moment,
		"MEMCTL_EMBED_URL":    closedPort,
		"MEMCTL_RERANK_URL":   closedPort,
		"NO_COLOR":            "1",
		"TERM":                "dumb",
		"LC_ALL":              "C",
		"TZ":                  "UTC",
	} {
		env.Setenv(name, value)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitConfig), 0o644)
}
