package page

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
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
	"github.com/memctl/memctl/policy"
)

// rowsShown is how many memories the list shows at first.
const rowsShown = 100

// hitsShown is how many memories a search finds.
const hitsShown = 60

// memoryList is the data of the view.
type memoryList struct {
	Query, Scope, Tier, Confidence string
	Scopes                         []string // of the session
	Rows                           []row
	Groups                         []group // the same rows
	Agent                          string  // whose next session the marks are about
	Add                            *row    // the form for a new memory; nil where it is closed
	Total                          int     // of the scopes, before any filter
	Matches                        int
	More                           template.URL // the query that shows more; "" where all is shown
	Warnings                       []string
}

// Filtered reports whether the list shows less than all.
func (l memoryList) Filtered() bool { return l.Query+l.Scope+l.Tier+l.Confidence != "" }

func showMemory(r *request) (any, error) {
	q := r.URL.Query()
	l := memoryList{Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), Tier: q.Get("tier"), Confidence: q.Get("confidence"), Scopes: r.ss.Scopes()}
	rows, err := r.rows(l.Scope)
	if err != nil {
		return nil, err
	}
	l.Total = len(rows)
	rows = slices.DeleteFunc(rows, func(row row) bool {
		return l.Tier != "" && row.Tier != l.Tier || l.Confidence != "" && row.Confidence != l.Confidence
	})
	if l.Query != "" {
		if rows, err = r.search(&l, rows); err != nil {
			return nil, err
		}
	}
	l.Rows, l.Matches = rows, len(rows)
	if most := shown(q, rowsShown); l.Matches > most {
		l.Rows, l.More = l.Rows[:most], more(q, most+2*rowsShown)
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		open := q.Get("edit") == row.DOM && row.CanEdit()
		row.Edit = r.editOf(row.DOM, open, editState{Text: row.editable(), When: row.Words(), Base: row.Base()})
		row.Cancel = withoutEdit(q)
	}
	if add := r.editOf(newRowDOM, q.Get("edit") == newRowDOM && !r.page.env.ReadOnly, editState{Scope: l.Scope}); add != nil {
		l.Add = &row{DOM: newRowDOM, Edit: add, Cancel: withoutEdit(q)}
	}
	err = r.markTold(&l)
	l.Groups = grouped(l.Rows, l.Query != "")
	return l, err
}

// shown is how many rows the query asks for, n at least.
func shown(q url.Values, n int) int {
	most, _ := strconv.Atoi(q.Get("n"))
	return max(most, n)
}

// more is the query that shows so many rows.
func more(q url.Values, n int) template.URL {
	q = withoutNotice(q)
	q.Set("n", strconv.Itoa(n))
	return template.URL(q.Encode())
}

func withoutEdit(q url.Values) template.URL {
	q = withoutNotice(q)
	q.Del("edit")
	return template.URL(q.Encode())
}

// editOf is the edit of a row that is open: the one that was refused, or a new one; nil for none.
func (r *request) editOf(dom string, open bool, fresh editState) *editState {
	if state, ok := r.state.(*editState); ok && state.Row == dom {
		return state
	}
	if fresh.Row = dom; open {
		return &fresh
	}
	return nil
}

