package mcp

import (
	"cmp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/guidance/skill"
	"github.com/memctl/memctl/memory/reading/briefing"
)

type skillArguments struct {
	Query string `json:"query" need:"true"`
}

// skillSearch answers with the skills that fit the query, or with the whole skill where the
// query is its name.
func (c *call) skillSearch(in skillArguments) (any, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	agent := cmp.Or(c.client(), "agent")
	one, err := skill.Show(c.ctx, ss, in.Query, agent, "")
	switch {
	case err == nil:
		return struct {
			Skills []skill.ShowResult `json:"skills"`
		}{[]skill.ShowResult{one}}, nil
	case !fault.Is(err, memory.RuleNotFound):
		return nil, err
	}
	return briefing.SearchSkills(c.ctx, ss, in.Query, agent, "")
}
