package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Kept is a file that `leave` keeps for the person, by its path in their folder.
type Kept struct {
	Name string
	Data []byte
}

// Keep lists what a person who leaves memctl keeps: the files of each store, and what waits for them. Errors: fault.Blocked where
// RemoveFiles could commit nothing now; a store or its queue cannot be read.
func Keep(ctx context.Context, ss *store.Stores, o memory.Options) (files []Kept, err error) {
	var waits strings.Builder
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			return nil, err
		}
		if st.Dir == "" {
			continue
		}
		own, err := memoryFiles(st)
		if err == nil && scope == store.Project && len(own) > 0 {
			err = mayCommit(ctx, st, o)
		}
		if err != nil {
			return nil, err
		}
		for _, name := range own {
			data, err := os.ReadFile(filepath.Join(st.Dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			files = append(files, Kept{scope + "/" + name, data})
		}
		queue, err := ledger.QueueOfAll(st)
		if err != nil {
			return nil, err
		}
		for _, w := range queue {
			keepLine(&waits, w.Key, w.Value.Plain(), scope, w.Why, w.Said, w.Source, w.Since.UTC().Format("2006-01-02"))
		}
	}
	prompts, err := localstate.Prompts(ss)
	for _, p := range prompts {
		for _, a := range p.Asked {
			if p.InRepository(ss) && a.Answer == "" && !a.Heard {
				keepLine(&waits, a.Key, a.Text, a.Scope, "asked for in a prompt", a.Sentence)
			}
		}
	}
	if waits.Len() > 0 {
		files = append(files, Kept{"waiting.md", []byte(waits.String())})
	}
	return files, err
}

// keepLine adds a memory as a line of Markdown.
func keepLine(b *strings.Builder, key, text string, facts ...string) {
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	if key != "" {
		key = "`" + key + "`: "
	}
	b.WriteString(policy.Inert("- "+key+strings.Join(strings.Fields(text), " ")+" ("+strings.Join(facts, ", ")+")") + "\n")
}

// memoryFiles are the paths of a store's files that are memory's own. In a store of the person's own, every file is.
func memoryFiles(st *store.Store) (list []string, err error) {
	roots := []string{memfile.FileName, store.MemoriesDir}
	if st.IsMemctlOwned() {
		roots = []string{"."}
	}
	for _, root := range roots {
		err = errors.Join(err, fs.WalkDir(os.DirFS(st.Dir), root, func(name string, d fs.DirEntry, err error) error {
			switch _, is := entry.ParsePath(name); {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case d.Name() == ".git":
				return fs.SkipDir
			case d.Type().IsRegular() && (st.IsMemctlOwned() || is || name == memfile.FileName || store.IsContextFile(name)):
				list = append(list, name)
			}
			return nil
		}))
	}
	return list, err
}

// mayCommit is an error where nothing can be committed to the project now.
func mayCommit(ctx context.Context, st *store.Store, o memory.Options) error {
	why, err := txn.Blocked(ctx, st, o.Wait())
	if err == nil && why != "" && why != txn.WhyNoRepository {
		return gitops.Blocked(why, "")
	}
	return err
}

// RemoveFiles commits the removal of the project's memory files, and nothing else. It returns their paths, and the commit; "" where
// git has none of them. Errors: fault.Blocked where nothing can be committed now; then every file is there as before.
func RemoveFiles(ctx context.Context, ss *store.Stores, o memory.Options) (names []string, commit string, err error) {
	st, err := ss.Get(ctx, store.Project)
	if err != nil || ss.Root() == "" {
		return nil, "", nil
	}
	if names, err = memoryFiles(st); err != nil || len(names) == 0 || ss.DryRun() {
		return names, "", err
	}
	if err := mayCommit(ctx, st, o); err != nil {
		return nil, "", err
	}
	unlock, err := st.Lock(ctx, o.Wait(), "memctl leave")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if _, _, err := txn.CommitPendingFile(ctx, st, txn.Write{Act: "leave"}); err != nil && !fault.Is(err, fault.NoMemoryFile) && !fault.Is(err, fault.Damaged) {
		return nil, "", err
	}
	if st.Repo == nil {
		return nil, "", nil // nothing else would have it
	}
	req := committer.Request{Subject: txn.LeaveSubject, Settings: st.CommitSettings(ctx), Bytes: map[string][]byte{}}
	root, err := os.OpenRoot(st.Dir)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	was := map[string][]byte{}
	for _, name := range names {
		if was[name], err = root.ReadFile(name); err != nil {
			return nil, "", err
		}
		at := st.GitPathOf(name)
		req.Paths, req.Bytes[at] = append(req.Paths, at), nil
	}
	for name := range was {
		err = errors.Join(err, root.Remove(name))
	}
	if err == nil {
		commit, err = committer.Commit(ctx, st.Repo, req)
	}
	if err != nil && commit == "" {
		for name, data := range was {
			err = errors.Join(err, root.WriteFile(name, data, 0o666))
		}
		return nil, "", err
	}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			_ = root.Remove(dir) // where it is empty now
		}
	}
	return names, commit, err
}

// RemoveSettings removes memctl's settings and merge driver from the repository's own git configuration. It returns the sections
// that it removes.
func RemoveSettings(ctx context.Context, ss *store.Stores) (sections []string, err error) {
	if ss.Repo() == nil {
		return nil, nil
	}
	config, err := ss.Repo().Config(ctx)
	if err != nil {
		return nil, err
	}
	for _, prefix := range []string{"merge.memctl.", "memctl.", "memctl-llm."} {
		for _, e := range config.All(prefix) {
			if section := e.Key[:strings.LastIndexByte(e.Key, '.')]; e.Scope == "local" && !slices.Contains(sections, section) {
				sections = append(sections, section)
			}
		}
	}
	if ss.DryRun() {
		return sections, nil
	}
	err = remotes.RemoveMergeRules(ss.Repo())
	for _, section := range sections {
		err = errors.Join(err, ss.Repo().RemoveSection(ctx, section))
	}
	return sections, err
}

// LocalState are the traces of memctl that stay in this repository: its refs, such as the journal's, and folders with more than
// caches.
func LocalState(ctx context.Context, ss *store.Stores) (refs, folders []string) {
	r := ss.Repo()
	if r == nil {
		return nil, slices.DeleteFunc([]string{ss.RepositoryState().Folder}, onlyCaches)
	}
	out, _ := r.Git(ctx, gitops.Call{Args: []string{"for-each-ref", "--format=%(refname)", "refs/memctl"}})
	trees, _ := filepath.Glob(filepath.Join(r.CommonDir, "worktrees", "*", "memctl"))
	return strings.Fields(string(out)), slices.DeleteFunc(append(trees, filepath.Join(r.CommonDir, "memctl")), onlyCaches)
}

// onlyCaches reports whether a folder of local state has nothing but what any command of memctl makes there.
func onlyCaches(dir string) bool {
	list, _ := os.ReadDir(dir)
	return !slices.ContainsFunc(list, func(d fs.DirEntry) bool {
		return d.Name() != "config.json" && path.Ext(d.Name()) != ".lock" && d.Name() != store.StoreLock
	})
}
