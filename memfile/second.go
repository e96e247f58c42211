package memfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
)

// RuleReadersDiffer is the rule of a block that YAML readers do not agree on.
const RuleReadersDiffer = "readers-differ"

// ReadersDiffer reads the whole block with a second YAML reader, and reports
// whether it takes it for something else. It costs several times what Parse
// does: it is for validate.
func (f *File) ReadersDiffer() (Problem, bool) {
	err := yamltext.Second(f.alone(f.fence.ContentStart, f.fence.ContentEnd), f.root)
	if err == nil {
		return Problem{}, false
	}
	return Problem{
		Rule: RuleReadersDiffer, Severity: Warning, File: f.name, Line: f.root.Line, Column: f.root.Column,
		Message: err.Error(), Hint: "quote the value that is unusual there",
	}, true
}

// secondOpinion has another reader read the fields of items that a rewrite
// made or changed. What stood there before is not held against the change.
func (f *File) secondOpinion(before Document) error {
	old := map[string][]Field{} // of all items of a key, which may stand twice
	for _, it := range before.Items {
		old[it.Key] = append(old[it.Key], itemFields(it)...)
	}
	entries := f.root.Field("saved_memory").Field("items")
	for i, it := range f.doc.Items {
		for _, field := range itemFields(it) {
			if slices.ContainsFunc(old[it.Key], func(was Field) bool { return equalField(was, field) }) {
				continue
			}
			if err := f.agree(entries.Entries[i].Value, field.Name); err != nil {
				return fmt.Errorf("%w: %s of %q", err, field.Name, it.Key)
			}
		}
	}
	return nil
}

// agree has the second reader read one field of an item.
func (f *File) agree(item *yamltext.Node, name string) error {
	for _, e := range item.Entries {
		if e.Key.Text != name {
			continue
		}
		one := &yamltext.Node{Kind: yamltext.Map, Entries: []yamltext.Entry{e}, Line: e.Key.Line}
		return yamltext.Second(f.alone(e.Start, max(e.Value.End, e.Key.End+1)), one)
	}
	return nil
}

// alone is a part of the block as a text of its own: its first line is set in
// as far as it stands in the file, line endings are LF, and what the fence
// takes off each line is off.
func (f *File) alone(start, end int) string {
	lineStart := strings.LastIndexByte(f.src[:start], '\n') + 1
	text := strings.Repeat(" ", start-lineStart) + strings.ReplaceAll(f.src[start:end], "\r\n", "\n")
	if f.fence.Indent == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		b.WriteString(line[min(indent, f.fence.Indent):])
	}
	return b.String()
}
