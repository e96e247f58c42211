// Package capture turns text that others wrote into memories: what `memctl import` reads. It is pure: bytes in, rows out.
// Nothing that it reads is run, opened or fetched, and nothing is decided here: whether a memory comes in is the policy's ruling
// and the act's.
//
// It also finds what a person asks to remember in a prompt, by the cues of cues.txt, and makes the keys of both.
//
// Words. A format is a form that is read. A row is what some lines of the input became: a memory, or the reason why they are none.
// A derived key is one that this package made of heading and text, because the format has no keys.
package capture

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// The limits of one input. An input with more files or memories is refused whole; a longer text is skipped.
const (
	MaxInput   = 4 << 20  // bytes of one import, all files of a folder together
	MaxLines   = 64 << 20 // bytes of one file of JSON Lines, whose lines may be entries: a file each
	MaxFiles   = 5000     // files of one folder
	MaxItems   = 1000     // of one import
	MaxEntries = 200_000  // of one import
	maxText    = 4000     // bytes of one text: twice the policy's limit for a value
)

// The formats, by the names that --format takes.
const (
	Claude       = "claude"        // CLAUDE.md, rules of .claude
	Agents       = "agents"        // AGENTS.md, QWEN.md
	Gemini       = "gemini"        // GEMINI.md
	Cursor       = "cursor"        // .cursorrules, .cursor/rules/*.mdc
	Copilot      = "copilot"       // .github/copilot-instructions.md, *.instructions.md
	Markdown     = "markdown"      // any other Markdown
	ClaudeMemory = "claude-memory" // the memory folder of Claude Code, or of Qwen Code
	CodexMemory  = "codex-memory"  // Codex' memory folder
	MemoryMD     = "memory-md"     // a MEMORY.md of its own
	AgentCLI     = "agent-cli"     // the memory folder of agent-cli
	MCPMemory    = "mcp-memory"    // the memory file of the MCP reference server
	ChatCLI      = "chatcli"       // memory_index.json
	Mememory     = "mememory"      // an export of mememory
	JSONLines    = "jsonl"         // JSON Lines, or a JSON array: items with key and value, entries with text
	Memctl       = "memctl"        // another memories.md
)

// Formats lists the names of all formats, in the order of the documentation.
func Formats() []string {
	return []string{Claude, Agents, Gemini, Cursor, Copilot, Markdown, ClaudeMemory, CodexMemory, AgentCLI, MemoryMD, MCPMemory, ChatCLI, Mememory, JSONLines, Memctl}
}

// Instructs reports whether files of a format are instructions for agents about one project.
func Instructs(format string) bool {
	return slices.Contains([]string{Claude, Agents, Gemini, Cursor, Copilot, Markdown}, format)
}

// File is one file of an input: its name, with slashes, and its bytes.
type File struct {
	Name   string
	Data   []byte
	Unread string // why it was not read, "" where it was
	Folder string // of instructions: the folder of the project that they are about; "" for all of it
	Scope  string // of instructions: where they go; "" lets the act choose
	From   string // of instructions: the name in the source of their memories; "" for that of the import
}

// Row is what some lines of an input became: an item, an entry if it has a Role, or nothing for a reason. The rows of a Markdown
// file contain each line that is not blank; a text that was too long is in several rows.
type Row struct {
	// Entry is the entry in the words of the input. Created is "" if the input gives no time. An item uses the labels alone.
	// Source is the provenance that the input names. Confidence is memfile.Low or memfile.Medium, never more.
	entry.Entry
	File       string // the name of the file, where there are several
	From       string // that of File
	Line, Last int    // 1-based; 0 where the format has no lines
	Kind       string // heading, paragraph, list item, table, code …
	Key        string // of an item, as given, or derived and in key form
	Derived    bool   // the key is ours
	Value      memfile.Value
	Scope      string // where it goes; "" lets the act choose
	Personal   string // the heading that says that it is about a person; "" for none
	Left       string // why it is no memory, "" where it is one
	Rule       string // the rule by which it could not be read; then Left says why, and never repeats the text
	Quiet      bool   // it has no text of its own, or is in front of other texts: there is no need to list it
	bare       string // an item's text without the labels in front
	whole      bool   // it says all by itself; see Statement
}

