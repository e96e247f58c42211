package capture

import (
	"strings"
	"time"

	"github.com/memctl/memctl/memfile"
)

// kept is one memory of a mememory export. Its pinned ones are not pinned here:
// only a person pins.
type kept struct {
	Content  string   `json:"content"`
	Scope    string   `json:"scope"`
	Project  string   `json:"project"`
	Type     string   `json:"type"`
	Delivery string   `json:"delivery"`
	Tags     []string `json:"tags"`
	Weight   *float64 `json:"weight"`
	TTL      string   `json:"ttl"`
}

// minWeight is the weight below which a memory counts as unsure.
const minWeight = 0.5

// mememory reads the array that mememory's admin service exports. Rules,
// feedback and decisions, and what was loaded at every start, are medium; facts
// and context are low.
func (r *reading) mememory(f File) error {
	entries, err := r.jsonEntries(f, Mememory, "memories")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var m kept
		if !r.decode(e, &m, "content and type") {
			continue
		}
		text := strings.TrimSpace(m.Content)
		if text == "" {
			r.skip(e.line, ruleLineForm, "has no content")
			continue
		}
		category := m.Type
		if category == "" {
			category = defaultCategory
		}
		c := Candidate{Line: e.line, Value: memfile.Str(text), Expires: day(m.TTL)}
		tags := append([]memfile.Text{{Where: "type", Text: m.Type}, {Where: "project", Text: m.Project}}, texts("tags", m.Tags)...)
		r.derive(&c, memfile.Text{Where: "type", Text: category}, memfile.Text{Where: "content", Text: text}, tags...)
		if m.sure() {
			c.Confidence = memfile.Medium
		}
		r.add(c)
	}
	return nil
}

func (m kept) sure() bool {
	if m.Weight != nil && *m.Weight < minWeight {
		return false
	}
	switch m.Type {
	case "rule", "feedback", "decision", "bootstrap":
		return true
	}
	return m.Delivery == "bootstrap" || m.Delivery == "pinned"
}

// day is the day of a time in RFC 3339, "" where it is none.
func day(moment string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}
