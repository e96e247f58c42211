package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// row is one memory of the list.
type row struct {
	view.Record
	DOM     string   // names it in the page
	Targets []string // scopes to move it to
	Told    bool     // the next session receives it
	NotTold string   // why it does not, in a sentence; "" where there is nothing to say
	Handed  string   // how often it was handed over without a question, and on what last; "" for never
	Edit    *editState
	Cancel  template.URL // the query of the view without the edit
}

// domOf names a thing in the page.
func domOf(parts ...string) string {
	id := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "m" + hex.EncodeToString(id[:8])
}

// newRow is the row of a record.
func newRow(rec view.Record, scopes []string) row {
	r := row{Record: rec}
	r.DOM = domOf(r.Scope, r.Tier, r.Ref())
	for _, scope := range scopes {
		if scope != r.Scope && (scope != store.Project || !strings.HasPrefix(r.Key, memory.UserPrefix)) {
			r.Targets = append(r.Targets, scope)
		}
	}
	return r
}

// Ref is the key, or the entry's id.
func (r row) Ref() string { return r.Key + r.ID }

// Name is the key, or the beginning of the id.
func (r row) Name() string { return policy.Inert(r.Key + memory.ShortID(r.ID)) }

// Base is the version that the row shows.
func (r row) Base() string { return r.Unchanged().Version }

// IsItem reports whether it is an item.
func (r row) IsItem() bool { return r.Tier == view.Item }

// CanEdit reports whether a person can edit it here.
func (r row) CanEdit() bool { return !r.Secret() && (r.IsItem() || r.Tier == entry.Fact) }

// CanConfirm reports whether there is something to confirm.
func (r row) CanConfirm() bool {
	doubted := r.Confidence != memfile.High && (r.IsItem() || r.Confidence != "")
	return r.CanEdit() && (doubted || r.IsItem() && (len(r.Conflict) > 0 || r.HasTag(memfile.TagNeedsConfirmation)))
}

// Words are its words of when, separated by commas.
func (r row) Words() string { return strings.Join(r.When, ", ") }

// Lines are the lines of its text, safe to show.
func (r row) Lines() []string {
	if r.Value != nil {
		return []string{policy.Inert(r.Value.Plain())}
	}
	return linesOf(r.Text)
}

// editable is the text that is edited.
func (r row) editable() string {
	if r.Value != nil {
		return editable(*r.Value)
	}
	return strings.TrimRight(r.Text, "\n")
}

// editable is the text of a value in an editor.
func editable(v memfile.Value) string {
	if v.Kind == memfile.String {
		return strings.TrimRight(v.Text, "\n")
	}
	return strings.TrimRight(v.YAML(), "\n")
}

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
	size := map[string]int{}
	area := func(row row) string {
		first, _, _ := strings.Cut(row.Key, ".")
		return first
	}
	for _, row := range rows {
		size[area(row)]++
	}
	var later []group
	add := func(list []group, g group, row row) []group {
		i := slices.IndexFunc(list, func(known group) bool { return known.DOM == g.DOM })
		if i < 0 {
			list, i = append(list, g), len(list)
		}
		list[i].Rows = append(list[i].Rows, row)
		return list
	}
	for _, row := range rows {
		if a := area(row); row.IsItem() && size[a] > 1 {
			list = add(list, group{DOM: "area-" + a, Title: a}, row)
			continue
		}
		kind := kinds()[slices.IndexFunc(kinds(), func(k kind) bool { return k.Tier == row.Tier })]
		later = add(later, group{DOM: "kind-" + row.Tier, Title: kind.Title}, row)
	}
	for i := range later {
		if later[i].DOM == "kind-"+view.Item && len(list) > 0 {
			later[i].Title = "Other items"
		}
	}
	return append(list, later...)
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
		if h := handed[row.Scope][row.Ref()]; h.Count > 0 {
			row.Handed = policy.Inert(strconv.Itoa(h.Count) + "×, last on " + h.Last + " for: " + h.On)
		}
		if row.Told = told[row.Scope+" "+row.Ref()]; !row.Told {
			row.NotTold = why[row.Scope+" "+row.Ref()]
		}
	}
	l.Warnings = distinct(append(l.Warnings, clean(b.Warnings)...))
	if slices.ContainsFunc(b.StoodBack, func(s session.Stood) bool { return s.Why == session.WhyUntrusted }) {
		l.Warnings = append(l.Warnings, "No session receives the memory of this project. "+whyOut(session.WhyUntrusted))
	}
	return err
}
