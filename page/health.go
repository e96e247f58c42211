package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/page/pageenv"
)

func healthView() tabView {
	return tabView{name: "health", title: "Health", show: showHealth}
}

// healthPage is the data of the view.
type healthPage struct {
	Problems []pageenv.Check // fail, warn and note
	Fine     []pageenv.Check
	Findings []finding
	Count    int // of all findings
	Files    int
	Scopes   []view.ScopeStats
	Sizes    map[string]string // of the scopes
	Models   []gauge
	Failures int // requests to models in a row that none answered
	Plot     plot
	Used     []view.Record // the most used entries
}

// findingsShown is how many findings of validate the view shows.
const findingsShown = 100

// finding is one finding of validate.
type finding struct {
	Severity, Place, Message, Rule, Hint string
}

func showHealth(r *request) (any, error) {
	ctx := r.Context()
	var p healthPage
	for _, c := range r.page.env.Doctor(ctx) {
		c.Said, c.Fix = clean([]string{c.Said})[0], clean([]string{c.Fix})[0]
		if c.Status == "ok" {
			p.Fine = append(p.Fine, c)
		} else {
			p.Problems = append(p.Problems, c)
		}
	}
	order := []string{"fail", "warn", "note"}
	slices.SortStableFunc(p.Problems, func(a, b pageenv.Check) int { return slices.Index(order, a.Status) - slices.Index(order, b.Status) })
	res, err := integrity.Validate(ctx, r.ss, integrity.ValidateRequest{})
	if err != nil {
		return nil, err
	}
	stats, err := view.Stats(ctx, r.ss, "")
	if err != nil {
		return nil, err
	}
	if r.page.env.ReadOnly {
		res.ForAgent()
		stats.ForAgent()
	}
	p.Files, p.Count = res.FileCount, len(res.Findings)
	for _, f := range res.Findings[:min(p.Count, findingsShown)] {
		hint := f.Hint
		if r.page.env.FixOf != nil {
			hint = r.page.env.FixOf(f)
		}
		text := clean([]string{f.File + ":" + strconv.Itoa(f.Line), f.Message, hint})
		p.Findings = append(p.Findings, finding{f.Severity, text[0], text[1], f.Rule, text[2]})
	}
	p.Scopes, p.Used, p.Sizes = stats.Scopes, stats.Patterns.MostUsed, map[string]string{}
	for _, s := range stats.Scopes {
		p.Sizes[s.Scope] = bytesText(s.Bytes)
	}
	if m := stats.Models; m != nil {
		p.Failures = m.Failures
		today := newGauge("Tokens today", m.Tokens, m.TokenLimit, "tokens")
		today.Over = m.Tokens >= m.TokenLimit
		p.Models = []gauge{today}
	}
	p.Plot = newPlot(stats.Patterns.Daily)
	return p, nil
}

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// plot is a picture of the last days, in the units of an SVG of plotWidth by plotHeight.
type plot struct {
	Bars   []bar
	Lines  []line // of the scale
	Labels []label
	Empty  bool
	Acts   int
	Found  int
	Begun  int
	Days   []view.DayCount // the same as a table, for those who do not see it
}

type bar struct {
	Class      string
	X, Y, W, H int
	Title      string
}

type line struct {
	Y    int
	Text string
}

type label struct {
	X    int
	Text string
}

const (
	plotWidth  = 930
	plotHeight = 150
	plotLeft   = 30
	plotBase   = 128
)

// newPlot draws two bars for each day: changes, and memories that searches found for agents.
func newPlot(days []view.DayCount) plot {
	p := plot{}
	most := 0
	for _, d := range days {
		p.Acts, p.Found, p.Begun = p.Acts+d.Acts, p.Found+d.Found, p.Begun+d.Sessions
		most = max(most, d.Acts, d.Found)
		if d.Acts+d.Found+d.Sessions > 0 {
			p.Days = append(p.Days, d)
		}
	}
	p.Empty = most == 0
	step := 1
	for _, s := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000} {
		if step = s; most <= 4*s {
			break
		}
	}
	top := max(1, (most+step-1)/step) * step
	for n := 0; n <= top; n += step {
		p.Lines = append(p.Lines, line{plotBase - n*(plotBase-12)/top, strconv.Itoa(n)})
	}
	slot := (plotWidth - plotLeft) / max(len(days), 1)
	for i, d := range days {
		x := plotLeft + i*slot
		title := fmt.Sprintf("%s: %d %s, %d %s found for agents", d.Day, d.Acts, plural(d.Acts, "change", "changes"), d.Found, plural(d.Found, "memory", "memories"))
		for k, n := range []int{d.Acts, d.Found} {
			if h := n * (plotBase - 12) / top; n > 0 {
				h = max(h, 2)
				p.Bars = append(p.Bars, bar{Class: []string{"acts-bar", "found-bar"}[k], X: x + 4 + k*10, Y: plotBase - h, W: 9, H: h, Title: title})
			}
		}
		if (len(days)-1-i)%7 == 0 {
			p.Labels = append(p.Labels, label{x + slot/2, d.Day[5:]})
		}
	}
	return p
}
