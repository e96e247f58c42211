package page

import (
	"context"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/reading/view"
)

// rowsShown is how many memories the list shows at first, and hitsShown how many a search finds.
const rowsShown, hitsShown = 100, 60

// showForgotten makes the page list forgotten memories only.
const showForgotten = "forgotten"

// memoryList is the data of the view.
type memoryList struct {
	Query, Scope, Tier, Confidence, Sort, Show string

	Selects  []selection
	Rows     []*row
	Groups   []group     // the same rows
	Days     [][]pastAct // what was forgotten
	Weak     bool        // no hit matches well
	Agent    string      // whose next session the marks are about
	Scopes   []string    // of the session
	Add      *row        // the form for a new memory; nil where it is closed
	Total    int         // of the scopes, before any filter
	Matches  int
	More     template.URL // the address that shows more; "" where all is shown
	Warnings []string
}

// Filtered reports whether the list shows less than all.
func (l memoryList) Filtered() bool { return l.Query+l.Scope+l.Tier+l.Confidence+l.Show != "" }

// most is how many entries of a kind the index lists; 0 for all, to choose among them.
func (l memoryList) most(q url.Values) int {
	if l.Filtered() {
		return 0
	}
	return shown(q, rowsShown)
}

func showMemory(r *request) (any, error) {
	q := r.URL.Query()
	l := memoryList{
		Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), Tier: q.Get("tier"), Confidence: q.Get("confidence"), Sort: q.Get("sort"), Show: q.Get("show"), Scopes: r.ss.Scopes(),
	}
	r.setSelects(&l)
	var rows []*row
	var err error
	if rows, l.Total, err = r.rows(l.Scope, l.most(q)); err != nil {
		return nil, err
	}
	if l.Show == showForgotten {
		err = r.forgotten(&l, rows)
	} else {
		err = r.list(&l, rows)
	}
	if add := r.editOf(newRowDOM, q.Get("edit") == newRowDOM && !r.page.env.ReadOnly, editState{Fields: r.newFields(q)}); add != nil {
		l.Add = &row{Edit: add}
	}
	return l, err
}

// setSelects fills in the choices among filters, orders and what is shown. An agent sees the memories alone.
func (r *request) setSelects(l *memoryList) {
	l.Selects = []selection{r.scopes()}
	if l.Show == "" || r.page.env.ReadOnly {
		l.Show = ""
		l.Selects = append(l.Selects, r.choose("tier", "Kind", append([]string{"", "All kinds"}, kindTitles()...)...),
			r.choose("confidence", "Confidence", append([]string{"", "Any confidence"}, titled([]string{memfile.High, memfile.Medium, memfile.Low})...)...),
			r.choose("sort", "Order", "", "By area", "new", "Newest first"))
	} else {
		l.Tier, l.Confidence, l.Sort = "", "", ""
	}
	if r.page.env.ReadOnly {
		return
	}
	l.Selects = append(l.Selects, r.choose("show", "Show", "", "Memories", showForgotten, "Forgotten"))
}

// list fills in the rows that pass the filters and the search, with their marks.
func (r *request) list(l *memoryList, rows []*row) (err error) {
	q := r.URL.Query()
	rows = slices.DeleteFunc(rows, func(row *row) bool { return l.Tier != "" && row.Tier != l.Tier })
	if l.Query != "" {
		if rows, err = r.search(l, rows); err != nil {
			return err
		}
	}
	if l.Confidence != "" { // the index does not have it
		if rows, err = r.read(rows, len(rows)); err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(row *row) bool { return row.Confidence != l.Confidence })
	}
	if l.Sort == "new" {
		slices.SortStableFunc(rows, func(a, b *row) int { return strings.Compare(b.Day(), a.Day()) })
	}
	listed, most := len(rows), shown(q, rowsShown)
	if rows, err = r.read(rows, most); err != nil {
		return err
	}
	l.Total -= listed - len(rows)
	if l.Matches = len(rows); l.most(q) > 0 {
		l.Matches = l.Total
	}
	if l.Matches > most {
		rows, l.More = rows[:min(most, len(rows))], r.link("n", strconv.Itoa(most+2*rowsShown))
	}
	l.Rows = rows
	for _, row := range rows {
		row.Edit = r.editOf(row.DOM(), q.Get("edit") == row.DOM() && row.CanEdit(), row.editState())
	}
	err = r.markTold(l)
	l.Groups = grouped(l.Rows, l.Sort, l.Query != "" && l.Sort == "")
	return err
}

// forgotten fills in what was forgotten and is not remembered again, the last first.
func (r *request) forgotten(l *memoryList, rows []*row) error {
	known := map[string]bool{}
	for _, row := range rows {
		known[row.Scope+" "+row.Name()] = true
	}
	t := timeline{Query: l.Query, Scope: l.Scope}
	acts, err := r.acts(&t, actsSearched)
	for i := range acts {
		acts[i].Changes = slices.DeleteFunc(acts[i].Changes, func(c view.Change) bool {
			name := c.Scope + " " + idOf(c)
			gone := c.Act == "forget" && c.Change == "removed" && restorable(c) && !known[name]
			known[name] = known[name] || gone
			return !gone
		})
		l.Matches += len(acts[i].Changes)
	}
	l.Days = r.byDay(slices.DeleteFunc(acts, func(a view.Act) bool { return len(a.Changes) == 0 }))
	return err
}

