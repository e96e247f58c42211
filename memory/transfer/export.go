package transfer

import (
	"context"
	"encoding/json"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

// ExportRequest is one `export`: all, or the items that match the keys and globs.
type ExportRequest struct {
	Scope    string
	Patterns []string
}

// ExportResult is what is handed out.
type ExportResult struct {
	Schema  int               `json:"schema"`
	Items   []Exported        `json:"items"`
	Entries []Exported        `json:"entries"`
	LeftOut []session.LeftOut `json:"withheld"` // memories that the policy keeps out of the file
}

// Exported is a record as it leaves: a line of JSON Lines that import reads back. Locks, pins,
// ask, signals, conflicts and anchors stay here.
type Exported struct {
	view.Record
	YAML string `json:"yaml,omitempty"` // the value, where JSON cannot keep how it was written
}

// Export lists the items to hand out, in the order of scopes and keys, and where
// no pattern asks for items alone, the entries that stand, in the order of scopes
// and paths. What is withheld from agents leaves in no form, and is named by its
// key. A pattern that matches nothing is an error of code not-found.
func Export(ctx context.Context, ss *store.Stores, req ExportRequest) (ExportResult, error) {
	res := ExportResult{Schema: memory.SchemaNumber, Items: []Exported{}, Entries: []Exported{}, LeftOut: []session.LeftOut{}}
	all, err := view.Show(ctx, ss, view.ShowRequest{Scope: req.Scope, Patterns: req.Patterns})
	if err != nil {
		return res, err
	}
	for _, scope := range all.Scopes {
		for _, it := range scope.Items {
			res.add(it)
		}
	}
	if len(req.Patterns) > 0 {
		return res, nil
	}
	entries, err := view.Entries(ctx, ss, req.Scope)
	for _, e := range entries {
		res.add(view.EntryRecord(e))
	}
	return res, err
}

// add adds a record without what stays here.
func (r *ExportResult) add(rec view.Record) {
	if rec.Hidden() {
		name := policy.Inert(memory.Redacted(rec.Key)) + memory.ShortID(rec.ID) // it has one of them
		r.LeftOut = append(r.LeftOut, session.LeftOut{Key: name, Scope: rec.Scope, Why: rec.Rules()})
		return
	}
	x := Exported{Record: rec}
	x.Labels, x.Conflict, x.Anchors, x.Path, x.Month, x.Stale, x.Usage = rec.Only(labels.Exported), nil, nil, "", "", false, nil
	switch x.Tier {
	case view.Item:
		x.YAML = lostInJSON(*x.Value)
		r.Items = append(r.Items, x)
		return
	case entry.Fact:
		x.Role = entry.RoleFact // other programs have words of their own
	default:
		x.Confidence = ""
	}
	r.Entries = append(r.Entries, x)
}

// lostInJSON is the value as YAML where JSON would bring another one back, such
// as 1.10; "" where it brings the same.
func lostInJSON(v memfile.Value) string {
	var again memfile.Value
	data, err := json.Marshal(v)
	if err == nil && json.Unmarshal(data, &again) == nil && memfile.Equal(v, again) {
		return ""
	}
	return v.YAML()
}

// ForAgent takes the keys out of what stays out of the export, and returns how many they
// are.
func (r *ExportResult) ForAgent() int {
	for i := range r.LeftOut {
		r.LeftOut[i].Key = ""
	}
	return len(r.LeftOut)
}
