package page

import (
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory/integrity"
	"github.com/memctl/memctl/memory/view"
)

// healthPage is the data of the view.
type healthPage struct {
	Problems []fault.Finding // errors, warnings and notes
	Fine     []fault.Finding
	Findings []fault.Finding
	Count    int // of all findings
	Files    int
	Scopes   []view.ScopeStats
	Sizes    map[string]string // of the scopes
	Models   []gauge
	Failures int           // requests to models in a row that none answered
	Used     []view.Record // the most used entries
}

// findingsShown is how many findings of validate the view shows.
const findingsShown = 100

func showHealth(r *request) (any, error) {
	ctx := r.Context()
	var p healthPage
	for _, c := range r.page.env.Checks(ctx) {
		text := clean([]string{c.Message, c.Hint})
		if c.Message, c.Hint = text[0], text[1]; c.Severity == fault.SeverityOK {
			p.Fine = append(p.Fine, c)
		} else {
			p.Problems = append(p.Problems, c)
		}
	}
	order := []string{fault.SeverityError, fault.SeverityWarning, fault.SeverityNote}
	slices.SortStableFunc(p.Problems, func(a, b fault.Finding) int { return slices.Index(order, a.Severity) - slices.Index(order, b.Severity) })
	res, err := integrity.Validate(ctx, r.ss, r.reader(), integrity.ValidateRequest{})
	if err != nil {
		return nil, err
	}
	stats, err := view.Counts(ctx, r.ss, r.reader(), "")
	if err != nil {
		return nil, err
	}
	p.Files, p.Count = res.FileCount, len(res.Findings)
	for _, f := range res.Findings[:min(p.Count, findingsShown)] {
		text := clean([]string{f.File, f.Message, f.Hint})
		f.File, f.Message, f.Hint = text[0], text[1], text[2]
		p.Findings = append(p.Findings, f)
	}
	p.Scopes, p.Used, p.Sizes = stats.Scopes, stats.Patterns.MostUsed, map[string]string{}
	for _, s := range stats.Scopes {
		p.Sizes[s.Scope] = bytesText(s.Bytes)
	}
	if m := stats.Models; m != nil {
		p.Failures = m.Failures
		p.Models = []gauge{newGauge("Tokens today", m.Tokens, m.TokenLimit, "tokens")}
		p.Models[0].Over = m.Tokens >= m.TokenLimit
	}
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
