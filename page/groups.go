package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store/localstate"
)

// group is the rows under one heading.
type group struct {
	DOM, Title string
	Rows       []row
}

// grouped puts items under the first part of their keys, and entries under their kind. As in the profile, areas of one
// item share a heading. Hits keep their order.
func grouped(rows []row, hits bool) (list []group) {
	if hits && len(rows) > 0 {
		return []group{{"hits", "Best matches first", rows}}
	}
	area := func(row row) string {
		first, _, _ := strings.Cut(row.ID, ".")
		return first
	}
	size := map[string]int{}
	for _, row := range rows {
		if row.Tier == view.Item {
			size[area(row)]++
		}
	}
	kinds := kinds()
	place := func(row row) int { // areas come first, then other items, then each kind of entry
		if row.Tier == view.Item && size[area(row)] > 1 {
			return -1
		}
		return slices.IndexFunc(kinds, func(k kind) bool { return k.Tier == row.Tier })
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(place(a), place(b)) })
	for _, row := range rows {
		g := group{DOM: "area-" + area(row), Title: area(row)}
		if i := place(row); i >= 0 {
			g = group{DOM: "kind-" + row.Tier, Title: kinds[i].Title}
			if i == 0 && len(list) > 0 && size[area(row)] == 1 {
				g.Title = "Other items"
			}
		}
		if n := len(list); n == 0 || list[n-1].DOM != g.DOM {
			list = append(list, g)
		}
		last := &list[len(list)-1]
		last.Rows = append(last.Rows, row)
	}
	return list
}

// markTold says of each row whether the next session receives it, and of an item why not.
func (r *request) markTold(l *memoryList) error {
	agent, b, err := r.nextSession("")
	if err != nil {
		return err
	}
	l.Agent = cmp.Or(agent.Title, "any agent")
	told, why := map[string]bool{}, map[string]string{}
	for _, g := range b.Given() {
		told[g.Scope+" "+g.Key] = true
	}
	for _, out := range b.Profile.LeftOut {
		why[out.Scope+" "+out.Key] = whyOut(out.Why)
	}
	handed, err := localstate.HandedOver(r.ss)
	for i := range l.Rows {
		row := &l.Rows[i]
		if h := handed[row.Scope][row.ID]; h.Count > 0 {
			row.Handed = policy.Inert(strconv.Itoa(h.Count) + "×, last on " + h.Last + " for: " + h.On)
		}
		if row.Told = told[row.Scope+" "+row.ID]; !row.Told {
			row.NotTold = why[row.Scope+" "+row.ID]
		}
	}
	l.Warnings = distinct(append(l.Warnings, clean(b.Warnings)...))
	for _, s := range b.StoodBack {
		if s.Why == session.WhyUntrusted {
			l.Warnings = append(l.Warnings, "No session receives the memory of this project. "+whyOut(s.Why))
			break
		}
	}
	return err
}
