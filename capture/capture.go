// Package capture turns text that others wrote into candidates for memory: what
// `memctl import` reads. It is pure: bytes in, candidates out. Nothing that it
// reads is run, opened or fetched, and nothing is decided here: whether a
// candidate comes in is the policy's ruling and the act's.
//
// Words. A format is a form that is read, one file of this package each. A
// candidate is something proposed for memory, with the line that it stood at. A
// derived key is one that this package made of heading and text, because the
// format has no keys. What is skipped is a line that was meant for memory and
// cannot be read.
package capture

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/capture/keys"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// The limits of one input. An input with more files, lines or candidates is refused whole; a longer text is skipped.
const (
	MaxInput      = 4 << 20 // bytes of one import, all files of a folder together
	MaxFiles      = 5000    // files of one folder
	MaxCandidates = 1000    // of one import
	maxText       = 4000    // bytes of one text, twice what the policy lets a value have
	maxJSONLine   = 1 << 20 // bytes of one line of JSON
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

// File is one file of an input: its name, with slashes, and its bytes.
type File struct {
	Name   string
	Data   []byte
	Unread string // why it was not read, "" where it was
	Folder string // of instructions: the folder of the project that they are about; "" for all of it
	Scope  string // of instructions: where they go; "" lets the act choose
}

// Candidate is something proposed for memory.
type Candidate struct {
	// Labels are portable ones. Source is what the input says about provenance, and Confidence
	// is memfile.Low or memfile.Medium: never more.
	labels.Labels
	File    string // the name of the file, where there are several
	Line    int    // 1-based; 0 where the format has no lines
	Key     string // as given, or derived and in key form
	Derived bool   // the key is ours
	Value   memfile.Value
	Scope   string // where it goes; "" lets the act choose
	// Personal is the heading that says that it is about a person; "" for none.
	Personal string
}

// TextOf is a value in the form in which texts are compared. A value that is named by its key says little alone, so it
// has the name.
func TextOf(key, value string, named bool) string {
	if _, name, _ := strings.Cut(key, "."); named {
		value = name + ": " + value
	}
	return memfile.NormalText(value)
}

// Skipped is what was meant for memory and cannot be read. It never repeats
// the text.
type Skipped struct {
	File string
	Line int
	Rule string
	Why  string
}

// The rules of what is skipped.
const (
	ruleLineForm = "line-form"
	ruleTooLong  = "too-long"
)

// Result is what one input holds.
type Result struct {
	Format     string
	Candidates []Candidate
	Entries    []EntryLine
	Skipped    []Skipped
	Parts      []Part   // what became of each line of the files that are Markdown
	Includes   []string // the files that instructions include with @FILE
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
	res := Result{Format: format}
	r, folder := reading{names: keys.NewNamer(), many: len(files) > 1, files: map[string]bool{}}, ""
	if r.many {
		folder = folderOf(files)
	}
	for _, f := range files {
		r.files[path.Base(f.Name)] = true
	}
	for _, f := range files {
		if f.Unread != "" {
			r.file = f.Name
			r.notRead(f, f.Unread)
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
		if res.Format == "" {
			res.Format = as
		}
		if err := cmp.Or(r.read(as, f), r.over); err != nil {
			return Result{}, err
		}
	}
	slices.SortStableFunc(r.skipped, func(a, b Skipped) int {
		if a.File != b.File {
			return 0
		}
		return a.Line - b.Line
	})
	res.Candidates, res.Entries, res.Skipped, res.Parts = r.candidates, r.entries, r.skipped, r.parts
	res.Includes = r.includes
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
	names      *keys.Namer
	many       bool
	files      map[string]bool // the names of all files, without folders
	name       string          // of the file under way
	file       string          // the same where there are several
	candidates []Candidate
	entries    []EntryLine
	skipped    []Skipped
	parts      []Part
	includes   []string
	over       error // the input has more than an import takes
}

func (r *reading) read(format string, f File) error {
	r.name, r.file = f.Name, ""
	if r.many {
		r.file = f.Name
	}
	switch format {
	case Claude, Agents, Gemini, Cursor, Copilot, Markdown:
		r.instructions(f)
	case MemoryMD, ClaudeMemory, CodexMemory, AgentCLI, MCPMemory, ChatCLI, Mememory:
		return r.foreign(f, formsOf(format, f.Name, r.many))
	case JSONLines:
		return r.jsonLines(f)
	case Memctl:
		return r.memctl(f)
	default:
		return unreadable(f.Name, 0, "unknown format; use "+strings.Join(Formats(), ", "))
	}
	return nil
}

// add takes a candidate in, as far as the limits go. The answer is the rule that refused it, or "".
func (r *reading) add(c Candidate) string {
	switch {
	case r.full(c.Line):
		return ""
	case valueBytes(c.Value) > maxText:
		r.skip(c.Line, ruleTooLong, "is a document, not an entry of memory")
		return ruleTooLong
	}
	c.File = r.file
	if c.Confidence != memfile.Medium {
		c.Confidence = memfile.Low
	}
	r.candidates = append(r.candidates, c)
	return ""
}

// full reports whether nothing more is taken, which refuses the input.
func (r *reading) full(line int) bool {
	if len(r.candidates) < MaxCandidates {
		return false
	}
	r.tooMany(line, fmt.Sprintf("more than %d items", MaxCandidates))
	return true
}

func (r *reading) tooMany(line int, what string) {
	if r.over == nil {
		r.over = unreadable(r.name, line, what+", the limit of one import, so nothing was imported: split it")
	}
}

func (r *reading) skip(line int, rule, why string) {
	if len(r.skipped) < MaxEntries {
		r.skipped = append(r.skipped, Skipped{File: r.file, Line: line, Rule: rule, Why: why})
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
	seen := map[string]bool{"": true}
	for _, t := range tags {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
