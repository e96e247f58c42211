package integrity

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// entry lists the findings of one entry's file.
func (v *validating) entry(c *checking, rel string) ([]fault.Finding, error) {
	file, problems := entry.Parse(rel, c.src)
	c.isEntry = true
	home := v.copyOf(c.name, rel, file)
	if home != "" {
		c.add(fault.SeverityWarning, ruleCopy, 1, 1, "", "it is a copy of "+memory.QuotedPath(home)+", so memctl does not use it: delete it, or move what is new into that file", "")
	}
	c.problems(slices.DeleteFunc(problems, func(p entry.Problem) bool { return home != "" && p.Rule == "other-id" }), false)
	if file == nil {
		return c.sorted(), nil
	}
	team, err := v.team(c.name, c)
	if err != nil {
		return nil, err
	}
	e := file.Entry()
	c.team = team
	c.rule(contents.EntryCandidate(e, rel, c.judged), memory.ShortID(e.ID), place{1, 1, 1 + bytes.Count(c.src, []byte("\n")) + 1, file.TextLine()}, nil)
	if p, _ := entry.ParsePath(rel); v.forgotten != nil && !p.Deleted && v.forgotten.BindsEntry(e) {
		line, message, hint := file.TextLine(), "it was forgotten, so no agent receives it", "memctl forget "+memory.ShortID(e.ID)
		if at := v.forgottenLine(e); at >= 0 { // only a person knows whether the rest may go
			line, message, hint = line+at, "this line was forgotten, so no agent receives the entry; delete the line", ""
		}
		c.add(fault.SeverityError, memory.RuleForgotten, line, 1, memory.ShortID(e.ID), message, hint)
	}
	return c.sorted(), nil
}

// copyOf is the path of the entry of which a file on disk is a copy, or "".
func (v *validating) copyOf(name, rel string, f *entry.File) string {
	if f == nil {
		return ""
	}
	return f.Entry().CopyOf(rel, func(home string) []byte {
		src, _ := os.ReadFile(v.ss.Abs(strings.TrimSuffix(name, filepath.FromSlash(rel)) + filepath.FromSlash(home)))
		return src
	})
}

// forgottenLine is the first line of an entry's text that was forgotten, where the text as a whole was not; -1 where there is none.
func (v *validating) forgottenLine(e entry.Entry) int {
	if e.Tier() == entry.Turn || !strings.Contains(e.Text, "\n") || v.forgotten.WholeTombstone(e.Text) != nil {
		return -1
	}
	return slices.IndexFunc(strings.Split(e.Text, "\n"), v.forgotten.HasLine)
}
