package cmd

import (
	"cmp"
	"crypto/rand"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/review"
)

// scopes are the words that --scope takes.
func scopes() []string {
	return []string{store.Project, store.Private, store.User, store.Only}
}

const (
	flagScope   = "scope"
	flagMessage = "message"
	flagAuto    = "auto"
	flagDryRun  = "dry-run"
)

// bindScope adds --scope to a command, and returns it.
func bindScope(c *cobra.Command) *cobra.Command {
	c.Flags().StringP(flagScope, "s", "", "use `SCOPE`: project, private or user")
	allow(c, flagScope, scopes()...)
	offer(c, flagScope, scopes()[:3]...)
	return c
}

// bindWrite adds the flags of every command that changes memory, and returns the command.
func bindWrite(c *cobra.Command) *cobra.Command {
	bindMessage(c)
	return bindScope(c)
}

// bindMessage adds --message and --dry-run.
func bindMessage(c *cobra.Command) {
	c.Flags().StringP(flagMessage, "m", "", "add `TEXT` to the commit message")
	bindDryRun(c, "print what would change, and change nothing")
}

// bindDryRun adds --dry-run, with which the stores are opened so that nothing is written: see
// app.dryRun.
func bindDryRun(c *cobra.Command, help string) { c.Flags().BoolP(flagDryRun, "n", false, help) }

// options are what the flags of the command that runs say about its act, and on whose behalf it runs.
func (a *app) options() (memory.Options, error) {
	origin, err := a.origin(a.flag(flagAuto) == "true")
	return memory.Options{Scope: a.flag(flagScope), Message: a.flag(flagMessage), Origin: origin, Command: rand.Text()}, err
}

// commitPending commits pending writes, right before the act of a command that writes. Commands
// about pending writes, about the last act and about no item do without.
func (s *session) commitPending() {
	s.pendingNotes = review.BringIn(s.ctx, s.stores, s.Options)
}

// The annotations of a flag that has a fixed list of values.
const (
	offeredValues = "memctl_offered"
	allowedValues = "memctl_allowed"
)

// offer makes completion offer these values for a flag.
func offer(c *cobra.Command, flag string, values ...string) {
	_ = c.Flags().SetAnnotation(flag, offeredValues, values)
}

// allow makes completion offer these values for a flag, and refuses others before the command runs.
func allow(c *cobra.Command, flag string, values ...string) {
	offer(c, flag, values...)
	_ = c.Flags().SetAnnotation(flag, allowedValues, values)
}

// checkAllowed finds the flags with a value that is not allowed.
func checkAllowed(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if allowed := f.Annotations[allowedValues]; allowed != nil && err == nil {
			for _, word := range flagValues(f) {
				err = cmp.Or(err, oneOf("--"+f.Name, word, c.CommandPath()+" --"+f.Name, allowed...))
			}
		}
	})
	return err
}

// oneOf checks a word against the few that are allowed after the words of command.
func oneOf(flag, word, command string, allowed ...string) error {
	if word == "" || slices.Contains(allowed, word) {
		return nil
	}
	return usage(flag+" "+word, "use "+settings.JoinWithOr(allowed), prefixed(command+" ", nearest(word, allowed))...)
}

// origin returns on whose behalf this run writes: automatic with --auto, else the value of MEMCTL_ORIGIN, else relayed if
// a known agent's variables are set, else explicit. A run that no person prompts is never relayed.
func (a *app) origin(automatic bool) (memory.Origin, error) {
	o := agents.OriginFromEnv(a.getenv)
	kind := a.getenv(envOrigin)
	switch kind {
	case memory.Explicit, memory.Relayed, memory.Automatic, "":
	default:
		return memory.Origin{}, usage(envOrigin+"="+kind, "use explicit, relayed or automatic")
	}
	switch {
	case automatic:
		o.Kind = memory.Automatic
	case kind == memory.Relayed && o.Kind == memory.Automatic:
	default:
		o.Kind = cmp.Or(kind, o.Kind, memory.Explicit)
	}
	return o, nil
}

// tellWithheld says how many items an answer keeps from its reader.
func (s *session) tellWithheld(n int) {
	if n > 0 {
		s.note("hidden-from-agents", count(n, "item")+" withheld from agents; a person can see them with memctl show")
	}
}
