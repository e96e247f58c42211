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
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory/reading/view"
)

// The settings of recall.
var (
	RecallPaths = settings.Setting{Name: "memctl.recall.paths", Env: "MEMCTL_RECALL_PATHS", Default: "MEMORY.md memory.md memory/**/*.md",
		Help: "The project's own Markdown files that recall searches too: globs separated by spaces. memctl never changes these files."}
	EmbedURL = settings.Setting{Name: "memctl.embed.url", Env: "MEMCTL_EMBED_URL", Personal: true,
		Help: "The address of an OpenAI-compatible embedder, such as http://127.0.0.1:11434/v1. With it recall also finds by meaning; hooks do not use it."}
	EmbedModel = settings.Setting{Name: "memctl.embed.model", Env: "MEMCTL_EMBED_MODEL", Personal: true,
		Help: "The embedder's model.", Advanced: true}
	EmbedKey = settings.Setting{Name: "memctl.embed.key", Env: "MEMCTL_EMBED_KEY", Personal: true, Secret: true,
		Help: "The embedder's key.", Advanced: true}
	RerankURL = settings.Setting{Name: "memctl.rerank.url", Env: "MEMCTL_RERANK_URL", Personal: true,
		Help: "The address of a reranker that answers at /rerank. It sorts what recall found.", Advanced: true}
	RerankModel = settings.Setting{Name: "memctl.rerank.model", Env: "MEMCTL_RERANK_MODEL", Personal: true,
		Help: "The reranker's model.", Advanced: true}
	RerankKey = settings.Setting{Name: "memctl.rerank.key", Env: "MEMCTL_RERANK_KEY", Personal: true, Secret: true,
		Help: "The reranker's key.", Advanced: true}
)

// recallCount is how many hits recall returns where nobody says.
const recallCount = 5

// mostNested is how many instruction files below the root are indexed.
const mostNested = 200

// withFiles adds to a request the Markdown files of the project and the instruction files of project and home. Only readers that
// have time look for those below the project's root.
func withFiles(ctx context.Context, ss *store.Stores, req cache.Request, nested bool) cache.Request {
	req.MarkdownGlobs = recallPaths(ctx, ss)
	if ss.IsSingleStore() {
		return req
	}
	req.IsInstructionFile, req.Home = store.IsInstruction, ss.Home()
	names, below := store.InstructionNames()
	for _, name := range names {
		if strings.HasPrefix(name, store.HomePrefix) {
			req.HomeFiles = append(req.HomeFiles, name)
		} else {
			req.InstructionFiles = append(req.InstructionFiles, name)
		}
	}
	if repo := ss.Repo(); nested && repo != nil {
		if !repo.IndexElsewhere() {
			req.ListNestedAfter = filepath.Join(repo.GitDir, "index")
		}
		req.ListNested = func() (list []string) {
			worktree.CountTracked(repo, func(file string) bool {
				found := slices.Contains(below, path.Base(file)) && !slices.Contains(req.InstructionFiles, file)
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
			keys[index.TextHash(text)] = true
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

// RecallOptions says what is searched, for one or many questions.
type RecallOptions struct {
	Scope string // "" searches every scope
	// Sessions says which past sessions are searched, and nothing else; nil searches memory.
	Sessions *HistoryOptions
	// Reader: only a person finds something in a scope that is switched off, and gets texts as they are; a hook finds no
	// unconfirmed memories.
	Reader contents.Reader
	// Guarded: hits reach the agent without its asking for them, so the project's
	// own take the person's trust.
	Guarded bool
	// Network: models behind HTTP are asked too where Guarded is set. A hook uses no network.
	Network bool
	// Engine says where to search, one of Engines.
	Engine string
	// Dial connects to the server of the shared index. A hook leaves it nil, so that only the index on disk is searched.
	Dial    postgres.Dial
	Fresh   bool // compare every file with the index first
	MaxRead int  // changed files to read at most before answering from the index as it was; 0: no limit
	// entriesOnly leaves out stores that have no entries.
	entriesOnly bool
	// glance looks at the names of files alone, and writes no index.
	glance bool
	// former is an open index that ends when this one is open.
	former *cache.Library
	// reader is how memory is read; nil begins to read it.
	reader   *contents.View
	Progress func(done, total int) // while the index is brought up to date; nil for nobody
}

// Nearest is the line above weak hits.
const Nearest = "nothing matches well; this is nearest"

// RecallRequest is one question.
type RecallRequest struct {
	Query        string   // of past sessions, "" finds what the person said last
	K            int      // how many hits; 0 takes the setting's
	Tiers        []string // item, fact, note, summary, turn, file; none: all
	Conversation string   // with what belongs to every conversation; "" asks all
	Category     string
	Tag          string
	Since        string // a day
	Duplicates   bool   // texts that say nearly the same as a better hit are hits, too
	// Guess is a text that may be like the answer. What only its words find comes at a lower score.
	Guess string
}

// RecallResult is what was found, the best first.
type RecallResult struct {
	Query    string      `json:"query"`
	Hits     []RecallHit `json:"hits"`
	Weak     bool        `json:"-"` // none of them matches well: they are the nearest
	Took     float64     `json:"took_ms"`
	Warnings []string    `json:"warnings,omitempty"`
}

// RecallHit is one memory that was found. ID is an item's key, an entry's id, or path and
// lines; Text has an item's value, too. Path ends in #L1-L9 where a chunk was found.
type RecallHit struct {
	view.Record
	Agent      string             `json:"agent,omitempty"`      // whose session it is of
	Folder     string             `json:"folder,omitempty"`     // of the session, where it is not of this repository
	Repository string             `json:"repository,omitempty"` // of a hit of the shared index
	Time       string             `json:"time,omitempty"`       // RFC 3339, or a day
	Score      float64            `json:"score"`                // 0 and up; 1 is the best of all where it has every word of the question
	Parts      map[string]float64 `json:"parts"`                // what the score is made of
	Weak       bool               `json:"weak,omitempty"`       // it matches too little of the question
	// Matched are the question's words that stand in it, Missing those that do not.
	Matched []string `json:"matched,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// AlsoIn are the other scopes where the same was found.
	AlsoIn []string `json:"also_in,omitempty"`
	// ContradictedBy is the scope that has another value of this item's key, which counts instead.
	ContradictedBy string `json:"contradicted_by,omitempty"`
	InSession      bool   `json:"in_session,omitempty"` // the newest session here was handed it at its start
	Shared         bool   `json:"-"`                    // it comes from the shared index
}

// SessionSource says in the source of a memory where a hit of a past session is from.
func (h RecallHit) SessionSource() string {
	day, _, _ := strings.Cut(h.Time, "T")
	return strings.TrimSpace("session of " + h.Agent + " " + day)
}
