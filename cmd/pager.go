package cmd

import (
	"context"
	"os"
	"os/exec"

	"github.com/memctl/memctl/agents"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/term"
)

// printLong prints an answer for a person to read: on a terminal through git's pager, where
// it is longer than the screen. An agent that runs memctl in a terminal could not close it.
func (a *app) printLong(text string) error {
	if a.global.noPager || agents.FromEnv(a.getenv) != "" || a.getenv("TERM") == "dumb" || !a.streams.Overflows(text) {
		return a.print(text)
	}
	command := pagerCommand()
	if command == "" || command == "cat" || term.Page(a.streams, command, text) != nil {
		return a.print(text)
	}
	return nil
}

// pagerCommand is the pager as git chooses it: GIT_PAGER, core.pager, PAGER, less; "" for
// none. A repository's own configuration is not asked, because it can come with the folder
// from somebody else.
func pagerCommand() string {
	if command, set := os.LookupEnv("GIT_PAGER"); set {
		return command
	}
	if cfg, err := gitops.GlobalConfig(context.Background()); err == nil {
		if e, set := cfg.Get("core.pager"); set {
			return e.Value
		}
	}
	if command, set := os.LookupEnv("PAGER"); set {
		return command
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}
