package entry

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// The rules of problems; those of yamltext come beside them.
const (
	ruleEncoding      = "invalid-encoding"
	ruleNoFrontMatter = "no-front-matter"
	ruleUnclosed      = "unclosed-front-matter"
	ruleShape         = "entry-shape"
	ruleConflict      = "conflict-markers"
	ruleMissing       = "field-missing"
	ruleFieldType     = "field-type"
	ruleUnquoted      = "unquoted"
	ruleUnknown       = "unknown-field"
	ruleEmpty         = "empty-entry"
	ruleOtherID       = "other-id"
)

// File is one file of an entry that can be read.
type File struct {
	name      string
	src       string
	eol       string
	headStart int // of the front matter between its fences
	headEnd   int
	textStart int // of the body without the blank lines around it
	textEnd   int
	root      *yamltext.Node
	entry     Entry
	problems  []Problem
}

// Entry is a copy of what the file says.
func (f *File) Entry() Entry { return f.entry.clone() }

// Bytes are the file's bytes, as given to Parse.
func (f *File) Bytes() []byte { return []byte(f.src) }

// TextLine is the line on which the body begins, 1-based.
func (f *File) TextLine() int {
	line, _ := f.lineAndColumn(f.textStart)
	return line
}

// Parse reads an entry. name is its path from the store's root, which tells
// what the front matter leaves out. The File is nil when any problem is damage.
//
// Damage: "too-large", "invalid-encoding", "no-front-matter",
// "unclosed-front-matter", "conflict-markers", "entry-shape" (front matter that
// is no map of fields in lines), and yamltext's rules. Errors: "field-type".
// Warnings: "field-missing", "unquoted" (a time or id that other readers take
// for no string), "unknown-field", "empty-entry", "other-id" (of another file or text).
func Parse(name string, src []byte) (*File, []Problem) {
	f, problems := parse(name, src)
	if f == nil {
		return nil, problems
	}
	f.addMissingFields()
	f.checkID()
	return f, f.problems
}

// ParseEntry returns what Parse reads, for those who want the entry alone: problems are damage, and nil where there is an entry.
func ParseEntry(name string, src []byte) (*Entry, []Problem) {
	f, problems := parse(name, src)
	if f == nil {
		return nil, problems
	}
	f.addMissingFields()
	return &f.entry, nil
}

// ParseOrNil returns the entry that a file's bytes hold; nil where they hold none.
func ParseOrNil(name string, src []byte) *Entry {
	if src == nil {
		return nil
	}
	e, _ := ParseEntry(name, src)
	return e
}

// parse reads what the file itself says.
func parse(name string, src []byte) (*File, []Problem) {
	f := &File{name: name, src: string(src), eol: "\n"}
	if rule, at, message := f.splitFrontMatter(); rule != "" {
		line, column := f.lineAndColumn(at)
		return nil, []Problem{{Rule: rule, Severity: memfile.Error, Line: line, Column: column, Message: message, Damage: true}}
	}
	root, err := yamltext.Parse(yamltext.Source{Text: f.src, From: f.headStart, To: f.headEnd, Line: 2})
	var y *yamltext.Error
	if errors.As(err, &y) {
		return nil, []Problem{{Rule: y.Rule, Severity: memfile.Error, Line: y.Line, Column: y.Column, Message: y.Message, Damage: true}}
	}
	if root == nil {
		root = &yamltext.Node{Kind: yamltext.Map, Style: yamltext.Block, Line: 2, Column: 1, Start: f.headStart, End: f.headStart}
	}
	if root.Kind != yamltext.Map || root.Style != yamltext.Block {
		return nil, []Problem{{Rule: ruleShape, Severity: memfile.Error, Line: 2, Column: 1, Message: "the front matter must have one field on each line", Damage: true}}
	}
	f.root = root
	f.readFrontMatter()
	return f, nil
}

// splitFrontMatter finds the front matter and the body; rule is "" where it could.
func (f *File) splitFrontMatter() (rule string, at int, message string) {
	switch {
	case len(f.src) > MaxFileBytes:
		return yamltext.RuleTooLarge, 0, fmt.Sprintf("the file has more than %d bytes", MaxFileBytes)
	case !utf8.ValidString(f.src):
		return ruleEncoding, invalidByteAt(f.src), "a byte that is not UTF-8"
	}
	start := len(f.src) - len(strings.TrimPrefix(f.src, "\ufeff"))
	first := f.lineNext(start)
	if !isFence(f.src[start:first]) {
		return ruleNoFrontMatter, 0, "no front matter: the first line of an entry must be ---"
	}
	if strings.HasSuffix(f.src[:first], "\r\n") {
		f.eol = "\r\n"
	}
	f.headStart = first
	for at := first; at < len(f.src); {
		next := f.lineNext(at)
		if isFence(f.src[at:next]) {
			f.headEnd = at
			if at-first > MaxHeadBytes {
				return yamltext.RuleTooLarge, first, fmt.Sprintf("the front matter has more than %d bytes", MaxHeadBytes)
			}
			f.trimText(next)
			if at := conflictMarkerAt(f.src); at >= 0 {
				return ruleConflict, at, "markers of a merge conflict"
			}
			return "", 0, ""
		}
		at = next
	}
	return ruleUnclosed, 0, "the front matter has no closing ---"
}

