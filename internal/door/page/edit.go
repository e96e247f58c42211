package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/policy"
)

// editState is an edit that is open: the person's text, and what was said of it.
type editState struct {
	Row     string
	Text    string // the person's
	Fields  []field
	Base    string
	Refused string // why it was not stored
	Theirs  string // the text that the memory has now, where it changed meanwhile
}

// field is one field of an editor beside the text.
type field struct {
	Name, Title, Hint, Value string
	Kind                     string   // text, date, checkbox or select
	Options                  []option // of a select
	First                    bool     // it stands above the text; the others can be folded away
	item                     bool     // only an item has it
}

// Checked reports whether a checkbox is.
func (f field) Checked() bool { return f.Value != "" }

// fields are the fields of an editor for these labels.
func fields(key string, l labels.Labels) []field {
	on := map[bool]string{true: "on"}
	return []field{
		{Name: "key", Title: "Key", Hint: "testing.style", Value: key, Kind: "text", First: true, item: true},
		{Name: "tags", Title: "Tags", Hint: "go, review", Value: joined(l.Tags), Kind: "text"},
		{Name: "when", Title: "When", Hint: "words of a later request, file or error", Value: joined(l.When), Kind: "text"},
		{Name: "paths", Title: "Paths", Hint: "docs/**, *.md", Value: joined(l.Paths), Kind: "text", item: true},
		{Name: "commands", Title: "Commands", Hint: "git push*", Value: joined(l.Commands), Kind: "text"},
		{Name: "ask", Title: "Ask me before these commands and changes of these paths", Value: on[l.Ask], Kind: "checkbox"},
		{Name: "expires", Title: "Expires on", Value: l.Expires, Kind: "date"},
		{Name: "pinned", Title: "Pinned: it comes first, and always has room", Value: on[l.Pinned], Kind: "checkbox"},
	}
}

// More reports whether a folded field says something.
func (e editState) More() bool {
	return slices.ContainsFunc(e.Fields, func(f field) bool { return !f.First && f.Value != "" })
}

// newFields are those of the form for a new memory; the query may name a scope.
func (r *request) newFields(q url.Values) []field {
	scopes := r.scopes().Options
	scopes[0].Title = "The usual scope"
	kinds := r.choose("kind", "Kind", "", "Item or fact", entry.RoleNote, "Note").Options
	categories := r.choose("category", "Category of a fact", append([]string{"", "None"}, titled(entry.Categories()[1:])...)...).Options
	return slices.Concat([]field{{Name: "kind", Title: "Kind", Kind: "select", Options: kinds, First: true}}, fields("", labels.Labels{}),
		[]field{{Name: "category", Title: "Category of a fact", Kind: "select", Options: categories}, {Name: "scope", Title: "Scope", Kind: "select", Options: scopes, Value: q.Get("scope")}})
}

// filled are the fields with what the person wrote into them.
func (r *request) filled(list []field) []field {
	for i := range list {
		f := &list[i]
		f.Value = strings.TrimSpace(r.Form.Get(f.Name))
		for j := range f.Options {
			f.Options[j].Chosen = f.Options[j].Value == f.Value
		}
	}
	return list
}

// joined makes a field's text from a list, and listed the reverse. An unchanged field keeps its list.
func joined(list []string) string { return strings.Join(list, ", ") }

