package page

import (
	"net/http"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
)

// newRowDOM is the DOM of the form that adds a memory, and the value of edit that opens it.
const newRowDOM = "new"

// addForm is the open form for a new memory; nil where it is closed.
func (r *request) addForm(scope string) *row {
	state, _ := r.state.(*editState)
	switch {
	case state != nil && state.Row == newRowDOM:
	case r.URL.Query().Get("edit") == newRowDOM && !r.page.env.ReadOnly:
		state = &editState{Scope: scope}
	default:
		return nil
	}
	return &row{DOM: newRowDOM, Edit: state, Cancel: withoutEdit(r.URL.Query())}
}

// addMemory stores a new item, or a fact where the form names no key. What is not stored goes back to the person, with the
// reason beside it.
func addMemory(r *request) (outcome, error) {
	text := strings.TrimSpace(strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n"))
	state := &editState{Row: newRowDOM, Text: text, Key: strings.TrimSpace(r.Form.Get("key")), Scope: r.Form.Get("scope")}
	refused := outcome{status: http.StatusUnprocessableEntity, state: state}
	if text == "" {
		state.Refused = "The text is empty."
		return refused, nil
	}
	notes := r.bringIn(state.Scope)
	req := edit.Request{Options: r.options(state.Scope), Key: state.Key, Value: memfile.Str(text)}
	if req.Key == "" {
		req.Role, req.Text, req.Value = entry.RoleFact, text, memfile.Value{}
	}
	w, err := edit.Add(r.Context(), r.ss, req)
	switch {
	case err != nil:
		state.Refused = r.page.refusal(err)
		return refused, nil
	case w.Verdict == policy.Refuse.String():
		state.Refused = reasons(w)
		return refused, nil
	}
	return r.toldOne(w, nil, notes...)
}