// rows are the memories of the scopes: items by key, then entries, the newest first.
func (r *request) rows(scope string) (rows []row, err error) {
	list, err := view.List(r.Context(), r.ss, r.reader(), view.Query{Scope: scope})
	entries := func(rec view.Record) int { return min(len(rec.ID), 1) }
	slices.SortStableFunc(list.Records, func(a, b view.Record) int {
		return cmp.Or(entries(a)-entries(b), cmp.Compare(a.Key, b.Key), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	for _, rec := range list.Records {
		rows = append(rows, newRow(rec, r.ss.Scopes()))
	}
	return rows, err
}

// search lists the rows that recall finds. Those that contain the text follow, so that a word that is not yet whole finds something.
func (r *request) search(l *memoryList, rows []row) (found []row, err error) {
	req := briefing.RecallRequest{Query: l.Query, K: hitsShown, Tiers: []string{view.Item, entry.Fact, entry.Note, entry.Summary}}
	if l.Tier != "" {
		req.Tiers = []string{l.Tier}
	}
	res, err := briefing.Recall(r.Context(), r.ss, briefing.RecallOptions{Scope: l.Scope, Reader: r.reader()}, req)
	l.Warnings = clean(res.Warnings)
	take := func(fits func(row) bool) {
		rows = slices.DeleteFunc(rows, func(row row) bool {
			fit := fits(row)
			if fit {
				found = append(found, row)
			}
			return fit
		})
	}
	for _, h := range res.Hits {
		take(func(row row) bool { return row.Scope == h.Scope && row.Ref() == h.ID })
	}
	take(func(row row) bool {
		return strings.Contains(strings.ToLower(row.Ref()+"\x00"+row.editable()), strings.ToLower(l.Query))
	})
	return found, err
}

// onRows is an act on the rows that the form names, after pending writes: one act in each scope.
func onRows(do func(r *request, o memory.Options, names []string) ([]memory.Write, error)) act {
	return func(r *request) (outcome, error) {
		notes, rows, err := r.upToDate()
		switch {
		case err != nil:
			return outcome{}, err
		case len(rows) == 0:
			return outcome{notice: notice{Text: "Not done: that memory is not there any more", Refused: true, Notes: notes}}, nil
		}
		var all []memory.Write
		for _, scope := range r.ss.Scopes() {
			o, names := r.about(scope, rows)
			if len(names) == 0 {
				continue
			}
			writes, err := do(r, o, names)
			if all = append(all, writes...); err != nil {
				return r.told(all, err)
			}
		}
		return r.told(all, nil, notes...)
	}
}

// bringIn commits pending writes, as every door does right before an act.
func (r *request) bringIn(scope string) []string {
	return clean(fault.Texts(review.BringIn(r.Context(), r.ss, r.options(scope))))
}

// upToDate is the memories that the form names, as they are after pending writes. Those that are not there any more
// are left out.
func (r *request) upToDate() (notes []string, named []row, err error) {
	scope := r.Form.Get("scope") // "" where the form names several rows
	notes = r.bringIn(scope)
	if r.ss, err = r.page.env.Open(r.Context()); err != nil {
		return notes, nil, err
	}
	shown := r.picked()
	rows, err := r.rows(scope)
	return notes, slices.DeleteFunc(rows, func(row row) bool {
		_, ok := shown[row.DOM]
		return !ok
	}), err
}

// picked are the rows that the form names, with the versions that the person saw.
func (r *request) picked() map[string]string {
	shown := map[string]string{r.Form.Get("row"): r.Form.Get("base")}
	for _, pick := range r.Form["pick"] {
		dom, version, _ := strings.Cut(pick, " ")
		shown[dom] = version
	}
	return shown
}

// about are the options of an act on the rows of a scope, which the person saw as the form says, and their names.
func (r *request) about(scope string, rows []row) (o memory.Options, names []string) {
	o = r.options(scope)
	versions := r.picked()
	for _, row := range rows {
		if row.Scope == scope {
			seen := row.Unchanged()
			seen.Version = versions[row.DOM]
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

// editState is an edit that is open: the person's text, and what was said of it.
type editState struct {
	Row     string
	Text    string // the person's
	When    string // the words of when, as the person wrote them
	Base    string
	Refused string // why it was not stored
	Theirs  string // the text that the memory has now, where it changed meanwhile
	Key     string // of a new memory; "" for a fact
	Scope   string // of a new memory
}

// editRow stores what a person made of a text. What is not stored goes back to them, with the
// reason beside it.
func editRow(r *request) (outcome, error) {
	notes, rows, err := r.upToDate()
	if err != nil {
		return outcome{}, err
	}
	text := strings.TrimRight(strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n"), "\n")
	when := strings.TrimSpace(r.Form.Get("when"))
	state := &editState{Row: r.Form.Get("row"), Text: text, When: when, Base: r.Form.Get("base")}
	if len(rows) == 0 {
		return outcome{status: http.StatusConflict, notice: notice{Text: "Not saved: that memory is not there any more. Your text was:", Refused: true, Notes: strings.Split(text, "\n")}}, nil
	}
	row := rows[0]
	newWhen := r.Form.Has("when") && when != row.Words()
	switch {
	case text == row.editable() && !newWhen:
		return outcome{notice: notice{Text: "Nothing changed", Notes: notes}}, nil
	case strings.TrimSpace(text) == "":
		return state.refuse("The text is empty. To remove the memory, use Forget.")
	}
	t, err := edit.FindText(r.Context(), r.ss, row.Scope, row.Ref())
	if err != nil {
		return state.refuse(r.page.refusal(memory.AsError(row.Name(), err)))
	}
	if newWhen {
		t.When = []string{when}
	}
	o, _ := r.about(row.Scope, rows[:1])
	w, err := t.Store(r.Context(), r.ss, o, text)
	return r.saved(state, w, err, row.editable(), row.Base(), notes...)
}

// refuse gives the text back to the person, with the reason beside it.
func (e *editState) refuse(why string) (outcome, error) {
	e.Refused = why
	return outcome{status: http.StatusUnprocessableEntity, state: e}, nil
}

// saved is the outcome of an edit. What is not stored goes back to the person: with the reason beside it, or with the text that
// is there now, and its version, where that changed meanwhile.
func (r *request) saved(state *editState, w memory.Write, err error, theirs, base string, notes ...string) (outcome, error) {
	switch {
	case err != nil:
		return state.refuse(r.page.refusal(err))
	case len(w.Findings) > 0 && w.Findings[0].Rule == memory.RuleChanged:
		state.Theirs, state.Base = theirs, base
		return outcome{status: http.StatusConflict, state: state}, nil
	case w.Verdict == policy.Refuse.String():
		return state.refuse(reasons(w))
	}
	return r.toldOne(w, nil, notes...)
}

// newRowDOM is the DOM of the form that adds a memory, and the value of edit that opens it.
const newRowDOM = "new"

// addMemory stores a new item, or a fact where the form names no key.
func addMemory(r *request) (outcome, error) {
	text := formText(r, "text")
	state := &editState{Row: newRowDOM, Text: text, Key: strings.TrimSpace(r.Form.Get("key")), Scope: r.Form.Get("scope")}
	if text == "" {
		return state.refuse("The text is empty.")
	}
	notes := r.bringIn(state.Scope)
	req := edit.Request{Options: r.options(state.Scope), Key: state.Key, Value: memfile.Str(text)}
	if req.Key == "" {
		req.Role, req.Text, req.Value = entry.RoleFact, text, memfile.Value{}
	}
	w, err := edit.Add(r.Context(), r.ss, req)
	return r.saved(state, w, err, "", "", notes...)
}

// formText is a text of a form, without the blanks around it.
func formText(r *request, name string) string {
	return strings.TrimSpace(strings.ReplaceAll(r.Form.Get(name), "\r\n", "\n"))
}
