package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/character"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/store"
)

// scopes are the words that --scope takes.
func scopes() []string {
	return []string{store.Project, store.Private, store.User, store.Only}
}

// bindScope adds --scope.
func bindScope(c *cobra.Command, scope *string) {
	c.Flags().StringVarP(scope, "scope", "s", "", "use only `SCOPE`: project, private or user")
	offer(c, "scope", scopes()[:3]...)
}

func checkScope(scope string) error { return oneOf("--scope", scope, scopes()...) }

// writeOptions are the flags of every command that changes anything.
type writeOptions struct {
	scope   string
	message string
}

func (o *writeOptions) bind(c *cobra.Command) {
	bindScope(c, &o.scope)
	c.Flags().StringVarP(&o.message, "message", "m", "", "add `TEXT` to the commit message")
	bindDryRun(c, "print what would change, and change nothing")
}

const flagDryRun = "dry-run"

// bindDryRun adds --dry-run, with which the stores are opened so that nothing is written: see
// app.dryRun.
func bindDryRun(c *cobra.Command, help string) { c.Flags().BoolP(flagDryRun, "n", false, help) }

// bringIn brings in what waits, right before the act of a command that writes. Commands
// about what waits itself, about the last act and about no item do without.
func (s *session) bringIn(o memory.Options) {
	s.cameIn = append(review.BringIn(s.ctx, s.stores, o), character.Finish(s.ctx, s.stores)...)
}

// options checks the flags and adds the origin.
func (o *writeOptions) options(a *app, automatic bool) (memory.Options, error) {
	if err := checkScope(o.scope); err != nil {
		return memory.Options{}, err
	}
	origin, err := a.origin(automatic)
	if err != nil {
		return memory.Options{}, err
	}
	a.kind = origin.Kind
	return memory.Options{Scope: o.scope, Message: o.message, Origin: origin}, nil
}
