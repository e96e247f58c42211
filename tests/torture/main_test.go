// Package torture holds the tests that take memory to its limits: many writers
// at once beside a person's own git, random steps of both, and machines that
// exchange what they know while they are killed. A sample of each runs with every `go test`; `make
// torture` sets MEMCTL_TORTURE and runs all of it, which takes long.
package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/mcp"
	"github.com/memctl/memctl/internal/door/proxy"
	"github.com/memctl/memctl/internal/recall/postgres/pgclient"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/tests/gittest"
)

// asMemctl makes the test's own binary memctl.
const asMemctl = "TORTURE_AS_MEMCTL"

// asTraced makes it one that a tracer looks at.
const asTraced = "TORTURE_AS_TRACED"

// all reports whether everything shall run, and not a sample.
func all() bool { return os.Getenv("MEMCTL_TORTURE") != "" }

// either is the number for a sample, or for all.
func either(sample, everything int) int {
	if all() {
		return everything
	}
	return sample
}

func TestMain(m *testing.M) {
	if os.Getenv(asTraced) != "" {
		if err := filtered(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	if os.Getenv(asMemctl) != "" {
		os.Exit(cmd.Main(os.Args[1:], term.Standard(os.Getenv), cmd.FullParts{ // in one process, so that the tracer follows it
			MCP:   func(e door.MCPEnv) door.MCPServer { return mcp.Env(e) },
			Proxy: func(e door.ProxyEnv) door.Proxy { return proxy.New(proxy.Env(e)) },
			Dial:  new(pgclient.Pool).Connect,
		}))
	}
	startTracers()
	gittest.Unset("GIT_", "MEMCTL_", "CLAUDE")
	gittest.UseMemory()
	os.Exit(m.Run())
}

// machine is a home folder with its own data folder and settings of git.
type machine struct {
	t    *testing.T
	home string
	now  string   // for MEMCTL_NOW; "" is the wall clock
	more []string // further lines of the environment
}

func newMachine(t *testing.T, person string) *machine {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := gittest.Home(home, person); err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, home: home}
}

func (m *machine) env() []string {
	env := append(os.Environ(), asMemctl+"=1", "HOME="+m.home, "XDG_DATA_HOME="+filepath.Join(m.home, "data"),
		"XDG_CONFIG_HOME="+filepath.Join(m.home, "config"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+filepath.Join(m.home, ".gitconfig"), "NO_COLOR=1", "LC_ALL=C")
	if m.now != "" {
		env = append(env, "MEMCTL_NOW="+m.now)
	}
	return append(env, m.more...)
}

// command is one start of memctl.
func (m *machine) command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Dir, c.Env = dir, m.env()
	return c
}

// answer is what one start of memctl said.
type answer struct {
	status      int
	out, talked string
}

func (m *machine) memctl(dir string, args ...string) answer {
	return m.fed(dir, "", args...)
}

// fed is memctl with something on stdin.
func (m *machine) fed(dir, stdin string, args ...string) answer {
	c := m.command(dir, args...)
	var out, talk bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &talk
	err := c.Run()
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		status = -1
		talk.WriteString(err.Error())
	}
	return answer{status, out.String(), talk.String()}
}

func (m *machine) tryGit(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, m.env()
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (m *machine) git(dir string, args ...string) string {
	m.t.Helper()
	out, err := m.tryGit(dir, args...)
	if err != nil {
		m.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

// sound checks a repository: its objects, one line of history unless merges
// are expected, nothing left uncommitted.
func (m *machine) sound(dir string, merges bool) {
	m.t.Helper()
	if out, err := m.tryGit(dir, "fsck", "--strict", "--no-dangling"); err != nil || strings.Contains(out, "error") {
		m.t.Errorf("git fsck: %v\n%s", err, out)
	}
	if many := m.git(dir, "rev-list", "--min-parents=2", "HEAD"); many != "" && !merges {
		m.t.Errorf("not one line of history: %s", many)
	}
	if status := m.git(dir, "status", "--porcelain"); status != "" {
		m.t.Errorf("left uncommitted: %s", status)
	}
	for _, lock := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		path := m.git(dir, "rev-parse", "--git-path", lock)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if _, err := os.Stat(path); err == nil {
			m.t.Errorf("left behind: %s", path)
		}
	}
}

// keysIn lists the keys of the items in a memory file, sorted.
func (m *machine) keysIn(dir string) []string {
	m.t.Helper()
	a := m.memctl(dir, "show", "--json", "--scope", "project")
	var shown struct {
		Scopes []struct {
			Items []struct {
				Key string `json:"key"`
			} `json:"items"`
			Salvaged bool `json:"salvaged"`
		} `json:"scopes"`
	}
	if err := json.Unmarshal([]byte(a.out), &shown); err != nil || len(shown.Scopes) != 1 || shown.Scopes[0].Salvaged {
		m.t.Fatalf("show: %v, status %d\n%s%s", err, a.status, a.out, a.talked)
	}
	var keys []string
	for _, it := range shown.Scopes[0].Items {
		keys = append(keys, it.Key)
	}
	slices.Sort(keys)
	return keys
}

// word is a number as letters, for keys.
func word(n int) string {
	var b strings.Builder
	for _, digit := range fmt.Sprint(n) {
		b.WriteRune('a' + digit - '0')
	}
	return b.String()
}
