package mcp

import (
	"context"
	"errors"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memory/reading/briefing"
)

// The addresses of the briefing: of this session's project, and of a project by its name.
const (
	bootstrapURI    = "memctl://bootstrap"
	bootstrapPrefix = bootstrapURI + "/"
)

func (l *link) addResources() {
	l.server.AddResource(&sdk.Resource{
		URI: bootstrapURI, Name: "bootstrap", Title: "Session briefing", MIMEType: "text/markdown",
		Description: "What a session starts with: recorded preferences and conventions, as data.",
	}, l.bootstrap)
	l.server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: bootstrapPrefix + "{project}", Name: "bootstrap of a project", MIMEType: "text/markdown",
		Description: "The same, where {project} is the project of this session's own folder.",
	}, l.bootstrap)
}

// bootstrap is the briefing. A client may read it without anybody's asking, so
// a project that is not trusted is left out as in a hook.
func (l *link) bootstrap(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	if ask := l.findFolder(ctx, req, req.Session, req.Params.InputResponses); ask != nil {
		return &sdk.ReadResourceResult{InputRequests: ask}, nil
	}
	ss, err := l.open(ctx)
	if err != nil {
		return nil, l.worded(err)
	}
	res, err := briefing.Bootstrap(ctx, ss, briefing.BootstrapRequest{Hook: true, Tools: true})
	if err != nil {
		return nil, l.worded(err)
	}
	uri := req.Params.URI
	if name, named := strings.CutPrefix(uri, bootstrapPrefix); named {
		if plainName, err := url.PathUnescape(name); err != nil || plainName != res.Project.Name {
			return nil, sdk.ResourceNotFoundError(uri)
		}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/markdown", Text: res.Text}}}, nil
}

// worded is the error in words that a client may show.
func (l *link) worded(err error) error {
	return errors.New(strings.TrimPrefix(l.explain(err), "refused: "))
}
