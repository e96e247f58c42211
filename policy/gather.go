package policy

import (
	"strconv"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// Texts lists every string of the candidate that would be stored.
func (c Candidate) Texts() (list []string) {
	for _, p := range appendTexts(&c, nil) {
		list = append(list, p.Text)
	}
	return list
}

// appendTexts lists every string of the candidate that would be stored, after those
// that are there.
func appendTexts(c *Candidate, parts []chars.Part) []chars.Part {
	parts = appendPart(parts, "key", c.Key)
	if isScalar(c.Value) {
		parts = appendPart(parts, "value", c.Value.Text)
	} else {
		for _, t := range c.Value.Strings() {
			parts = appendPart(parts, t.Where, t.Text)
		}
	}
	for _, l := range c.Labels.Fields() {
		switch at := l.At.(type) {
		case *string:
			if l.Form == labels.Text {
				parts = appendPart(parts, l.Name, *at)
			}
		case *[]string:
			for i, t := range *at {
				parts = appendPart(parts, listPlace(l.Name, i), t)
			}
		}
	}
	parts = appendPart(parts, "reason", c.Reason)
	parts = appendPart(parts, "message", c.Message)
	for _, t := range c.OtherTexts {
		parts = appendPart(parts, t.Where, t.Text)
	}
	return parts
}

func appendPart(parts []chars.Part, where, text string) []chars.Part {
	if text == "" {
		return parts
	}
	if n := len(parts); n < cap(parts) {
		parts = parts[:n+1] // empty, as a bench is left
	} else {
		parts = append(parts, chars.Part{})
	}
	parts[len(parts)-1].Read(where, text)
	return parts
}

// listPlace is the place of a text in a list; the first few tags need no memory.
func listPlace(name string, i int) string {
	if places := [...]string{"tags[0]", "tags[1]", "tags[2]", "tags[3]"}; name == "tags" && i < len(places) {
		return places[i]
	}
	return name + indexText(i)
}

func isScalar(v memfile.Value) bool { return v.Kind != memfile.List && v.Kind != memfile.Map }

func indexText(i int) string { return "[" + strconv.Itoa(i) + "]" }
