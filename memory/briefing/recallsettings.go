package briefing

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/memctl/memctl/recall"
	"github.com/memctl/memctl/recall/cache"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// The settings of recall.
var (
	RecallPaths = settings.Row{Name: "memctl.recall.paths", Env: "MEMCTL_RECALL_PATHS", Default: "MEMORY.md memory.md memory/**/*.md",
		Help: "The project's own Markdown files that recall searches too: globs separated by spaces. memctl never changes these files."}
	RecallCount = settings.Row{Name: "memctl.recall.count", Env: "MEMCTL_RECALL_COUNT", Default: "5", Number: &settings.Range{Least: 1, Most: 1000, Whole: true},
		Help: "How many hits recall returns by default."}
	RecallChunk = settings.Row{Name: "memctl.recall.chunk", Env: "MEMCTL_RECALL_CHUNK", Default: strconv.Itoa(cache.ChunkBytes), Number: &settings.Range{Least: 100, Most: 60000, Whole: true},
		Help: "The size in bytes at which recall splits a long text. A change rebuilds the index.", Seldom: true}
	EmbedURL = settings.Row{Name: "memctl.embed.url", Env: "MEMCTL_EMBED_URL", Personal: true,
		Help: "The address of an OpenAI-compatible embedder, such as http://127.0.0.1:11434/v1. With it recall also finds by meaning; hooks do not use it."}
	EmbedModel = settings.Row{Name: "memctl.embed.model", Env: "MEMCTL_EMBED_MODEL", Personal: true,
		Help: "The embedder's model.", Seldom: true}
	EmbedKey = settings.Row{Name: "memctl.embed.key", Env: "MEMCTL_EMBED_KEY", Personal: true, Secret: true,
		Help: "The embedder's key.", Seldom: true}
	EmbedPath = settings.Row{Name: "memctl.embed.path", Env: "MEMCTL_EMBED_PATH", Personal: true,
		Help: "A folder with static word vectors (Model2Vec), which recall uses instead of an embedder.", Seldom: true}
	RerankURL = settings.Row{Name: "memctl.rerank.url", Env: "MEMCTL_RERANK_URL", Personal: true,
		Help: "The address of a reranker that answers at /rerank. It sorts what recall found.", Seldom: true}
	RerankModel = settings.Row{Name: "memctl.rerank.model", Env: "MEMCTL_RERANK_MODEL", Personal: true,
		Help: "The reranker's model.", Seldom: true}
	RerankKey = settings.Row{Name: "memctl.rerank.key", Env: "MEMCTL_RERANK_KEY", Personal: true, Secret: true,
		Help: "The reranker's key.", Seldom: true}
)

// rankingOf is the ranking as it is set. The error names the first setting that is out
// of its range, whose default stands in for it.
func rankingOf(ctx context.Context, ss *store.Stores) (recall.Ranking, error) {
	r := recall.DefaultRanking()
	var failed error
	for _, k := range recall.Knobs() {
		v, err := ss.Setting(ctx, k.Row)
		failed = cmp.Or(failed, err)
		*k.Of(&r) = v.Float()
	}
	return r, failed
}

// numbers reads the settings that an index is opened with. A hook answers with the
// default of one that is out of its range, and says so.
func (r *Recaller) numbers(ctx context.Context, req *cache.Request) error {
	var errs [3]error
	var paths, chunk settings.Value
	paths, errs[0] = r.ss.Setting(ctx, RecallPaths)
	chunk, errs[1] = r.ss.Setting(ctx, RecallChunk)
	r.ranking, errs[2] = rankingOf(ctx, r.ss)
	req.Paths, req.ChunkBytes = strings.Fields(paths.Text), int(chunk.Float())
	for _, err := range errs {
		if err != nil && !r.opt.Guarded {
			return err
		}
		if err != nil {
			r.notes = append(r.notes, err.Error())
		}
	}
	return nil
}
