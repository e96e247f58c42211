package capture

import (
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// kept is one memory of a mememory export.
type kept struct {
	Content  string   `json:"content"`
	Scope    string   `json:"scope"`
	Project  string   `json:"project"`
	Type     string   `json:"type"`
	Delivery string   `json:"delivery"`
	Tags     []string `json:"tags"`
	Weight   float64  `json:"weight"`
	Created  loose    `json:"created_at"`
	TTL      string   `json:"ttl"`
}

// userScope is the scope of what counts in every project.
const userScope = "user"

// mememory reads the array that mememory's admin service exports. A memory becomes a fact with its
// type as the category; what was loaded at every start gets the tag bootstrap. A pinned rule becomes
// an item, because items are what every prompt can have; it is not pinned here, which only a
// person does. Global memories go to the user's store.
func (r *reading) mememory(f File) error {
	entries, err := r.jsonEntries(f, Mememory, "memories")
	if err != nil {
		return err
	}
	for _, e := range entries {
		r.memory(e, "memory", func() { r.kept(e) })
	}
	return nil
}

// kept reads one memory of a mememory export.
func (r *reading) kept(e jsonEntry) {
	var m kept
	if !r.unmarshal(e, &m, "content and type") {
		return
	}
	text := strings.TrimSpace(m.Content)
	if text == "" {
		r.skip(e.line, ruleLineForm, "has no content")
		return
	}
	scope := ""
	if m.Scope == "global" {
		scope = userScope
	}
	if m.Type == "rule" && m.Delivery == "pinned" {
		r.pinnedRule(e.line, text, scope, m)
		return
	}
	x := entry.Entry{Role: entry.RoleFact, Text: text, Category: m.Type, Labels: labels.Labels{Tags: tagged(append([]string{m.Project}, m.Tags...)...), Expires: day(m.TTL)}, Weight: m.Weight}
	if m.Type == entry.TagBootstrap || m.Delivery == entry.TagBootstrap {
		x.Tags = tagged(append(x.Tags, entry.TagBootstrap)...)
		if m.Type == entry.TagBootstrap {
			x.Category = ""
		}
	}
	if r.dated(e.line, &x, string(m.Created)) {
		r.addEntry(EntryLine{Line: e.line, Entry: x, Scope: scope})
	}
}

// pinnedRule makes an item of a rule that was part of every prompt.
func (r *reading) pinnedRule(line int, text, scope string, m kept) {
	if r.full(line) {
		return
	}
	c := Candidate{Line: line, Value: memfile.Str(text), Labels: labels.Labels{Expires: day(m.TTL), Confidence: memfile.Medium}, Scope: scope}
	tags := append(texts("project", []string{m.Project}), texts("tags", m.Tags)...)
	r.derive(&c, memfile.Text{Where: "type", Text: m.Type}, memfile.Text{Where: "content", Text: text}, tags...)
	r.add(c)
}

// day is the day of a time in RFC 3339, "" where it is none.
func day(moment string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}
