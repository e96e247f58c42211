package mcpserver

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/skill"
)

// agentOf names the client of a request; "agent" stands for one that does not say what it is.
func agentOf(req interface{ ClientInfo() *mcp.Implementation }) string {
	return cmp.Or(clientName(req.ClientInfo()), "agent")
}

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
	agent := agentOf(c.req)
	one, err := skill.Show(c.ctx, ss, in.Query, agent, "")
	switch {
	case err == nil:
		return struct {
			Schema int                `json:"schema"`
			Skills []skill.ShowResult `json:"skills"`
		}{memory.SchemaNumber, []skill.ShowResult{one}}, nil
	case !fault.Is(err, memory.RuleNotFound):
		return nil, err
	}
	return briefing.SearchSkills(c.ctx, ss, in.Query, agent, "")
}

// skills is the resource with the list of skills.
func (l *link) skills(ctx context.Context, req *mcp.ReadResourceRequest) (string, string, error) {
	ss, err := l.open(ctx)
	if err != nil {
		return "", "", l.worded(err)
	}
	list, err := skill.List(ctx, ss, skill.ListRequest{Caller: agentOf(req)})
	if err != nil {
		return "", "", l.worded(err)
	}
	text, err := encode(list)
	return "application/json", string(text), err
}
