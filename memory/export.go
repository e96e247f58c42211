package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// ExportRequest is one `export`: all, or what matches the keys and globs.
type ExportRequest struct {
	Scope    string
	Patterns []string
}

// ExportResult is what is handed out.
type ExportResult struct {
	Schema   int          `json:"schema"`
	Items    []ExportItem `json:"items"`
	Withheld []LeftOut    `json:"withheld"` // what the policy keeps from everybody but this file
}

// ExportItem is one item as it leaves: a line of JSON Lines that import reads
// back. Locks, pins, signals and conflicts stay here.
type ExportItem struct {
	Key        string        `json:"key"`
	Value      memfile.Value `json:"value"`
	YAML       string        `json:"yaml,omitempty"` // the value, where JSON cannot keep how it was written
	Tags       []string      `json:"tags"`
	Source     string        `json:"source"`
	Confidence string        `json:"confidence"`
	Scope      string        `json:"scope"`
	Added      string        `json:"added"`
	Updated    string        `json:"updated,omitempty"`
	Expires    string        `json:"expires,omitempty"`
	Paths      []string      `json:"paths,omitempty"`
}

// Export lists the items to hand out, in the order of scopes and keys. What is
// withheld from agents leaves in no form, and is named by its key. A pattern
// that matches nothing is an error of code not-found.
func Export(ctx context.Context, ss *store.Stores, req ExportRequest) (ExportResult, error) {
	res := ExportResult{Schema: SchemaNumber, Items: []ExportItem{}, Withheld: []LeftOut{}}
	all, err := Show(ctx, ss, ShowRequest{Scope: req.Scope, Patterns: req.Patterns})
	if err != nil {
		return res, err
	}
	for _, scope := range all.Scopes {
		for _, it := range scope.Items {
			if len(it.Withheld) > 0 {
				res.Withheld = append(res.Withheld, LeftOut{Key: policy.Inert(redacted(it.Key)), Scope: scope.Scope, Why: strings.Join(it.Withheld, ", ")})
				continue
			}
			res.Items = append(res.Items, exportItem(it, scope.Scope))
		}
	}
	return res, nil
}

func exportItem(it ItemView, scope string) ExportItem {
	return ExportItem{
		Key: it.Key, Value: it.Value, YAML: lostInJSON(it.Value), Tags: it.Tags, Source: it.Source, Confidence: it.Confidence,
		Scope: scope, Added: it.Added, Updated: it.Updated, Expires: it.Expires, Paths: it.Paths,
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

// Markdown is the export as a page: a heading for each scope and first part of
// a key, an item a line. It is cut at whole items where it would pass max bytes,
// with a closing line that says how many are left out, and how many that are.
func (res ExportResult) Markdown(max int) (page string, leftOut int) {
	if max <= 0 {
		return "", len(res.Items)
	}
	var b strings.Builder
	b.WriteString("# Memory\n")
	scope, group := "", ""
	for i, it := range res.Items {
		part, _, _ := strings.Cut(it.Key, ".")
		var text strings.Builder
		if it.Scope != scope {
			fmt.Fprintf(&text, "\n## %s\n", policy.Inert(it.Scope))
			group = ""
		}
		if part != group || it.Scope != scope {
			fmt.Fprintf(&text, "\n### %s\n\n", policy.Inert(part))
		}
		text.WriteString(markdownLine(it))
		closing := closingLine(len(res.Items) - i)
		left := len(res.Items) - i - 1
		if b.Len()+text.Len() > max || left > 0 && b.Len()+text.Len()+len(closing) > max {
			return fit(b.String()+closing, max), len(res.Items) - i
		}
		b.WriteString(text.String())
		scope, group = it.Scope, part
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

func closingLine(n int) string {
	noun := "items"
	if n == 1 {
		noun = "item"
	}
	return fmt.Sprintf("\n(%d more %s left out; `memctl export --max-bytes 0` has no limit)\n", n, noun)
}

// markdownLine is one item: its key as code, its value
// on one line, and in brackets what a reader should know of it.
func markdownLine(it ExportItem) string {
	marks := []string{}
	if it.Confidence != memfile.High {
		marks = append(marks, it.Confidence)
	}
	if it.Expires != "" {
		marks = append(marks, "until "+it.Expires)
	}
	line := "- `" + strings.ReplaceAll(it.Key, "`", "'") + "`: " + it.Value.Plain()
	if len(marks) > 0 {
		line += " (" + strings.Join(marks, ", ") + ")"
	}
	return policy.Inert(line) + "\n"
}
