package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/skills"
)

// subscribe begins to watch with the first subscription: nothing runs before.
// The files are looked at several times a second, which costs less than a
// hundredth of one core and needs no library, no handle on a folder that an editor
// may replace, and no limit of the system's.
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
	interval := l.env.Interval
	if interval == 0 {
		interval = defaultInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.alone() {
			return
		}
		l.mu.Lock()
		dir := l.dir
		uris := make([]string, 0, len(l.watched))
		for uri := range l.watched {
			uris = append(uris, uri)
		}
		l.mu.Unlock()
		now := l.stamp(ctx, dir)
		if now == last {
			continue
		}
		last = now
		for _, uri := range uris {
			_ = l.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// defaultInterval is how often what a client is subscribed to is looked at, so that it hears
// of a change within half a second.
const defaultInterval = 400 * time.Millisecond

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
	return view.Stamp(ctx, ss) + skills.Stamp(ctx, ss)
}
