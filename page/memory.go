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

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
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
	Large                          bool         // not all memories were read
	Warnings                       []string
}

// Filtered reports whether the list shows less than all.
func (l memoryList) Filtered() bool { return l.Query+l.Scope+l.Tier+l.Confidence != "" }

func showMemory(r *request) (any, error) {
	q := r.URL.Query()
	l := memoryList{Query: strings.TrimSpace(q.Get("q")), Scope: q.Get("scope"), Tier: q.Get("tier"), Confidence: q.Get("confidence"), Scopes: r.ss.Scopes()}
	most, err := strconv.Atoi(q.Get("n"))
	if err != nil || most < rowsShown {
		most = rowsShown
	}
	if l.Large, err = r.listLarge(&l, most); err == nil && !l.Large {
		err = r.listAll(&l)
	}
	if err != nil {
		return nil, err
	}
	if l.Matches > most {
		more := withoutNotice(q)
		more.Set("n", strconv.Itoa(most+2*rowsShown))
		l.Rows, l.More = l.Rows[:min(most, len(l.Rows))], template.URL(more.Encode())
	}
	state, _ := r.state.(*editState)
	for i := range l.Rows {
		row := &l.Rows[i]
		switch {
		case state != nil && state.Row == row.DOM:
			row.Edit = state
		case q.Get("edit") == row.DOM && row.CanEdit:
			row.Edit = &editState{Row: row.DOM, Text: row.source, When: row.When, Base: row.Base}
		}
		if row.Edit != nil {
			row.Cancel = withoutEdit(q)
		}
	}
	l.Add = r.addForm(l.Scope)
	err = r.markTold(&l)
	l.Groups = grouped(l.Rows, l.Query != "")
	return l, err
}

// listAll reads all memories of the scopes, and lists those that pass the filter.
func (r *request) listAll(l *memoryList) error {
	rows, err := r.rows(l.Scope)
	if err != nil {
		return err
	}
	l.Total = len(rows)
	rows = slices.DeleteFunc(rows, func(row row) bool {
		return l.Tier != "" && row.Tier != l.Tier || l.Confidence != "" && row.Confidence != l.Confidence
	})
	if l.Query != "" {
		hits, err := r.search(l)
		if err != nil {
			return err
		}
		rows = found(rows, hits, l.Query)
	}
	l.Rows, l.Matches = rows, len(rows)
	return nil
}

func withoutEdit(q url.Values) template.URL {
	q = withoutNotice(q)
	q.Del("edit")
	return template.URL(q.Encode())
}

// rows are the memories of the scopes: items by key, then entries, the newest first.
func (r *request) rows(scope string) ([]row, error) {
	rows, err := r.itemRows(scope)
	if err != nil {
		return nil, err
	}
	entries, err := view.Entries(r.Context(), r.ss, scope)
	return append(rows, r.entryRows(entries)...), err
}

// itemRows are the rows of the scopes' items, by key.
func (r *request) itemRows(scope string) ([]row, error) {
	items, err := view.List(r.Context(), r.ss, r.reader(), view.Query{Scope: scope, Tier: view.Item})
	slices.SortStableFunc(items.Records, func(a, b view.Record) int { return cmp.Compare(a.Key, b.Key) })
	return r.rowsOf(items.Records), err
}

// entryRows are the rows of entries, the newest first.
func (r *request) entryRows(entries []view.LiveEntry) []row {
	var list []view.Record
	for _, e := range entries {
		if e.Tier() != entry.Turn {
			list = append(list, view.EntryRecord(e))
		}
	}
	slices.SortStableFunc(list, func(a, b view.Record) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	list, _ = view.For(r.reader(), list)
	return r.rowsOf(list)
}

// rowsOf are the rows of records.
func (r *request) rowsOf(list []view.Record) (rows []row) {
	for _, rec := range list {
		rows = append(rows, newRow(rec, r.ss.Scopes()))
	}
	return rows
}

// search is recall with the filter.
func (r *request) search(l *memoryList) ([]briefing.RecallHit, error) {
	opt := briefing.RecallOptions{Scope: l.Scope, Reader: r.reader()}
	req := briefing.RecallRequest{Query: l.Query, K: hitsShown, Tiers: []string{view.Item, entry.Fact, entry.Note, entry.Summary}}
	if l.Tier != "" {
		req.Tiers = []string{l.Tier}
	}
	res, err := briefing.Recall(r.Context(), r.ss, opt, req)
	l.Warnings = clean(res.Warnings)
	return res.Hits, err
}

// found are the rows of hits. Those that contain the text follow, so that a word that is not yet whole finds something.
func found(rows []row, hits []briefing.RecallHit, text string) (found []row) {
	at := map[string]int{}
	for i, row := range rows {
		at[row.Scope+" "+row.ID] = i
	}
	taken := map[int]bool{}
	for _, h := range hits {
		if i, ok := at[h.Scope+" "+h.ID]; ok && !taken[i] {
			taken[i] = true
			found = append(found, rows[i])
		}
	}
	part := strings.ToLower(text)
	for i, row := range rows {
		if !taken[i] && (strings.Contains(strings.ToLower(row.ID), part) || strings.Contains(strings.ToLower(row.source), part)) {
			found = append(found, row)
		}
	}
	return found
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
	for _, row := range rows {
		if version, ok := shown[row.DOM]; ok {
			row.present.Version = version
			named = append(named, row)
		}
	}
	return notes, named, err
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
	for _, row := range rows {
		if row.Scope == scope {
			o.Expected, names = append(o.Expected, row.present), append(names, row.ID)
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
	newWhen := r.Form.Has("when") && when != row.When
	switch {
	case text == row.source && !newWhen:
		return outcome{notice: notice{Text: "Nothing changed", Notes: notes}}, nil
	case strings.TrimSpace(text) == "":
		state.Refused = "The text is empty. To remove the memory, use Forget."
		return outcome{status: http.StatusUnprocessableEntity, state: state}, nil
	}
	var w memory.Write
	t, err := edit.FindText(r.Context(), r.ss, row.Scope, row.ID)
	if err != nil {
		err = memory.AsError(row.Name, err)
	} else {
		if newWhen {
			t.When = []string{when}
		}
		o, _ := r.about(row.Scope, rows[:1])
		w, err = t.Store(r.Context(), r.ss, o, text)
	}
	switch {
	case err != nil:
		state.Refused = r.page.refusal(err)
	case changed(w):
		state.Theirs, state.Base = row.source, row.Base
		return outcome{status: http.StatusConflict, state: state}, nil
	case w.Verdict == policy.Refuse.String():
		state.Refused = reasons(w)
	default:
		return r.toldOne(w, nil, notes...)
	}
	return outcome{status: http.StatusUnprocessableEntity, state: state}, nil
}

// changed reports whether an act was refused because its memory is not as the person saw it.
func changed(w memory.Write) bool {
	return len(w.Findings) > 0 && w.Findings[0].Rule == memory.RuleChanged
}

// editable is the text of a value in an editor.
func editable(v memfile.Value) string {
	if v.Kind == memfile.String {
		return strings.TrimRight(v.Text, "\n")
	}
	return strings.TrimRight(v.YAML(), "\n")
}
