package capture

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// fact is one fact of ChatCLI's memory_index.json.
type fact struct {
	Content    string   `json:"content"`
	Category   string   `json:"category"`
	Tags       []string `json:"tags"`
	Accesses   int      `json:"access_count"`
	Confidence float64  `json:"confidence"`
	Provenance string   `json:"provenance"`
}

// What makes a fact of ChatCLI medium: it was used so often, or it is held to be
// so sure. The rest is what a model extracted once.
const (
	usedOften = 3
	heldSure  = 0.8
)

// chatCLI reads facts from an array, or from an object of facts by id.
func (r *reading) chatCLI(f File) error {
	entries, err := r.jsonEntries(f, ChatCLI, "facts")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var x fact
		if !r.decode(e, &x, "content and category") {
			continue
		}
		text := strings.TrimSpace(x.Content)
		if text == "" {
			r.skip(e.line, ruleLineForm, "has no content")
			continue
		}
		category := x.Category
		if category == "personal" {
			category = "user"
		}
		c := Candidate{Line: e.line, Value: memfile.Str(text)}
		tags := append(texts("category", []string{x.Category}), texts("tags", x.Tags)...)
		r.derive(&c, memfile.Text{Where: "category", Text: category}, memfile.Text{Where: "content", Text: text}, tags...)
		if x.Provenance == "user" || x.Accesses >= usedOften || x.Confidence >= heldSure {
			c.Confidence = memfile.Medium
		}
		r.add(c)
	}
	return nil
}