// IsItem tells items from entries.
func (row Row) IsItem() bool { return row.Role == "" }

// TextOf is a value in the form in which texts are compared. A value that is named by its key says little alone, so it
// has the name. The numbers of steps do not count.
func TextOf(key, value string, named bool) string {
	if _, name, _ := strings.Cut(key, "."); named {
		value = name + ": " + value
	}
	parts := strings.Split(memfile.NormalText(value), ": ")
	for i, part := range parts {
		parts[i] = part[len(Number(part)):]
	}
	return strings.Join(parts, ": ")
}

// The rules of what cannot be read.
const (
	ruleLineForm = "line-form"
	ruleTooLong  = "too-long"
)

// Result is what one input contains.
type Result struct {
	Format   string
	Rows     []Row
	Includes []string // the files that instructions include with @FILE
}

// unreadable is the error of a file that cannot be read as its format, on a line, or 0 for
// the whole.
func unreadable(name string, line int, why string) error {
	if line > 0 {
		return &fault.Error{Code: fault.Format, Cause: fmt.Sprintf("%q line %d: %s", name, line, why)}
	}
	return fault.New(fault.Format, name, why)
}

// Read reads the files of one input: one file, or those of a folder. An empty
// format is found from name and content, for each file by itself. Errors:
// fault.Format.
func Read(format string, files []File) (Result, error) {
	r, folder := reading{names: newNamer(), many: len(files) > 1, files: map[string]bool{}, most: MaxItems, personal: regexp.MustCompile(personalWords)}, ""
	if r.many {
		folder = folderOf(files)
	}
	for _, f := range files {
		r.files[path.Base(f.Name)] = true
	}
	res := Result{Format: format}
	for _, f := range files {
		if r.name, r.file, r.from = f.Name, "", f.From; r.many || f.Unread != "" {
			r.file = f.Name
		}
		if f.Unread != "" {
			r.notRead(f.Unread)
			continue
		}
		text, err := plainText(f, format)
		if err != nil {
			return Result{}, err
		}
		f.Data = text
		as := cmp.Or(format, folder)
		if found := Detect(f.Name, f.Data); as == "" || format == "" && as == ClaudeMemory && found != Markdown && found != MemoryMD {
			as = found
		}
		res.Format = cmp.Or(res.Format, as)
		if err := cmp.Or(r.read(as, f), r.over); err != nil {
			return Result{}, err
		}
	}
	res.Rows, res.Includes = r.rows, r.includes
	return res, nil
}

// plainText checks that the bytes are text and takes the byte order mark off.
func plainText(f File, format string) ([]byte, error) {
	data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	switch {
	case int64(len(data)) > LimitOf(f.Name, format):
		return nil, unreadable(f.Name, 0, fmt.Sprintf("is larger than %d MB", LimitOf(f.Name, format)>>20))
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return nil, unreadable(f.Name, 0, "is not text in UTF-8")
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), nil
}

// LimitOf is how many bytes of a file are read: more where its name or the format
// asked for says that its lines stand for themselves.
func LimitOf(name, format string) int64 {
	if format == JSONLines || format == "" && strings.EqualFold(path.Ext(name), ".jsonl") {
		return MaxLines
	}
	return MaxInput
}

// reading is one input under way.
type reading struct {
	names          *namer
	many           bool
	files          map[string]bool // the names of all files, without folders
	name           string          // of the file under way
	file           string          // the same where there are several
	from           string          // its From
	rows           []Row
	items, entries int            // rows that are these
	most           int            // the limit of items
	personal       *regexp.Regexp // what headings that are about a person match; nil where nobody asks
	includes       []string
	over           error // the input has more than an import takes
}

func (r *reading) read(format string, f File) error {
	switch format {
	case JSONLines:
		return r.jsonLines(f)
	case Memctl:
		return r.memctl(f)
	}
	if Instructs(format) {
		r.markdown(f, nil)
		return nil
	}
	if !slices.Contains(Formats(), format) {
		return unreadable(f.Name, 0, "unknown format; use "+strings.Join(Formats(), ", "))
	}
	return r.readForeign(f, formsOf(format, f.Name, r.many))
}

