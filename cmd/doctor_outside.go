package cmd

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/exchange"
)

// checkOutside looks at the stores outside the project: whether this
// repository's private one is there and its alone, and their remotes.
func (s *session) checkOutside() []check {
	var checks []check
	if slices.Contains(s.stores.Scopes(), store.Private) {
		state, err := s.stores.PrivateState(s.ctx)
		if err != nil {
			checks = append(checks, check{Name: "private store", Status: checkFail, Said: explain(err).Error()})
		} else if state.ID != "" {
			checks = append(checks, checkPrivate(state))
		}
	}
	for _, scope := range s.stores.Scopes() {
		if scope != store.Private && scope != store.User {
			continue
		}
		st, err := s.stores.Get(s.ctx, scope)
		if err != nil || st.Repo == nil {
			continue
		}
		driver := check{Name: scope + " merge driver", Status: checkOK, Said: mergesByMeaning, about: aboutMerge}
		checks = append(checks, driver.ofMergeDriver(s.ctx, st.Repo))
		if exchange.Remote(s.ctx, st) != "" {
			checks = append(checks, s.checkRemote(st))
		}
	}
	return checks
}

func checkPrivate(state store.PrivateState) check {
	c := check{Name: "private store", Status: checkOK, Said: state.Dir}
	switch {
	case state.Gone:
		c.Status = checkFail
		c.Said = state.Dir + ": missing, although this repository has an id for it; restore the folder from a backup or its remote, or start a new store"
		c.Fix = "git config --local --unset memctl.private"
	case len(state.Others) > 0:
		c.Status = checkWarn
		c.Said = "shared with a copy of this repository, " + workplace(state.Others[0]) + ": a write in one is visible in both"
		c.Fix = ownCopy(state.Dir)
	}
	return c
}

// workplace is the folder that people know a repository by.
func workplace(commonDir string) string {
	if filepath.Base(commonDir) == ".git" {
		return filepath.Dir(commonDir)
	}
	return commonDir
}

// ownCopy is the command that gives this repository a copy of the store for
// itself.
func ownCopy(dir string) string {
	id, err := store.NewPrivateID()
	if err != nil {
		return "git config --local --unset memctl.private"
	}
	return fmt.Sprintf("cp -R '%s' '%s' && git config --local memctl.private %s", dir, filepath.Join(filepath.Dir(dir), id), id)
}

// checkRemote tells how a store stands to its remote, as it was last seen: the
// network is left alone.
func (s *session) checkRemote(st *store.Store) check {
	c := check{Name: st.Scope + " remote", Status: checkOK, Said: exchange.Remote(s.ctx, st), about: aboutSync}
	ahead, err := exchange.Unsent(s.ctx, st)
	switch {
	case err != nil:
		c.Status, c.Said = checkFail, explain(err).Error()
	case ahead > 0:
		c.Status, c.Said, c.Fix = checkWarn, c.Said+": "+count(ahead, "commit")+" not pushed", "memctl sync --scope "+st.Scope
	}
	return c
}
