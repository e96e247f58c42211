package setup

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
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
