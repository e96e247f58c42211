package setup

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// The fields of `user`: those with one value, and those that gather several.
func userFields() (single, several []string) {
	return []string{"name", "role", "expertise", "language", "style", "company", "location"}, []string{"skills", "certifications", "goals", "preferences"}
}

// UserFields lists the names of the fields, in the order of printing.
func UserFields() []string {
	single, several := userFields()
	return append(single, several...)
}

// User is what is known about the person: the items user.*, of every scope that
// has any. What is withheld from agents is left out.
func User(ctx context.Context, ss *store.Stores) (UserResult, error) {
	res := UserResult{Schema: memory.SchemaNumber, Fields: []UserField{}}
	memories, _, err := view.ReadShown(ctx, ss, "", contents.Person)
	if err != nil {
		return res, err
	}
	for _, m := range memories {
		for _, it := range m.Items {
			name, ok := strings.CutPrefix(it.Key, memory.UserPrefix)
			if ok && it.Out()&contents.ForPerson == 0 && !slices.ContainsFunc(res.Fields, func(f UserField) bool { return f.Name == name }) {
				res.Fields = append(res.Fields, UserField{Name: name, Values: plainValues(it.Value), Confidence: it.Confidence, Key: it.Key})
			}
		}
	}
	order := UserFields()
	place := func(name string) uint { return uint(slices.Index(order, name)) } // a field of another name comes last
	slices.SortStableFunc(res.Fields, func(a, b UserField) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return res, nil
}

// plainValues are a value's parts, each as one text.
func plainValues(v memfile.Value) []string {
	if v.Kind != memfile.List {
		return []string{v.Plain()}
	}
	list := []string{}
	for _, part := range v.List {
		list = append(list, part.Plain())
	}
	return list
}

// SetUser sets one field of `user`, through the same rules as add.
func SetUser(ctx context.Context, ss *store.Stores, o memory.Options, name, value string) (memory.Write, error) {
	req, err := UserRequest(ctx, ss, o, name, value)
	if err != nil {
		return o.Answer("user", req.Key, o.Scope).Refused(err)
	}
	return edit.Add(ctx, ss, req)
}

// UserRequest is the add that sets one field of `user`. Skills, certifications, goals and preferences
// gather: each value, and each part between commas, is added to those that are there. Of another
// field the last value counts. Errors: *memory.Refusal for an unknown field; a store that cannot be read.
func UserRequest(ctx context.Context, ss *store.Stores, o memory.Options, name string, values ...string) (edit.Request, error) {
	single, several := userFields()
	name = strings.ToLower(strings.TrimSpace(name))
	req := edit.Request{Options: o, Key: memory.UserPrefix + name}
	switch {
	case slices.Contains(several, name):
		it, err := known(ctx, ss, o, req.Key)
		var was []string
		if it != nil {
			was = plainValues(it.Value)
		}
		req.Value = gathered(was, strings.Join(values, ","))
		return req, err
	case !slices.Contains(single, name):
		return req, memory.Refuse(memory.RuleKeyForm, "unknown field (use "+strings.Join(append(single, several...), ", ")+")")
	}
	req.Value = memfile.Str(strings.TrimSpace(values[len(values)-1]))
	return req, nil
}

// gathered is the list of what is known and what comes to it.
func gathered(known []string, value string) memfile.Value {
	v := memfile.Value{Kind: memfile.List}
	seen := map[string]bool{}
	for _, s := range append(known, strings.Split(value, ",")...) {
		s = strings.TrimSpace(s)
		if normal := memfile.NormalText(s); s != "" && !seen[normal] {
			seen[normal] = true
			v.List = append(v.List, memfile.Str(s))
		}
	}
	return v
}

// UserResult is what is known about the person: the items user.*.
type UserResult struct {
	Schema int         `json:"schema"`
	Fields []UserField `json:"fields"`
}

// UserField is one of them.
type UserField struct {
	Name       string   `json:"name"`
	Values     []string `json:"values"`
	Confidence string   `json:"confidence"`
	Key        string   `json:"key"`
}
