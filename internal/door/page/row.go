package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// row is one memory of the list.
type row struct {
	*view.Record
	scopes  []string // of the session
	Told    bool     // the next session receives it
	NotTold string   // why it does not, in a sentence; "" where there is nothing to say
	Handed  string   // how often it was handed over without a question, and on what last; "" for never
	Weak    bool     // the search found it, and it matches too little
	Edit    *editState
	rank    int // the place among the hits of a search
}

// domOf names a thing in the page.
func domOf(parts ...string) string {
	id := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "m" + hex.EncodeToString(id[:8])
}

// DOM names it in the page.
func (r *row) DOM() string {
	if r.Record == nil {
		return newRowDOM
	}
	return domOf(r.Scope, r.Tier, r.Ref())
}

// Targets are the scopes to move it to.
func (r *row) Targets() (scopes []string) {
	for _, scope := range r.scopes {
		if scope != r.Scope && (scope != store.Project || !strings.HasPrefix(r.Key, memory.UserPrefix)) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// Ref is the key, or the entry's id.
func (r *row) Ref() string { return r.Key + r.ID }

// Name is the key, or the beginning of the id.
func (r *row) Name() string { return policy.Inert(r.Key + memory.ShortID(r.ID)) }

// Base is the version that the row shows.
func (r *row) Base() string { return r.Unchanged().Version }

// IsItem reports whether it is an item.
func (r *row) IsItem() bool { return r.Tier == view.Item }

// CanEdit reports whether a person can edit it here.
func (r *row) CanEdit() bool { return !r.Secret() && (r.IsItem() || r.Tier == entry.Fact) }

// CanConfirm reports whether there is something to confirm.
func (r *row) CanConfirm() bool {
	doubted := r.Confidence != memfile.High && (r.IsItem() || r.Confidence != "")
	return r.CanEdit() && (doubted || r.IsItem() && (len(r.Conflict) > 0 || r.HasTag(memfile.TagNeedsConfirmation)))
}

// contains reports whether its name or its text has a text.
func (r *row) contains(text string) bool {
	return strings.Contains(strings.ToLower(r.Ref()+"\x00"+r.editable()), strings.ToLower(text))
}

// Lines are the lines of its text, safe to show.
func (r *row) Lines() []string {
	if r.Value != nil {
		return []string{policy.Inert(r.Value.Plain())}
	}
	return linesOf(r.Text)
}

// editable is the text that is edited.
func (r *row) editable() string {
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

// rows are the memories of the scopes: items by key, then entries, the newest first. most is that of briefing.ListEntries, and
// all is how many there are.
func (r *request) rows(scope string, most int) (rows []*row, all int, err error) {
	items, err := view.List(r.Context(), r.ss, r.reader(), view.Query{Scope: scope, Tier: view.Item})
	if err != nil {
		return nil, 0, err
	}
	entries, all, err := briefing.ListEntries(r.Context(), r.ss, briefing.RecallOptions{Scope: scope, Reader: r.reader()}, most)
	slices.SortStableFunc(items.Records, func(a, b view.Record) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortStableFunc(entries, func(a, b *view.Record) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	for i := range items.Records {
		rows = append(rows, &row{Record: &items.Records[i], scopes: r.ss.Scopes()})
	}
	for _, rec := range entries {
		rows = append(rows, &row{Record: rec, scopes: r.ss.Scopes()})
	}
	return rows, all + len(items.Records), err
}

// read reads the entries among the first n rows from their files. Entries that do not stand any more are left out.
func (r *request) read(rows []*row, n int) ([]*row, error) {
	for {
		files := map[string][]string{}
		for _, row := range rows[:min(n, len(rows))] {
			if row.Indexed {
				files[row.Scope] = append(files[row.Scope], row.Path)
			}
		}
		if len(files) == 0 {
			return rows, nil
		}
		records := map[string]*view.Record{}
		for scope, list := range files {
			slices.Sort(list) // those of one folder together
			read, err := view.ReadEntries(r.Context(), r.ss, r.reader(), scope, list)
			if err != nil {
				return nil, err
			}
			for i := range read {
				records[scope+" "+read[i].Path] = &read[i]
			}
		}
		for _, row := range rows[:min(n, len(rows))] {
			if row.Indexed {
				row.Record = records[row.Scope+" "+row.Path]
			}
		}
		rows = slices.DeleteFunc(rows, func(row *row) bool { return row.Record == nil })
	}
}

// group is the rows under one heading.
type group struct {
	DOM, Title string
	Rows       []*row
}

// grouped puts rows under their days, where they are sorted so; else items under the first part of their keys,
// and entries under their kind. As in the profile, areas of one item share a heading. Hits keep their order.
func grouped(rows []*row, by string, hits bool) (list []group) {
	size := map[string]int{}
	area := func(row *row) string {
		first, _, _ := strings.Cut(row.Key, ".")
		return first
	}
	for _, row := range rows {
		size[area(row)]++
	}
	title := func(row *row) (name, title string, later bool) {
		switch {
		case hits:
			return "hits", "Best matches first", false
		case by == "new":
			return "day-" + row.Day(), row.Day(), false
		case row.IsItem() && size[area(row)] > 1:
			return "area-" + area(row), area(row), false
		}
		return "kind-" + row.Tier, kinds()[slices.IndexFunc(kinds(), func(k kind) bool { return k.Tier == row.Tier })].Title, true
	}
	var last []group
	for _, row := range rows {
		name, title, later := title(row)
		into := &list
		if later {
			into = &last
		}
		i := slices.IndexFunc(*into, func(g group) bool { return g.DOM == name })
		if i < 0 {
			i, *into = len(*into), append(*into, group{DOM: name, Title: title})
		}
		(*into)[i].Rows = append((*into)[i].Rows, row)
	}
	if len(list) > 0 && len(last) > 0 && last[0].DOM == "kind-"+view.Item {
		last[0].Title = "Other items"
	}
	return append(list, last...)
}

// markTold says of each row whether the next session receives it, and if not, why.
func (r *request) markTold(l *memoryList) error {
	agent, b, err := r.nextSession("")
	if err != nil {
		return err
	}
	l.Agent = cmp.Or(agent.Title, "any agent")
	told, why := b.Receives(), map[session.Ref]string{}
	for _, out := range b.Profile.LeftOut {
		why[session.Ref{Scope: out.Scope, Key: out.Key}] = whyOut(out.Why)
	}
	handed, err := localstate.HandedOver(r.ss)
	for _, row := range l.Rows {
		if h := handed[row.Scope][row.Ref()]; h.Count > 0 {
			row.Handed = policy.Inert(strconv.Itoa(h.Count) + "×, last on " + h.Last + " for: " + h.On)
		}
		ref := session.Ref{Scope: row.Scope, Key: row.Ref()}
		switch row.Told = told[ref]; {
		case row.Told:
		case row.IsItem():
			row.NotTold = why[ref]
		case row.Confidence == memfile.Low || row.HasTag(memfile.TagNeedsConfirmation):
			row.NotTold = whyOut(session.WhyUnconfirmed)
		case !row.Hidden():
			row.NotTold = "It is found by search, when it is needed."
		}
	}
	l.Warnings = distinct(append(l.Warnings, clean(b.Warnings)...))
	if slices.ContainsFunc(b.StoodBack, func(s session.Stood) bool { return s.Why == session.WhyUntrusted }) {
		l.Warnings = append(l.Warnings, "No session receives the memory of this project. "+whyOut(session.WhyUntrusted))
	}
	return err
}
