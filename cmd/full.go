package cmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/page/pageenv"
	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store"
)

// Parts are what memctl-full links and memctl does not, because hooks would pay for their size.
type Parts struct {
	Page func(pageenv.Env) pageenv.Page
	Dial postgres.Dial // connects to the server of the shared index
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
	why := noFull("this process was started before memctl.pg.url was set; start it again")
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

// findFull finds memctl-full beside this program, or else on the path. Error: fault.NoFull, also where it is of another version.
func findFull(ctx context.Context) (string, error) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), fullName) {
		return "", noFull(os.Args[0] + " is a copy of memctl under another name")
	}
	name, err := "", error(nil)
	if own, e := os.Executable(); e == nil {
		if own, e = filepath.EvalSymlinks(own); e == nil {
			name, _ = exec.LookPath(filepath.Join(filepath.Dir(own), fullName))
		}
	}
	if name == "" {
		if name, err = exec.LookPath(fullName); err != nil {
			return "", noFull("the page and the shared index need the program " + fullName + ", which is not installed")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, fullAnswers)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, "version").Output()
	if err != nil {
		return "", noFull(name + " cannot be started: " + err.Error())
	}
	if own := buildVersion().text(); string(out) != own {
		theirs, _, _ := strings.Cut(string(out), "\n")
		return "", noFull(name + " is of another version: " + theirs + ", and this is " + strings.TrimSpace(own))
	}
	return name, nil
}

// fullAnswers is how long memctl-full may take to print its version.
const fullAnswers = 10 * time.Second

func noFull(cause string) error { return &fault.Error{Code: fault.NoFull, Cause: cause} }

// checkFull says in doctor what is wrong with memctl-full; no check where it can be started.
func (s *session) checkFull() []check {
	if s.parts.Dial != nil {
		return nil
	}
	_, err := findFull(s.ctx)
	if err == nil {
		return nil
	}
	return []check{{Name: fullName, Status: checkWarn, Said: err.Error(), Fix: newerHint}}
}
