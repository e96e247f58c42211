package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

func newProfile(a *app) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "profile",
		Short: "Print the items that every session starts with",
		Long: `Profile prints the Active Profile: the confirmed items that an agent receives at the start
of a session. With more than 15 items, the list is grouped by the first part of the keys. The
last line says what is left out, and --all lists each of these items with the reason.`,
		Example: `  memctl profile
  memctl profile --all
  memctl profile --json`,
		RunE: reads(a, func(s *session, _ []string) (view.ProfileResult, error) {
			return s.sessionProfile(s.Reader())
		},
			func(s *session, r view.ProfileResult) error { return s.printProfile(r, all) }),
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "list every item that is left out, with the reason")
	return c
}

// sessionProfile is the profile with which the next session starts.
func (s *session) sessionProfile(who contents.Reader) (view.ProfileResult, error) {
	agent := s.sessionAgent("")
	return briefing.Profile(s.ctx, s.stores, briefing.BootstrapRequest{Agent: agent.Name, Tools: agent.Tools, Reader: who})
}

func (s *session) printProfile(result view.ProfileResult, all bool) error {
	text := result.Text // safe as it stands: it is what agents read
	if all && len(result.LeftOut) > 0 {
		t := term.Table{Indent: "  ", MaxWidth: keyColumn}
		for _, l := range result.LeftOut {
			t.AddRow(inert(cmp.Or(l.Key, "(an item)")), l.Scope, l.Why)
		}
		text = strings.TrimPrefix(text+"\nLeft out:\n"+t.Text(false), "\n")
	}
	s.print(text)
	if all {
		return nil
	}
	leftOut := ""
	if len(result.LeftOut) > 0 {
		leftOut = "left out: " + result.LeftOutText()
	}
	switch {
	case len(result.Bullets) == 0 && leftOut == "":
		s.note("empty-profile", "nothing to show")
	case len(result.Bullets) == 0:
		s.note("empty-profile", "nothing to show; "+leftOut)
	case leftOut != "":
		s.note("profile-left-out", leftOut)
	}
	if result.Crowded() {
		s.hint("memctl profile --all")
	}
	if command := s.emptyProfileHint(); len(result.Bullets) == 0 && command != "" {
		s.hint(command)
	}
	return nil
}

// emptyProfileHint is the command that helps where nothing is shown: a repository
// without memory needs one first. "" where git has it: what brings it back was said before.
func (s *session) emptyProfileHint() string {
	st, err := s.stores.Get(s.ctx, store.Project)
	if err != nil {
		return "memctl show"
	}
	if memory.MissingFile(s.ctx, s.stores, store.Project) != nil {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(st.Dir, memfile.FileName)); errors.Is(err, fs.ErrNotExist) {
		return "memctl init"
	}
	return "memctl show"
}
