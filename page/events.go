package page

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

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
		go p.watch(ctx, now)
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

const (
	// interval is how often the page looks for changes, so that a tab hears of one within half a second.
	interval = 400 * time.Millisecond
	// pauseFactor is how much longer the page pauses than it looked: with 100,000 entries a look takes long.
	pauseFactor = 20
)

// watch tells the tabs when memory is no longer as the stamp says, until the context ends. It looks at the disk: that
// needs no library, no handle on a folder that an editor may replace, and no limit of the system's.
func (p *Page) watch(ctx context.Context, last string) {
	every := cmp.Or(p.env.Interval, interval)
	for pause := every; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		begun := time.Now()
		now := p.stamp(ctx)
		pause = max(every, pauseFactor*time.Since(begun))
		if ctx.Err() == nil && now != last {
			last = now
			p.changes.tell()
		}
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
	return view.Stamp(ctx, ss)
}