func isFence(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }

func invalidByteAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return 0
}

// conflictMarkerAt is where the first of git's conflict markers is, if one that opens and one that closes
// are there; else -1.
func conflictMarkerAt(src string) int {
	if !strings.Contains(src, "<<<<<<<") {
		return -1
	}
	open, at := -1, 0
	for line := range strings.Lines(src) {
		switch linemerge.ConflictMarker(line) {
		case '<':
			if open < 0 {
				open = at
			}
		case '>':
			if open >= 0 {
				return open
			}
		}
		at += len(line)
	}
	return -1
}

// trimText leaves out blank lines before the body and white space after it.
func (f *File) trimText(from int) {
	for from < len(f.src) {
		next := f.lineNext(from)
		if strings.TrimSpace(f.src[from:next]) != "" {
			break
		}
		from = next
	}
	f.textStart = from
	f.textEnd = from + len(strings.TrimRight(f.src[from:], " \t\r\n"))
	f.entry.Text = strings.ReplaceAll(f.src[f.textStart:f.textEnd], "\r\n", "\n")
}

func (f *File) lineStart(pos int) int { return strings.LastIndexByte(f.src[:pos], '\n') + 1 }

func (f *File) lineNext(pos int) int {
	if i := strings.IndexByte(f.src[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(f.src)
}

func (f *File) lineAndColumn(pos int) (line, column int) {
	return 1 + strings.Count(f.src[:pos], "\n"), pos - f.lineStart(pos) + 1
}

func (f *File) report(rule string, severity memfile.Severity, n *yamltext.Node, message string) {
	line, column := 1, 1
	if n != nil {
		line, column = n.Line, n.Column
	}
	f.problems = append(f.problems, Problem{Rule: rule, Severity: severity, Line: line, Column: column, Message: message})
}

// addMissingFields takes fields that the front matter does not have from the path or the text. It reports that,
// because agent-cli drops such a file.
func (f *File) addMissingFields() {
	p, _ := ParsePath(f.name)
	e := &f.entry
	if e.Role == "" {
		f.report(ruleMissing, memfile.Warning, nil, "the field role is missing")
		e.Role = roleFromPath(p)
	}
	if e.Conversation == "" {
		if p.Tier != Note || e.Role != RoleNote {
			f.report(ruleMissing, memfile.Warning, nil, "the field conversation_id is missing")
		}
		e.Conversation = p.Conversation
		if e.Conversation == "" {
			e.Conversation = ProjectConversation
		}
	}
	if e.Created == "" {
		f.report(ruleMissing, memfile.Warning, nil, "the field created_at is missing")
		if t, ok := ParseTime(p.Time); ok {
			e.Created = FormatTime(t)
		} else if isDay(p.Day) {
			e.Created = p.Day + "T00:00:00.000Z"
		}
	}
	if e.ID == "" {
		f.report(ruleMissing, memfile.Warning, nil, "the field id is missing")
		if e.ID = p.ID; !p.HasIDInName() {
			e.ID = ContentID(e.Text)
		}
	}
	if e.Text == "" {
		f.report(ruleEmpty, memfile.Warning, nil, "the entry has no text")
	}
}

// checkID compares the id with the file's name and with the text.
func (f *File) checkID() {
	p, _ := ParsePath(f.name)
	e := &f.entry
	if p.HasIDInName() && !p.IsNamedAfter(*e) {
		f.report(ruleOtherID, memfile.Warning, nil, "its id differs from the name of its file: it may be a copy, or a merge may have mixed two entries")
	} else if e.Tier() == Fact && isContentID(e.ID) && !IsFactID(e.ID, e.Text) {
		f.report(ruleOtherID, memfile.Warning, nil, "its id belongs to another text: somebody changed the text by hand, or a merge mixed two entries")
	}
}

func roleFromPath(p PathInfo) string {
	switch p.Tier {
	case Note:
		return RoleNote
	case Summary:
		return RoleSummary
	case Turn:
		if p.Role != "" {
			return p.Role
		}
		return RoleUser
	}
	return RoleFact
}
