package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress is a bar on one line of a terminal, drawn again as work goes on, and
// gone at its end. It appears only when there is something to wait for.
type Progress struct {
	w         io.Writer // nil draws nothing
	verb      string
	noun      string
	now       func() time.Time
	start     time.Time
	lastDrawn time.Time
}

const (
	// progressAfter is how long work may take before a bar is shown: shorter
	// work would make it flicker.
	progressAfter = 300 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	progressWidth = 20
)

// NewProgress is a bar such as "indexing [####    ] 1200 of 10000 files, 4000 a
// second"; with a nil writer it draws nothing.
func NewProgress(w io.Writer, verb, noun string) *Progress {
	return &Progress{w: w, verb: verb, noun: noun, now: time.Now}
}

// Update says how much is done.
func (p *Progress) Update(done, total int) {
	if p == nil || p.w == nil || total <= 0 {
		return
	}
	now := p.now()
	if p.start.IsZero() {
		p.start = now
	}
	since := now.Sub(p.start)
	if since < progressAfter || now.Sub(p.lastDrawn) < progressEvery {
		return
	}
	p.lastDrawn = now
	full := min(done, total) * progressWidth / total
	fmt.Fprintf(p.w, "\r%s [%s%s] %d of %d %s, %.0f a second\x1b[K", p.verb, strings.Repeat("#", full), strings.Repeat(" ", progressWidth-full), done, total, p.noun, float64(done)/since.Seconds())
}

// Clear takes the bar away.
func (p *Progress) Clear() {
	if p != nil && p.w != nil && !p.lastDrawn.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.lastDrawn = time.Time{}
	}
}
