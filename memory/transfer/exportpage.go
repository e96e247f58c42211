package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

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
	slices.SortStableFunc(byTier, func(a, b ExportEntry) int {
		if a.Scope != b.Scope {
			return 0 // they stand by scope already
		}
		return cmp.Or(a.tierRank()-b.tierRank(), strings.Compare(a.Created, b.Created))
	})
	for _, e := range byTier {
		list = append(list, pageLine{"entries: " + e.Scope, entryGroups()[e.tierRank()], entryLine(e)})
	}
	return list
}

func entryGroups() []string { return []string{"facts", "summaries", "notes", "turns"} }

func (e ExportEntry) tierRank() int {
	return slices.Index([]string{entry.Fact, entry.Summary, entry.Note, entry.Turn}, entry.Entry{Role: e.Role}.Tier())
}

// Markdown is the export as a page: a heading for each scope and first part of
// a key or tier, a memory a line. It is cut at whole lines where it would pass
// max bytes, with a closing line that says how many are left out, and how many
// that are.
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
		closing := closingLine(len(lines) - i)
		left := len(lines) - i - 1
		if b.Len()+text.Len() > max || left > 0 && b.Len()+text.Len()+len(closing) > max {
			return fit(b.String()+closing, max), len(lines) - i
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

// entryLine is one entry on one line, and in brackets what a reader should know.
func entryLine(e ExportEntry) string {
	var marks []string
	for _, m := range []string{e.Category, e.Conversation, e.Created[:min(len(e.Created), len("2006-01-02"))]} {
		if m != "" && m != entry.ProjectConversation && m != entry.GlobalConversation {
			marks = append(marks, m)
		}
	}
	if e.Role == entry.RoleUser || e.Role == entry.RoleAssistant {
		marks = append([]string{e.Role}, marks...)
	}
	if e.Confidence == memfile.Low {
		marks = append(marks, e.Confidence)
	}
	if e.Expires != "" {
		marks = append(marks, "until "+e.Expires)
	}
	line := "- " + strings.Join(strings.Fields(e.Text), " ")
	if len(marks) > 0 {
		line += " (" + strings.Join(marks, ", ") + ")"
	}
	return policy.Inert(line) + "\n"
}
