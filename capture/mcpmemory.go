package capture

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// node is one line of the file that the MCP reference server for memory keeps:
// an entity with observations, or a relation between two entities.
type node struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

// graph reads the file of the MCP reference server, or what its tool read_graph
// prints. Each observation and each relation is an entry. A model wrote them,
// unasked, so they are low.
func (r *reading) graph(f File) error {
	entries, err := r.jsonEntries(f, MCPMemory, "entities", "relations")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var n node
		if !r.decode(e, &n, "entity or relation") {
			continue
		}
		switch {
		case n.From != "" && n.To != "" && n.RelationType != "":
			text := n.From + " " + strings.ReplaceAll(n.RelationType, "_", " ") + " " + n.To
			r.observed(e.line, "relations", text, text, "relation", n.From, n.RelationType, n.To)
		case n.Name != "":
			r.entity(e.line, n)
		default:
			r.skip(e.line, ruleLineForm, "is neither an entity nor a relation")
		}
	}
	return nil
}

// entity makes an entry of each observation. The entity that stands for the
// person at the keyboard makes user.* keys.
func (r *reading) entity(line int, n node) {
	category := n.Name
	name := strings.ToLower(n.Name)
	if name == "default_user" || name == "user" || name == "default user" {
		category = "user"
	}
	for _, text := range n.Observations {
		value := strings.TrimSpace(text)
		if value == "" {
			continue
		}
		if category != "user" && !strings.Contains(strings.ToLower(value), name) {
			value = n.Name + ": " + value
		}
		r.observed(line, category, text, value, n.EntityType, n.Name)
	}
}

// observed makes one entry. names are those of the input that it has in another form.
func (r *reading) observed(line int, category, about, value, kind string, names ...string) {
	if r.full(line) {
		return
	}
	c := Candidate{Line: line, Value: memfile.Str(value), Arrived: texts("name", names)}
	r.derive(&c, memfile.Text{Where: "name", Text: category}, memfile.Text{Where: "observation", Text: about}, memfile.Text{Where: "type", Text: kind})
	r.add(c)
}
