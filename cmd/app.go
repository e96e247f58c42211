package cmd

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// The environment variables that the command line itself reads. Settings have
// theirs in package settings.
const (
	envStore  = "MEMCTL_STORE"
	envOrigin = "MEMCTL_ORIGIN"
	envNow    = "MEMCTL_NOW"
)

// app is the small environment that every command is handed.
type app struct {
	streams      term.Streams
	getenv       func(string) string
	parts        FullParts
	global       globalOptions
	started      string         // the folder of the start, where -C went to another
	line         []string       // the command line, without the program's name
	command      *cobra.Command // the command that runs; nil before one does
	act          string         // its name where it writes, else ""
	keys         []string
	printed      error        // of the first write to stdout that failed
	noted        []fault.Note // notes that were printed
	pendingNotes []fault.Note // notes of what came in before the act, for the answer to begin with

	heedSignals func() // lets signals cancel the act's context, from the first call on
}

// globalOptions are the flags that every command has.
type globalOptions struct {
	json  bool
	quiet bool

	store string
	dir   string
}

// need is what a command wants opened before it runs.
type need uint8

const (
	needNothing need = iota
	needStores       // the stores of this folder, or --store; nothing is read yet
	needWrite        // the same, and a refusal is printed as the write's object
)

// session is one run of a command whose needs are met.
type session struct {
	*app
	ctx            context.Context
	stores         *store.Stores // nil where the command did not ask for them
	memory.Options               // from the flags --scope, --message and --auto, and the origin of the write
}

// runner wraps a command's function: it meets the needs, then calls it.
func (a *app) runner(n need, f func(s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		s := &session{app: a, ctx: c.Context()}
		if err := a.changeFolder(); err != nil {
			return err
		}
		if a.command, a.keys = c, args; n == needWrite {
			a.act = c.Name()
		}
		if n != needNothing {
			var err error
			if s.stores, err = a.open(s.ctx); err != nil {
				return err
			}
			if s.Options, err = a.options(); err != nil {
				return err
			}
			s.offerOtherClone()
		}
		err := f(s, args)
		if err == nil {
			err = a.printed
		}
		if err == nil && n == needWrite && s.Explicit() && briefing.IndexOld(s.ctx, s.stores) {
			s.index()
		}
		if err == nil && n == needStores {
			s.noteUnusable()
		}
		return err
	}
}

// noteUnusable warns after a read that git cannot use the repository: the private store
// was not read, and nothing can be written.
func (s *session) noteUnusable() {
	if why := s.stores.Unusable(); why != nil && !s.global.json {
		e := explain(why)
		s.note(e.Code, e.Error(), e.Hints...)
	}
}

// changeFolder goes to the folder of -C. The process moves rather than every path, so
// that files named on the command line are found from there too.
func (a *app) changeFolder() error {
	if a.global.dir == "" {
		return nil
	}
	a.started, _ = os.Getwd()
	if err := os.Chdir(a.global.dir); err != nil {
		return usage(a.global.dir, "not a folder that can be entered")
	}
	a.global.dir = ""
	return nil
}

// open finds the stores of the current folder.
func (a *app) open(ctx context.Context) (*store.Stores, error) {
	env, err := a.env("")
	if err != nil {
		return nil, err
	}
	env.Talk, env.Writes, env.DryRun = a.talk, a.heedSignals, a.dryRun()
	return store.Open(ctx, env)
}

// env returns the environment with which the stores of a folder are opened; "" is the current folder.
func (a *app) env(dir string) (store.Env, error) {
	own, err := os.Getwd()
	if err != nil && dir == "" {
		return store.Env{}, broken("no-folder", "this folder no longer exists or cannot be entered: "+err.Error(), "cd ..")
	}
	folder := cmp.Or(a.global.store, a.getenv(envStore))
	if folder != "" && !filepath.IsAbs(folder) {
		folder = filepath.Join(own, folder)
	}
	now, err := a.clock()
	return store.Env{Dir: cmp.Or(dir, own), StoreDir: folder, Getenv: a.getenv, Now: now}, err
}

// dryRun reports whether the command that runs has --dry-run set.
func (a *app) dryRun() bool { return a.flag(flagDryRun) == "true" }

// flag is the value of a flag of the command that runs; "" where it has no flag of this name.
func (a *app) flag(name string) string {
	if a.command == nil {
		return ""
	}
	if f := a.command.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// clock is the wall clock, or the moment that MEMCTL_NOW names: what is
// printed and written can then be reproduced.
func (a *app) clock() (func() time.Time, error) {
	text := a.getenv(envNow)
	if text == "" {
		return time.Now, nil
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, usage(envNow+"="+text, "not a time in RFC 3339", envNow+"=2026-11-21T09:00:00Z")
	}
	return func() time.Time { return moment }, nil
}

// failed makes the object that a write command prints for a refusal that
// concerns no single item, such as a key that is not there.
func (a *app) failed(e *fault.Error) memory.Write {
	w := memory.Write{
		Schema:   memory.SchemaNumber,
		Act:      a.act,
		Origin:   a.onBehalf(),
		Verdict:  "refuse",
		Findings: []fault.Finding{{Rule: e.Code, Message: e.Error()}},
		Why:      e.Code,
		Hints:    e.Hints,
		Noted:    fault.Noted{Notes: a.pendingNotes},
	}
	if len(a.keys) > 0 {
		w.Key = a.keys[0]
	}
	return w
}
