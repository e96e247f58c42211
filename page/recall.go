package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

const (
	// recalledShown is how many hits an answer shows at first.
	recalledShown = 10
	// newestShown is how many memories the view shows before a question.
	newestShown = 5
	// recalledMost is how many it shows at most.
	recalledMost = 200
)

// answered is the data of the view.
type answered struct {
	Query, Scope, Tier string
	Scopes             []string
	Hits               []hit
	Newest             []row // where no question is asked
	Count              int
	Took               string
	Warnings           []string
	Mend               string // the command without which a part of memory is not searched
	More               template.URL
}

// Narrowed reports whether filters leave something out.
func (a answered) Narrowed() bool { return a.Scope+a.Tier != "" }

// hit is one memory that was found, with its reasons.
type hit struct {
	DOM, Name, Kind, Scope string
	AlsoIn                 []string
	Confidence, Day, From  string
	Lines                  []string
	Stale, Weak            bool
	Score                  string
	Bars                   []scorePart
	Matched, Missing       []string
	Contradicted           string // the scope whose value of the key counts instead; "" for none
	Conflicts              []string
}

// scorePart is one part of a score.
type scorePart struct {
	Name, Meaning, Text string
	Width               float64 // of 100
}

func showRecall(r *request) (any, error) {
	q := r.URL.Query()
	a := answered{Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), Tier: q.Get("tier"), Scopes: r.ss.Scopes()}
	most, err := strconv.Atoi(q.Get("n"))
	if err != nil || most < recalledShown {
		most = recalledShown
	}
	most = min(most, recalledMost)
	if err := r.recalled(&a, most); err != nil {
		return nil, err
	}
	if a.Count > most {
		more := withoutNotice(q)
		more.Set("n", strconv.Itoa(4*most))
		a.Count, a.More = most, template.URL(more.Encode())
	}
	return a, nil
}

// recalled searches memory, one hit more than are shown.
func (r *request) recalled(a *answered, most int) error {
	ctx := r.Context()
	if a.Query == "" {
		return r.newest(a)
	}
	opt := briefing.RecallOptions{Scope: a.Scope, Reader: r.reader()}
	req := briefing.RecallRequest{Query: a.Query, K: min(most+1, recalledMost)}
	if a.Tier != "" {
		req.Tiers = []string{a.Tier}
	}
	res, err := briefing.Recall(ctx, r.ss, opt, req)
	if err != nil {
		return err
	}
	a.Count, a.Warnings, a.Took = len(res.Hits), clean(res.Warnings), fmt.Sprintf("%.1f ms", res.Took)
	top := 0.0 // of all parts, so that bars of different hits can be compared
	for _, h := range res.Hits {
		for _, v := range h.Parts {
			top = max(top, v)
		}
	}
	for i, h := range res.Hits[:min(most, len(res.Hits))] {
		a.Hits = append(a.Hits, hitOf(h, i, top))
	}
	if len(a.Hits) == 0 {
		if st, err := r.ss.Get(ctx, store.Project); err == nil {
			a.Mend = contents.LeftOut(ctx, st)
		}
	}
	return nil
}

// newest lists the newest memories, which the person can ask for.
func (r *request) newest(a *answered) error {
	items, err := r.itemRows(a.Scope)
	if err != nil {
		return err
	}
	var rows []row
	if recall, err := briefing.OpenRecall(r.Context(), r.ss, briefing.RecallOptions{Scope: a.Scope, Reader: r.reader()}); err == nil {
		defer recall.Close()
		entries, err := recall.Newest(r.Context(), entryTiers(), newestShown)
		if err != nil {
			return err
		}
		rows = r.entryRows(entries)
	}
	rows = append(rows, items...)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Day, a.Day) })
	for _, row := range rows {
		if row.CanChange = false; len(a.Newest) < newestShown && (a.Tier == "" || a.Tier == row.Tier) {
			a.Newest = append(a.Newest, row)
		}
	}
	return nil
}

func hitOf(h briefing.RecallHit, i int, top float64) hit {
	v := hit{
		DOM: "h" + strconv.Itoa(i+1), Name: policy.Inert(h.ID), Kind: h.Tier, Scope: h.Scope, AlsoIn: h.AlsoIn, Confidence: h.Confidence, Stale: h.Stale, Weak: h.Weak,
		Score: fmt.Sprintf("%.2f", h.Score), Matched: clean(h.Matched), Missing: clean(h.Missing), Contradicted: h.ContradictedBy,
	}
	for _, rival := range h.Conflict {
		v.Conflicts = append(v.Conflicts, policy.Inert(memory.OneLine(rival.Value)))
	}
	if h.Category != "" {
		v.Kind = policy.Inert(h.Category)
	}
	if h.Tier != view.Item && h.Tier != "file" {
		v.Name = policy.Inert(memory.ShortID(h.ID))
	}
	if h.Tier != "file" && strings.Contains(h.Path, "#") {
		v.From = policy.Inert(h.Path)
	}
	v.Day, _, _ = strings.Cut(h.Time, "T")
	v.Lines = linesOf(h.Text)
	for _, p := range briefing.ScoreParts() {
		if part := h.Parts[p.Name]; part != 0 {
			v.Bars = append(v.Bars, scorePart{p.Name, p.Meaning, fmt.Sprintf("%.2f", part), math.Round(1000*part/top) / 10})
		}
	}
	if share, ok := h.Parts["share"]; ok {
		v.Bars = append(v.Bars, scorePart{"share", "how much of the query it and its neighbours match", fmt.Sprintf("%.0f %%", 100*share), math.Round(1000*share) / 10})
	}
	return v
}

// linesOf are the lines of a text, safe to show.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		lines = append(lines, policy.Inert(strings.TrimRight(line, "\r\n")))
	}
	return lines
}
