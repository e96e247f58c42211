package memory

import (
	"slices"
	"strconv"

	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
)

// The settings of recall.
var (
	RecallPaths = settings.Row{Name: "memctl.recall.paths", Env: "MEMCTL_RECALL_PATHS", Default: "MEMORY.md memory.md memory/**/*.md",
		Help: "globs of Markdown files of the project, with spaces between them, that recall reads beside memory's own and never writes"}
	RecallCount = settings.Row{Name: "memctl.recall.count", Env: "MEMCTL_RECALL_COUNT", Default: "5",
		Help: "how many hits recall gives where nobody says"}
	EmbedURL = settings.Row{Name: "memctl.embed.url", Env: "MEMCTL_EMBED_URL", Personal: true,
		Help: "the base address of an OpenAI-compatible embedder, such as http://127.0.0.1:11434/v1: recall then finds by meaning too, and never from a hook"}
	EmbedModel = settings.Row{Name: "memctl.embed.model", Env: "MEMCTL_EMBED_MODEL", Personal: true,
		Help: "the embedder's model"}
	EmbedKey = settings.Row{Name: "memctl.embed.key", Env: "MEMCTL_EMBED_KEY", Personal: true, Secret: true,
		Help: "the embedder's key"}
	EmbedPath = settings.Row{Name: "memctl.embed.path", Env: "MEMCTL_EMBED_PATH", Personal: true,
		Help: "a folder with static word vectors in Model2Vec's form, used instead of an embedder, without network"}
	RerankURL = settings.Row{Name: "memctl.rerank.url", Env: "MEMCTL_RERANK_URL", Personal: true,
		Help: "the base address of a reranker that answers at /rerank: it orders what recall found"}
	RerankModel = settings.Row{Name: "memctl.rerank.model", Env: "MEMCTL_RERANK_MODEL", Personal: true,
		Help: "the reranker's model"}
	RerankKey = settings.Row{Name: "memctl.rerank.key", Env: "MEMCTL_RERANK_KEY", Personal: true, Secret: true,
		Help: "the reranker's key"}
)

// Rows lists every setting, in the order that `memctl config` prints.
func Rows() []settings.Row {
	return append(slices.Clip(store.Rows()), RecallPaths, RecallCount, EmbedURL, EmbedModel, EmbedKey, EmbedPath, RerankURL, RerankModel, RerankKey, TurnsLimit)
}

// atLeastOne is a setting's whole number; 1 where it is none or less.
func atLeastOne(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return max(n, 1)
}
