package cmd

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/memctl/memctl/internal/fault"
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
)

func newUI(a *app) *cobra.Command {
	port, noOpen := 0, false
	c := &cobra.Command{
		Use:   "ui",
		Short: "Look at memory and change it on a page in your browser",
		Long: `Ui serves a page on this machine alone, prints its address and opens your browser. The
page lists all memories, searches them while you type, and lets you confirm, edit, lock, move
and forget them. It shows what the next session of each agent receives, what waits for your
review, and the health of memory. Each change has an Undo button. Changes that agents and
other commands make appear by themselves.

The address contains a secret that is new at each start: whoever has it can read and change
your memory. If an agent starts the page, it is read only.

The page ends with Ctrl-C, and after 30 minutes without use. docs/ui.md describes it.`,
		Example: `  memctl ui
  memctl ui --no-open --port 7400`,
	}
	c.RunE = a.needsFull(a.runner(needStores, func(s *session, _ []string) error { return runUI(s, port, noOpen) }))
	c.Flags().IntVar(&port, "port", 0, "listen on port `N` of 127.0.0.1 (default: any free port)")
	c.Flags().BoolVar(&noOpen, "no-open", false, "do not open the browser")
	return c
}

func runUI(s *session, port int, noOpen bool) error {
	if port < 0 || port > 65535 {
		return usage("--port "+strconv.Itoa(port), "use a port from 1 to 65535, or 0 for any free one")
	}
	if port == 80 {
		return usage("--port 80", "browsers leave this port out of the address, so the page could not check it; use another port")
	}
	setPace(steadyHeap)
	open := s.serverStores()
	p := s.parts.Page(door.PageEnv{
		Open: func(ctx context.Context) (*store.Stores, error) { return open(ctx, "") }, Explain: explain, Agents: s.pageAgents, Checks: s.pageChecks, Fix: s.pageFix, ReadOnly: !s.Explicit(),
	})
	l, err := loopback.Listen(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return cannotListen("127.0.0.1:"+strconv.Itoa(port), err)
	}
	address := p.URL(l)
	if err := s.print(address + "\n"); err != nil {
		return err
	}
	if !s.Explicit() {
		s.note("page-read-only", "an agent started this page, so it is read only")
	}
	if !noOpen && s.streams.OutTerminal && s.Explicit() {
		openBrowser(p.OnceURL(l))
	}
	idle, err := p.Serve(s.ctx, l)
	if idle {
		s.note("page-idle", "the page ended after "+strconv.Itoa(int(door.IdleAfter.Minutes()))+" minutes without use")
	}
	return err
}

// openBrowser opens the person's browser, which outlives the page. Where that fails, the address is on
// the screen.
func openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	c := exec.Command(name, args...)
	ownGroup(c)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}

// pageAgents are the agents that the person has settings of.
func (s *session) pageAgents(ss *store.Stores) []door.Agent {
	home, _ := os.UserHomeDir()
	m := agents.Machine{Home: home, Root: ss.Root(), Getenv: s.getenv}
	var list []door.Agent
	for _, a := range agents.All() {
		if hasSettings(m, a) {
			level, _, _ := connection(m, a)
			list = append(list, door.Agent{Name: a.Name(), Title: a.Title(), Connected: level == fault.SeverityOK, Tools: agents.HasTools(m, a)})
		}
	}
	return list
}

// sessionAgent is the agent of that name, else the one that runs this command, else the first whose hooks call memctl. Its Name
// is "" if none do.
func (s *session) sessionAgent(name string) door.Agent {
	found := door.Agent{Name: cmp.Or(name, agents.FromEnv(s.getenv))}
	for _, a := range s.pageAgents(s.stores) {
		if a.Name == found.Name || found.Name == "" && a.Connected {
			return a
		}
	}
	return found
}

// pageFix makes the repairs of doctor --fix.
func (s *session) pageFix(ctx context.Context) ([]fault.Note, error) {
	return s.silent(ctx).applyFixes()
}

// pageChecks runs the checks of doctor.
func (s *session) pageChecks(ctx context.Context) []fault.Finding {
	return s.runChecks(ctx, false, false).found
}
