package mcp

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/store"
)

// roundTrips is the protocol's version from which a server asks the client
// within its answers, and not with requests of its own.
const roundTrips = "2026-07-28"

// rootsWait is how long a client may take to name its roots: a request waits
// for them.
const rootsWait = 5 * time.Second

// rootsID names the question for the roots.
const rootsID = "roots"

// request is what a place is worked out from: any of the protocol's requests
// that this server answers from a store.
type request interface {
	ClientCapabilities() *sdk.ClientCapabilities
	ProtocolVersion() string
}

// findFolder finds out which folder the client works in, once for each list of
// roots. Where the client must be asked within the answer, it returns what to
// ask. Roots are a help, not a duty: what fails leaves the process's own folder.
func (l *link) findFolder(ctx context.Context, req request, session *sdk.ServerSession, answers sdk.InputResponseMap) sdk.InputRequestMap {
	l.mu.Lock()
	defer l.mu.Unlock()
	caps := req.ClientCapabilities()
	if l.placed || caps == nil || caps.RootsV2 == nil {
		return nil
	}
	if req.ProtocolVersion() >= roundTrips {
		answer, ok := answers[rootsID].(*sdk.ListRootsResult)
		if !ok {
			return sdk.InputRequestMap{rootsID: &sdk.ListRootsParams{}}
		}
		l.placed, l.dir = true, firstFolder(answer.Roots)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWait)
	defer cancel()
	if list, err := session.ListRoots(ctx, nil); err == nil {
		l.dir = firstFolder(list.Roots)
	}
	l.placed = ctx.Err() == nil // one that was slow or cancelled is asked again
	return nil
}

// open opens the stores of the client's folder.
func (l *link) open(ctx context.Context) (*store.Stores, error) {
	l.mu.Lock()
	dir := l.dir
	l.mu.Unlock()
	return l.env.Open(ctx, dir)
}

// firstFolder is the first root that is a folder here; "" for none.
func firstFolder(roots []*sdk.Root) string {
	for _, r := range roots {
		dir := folderOf(r.URI)
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// folderOf is the absolute path that a file: URI of this machine names; ""
// for any other.
func folderOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/work
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}
