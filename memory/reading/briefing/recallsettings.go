package briefing

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
)

// The settings of recall.
var (
	RecallPaths = settings.Row{Name: "memctl.recall.paths", Env: "MEMCTL_RECALL_PATHS", Default: "MEMORY.md memory.md memory/**/*.md",
		Help: "The project's own Markdown files that recall searches too: globs separated by spaces. memctl never changes these files."}
	EmbedURL = settings.Row{Name: "memctl.embed.url", Env: "MEMCTL_EMBED_URL", Personal: true,
		Help: "The address of an OpenAI-compatible embedder, such as http://127.0.0.1:11434/v1. With it recall also finds by meaning; hooks do not use it."}
	EmbedModel = settings.Row{Name: "memctl.embed.model", Env: "MEMCTL_EMBED_MODEL", Personal: true,
		Help: "The embedder's model.", Seldom: true}
	EmbedKey = settings.Row{Name: "memctl.embed.key", Env: "MEMCTL_EMBED_KEY", Personal: true, Secret: true,
		Help: "The embedder's key.", Seldom: true}
	RerankURL = settings.Row{Name: "memctl.rerank.url", Env: "MEMCTL_RERANK_URL", Personal: true,
		Help: "The address of a reranker that answers at /rerank. It sorts what recall found.", Seldom: true}
	RerankModel = settings.Row{Name: "memctl.rerank.model", Env: "MEMCTL_RERANK_MODEL", Personal: true,
		Help: "The reranker's model.", Seldom: true}
	RerankKey = settings.Row{Name: "memctl.rerank.key", Env: "MEMCTL_RERANK_KEY", Personal: true, Secret: true,
		Help: "The reranker's key.", Seldom: true}
)

// recallCount is how many hits recall returns where nobody says.
const recallCount = 5

// mostNested is how many instruction files below the root are indexed.
const mostNested = 200

// withFiles adds to a request the Markdown files of the project and the instruction files of project and home. Only readers that
// have time look for those below the project's root.
func withFiles(ctx context.Context, ss *store.Stores, req cache.Request, nested bool) cache.Request {
	req.Paths = recallPaths(ctx, ss)
	if ss.IsSingleStore() {
		return req
	}
	req.Instructs, req.Home = store.IsInstruction, ss.Home()
	names, below := store.InstructionNames()
	for _, name := range names {
		if strings.HasPrefix(name, store.HomePrefix) {
			req.Own = append(req.Own, name)
		} else {
			req.Files = append(req.Files, name)
		}
	}
	if repo := ss.Repo(); nested && repo != nil {
		req.Nested = func() (list []string) {
			worktree.CountTracked(repo, func(file string) bool {
				found := slices.Contains(below, path.Base(file)) && !slices.Contains(req.Files, file)
				if found {
					list = append(list, file)
				}
				return found
			}, mostNested)
			return list
		}
	}
	return req
}

// haveFiles reports whether the project's root has instruction files that the agent does not read by itself.
func haveFiles(ss *store.Stores, agent string) bool {
	names, _ := store.InstructionNames()
	return slices.ContainsFunc(names, func(name string) bool {
		folder, _, _ := strings.Cut(name, "/**/")
		_, err := os.Lstat(filepath.Join(ss.Root(), filepath.FromSlash(folder)))
		return err == nil && !strings.HasPrefix(name, store.HomePrefix) && !store.Reads(agent, name, ".")
	})
}

// readByAgent are the keys of the sections that the agent reads by itself at a start, with the files that these include.
func (r *Recaller) readByAgent(agent string) (map[uint32]bool, error) {
	keys, seen := map[uint32]bool{}, map[string]bool{}
	names := session.ClientOf(agent).Loads
	root, err := os.OpenRoot(r.ss.Root())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		scope := store.Project
		if strings.HasPrefix(name, store.HomePrefix) {
			scope = store.User
		} else {
			name = safefile.Behind(root, name)
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		texts, err := r.lib.Texts(index.Source{Scope: scope, Path: name})
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			keys[index.TextKey(text)] = true
			for _, word := range strings.Fields(text) {
				if file, includes := strings.CutPrefix(word, "@"); includes && scope == store.Project {
					names = append(names, path.Join(path.Dir(name), strings.TrimRight(file, ".,;:)")))
				}
			}
		}
	}
	return keys, nil
}

// recallPaths are the globs of the Markdown files that recall searches too.
func recallPaths(ctx context.Context, ss *store.Stores) []string {
	v, _ := ss.Setting(ctx, RecallPaths) // any text is allowed
	return strings.Fields(v.Text)
}
