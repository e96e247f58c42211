package integrity

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// withEntries adds the files of the store's entries. The index and a revision
// are asked for those that stand on disk.
func (v *validating) withEntries(st *store.Store, files []string) ([]string, error) {
	entries, _, err := contents.EntryFiles(v.ctx, st)
	if err != nil || len(entries) == 0 {
		return files, err
	}
	folder := filepath.Dir(v.fromHere(st.Path()))
	for _, f := range entries {
		files = append(files, filepath.Join(folder, filepath.FromSlash(f.Path)))
	}
	v.forgotten, err = contents.ReadForgotten(v.ctx, st)
	return files, err
}

// entry lists the findings of one entry's file.
func (v *validating) entry(c *checking, rel string) ([]fault.Finding, error) {
	file, problems := entry.Parse(rel, c.src)
	home := v.copyOf(c.name, rel, file)
	if home != "" {
		c.add(fault.SeverityWarning, ruleCopy, 1, 1, "", "it is a copy of "+memory.QuotedPath(home)+", so memctl does not use it: delete it, or move what is new into that file", "")
	}
	for _, p := range problems {
		if home != "" && p.Rule == "other-id" {
			continue
		}
		if p.Rule == ruleConflict {
			p.Hint = "memctl resolve " + c.name
		}
		c.add(string(p.Severity), p.Rule, p.Line, p.Column, "", p.Message, p.Hint)
	}
	if file == nil {
		return c.sorted(), nil
	}
	team, err := v.team(c.name, c)
	if err != nil {
		return nil, err
	}
	e := file.Entry()
	c.whose(1, 1+bytes.Count(c.src, []byte("\n"))+1, memory.ShortID(e.ID))
	candidate := contents.EntryCandidate(e, rel, c.judged)
	candidate.Team = team
	for _, f := range policy.Rule(candidate).Findings {
		if f.Verdict == policy.Accept || f.Rule == policy.RuleSecret && len(c.secretAt) > 0 {
			continue // the scan of the whole file has told the secret, with its line
		}
		line := 1
		if strings.HasPrefix(f.Where, "value") {
			line = file.TextLine()
		}
		c.finding(f, line, 1, memory.ShortID(e.ID))
	}
	if p, _ := entry.ParsePath(rel); v.forgotten != nil && !p.Deleted && v.forgotten.Entry(e) {
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
	return slices.IndexFunc(strings.Split(e.Text, "\n"), v.forgotten.Line)
}
