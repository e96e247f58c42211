package integrity

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/policy/chars"
)

// ruleAgentForm is the rule of an agent.md that cannot be read.
const ruleAgentForm = "agent-form"

// withMemory adds the files of the store's entries and the agents' context files, as the disk, the
// index or the revision has them.
func (v *validating) withMemory(st *store.Store, files []string) ([]string, error) {
	list, err := v.below(st) // from the store's folder
	if err != nil {
		return files, err
	}
	folder, entries := filepath.Dir(v.fromHere(st.Path())), false
	for _, name := range list {
		_, isEntry := entry.ParsePath(name)
		if entries = entries || isEntry; isEntry || store.IsContextFile(name) && path.Ext(name) == ".md" {
			files = append(files, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	if entries {
		v.forgotten, err = contents.ReadForgotten(v.ctx, st)
	}
	return files, err
}

func (v *validating) below(st *store.Store) (list []string, err error) {
	switch {
	case st.Repo != nil && v.Rev != "":
		files, _ := object.FilesUnder(v.ctx, st.Repo, v.Rev, st.GitPathOf(store.MemoriesDir)) // if the revision is not there, the memory file's finding names it
		list = slices.Sorted(maps.Keys(files))
	case st.Repo != nil && v.Staged:
		list, err = worktree.StagedUnder(v.ctx, st.Repo, st.GitPathOf(store.MemoriesDir))
	default:
		list, err = contents.EntryFiles(v.ctx, st)
		return append(list, contextFiles(st.Dir)...), err
	}
	for i, name := range list {
		list[i] = contents.PathInStore(st, name)
	}
	return list, err
}

// contextFiles lists the regular files in a store's folder of context files, with slashes. It follows
// no link.
func contextFiles(dir string) (list []string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // no store, no files
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), store.ContextDir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list = append(list, name)
		}
		return nil // what cannot be read is no context file of an agent either
	})
	return list
}

// rootContext lists the context files that the project's root can have. A link there is read by
// nobody.
func (v *validating) rootContext(st *store.Store) (files []string) {
	for _, name := range session.ContextNames(false) {
		info, err := os.Lstat(filepath.Join(st.Dir, name))
		if v.Rev != "" || v.Staged || err == nil && info.Mode().IsRegular() {
			files = append(files, v.fromHere(filepath.Join(st.Dir, name)))
		}
	}
	return files
}

// isRootContext reports whether the name is that of a context file at the project's root.
func (v *validating) isRootContext(name string) bool {
	return slices.Contains(session.ContextNames(false), filepath.Base(name)) && v.ss.Root() != "" && filepath.Dir(v.ss.Abs(name)) == v.ss.Root()
}

// isContextFile reports whether the name is that of an agent's context file.
func isContextFile(name string) bool {
	return strings.Contains("/"+filepath.ToSlash(name), "/"+store.ContextDir+"/")
}

// contextFile lists the findings of a context file beside secrets: conflict markers, hidden
// text, and for an agent.md its form. Instructions are what it is for.
func (c *checking) contextFile() []fault.Finding {
	c.markers(len(c.src), len(c.src))
	line := 0
	for text := range strings.Lines(string(c.src)) {
		line++
		if kind := chars.HiddenKind(strings.TrimPrefix(text, "\ufeff")); kind != "" {
			c.add(fault.SeverityError, policy.RuleHidden, line, 1, "", "contains hidden text ("+kind+")", "")
		}
	}
	if filepath.Base(c.name) == contextfile.AgentFile {
		_, problems := contextfile.ParseAgent("agent", c.src)
		for _, p := range problems {
			c.add(fault.SeverityError, ruleAgentForm, p.Line, 1, "", p.Message, "")
		}
	}
	return c.sorted()
}
