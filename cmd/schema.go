package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memfile"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the memory file",
		Long: `Schema prints a JSON Schema of the YAML block in memories.md, for editors and other tools.
"memctl validate" checks more than a schema can express.`,
		Example: `  memctl schema > memories.schema.json`,
		RunE: a.run(needNothing, func(s *session, _ []string) error {
			return s.print(string(memfile.Schema()))
		}),
	}
}