func listed(text string, was []string) (list []string) {
	if text == joined(was) {
		return was
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// setLabels makes labels those that the form names.
func (r *request) setLabels(l *labels.Labels) {
	for name, at := range map[string]*[]string{"tags": &l.Tags, "when": &l.When, "paths": &l.Paths, "commands": &l.Commands} {
		if r.Form.Has(name) {
			*at = listed(r.Form.Get(name), *at)
		}
	}
	if r.Form.Has("expires") { // a checkbox that is not ticked is not in the form
		l.Expires, l.Pinned, l.Ask = r.Form.Get("expires"), r.Form.Get("pinned") != "", r.Form.Get("ask") != ""
	}
}

// editState is the editor of a row.
func (r *row) editState() editState {
	l := r.Labels
	l.Tags = memfile.WithoutDoubt(l.Tags)
	list := slices.DeleteFunc(fields(r.Key, l), func(f field) bool { return f.item && !r.IsItem() })
	return editState{Text: r.editable(), Fields: list, Base: r.Base()}
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

// editRow stores a person's edit of a memory. If it is refused, the page shows the edited text again, with the reason.
func editRow(r *request) (outcome, error) {
	notes, rows, err := r.refreshedRows()
	if err != nil {
		return outcome{}, err
	}
	text := strings.TrimRight(strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n"), "\n")
	if len(rows) == 0 {
		return outcome{status: http.StatusConflict, notice: notice{Text: "Not saved: that memory is not there any more. Your text was:", Refused: true, Notes: strings.Split(text, "\n")}}, nil
	}
	kept := rows[0]
	state := kept.editState()
	state.Row, state.Text, state.Base, state.Fields = kept.DOM(), text, r.Form.Get("base"), r.filled(state.Fields)
	if strings.TrimSpace(text) == "" {
		return state.refuse("The text is empty. To remove the memory, use Forget.")
	}
	t, err := edit.FindText(r.Context(), r.ss, kept.Scope, kept.Ref())
	if err != nil {
		return state.refuse(r.page.refusal(memory.AsError(kept.Name(), err)))
	}
	had := t.Labels
	r.setLabels(&t.Labels)
	if t.Key = formText(r, "key"); t.Ask && t.AppliesEverywhere() {
		return state.refuse(askWhen)
	}
	o, _ := r.actOptions(kept.Scope, []*row{kept})
	if text == kept.editable() && labels.Same(t.Labels, had, 0) && (t.Key == "" || t.Key == kept.Key) {
		return outcome{notice: notice{Text: "Nothing changed", Notes: notes}}, nil
	}
	w, err := t.Store(r.Context(), r.ss, o, text)
	return r.saved(&state, w, err, kept.editable(), kept.Base(), notes...)
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
	return r.noticeOf([]memory.Write{w}, nil, notes...)
}

// askWhen refuses to ask before nothing.
const askWhen = "It says no command and no path to ask before. Name one, or do not ask."

// newRowDOM is the DOM of the form that adds a memory, and the value of edit that opens it.
const newRowDOM = "new"

// addMemory stores a new item, a fact where the form names no key, or a note.
func addMemory(r *request) (outcome, error) {
	text, key := formText(r, "text"), formText(r, "key")
	state := &editState{Row: newRowDOM, Text: text, Fields: r.filled(r.newFields(r.Form))}
	req := edit.Request{Options: r.options(r.Form.Get("scope")), Key: key, Value: memfile.Str(text)}
	r.setLabels(&req.Labels)
	if key == "" {
		req.Role, req.Text, req.Value, req.Category = entry.RoleFact, text, memfile.Value{}, r.Form.Get("category")
	}
	switch isNote := r.Form.Get("kind") == entry.RoleNote; {
	case text == "":
		return state.refuse("The text is empty.")
	case isNote && key != "":
		return state.refuse("A note has no key. Choose the other kind, or remove the key.")
	case key == "" && len(req.Paths) > 0:
		return state.refuse("Only items have paths. Give it a key, or remove the paths.")
	case req.Ask && req.AppliesEverywhere():
		return state.refuse(askWhen)
	case isNote:
		req.Role, req.Category = entry.RoleNote, ""
	}
	notes := r.bringIn(req.Scope)
	w, err := edit.Add(r.Context(), r.ss, req)
	return r.saved(state, w, err, "", "", notes...)
}

// formText is a text of a form, without the blanks around it.
func formText(r *request, name string) string {
	return strings.TrimSpace(strings.ReplaceAll(r.Form.Get(name), "\r\n", "\n"))
}