// notRead notes a file of a folder that nothing is read from.
func (r *reading) notRead(why string) {
	r.rows = append(r.rows, Row{File: r.file, Kind: partFile, Left: why})
}

// add takes a row in, as far as the limits go.
func (r *reading) add(row Row) {
	row.File, row.From = r.file, r.from
	switch {
	case row.Left != "":
	case row.IsItem() && valueBytes(row.Value) > maxText:
		row = row.refused(ruleTooLong, "is a document, not an entry of memory")
	case row.IsItem():
		if r.items++; r.items > r.most {
			r.tooMany(row.Line, fmt.Sprintf("more than %d items", r.most))
			return
		}
		if row.Confidence != memfile.Medium {
			row.Confidence = memfile.Low
		}
	default:
		if r.entries++; r.entries > MaxEntries {
			r.tooMany(row.Line, fmt.Sprintf("more than %d entries", MaxEntries))
			return
		}
	}
	r.rows = append(r.rows, row)
}

// refused is a row that cannot be read, without its text.
func (row Row) refused(rule, why string) Row {
	return Row{File: row.File, Line: row.Line, Last: row.Last, Kind: row.Kind, Rule: rule, Left: why}
}

func (r *reading) tooMany(line int, what string) {
	if r.over == nil {
		r.over = unreadable(r.name, line, what+", the limit of one import, so nothing was imported: split it")
	}
}

func valueBytes(v memfile.Value) int {
	n := 0
	for _, t := range v.Strings() {
		n += len(t.Text)
	}
	return n
}

// tagged joins tags, each once, without empty ones.
func tagged(tags ...string) []string {
	var out []string
	for _, t := range tags {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// memctl reads another memory file: its items, without their history, locks,
// pins and ask. A damaged one is not read: there `memctl recover` comes first.
func (r *reading) memctl(f File) error {
	file, problems := memfile.Parse(f.Name, f.Data)
	if file == nil {
		if len(problems) > 0 {
			return unreadable(f.Name, problems[0].Line, "is not a valid memory file: "+problems[0].Message)
		}
		return unreadable(f.Name, 0, "is not a valid memory file")
	}
	doc := file.Document()
	for _, it := range doc.Items {
		if memfile.ForgottenBy(doc, it) != nil {
			continue
		}
		row := Row{Line: it.Line, Last: it.Line, Kind: partRecord, Key: it.Key, Value: it.Value, Entry: entry.Entry{Labels: it.WithUse(labels.Exported)}}
		row.Confidence = memfile.Low
		if (it.Confidence == memfile.High || it.Confidence == memfile.Medium) && !it.HasTag(memfile.TagNeedsConfirmation) {
			row.Confidence = memfile.Medium
		}
		r.add(row)
	}
	return nil
}

// The kinds of rows.
const (
	partFront   = "front matter"
	partHeading = "heading"
	partText    = "paragraph"
	partItem    = "list item"
	partTable   = "table"
	partCode    = "code block"
	partQuote   = "quotation"
	partComment = "comment"
	partHTML    = "HTML block"
	partRule    = "horizontal line"
	partOurs    = "memctl part"
	partFile    = "file"
	partRecord  = "record"
)

// The reasons why a row is no memory, beside those of its kind.
const (
	whyLabel   = "it introduces what follows"
	whyAlone   = "nothing below it is imported"
	whyWhere   = "it says where the rules below apply"
	whyFile    = "it describes the file"
	whyCopy    = "the same is in another file"
	whyDeleted = "it was deleted"
	whyNone    = "it contains no memory"
	whyText    = "it has no text"
	whyBroken  = "it is damaged"
)

// whyNoMemory is why a row of the kind is no memory, where nothing else says it.
func whyNoMemory(kind string) string {
	switch kind {
	case partHeading:
		return "it names the memories below it"
	case partCode:
		return "code stays in the file"
	case partComment:
		return "it is a comment"
	case partOurs:
		return "memctl wrote it"
	}
	return whyText
}

// isHiddenKind reports whether a row of the kind is not listed if it is no memory.
func isHiddenKind(kind string) bool {
	return kind == partHeading || kind == partComment || kind == partRule || kind == partHTML
}
