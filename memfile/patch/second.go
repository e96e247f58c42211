package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// ruleReadersDiffer is the rule of a block that YAML readers do not agree on.
const ruleReadersDiffer = "readers-differ"

// ReadersDiffer reads the whole block with a second YAML reader, and reports
// whether it takes it for something else. It costs several times what Parse
// does: it is for validate.
func ReadersDiffer(f *memfile.File) (memfile.Problem, bool) {
	src, root := f.Source(), f.Root()
	err := yamltext.Second(alone(src, src.From, src.To), root)
	if err == nil {
		return memfile.Problem{}, false
	}
	return memfile.Problem{
		Rule: ruleReadersDiffer, Severity: memfile.Warning, File: f.Name(), Line: root.Line, Column: root.Column,
		Message: err.Error(), Hint: "quote the value that is unusual there",
	}, true
}

// secondOpinion has another reader read the fields of items that a rewrite
// made or changed. What stood there before is not held against the change.
func secondOpinion(src yamltext.Source, root *yamltext.Node, before, now memfile.Document) error {
	old := map[string][]memfile.Field{} // of all items of a key, which may stand twice
	for _, it := range before.Items {
		old[it.Key] = append(old[it.Key], memfile.ItemFields(it)...)
	}
	entries := root.Field("saved_memory").Field("items")
	for i, it := range now.Items {
		for _, field := range memfile.ItemFields(it) {
			if slices.ContainsFunc(old[it.Key], func(was memfile.Field) bool { return was.Name == field.Name && memfile.Equal(was.Value, field.Value) }) {
				continue
			}
			if err := agree(src, entries.Entries[i].Value, field.Name); err != nil {
				return fmt.Errorf("%w: %s of %q", err, field.Name, it.Key)
			}
		}
	}
	return nil
}

// agree has the second reader read one field of an item.
func agree(src yamltext.Source, item *yamltext.Node, name string) error {
	for _, e := range item.Entries {
		if e.Key.Text != name {
			continue
		}
		one := &yamltext.Node{Kind: yamltext.Map, Entries: []yamltext.Entry{e}, Line: e.Key.Line}
		return yamltext.Second(alone(src, e.Start, max(e.Value.End, e.Key.End+1)), one)
	}
	return nil
}

// alone is a part of the block as a text of its own: its first line is set in
// as far as it stands in the file, line endings are LF, and what the fence
// takes off each line is off.
func alone(src yamltext.Source, start, end int) string {
	text := strings.Repeat(" ", src.Column(start)) + strings.ReplaceAll(src.Text[start:end], "\r\n", "\n")
	if src.Indent == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		b.WriteString(line[min(indent, src.Indent):])
	}
	return b.String()
}
