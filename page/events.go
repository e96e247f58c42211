package page

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
)

// maxStreams is how many tabs may follow changes at once.
const maxStreams = 32

// changes tells open tabs that memory changed on disk. It watches while there is a tab.
type changes struct {
	mu   sync.Mutex
	tabs map[chan struct{}]bool
	stop context.CancelFunc // ends the watch; nil while there is none
}

// events is a stream with an event for each change on disk. The tab then asks for its view again.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	tab := make(chan struct{}, 1)
	if !p.follow(tab) {
		http.Error(w, "memctl: too many open tabs", http.StatusServiceUnavailable)
		return
	}
	defer p.leave(tab)
	w.Header().Set("Content-Type", "text/event-stream")
	connection := http.NewResponseController(w)
	// The tab asks for its view on every open, for a change may have come before.
	_, _ = io.WriteString(w, "retry: 3000\nevent: open\ndata:\n\n")
	if connection.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tab:
		}
		_, err := io.WriteString(w, "event: change\ndata:\n\n")
		if err != nil || connection.Flush() != nil {
			return
		}
	}
}

// follow adds a tab, and begins to watch with the first one.
func (p *Page) follow(tab chan struct{}) bool {
	c := &p.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tabs) >= maxStreams {
		return false
	}
	if c.tabs == nil {
		c.tabs = map[chan struct{}]bool{}
	}
	c.tabs[tab] = true
	if c.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		c.stop = stop
		now := p.stamp(ctx)
		go view.Follow(ctx, cmp.Or(p.env.Interval, view.Interval), now, p.stamp, c.tell)
	}
	return true
}

// leave takes a tab out, and ends the watch with the last one.
func (p *Page) leave(tab chan struct{}) {
	c := &p.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.tabs, tab); len(c.tabs) == 0 {
		c.stop()
		c.stop = nil
	}
}

// tell wakes every tab. One that has not read the last event needs no second.
func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for tab := range c.tabs {
		select {
		case tab <- struct{}{}:
		default:
		}
	}
}

// stamp is a text that changes with the memory; "" where the stores cannot be opened.
func (p *Page) stamp(ctx context.Context) string {
	ss, err := p.env.Open(ctx)
	if err != nil {
		return ""
	}
	return view.Stamp(ctx, ss) + memory.SkillStamp(ctx, ss)
}
