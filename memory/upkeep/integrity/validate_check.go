package integrity

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// checking gathers the findings of one file.
type checking struct {
	name     string
	src      []byte
	scope    string // of the session
	judged   string // the scope that its content is judged by
	team     *policy.Team
	isEntry  bool
	list     []fault.Finding
	secretAt []int // lines where the scan of the whole file found a secret
}

// shownName is a file's name as it may be printed.
func shownName(name string) string { return policy.ShownPath(name) }

func (c *checking) add(severity string, rule string, line, column int, key, message, hint string) {
	line, column = max(line, 1), max(column, 1)
	c.list = append(c.list, fault.Finding{
		Rule: rule, Severity: severity, File: shownName(c.name), Line: line, Column: column,
		Key: policy.Inert(memory.Redacted(key)), Message: message, Hint: hint,
	})
}

func (c *checking) sorted() []fault.Finding {
	slices.SortStableFunc(c.list, func(a, b fault.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.list
}

// secrets reads the whole file, whatever it is.
func (c *checking) secrets() {
	for _, f := range policy.Scan(c.src) {
		c.finding(f, f.Line, f.Column, "")
		c.secretAt = append(c.secretAt, f.Line)
	}
}

func (c *checking) finding(f policy.Finding, line, column int, key string) {
	severity, message := fault.SeverityWarning, f.Message
	if f.Verdict == policy.Refuse {
		severity = fault.SeverityError
	}
	if f.Where != "" {
		message = f.Where + ": " + message
	}
	hint := f.Hint
	if f.Rule == policy.RuleSecret {
		hint = c.takeOut(key) + hint
	}
	switch {
	case f.Rule == policy.RulePersonal && f.Verdict == policy.Hold:
		hint = memory.ReviewHint
	case f.Rule == policy.RuleTeam && f.Kind == policy.KindTeamBroken:
		hint = "memctl validate .memctl.yaml says what is wrong with them"
	}
	c.add(severity, f.Rule, line, column, key, message, hint)
}

// problems adds those of a file. In one with a conflict, resolving that is the way out of them all.
func (c *checking) problems(list []memfile.Problem, conflict bool) {
	for _, p := range list {
		switch {
		case conflict:
			p.Hint = "memctl resolve" + memory.ScopeFlag(c.scope)
		case c.isEntry && p.Rule == ruleConflict:
			p.Hint = "memctl resolve " + c.name
		case c.isEntry:
		case p.Damage && p.Hint == "":
			p.Hint = "memctl recover" + memory.ScopeFlag(c.scope)
		case p.Rule == "low-unconfirmed" && p.Hint == "":
			p.Hint = "memctl confirm --undo " + policy.Inert(memory.Redacted(p.Key))
		}
		c.add(string(p.Severity), p.Rule, p.Line, p.Column, p.Key, p.Message, p.Hint)
	}
}

// memory checks a memory file. base is nil without a base.
func (c *checking) memory(base *baseFile) {
	file, problems := memfile.Parse(c.name, c.src)
	// The markers are told one by one instead: a person has to find them all.
	all := len(problems)
	problems = slices.DeleteFunc(problems, func(p memfile.Problem) bool { return p.Rule == ruleConflict })
	c.markers(memfile.SplitNotes(c.src))
	c.problems(problems, len(problems) < all)
	if file == nil {
		return
	}
	c.nuls(memfile.SplitNotes(c.src))
	doc := file.Document()
	_, end := file.Block()
	ends := entryEnds(doc, 1+bytes.Count(c.src[:end], []byte("\n")))
	for _, it := range doc.Items {
		fresh := base.withoutNewAllowances(&it)
		c.rule(policy.FromItem(it, c.judged), it.Key, place{it.Line, it.Column, ends[it.Line], it.Line}, fresh)
	}
	for _, t := range doc.Deletions {
		candidate := policy.Candidate{Key: t.Key, Reason: t.Reason, Scope: c.judged, Raw: true}
		if t.Value != nil {
			candidate.Value = *t.Value
		}
		c.rule(candidate, t.Key, place{t.Line, t.Column, ends[t.Line], t.Line}, nil)
	}
}

// place is where a record is: its first line and column, the line after it, and the line of its text.
type place struct{ line, column, end, text int }

// rule reports what the policy finds in a record. A secret that the scan of the whole file has already
// found there is not reported twice, and gets the record's name. fresh names the rules that the change
// under review allows itself.
func (c *checking) rule(candidate policy.Candidate, key string, at place, fresh []string) {
	candidate.Team = c.team
	within := func(line int) bool { return line >= at.line && line < max(at.end, at.line+1) }
	for i, f := range c.list {
		if f.Rule == policy.RuleSecret && f.Key == "" && within(f.Line) {
			c.list[i].Key, c.list[i].Hint = policy.Inert(memory.Redacted(key)), c.takeOut(key)+f.Hint
		}
	}
	for _, f := range policy.Rule(candidate).Findings {
		if f.Verdict == policy.Accept || f.Rule == policy.RuleSecret && slices.ContainsFunc(c.secretAt, within) {
			continue
		}
		if slices.Contains(fresh, f.Rule) {
			f.Hint = "the comment that allows it is new since the base, and applies only once the base has it"
		}
		line := at.line
		if strings.HasPrefix(f.Where, "value") {
			line = at.text
		}
		c.finding(f, line, at.column, key)
	}
}

// entryEnds maps an entry's first line to the line where the next one begins,
// or the block ends.
func entryEnds(doc memfile.Document, last int) map[int]int {
	var lines []int
	for _, it := range doc.Items {
		lines = append(lines, it.Line)
	}
	for _, t := range doc.Deletions {
		lines = append(lines, t.Line)
	}
	slices.Sort(lines)
	ends := map[int]int{}
	for i, line := range lines {
		ends[line] = last
		if i+1 < len(lines) {
			ends[line] = lines[i+1]
		}
	}
	return ends
}

// markers reports the lines that a merge left behind, outside our own notes: what stands in the notes of a recovery
// is kept there on purpose. One of the outer two alone is perhaps a quotation, so it is a warning.
func (c *checking) markers(notes, after int) {
	var lines []int
	opened, closed := false, false
	n, at := 0, 0
	for text := range strings.Lines(string(c.src)) {
		n++
		at += len(text)
		m := linemerge.ConflictMarker(text)
		begins, ends := m == '<', m == '>'
		if (begins || ends) && (at <= notes || at > after) {
			lines, opened, closed = append(lines, n), opened || begins, closed || ends && opened
		}
	}
	for _, line := range lines {
		severity, message := fault.SeverityWarning, "looks like one marker of a merge conflict"
		if closed {
			severity, message = fault.SeverityError, "marker of a merge conflict"
		}
		c.add(severity, ruleConflict, line, 1, "", message, "memctl resolve merges both sides by meaning")
	}
}

// nuls reports the first NUL outside our own notes: text that a shell appended in its own
// encoding is not read, and git takes the file for no text.
func (c *checking) nuls(notes, after int) {
	at := bytes.IndexByte(c.src[:notes], 0)
	if at < 0 {
		if at = bytes.IndexByte(c.src[after:], 0); at < 0 {
			return
		}
		at += after
	}
	start := bytes.LastIndexByte(c.src[:at], '\n') + 1
	c.add(fault.SeverityError, ruleNULs, 1+bytes.Count(c.src[:at], []byte("\n")), at-start+1, "", "a NUL byte, which is not text", "write these lines again in UTF-8")
}

// takeOut is the command that takes a value out of memory and out of git; "" where its key cannot be shown.
func (c *checking) takeOut(key string) string {
	shown := policy.Inert(memory.Redacted(key))
	if key == "" || shown != key {
		return ""
	}
	return "remove it with memctl purge " + shown + memory.ScopeFlag(c.scope) + "; "
}

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
	return f.Entry().OriginalPath(rel, func(home string) []byte {
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
