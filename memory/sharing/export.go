package sharing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// ExportRequest is one `export`: all, or the items that match the keys and globs.
type ExportRequest struct {
	Scope    string
	Patterns []string
}

// ExportResult is what is handed out.
type ExportResult struct {
	Items   []Exported        `json:"items"`
	Entries []Exported        `json:"entries"`
	LeftOut []session.LeftOut `json:"withheld"` // memories that the policy keeps out of the file
	memory.Withheld
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
// key to a person. A pattern that matches nothing is an error of code not-found.
func Export(ctx context.Context, ss *store.Stores, who contents.Reader, req ExportRequest) (ExportResult, error) {
	res := ExportResult{Items: []Exported{}, Entries: []Exported{}, LeftOut: []session.LeftOut{}}
	all, err := view.Show(ctx, ss, contents.Person, view.ShowRequest{Scope: req.Scope, Patterns: req.Patterns})
	if err != nil {
		return res, err
	}
	for _, scope := range all.Scopes {
		for _, it := range scope.Items {
			res.add(who, it)
		}
	}
	if len(req.Patterns) > 0 {
		return res, nil
	}
	entries, err := view.Entries(ctx, ss, req.Scope)
	for _, e := range entries {
		res.add(who, view.EntryRecord(e))
	}
	return res, err
}

// add adds a record without what stays here.
func (r *ExportResult) add(who contents.Reader, rec view.Record) {
	if rec.Hidden() && !rec.Correction() {
		name := policy.Inert(memory.Redacted(rec.Key)) + memory.ShortID(rec.ID) // it has one of them
		if who != contents.Person {
			name = ""
			r.WithheldCount++
		}
		r.LeftOut = append(r.LeftOut, session.LeftOut{Key: name, Scope: rec.Scope, Why: rec.Rules()})
		return
	}
	x := Exported{Record: rec}
	x.Labels, x.Conflict, x.Anchors, x.Path, x.Month, x.Stale, x.Usage = rec.WithUse(labels.Exported), nil, nil, "", "", false, nil
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

// lostInJSON is the value as YAML if JSON would change it, as with 1.10; ""
// otherwise.
func lostInJSON(v memfile.Value) string {
	var again memfile.Value
	data, err := json.Marshal(v)
	if err == nil && json.Unmarshal(data, &again) == nil && memfile.Equal(v, again) {
		return ""
	}
	return v.YAML()
}

// pageLine is one memory on an exported page, and the headings that it stands under.
type pageLine struct{ scope, group, text string }

// lines are the page's, the items of all scopes before the entries.
func (res ExportResult) lines() []pageLine {
	var list []pageLine
	for _, it := range res.Items {
		group, _, _ := strings.Cut(it.Key, ".")
		list = append(list, pageLine{it.Scope, group, markdownLine(it)})
	}
	byTier := slices.Clone(res.Entries)
	slices.SortStableFunc(byTier, func(a, b Exported) int {
		if a.Scope != b.Scope {
			return 0 // they stand by scope already
		}
		return cmp.Or(tierRank(a)-tierRank(b), strings.Compare(a.Created, b.Created))
	})
	for _, e := range byTier {
		group := [...]string{"facts", "summaries", "notes", "turns"}[tierRank(e)]
		list = append(list, pageLine{"entries: " + e.Scope, group, markdownLine(e)})
	}
	return list
}

func tierRank(e Exported) int {
	return slices.Index([]string{entry.Fact, entry.Summary, entry.Note, entry.Turn}, e.Tier)
}

// Markdown is the export as a page: a heading for each scope and first part of
// a key or tier, a memory a line. A longer page than max bytes is cut after a
// whole line, and its last line says how many memories are left out. leftOut
// is that number.
func (res ExportResult) Markdown(max int) (page string, leftOut int) {
	lines := res.lines()
	if max <= 0 {
		return "", len(lines)
	}
	var b strings.Builder
	b.WriteString("# Memory\n")
	var last pageLine
	for i, l := range lines {
		var text strings.Builder
		if l.scope != last.scope {
			fmt.Fprintf(&text, "\n## %s\n", policy.Inert(l.scope))
		}
		if l.group != last.group || l.scope != last.scope {
			fmt.Fprintf(&text, "\n### %s\n\n", policy.Inert(l.group))
		}
		text.WriteString(l.text)
		left, noun := len(lines)-i, "items"
		if left == 1 {
			noun = "item"
		}
		closing := fmt.Sprintf("\n(%d more %s left out; `memctl export --max-bytes 0` has no limit)\n", left, noun)
		if b.Len()+text.Len() > max || left > 1 && b.Len()+text.Len()+len(closing) > max {
			return fit(b.String()+closing, max), left
		}
		b.WriteString(text.String())
		last = l
	}
	return fit(b.String(), max), 0
}

// fit drops what cannot be cut at an item: a limit of a few bytes has room for
// nothing.
func fit(page string, max int) string {
	if len(page) > max {
		return ""
	}
	return page
}

// markdownLine is one memory on one line: an item with its key as code, and in brackets what a
// reader should know.
func markdownLine(x Exported) string {
	line, marks := "- "+strings.Join(strings.Fields(x.Text), " "), []string{}
	if x.Tier == view.Item {
		line = "- `" + strings.ReplaceAll(x.Key, "`", "'") + "`: " + x.Value.Plain()
	} else {
		if x.Tier == entry.Turn {
			marks = append(marks, x.Role)
		}
		for _, m := range []string{x.Category, x.Conversation, x.Day()} {
			if m != "" && m != entry.ProjectConversation && m != entry.GlobalConversation {
				marks = append(marks, m)
			}
		}
	}
	if x.Confidence == memfile.Low || x.Tier == view.Item && x.Confidence != memfile.High {
		marks = append(marks, x.Confidence)
	}
	if x.Expires != "" {
		marks = append(marks, "until "+x.Expires)
	}
	if len(marks) > 0 {
		line += " (" + strings.Join(marks, ", ") + ")"
	}
	return policy.Inert(line) + "\n"
}
