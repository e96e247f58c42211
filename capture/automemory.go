package capture

import (
	"path"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// autoMemory reads one file of the folder that Claude Code keeps for itself:
// the index MEMORY.md, whose lines that only point to a file say nothing of their
// own, and one file a topic, with a front matter that names its type (user,
// feedback, project, reference). What the agent wrote down of its own accord is
// not what a person stated, so all of it is low, but for feedback, which is what
// the person told it.
func (r *reading) autoMemory(f File, all []File) {
	front, body, first := frontMatter(string(f.Data))
	if front.get("type") == "" {
		p := page{reading: r, lexicon: true, personal: true}
		if base := path.Base(f.Name); base != indexName {
			p.category = strings.TrimSuffix(base, path.Ext(base))
		}
		r.head(first, "it describes the file")
		p.read(r.unlinked(r.scan(body, first), all))
		return
	}
	r.head(first, "")
	head := []int{len(r.parts) - 1}
	kind := front.get("type")
	p := page{reading: r}
	text, parts := topicText(r.scan(body, first))
	defer p.read(nil)
	if text == "" || valueBytes(memfile.Str(text)) > maxJoined*3 {
		r.leave(parts, "the text is too long, so its description is read instead")
		text, parts = plainInline(front.get("description")), nil
	}
	if text == "" {
		r.leave(head, "it describes nothing")
		return
	}
	name := memfile.Text{Where: "name", Text: front.get("name")}
	if name.Text == "" {
		name = memfile.Text{Where: "file name", Text: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))}
	}
	c := Candidate{Line: first, Value: memfile.Str(text), Labels: labels.Labels{Confidence: memfile.Low}}
	c.arrived(name)
	name.Text = strings.TrimPrefix(strings.ReplaceAll(name.Text, "_", " "), kind+" ")
	typed := memfile.Text{Where: "type", Text: kind}
	r.derive(&c, typed, name, typed)
	c.Tags = append(c.Tags, technicalWords(text)...)
	if kind == "feedback" {
		c.Confidence = memfile.Medium
	}
	r.claim(append(head, parts...), r.add(c))
}

// topicText is a topic's body as one text: its paragraphs and list items, and the parts that hold them.
func topicText(blocks []block) (text string, parts []int) {
	var list []string
	for _, b := range blocks {
		if b.kind == paragraph || b.kind == bullet {
			list = append(list, plainInline(b.text))
			parts = append(parts, b.parts...)
		}
	}
	return strings.Join(list, " "), parts
}

// unlinked drops the list items that point to a file of the folder.
func (r *reading) unlinked(blocks []block, all []File) []block {
	names := map[string]bool{}
	for _, f := range all {
		names[path.Base(f.Name)] = true
	}
	for i, b := range blocks {
		_, target, _ := strings.Cut(b.text, "](")
		target, _, _ = strings.Cut(target, ")")
		if b.kind == bullet && names[path.Base(target)] {
			blocks[i].kind = gap
			r.leave(b.parts, "it names another file of the folder")
		}
	}
	return blocks
}
