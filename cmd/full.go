package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// FullParts are what memctl-full links and memctl does not, because hooks would pay for their size.
type FullParts struct {
	Page  func(door.PageEnv) door.Page
	MCP   func(door.MCPEnv) door.MCPServer
	Proxy func(door.ProxyEnv) door.Proxy
	Dial  postgres.Dial           // connects to the server of the shared index
	Noted func(code, line string) // nil, but in tests: gets each note's code, and its line after "memctl: "
}

// fullName is the program that has all Parts.
const fullName = "memctl-full"

// needsFull wraps a command's function that needs Parts: memctl starts memctl-full with the same command line instead.
func (a *app) needsFull(f func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	if a.parts.Dial != nil {
		return f
	}
	return func(c *cobra.Command, _ []string) error { return a.startFull(c.Context()) }
}

// dial returns how recall connects to the shared index with an engine. Where memctl has no client and a shared index is
// set, memctl-full runs the command line instead. Where that cannot be started, the function that dial returns says why, and
// recall goes on with the index on this disk.
func (s *session) dial(ss *store.Stores, engine string) (postgres.Dial, error) {
	if s.parts.Dial != nil || engine == briefing.EngineFile {
		return s.parts.Dial, nil
	}
	address, err := ss.SharedAddress(s.ctx)
	if err != nil {
		return nil, err
	}
	var why error // without an address nothing is dialled
	if address != "" {
		why = s.startFull(s.ctx)
	}
	var ended statusError
	if errors.As(why, &ended) {
		return nil, why
	}
	return func(context.Context, string, time.Duration) (postgres.Server, error) { return nil, why }, nil
}

// startFull runs memctl-full with this command line in the place of this process. It returns only where that is not possible,
// or on Windows, where a process cannot be replaced: then with the status of memctl-full, as a statusError.
func (a *app) startFull(ctx context.Context) error {
	name, err := findFull(ctx)
	if err != nil {
		return err
	}
	here, _ := os.Getwd()
	if a.started != "" { // memctl-full reads -C again
		_ = os.Chdir(a.started)
	}
	err = replace(name, a.line)
	_ = os.Chdir(here)
	var ended statusError
	if errors.As(err, &ended) {
		return err
	}
	return noFull(name + " cannot be started: " + err.Error())
}

// findFull finds the memctl-full of this version, beside this program or else in the first folder on the PATH that has it.
// Error: fault.FullProgramMissing, which is about the nearest one where all are of other versions.
func findFull(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fullAnswers)
	defer cancel()
	folders := append([]string{ownFolder()}, filepath.SplitList(os.Getenv("PATH"))...)
	var wrong error
	for i, folder := range folders {
		if !filepath.IsAbs(folder) || slices.Contains(folders[:i], folder) {
			continue // a program in a relative folder could be anybody's
		}
		name, err := exec.LookPath(filepath.Join(folder, fullName))
		if err != nil {
			continue
		}
		if err = checkVersion(ctx, name); err == nil {
			return name, nil
		}
		wrong = cmp.Or(wrong, err)
	}
	return "", cmp.Or(wrong, noFull("MCP, the proxy, the page and the shared index need the program "+fullName+", which is not installed"))
}

// hasFull reports whether there is a memctl-full, without starting it.
func hasFull() bool {
	if own := ownFolder(); own != "" {
		if _, err := exec.LookPath(filepath.Join(own, fullName)); err == nil {
			return true
		}
	}
	name, err := exec.LookPath(fullName)
	return err == nil && filepath.IsAbs(name)
}

// ownFolder is the folder of this program, where memctl-full belongs too; "" where the system does not tell.
func ownFolder() string {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(own)
}

// checkVersion fails where a program cannot be started, or its version is not the one that memctl-full of this build prints.
func checkVersion(ctx context.Context, name string) error {
	out, err := exec.CommandContext(ctx, name, "version").Output()
	if err != nil {
		return noFull(name + " cannot be started: " + err.Error())
	}
	own := buildVersion()
	switch string(out) {
	case own.text(fullName):
		return nil
	case own.text("memctl"):
		return noFull(name + " is memctl under another name, without its parts")
	}
	theirs, _, _ := strings.Cut(string(out), "\n")
	return noFull(name + " is of another version: " + theirs + ", and this is " + strings.TrimSpace(own.text("memctl")))
}

// fullAnswers is how long memctl-full may take to print its version.
const fullAnswers = 10 * time.Second

// noFull says why memctl-full is not started, and in which folder it belongs.
func noFull(cause string) error {
	e := &fault.Error{Code: fault.FullProgramMissing, Cause: cause}
	if folder := ownFolder(); folder != "" { // it may be elsewhere than where Go installs programs
		e.Hints = []string{"GOBIN=" + shell.Quote(folder) + " " + newerHint}
	}
	return e
}

// fullProblem says why memctl-full cannot be started; nil where it can.
func (a *app) fullProblem(ctx context.Context) *fault.Error {
	if a.parts.Dial != nil {
		return nil
	}
	if _, err := findFull(ctx); err != nil {
		return explain(err)
	}
	return nil
}
