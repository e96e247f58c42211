package mcpserver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
)

// subscribe begins to watch with the first subscription: nothing runs before.
func (l *link) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched[uri]++
	if l.stop == nil {
		watching, stop := context.WithCancel(l.ended)
		l.stop = stop
		now := l.stamp(ctx, l.dir)
		l.running.Go(func() { l.watch(watching, now) })
	}
	return nil
}

// unsubscribe ends the watch with the last subscription.
func (l *link) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	uri := req.Params.URI
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watched[uri]--; l.watched[uri] <= 0 {
		delete(l.watched, uri)
	}
	if len(l.watched) == 0 && l.stop != nil {
		l.stop()
		l.stop = nil
	}
	return nil
}

// watch tells the client when the memory is no longer as the stamp says. It
// ends with its context, or when no session is left.
func (l *link) watch(ctx context.Context, last string) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	stamp := func(ctx context.Context) string {
		if l.alone() {
			end()
		}
		l.mu.Lock()
		dir := l.dir
		l.mu.Unlock()
		return l.stamp(ctx, dir)
	}
	view.Follow(ctx, cmp.Or(l.env.Interval, view.Interval), last, stamp, func() {
		l.mu.Lock()
		uris := slices.Collect(maps.Keys(l.watched))
		l.mu.Unlock()
		for _, uri := range uris {
			_ = l.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	})
}

// begun reports whether the link is old enough to have had a session.
func (l *link) begun() bool { return time.Since(l.made) > linkBegins }

// alone reports whether no session is left.
func (l *link) alone() bool {
	for range l.server.Sessions() {
		return false
	}
	return true
}

// stamp is what the memory of a folder looks like now; what cannot be opened
// looks like nothing.
func (l *link) stamp(ctx context.Context, dir string) string {
	ss, err := l.env.Open(ctx, dir)
	if err != nil {
		return ""
	}
	return view.Stamp(ctx, ss) + memory.SkillStamp(ctx, ss)
}
