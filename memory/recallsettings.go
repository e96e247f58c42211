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
)

// Rows lists every setting, in the order that `memctl config` prints.
func Rows() []settings.Row { return append(slices.Clip(store.Rows()), RecallPaths, RecallCount) }

// atLeastOne is a setting's whole number; 1 where it is none or less.
func atLeastOne(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return max(n, 1)
}
