package cmd

import (
	"github.com/spf13/cobra"

	"github.com/memctl/memctl/memfile"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the memory file's block",
		Long: `Schema prints a JSON Schema of the YAML block, for editors and for checks in other
languages. What it cannot say, memctl validate does.`,
		Example: `  memctl schema > memories.schema.json`,
		Args:    takes(0, 0),
		RunE: a.run(needNothing, func(s *session, _ []string) error {
			return s.print(string(memfile.Schema()))
		}),
	}
}
