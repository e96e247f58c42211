package transfer

import (
	"context"
	"encoding/json"
	"strings"

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
	Schema   int               `json:"schema"`
	Items    []ExportItem      `json:"items"`
	Entries  []ExportEntry     `json:"entries"`
	Withheld []session.LeftOut `json:"withheld"` // what the policy keeps from everybody but this file
}

// ExportItem is one item as it leaves: a line of JSON Lines that import reads
// back. Locks, pins, ask, signals and conflicts stay here.
type ExportItem struct {
	Key     string        `json:"key"`
	Value   memfile.Value `json:"value"`
	YAML    string        `json:"yaml,omitempty"` // the value, where JSON cannot keep how it was written
	Scope   string        `json:"scope"`
	Added   string        `json:"added"`
	Updated string        `json:"updated,omitempty"`
	labels.Labels
}

// Export lists the items to hand out, in the order of scopes and keys, and where
// no pattern asks for items alone, the entries that stand, in the order of scopes
// and paths. What is withheld from agents leaves in no form, and is named by its
// key. A pattern that matches nothing is an error of code not-found.
func Export(ctx context.Context, ss *store.Stores, req ExportRequest) (ExportResult, error) {
	res := ExportResult{Schema: memory.SchemaNumber, Items: []ExportItem{}, Entries: []ExportEntry{}, Withheld: []session.LeftOut{}}
	all, err := view.Show(ctx, ss, view.ShowRequest{Scope: req.Scope, Patterns: req.Patterns})
	if err != nil {
		return res, err
	}
	for _, scope := range all.Scopes {
		for _, it := range scope.Items {
			if len(it.Withheld) > 0 {
				res.Withheld = append(res.Withheld, session.LeftOut{Key: policy.Inert(memory.Redacted(it.Key)), Scope: scope.Scope, Why: strings.Join(it.Withheld, ", ")})
				continue
			}
			res.Items = append(res.Items, exportItem(it, scope.Scope))
		}
	}
	if len(req.Patterns) > 0 {
		return res, nil
	}
	return res, res.addEntries(ctx, ss, req.Scope)
}

func exportItem(it view.ItemView, scope string) ExportItem {
	return ExportItem{
		Key: it.Key, Value: it.Value, YAML: lostInJSON(it.Value), Labels: it.Portable(), Scope: scope, Added: it.Added, Updated: it.Updated,
	}
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
	for i := range r.Withheld {
		r.Withheld[i].Key = ""
	}
	return len(r.Withheld)
}
