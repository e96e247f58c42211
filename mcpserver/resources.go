package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
)

// The addresses of the resources.
const (
	bootstrapURI    = "memctl://bootstrap"
	bootstrapPrefix = bootstrapURI + "/"
	memoryURI       = "memctl://memory"
	skillsURI       = "memctl://skills"
)

func (l *link) addResources() {
	l.server.AddResource(&mcp.Resource{
		URI: bootstrapURI, Name: "bootstrap", Title: "Session briefing", MIMEType: "text/markdown",
		Description: "What a session starts with: recorded preferences and conventions, as data.",
	}, l.reading(l.bootstrap))
	l.server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: bootstrapPrefix + "{project}", Name: "bootstrap of a project", MIMEType: "text/markdown",
		Description: "The same, where {project} is the project of this session's own folder.",
	}, l.reading(l.bootstrap))
	l.server.AddResource(&mcp.Resource{
		URI: memoryURI, Name: "memory", Title: "All memory", MIMEType: "application/json",
		Description: "Every item, fact and note that agents may be shown, as data.",
	}, l.reading(l.everything))
	l.server.AddResource(&mcp.Resource{
		URI: skillsURI, Name: "skills", Title: "Skills", MIMEType: "application/json",
		Description: "The skills that are offered here, by name and description. skill_search returns one.",
	}, l.reading(l.skills))
}

// reading wraps a resource's function: it finds the client's folder first.
func (l *link) reading(text func(ctx context.Context, req *mcp.ReadResourceRequest) (mime, text string, err error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if ask := l.place(ctx, req, req.Session, req.Params.InputResponses); ask != nil {
			return &mcp.ReadResourceResult{InputRequests: ask}, nil
		}
		mime, body, err := text(ctx, req)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: mime, Text: body}}}, nil
	}
}

// bootstrap is the briefing. A client may read it without anybody's asking, so
// a project that is not trusted is left out as in a hook.
func (l *link) bootstrap(ctx context.Context, req *mcp.ReadResourceRequest) (string, string, error) {
	ss, err := l.open(ctx)
	if err != nil {
		return "", "", l.worded(err)
	}
	res, err := briefing.Bootstrap(ctx, ss, briefing.BootstrapRequest{Hook: true, Tools: true})
	if err != nil {
		return "", "", l.worded(err)
	}
	if name, named := strings.CutPrefix(req.Params.URI, bootstrapPrefix); named {
		if plainName, err := url.PathUnescape(name); err != nil || plainName != res.Project.Name {
			return "", "", mcp.ResourceNotFoundError(req.Params.URI)
		}
	}
	return "text/markdown", res.Text, nil
}

// mostEntries is how many entries the resource of all memory holds, the newest
// first; match_count tells of more.
const mostEntries = 1000

// everything is all that may be shown, as JSON.
func (l *link) everything(ctx context.Context, _ *mcp.ReadResourceRequest) (string, string, error) {
	ss, err := l.open(ctx)
	if err != nil {
		return "", "", l.worded(err)
	}
	res, err := view.Find(ctx, ss, view.FindRequest{Guarded: true})
	if err != nil {
		return "", "", l.worded(err)
	}
	text, err := encode(listed(ctx, ss, res, len(res.Items)+mostEntries))
	return "application/json", string(text), err
}

// worded is the error in words that a client may show.
func (l *link) worded(err error) error {
	return errors.New(strings.TrimPrefix(l.explain(err), "refused: "))
}