// shown is how many rows the query asks for, n at least.
func shown(q url.Values, n int) int {
	most, _ := strconv.Atoi(q.Get("n"))
	return max(most, n)
}

// search lists the rows that recall finds. Those that contain the text follow, so that a word that is not yet whole finds something.
func (r *request) search(l *memoryList, rows []*row) (found []*row, err error) {
	req := briefing.RecallRequest{Query: l.Query, K: hitsShown, Tiers: []string{view.Item, entry.Fact, entry.Note, entry.Summary}}
	if l.Tier != "" {
		req.Tiers = []string{l.Tier}
	}
	res, err := briefing.Recall(r.Context(), r.ss, briefing.RecallOptions{Scope: l.Scope, Reader: r.reader()}, req)
	l.Warnings = clean(res.Warnings)
	rank, last := map[string]int{}, len(res.Hits)
	for i, h := range res.Hits {
		rank[h.Scope+" "+h.ID] = i
	}
	l.Weak = true
	for _, row := range rows {
		contains := row.contains(l.Query)
		i, hit := rank[row.Scope+" "+row.Ref()]
		if !hit && !contains {
			continue
		}
		if row.rank = last; hit {
			row.rank, row.Weak = i, res.Hits[i].Weak && !contains
		}
		l.Weak = l.Weak && row.Weak
		found = append(found, row)
	}
	l.Weak = l.Weak && len(found) > 0
	slices.SortStableFunc(found, func(a, b *row) int { return a.rank - b.rank })
	return found, err
}

// onRows is an act on the rows that the form names, after pending writes: one act in each scope.
func onRows(do func(r *request, o memory.Options, names []string) ([]memory.Write, error)) act {
	return func(r *request) (outcome, error) {
		notes, rows, err := r.refreshedRows()
		switch {
		case err != nil:
			return outcome{}, err
		case len(rows) == 0:
			return outcome{notice: notice{Text: "Not done: that memory is not there any more", Refused: true, Notes: notes}}, nil
		}
		var all []memory.Write
		for _, scope := range r.ss.Scopes() {
			o, names := r.actOptions(scope, rows)
			if len(names) == 0 {
				continue
			}
			writes, err := do(r, o, names)
			if all = append(all, writes...); err != nil {
				return r.noticeOf(all, err)
			}
		}
		return r.noticeOf(all, nil, notes...)
	}
}

// bringIn commits pending writes, as every door does right before an act.
func (r *request) bringIn(scope string) []string {
	return clean(fault.Texts(review.BringIn(r.Context(), r.ss, r.options(scope))))
}

// refreshedRows is the memories that the form names, as they are after pending writes. Those that are not there any more
// are left out.
func (r *request) refreshedRows() (notes []string, named []*row, err error) {
	scope := r.Form.Get("scope") // "" where the form names several rows
	notes = r.bringIn(scope)
	if r.ss, err = r.page.env.Open(r.Context()); err != nil {
		return notes, nil, err
	}
	shown := r.pickedVersions()
	rows, _, err := r.rows(scope, 0)
	rows = slices.DeleteFunc(rows, func(row *row) bool {
		_, ok := shown[row.DOM()]
		return !ok
	})
	if err == nil {
		rows, err = r.read(rows, len(rows))
	}
	return notes, rows, err
}

// pickedVersions are the rows that the form names, with the versions that the person saw.
func (r *request) pickedVersions() map[string]string {
	shown := map[string]string{r.Form.Get("row"): r.Form.Get("base")}
	for _, pick := range r.Form["pick"] {
		dom, version, _ := strings.Cut(pick, " ")
		shown[dom] = version
	}
	return shown
}

// actOptions are the options of an act on the rows of a scope, which the person saw as the form says, and their names.
func (r *request) actOptions(scope string, rows []*row) (o memory.Options, names []string) {
	o = r.options(scope)
	versions := r.pickedVersions()
	for _, row := range rows {
		if row.Scope == scope {
			seen := row.Unchanged()
			seen.Version = versions[row.DOM()]
			o.Expected, names = append(o.Expected, seen), append(names, row.Ref())
		}
	}
	return o, names
}

func doConfirm(r *request, o memory.Options, names []string) ([]memory.Write, error) {
	choice, _ := strconv.Atoi(r.Form.Get("choice"))
	return review.Confirm(r.Context(), r.ss, edit.ConfirmRequest{Options: o, Keys: names, Value: choice})
}

// onKeys makes an act on rows of one on keys.
func onKeys(act func(context.Context, *store.Stores, edit.KeysRequest) ([]memory.Write, error)) func(*request, memory.Options, []string) ([]memory.Write, error) {
	return func(r *request, o memory.Options, names []string) ([]memory.Write, error) {
		return act(r.Context(), r.ss, edit.KeysRequest{Options: o, Keys: names})
	}
}

// doMove moves one after the other, because a move makes its own commits.
func doMove(r *request, o memory.Options, names []string) (all []memory.Write, err error) {
	for i, name := range names {
		one := o
		one.Expected = o.Expected[i : i+1]
		writes, err := edit.Move(r.Context(), r.ss, edit.MoveRequest{Options: one, Keys: []string{name}, To: r.Form.Get("to")})
		if all = append(all, writes...); err != nil {
			return all, err
		}
	}
	return all, nil
}

func doForget(r *request, o memory.Options, names []string) ([]memory.Write, error) {
	return edit.Forget(r.Context(), r.ss, edit.ForgetRequest{Options: o, Targets: names})
}
