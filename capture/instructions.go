package capture

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture/keys"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
)

// The sizes, in bytes, at which parts of a list are put together.
const (
	maxJoined  = 500  // a lead-in with its short list is one entry up to here
	maxSteps   = 1800 // the steps of a numbered list are one entry up to here
	maxCode    = 160  // code below a step is part of it up to here
	maxLabel   = 100  // a longer lead-in is not repeated before each entry
	maxRule    = 500  // a longer paragraph is a fact, even if it tells somebody to do something
	fewestFact = 5    // words of a paragraph that states something
	fewWords   = 3    // an entry with fewer says nothing without its heading
)

// instructions reads a file of instructions for agents. List items, and short paragraphs that tell
// somebody to do something, become items with keys and tags from the headings above them. Other
// paragraphs that state something become facts. Code, tables and quotations become nothing. A client
// gives all of the file to its agent already, so a plain statement is as good as a rule.
func (r *reading) instructions(f File) {
	front, body, first := frontMatter(string(f.Data))
	p := page{reading: r, base: candidateOf(front)}
	r.head(first, "it says where the rules below apply")
	p.read(r.scan(body, first))
}

// candidateOf is what a rule file says about all its entries: where they apply.
func candidateOf(front fields) Candidate {
	var c Candidate
	if front.get("alwaysapply") == "true" {
		return c
	}
	for _, name := range [...]string{"globs", "applyto", "paths"} {
		if paths := folders(front.list(name)); len(paths) > 0 {
			c.Paths = paths
		}
	}
	return c
}

// folders turns globs of files into globs of folders, which is what an item's
// paths are. It gives none where one glob is about files everywhere.
func folders(globs []string) []string {
	var out []string
	for _, g := range globs {
		g = strings.TrimPrefix(g, "./")
		end := strings.IndexAny(g, "*?[{")
		if end < 0 {
			end = len(g)
		}
		dir := g[:strings.LastIndexByte(g[:end], '/')+1]
		if dir == "" || strings.HasPrefix(dir, "/") || strings.Contains(dir, "..") {
			return nil
		}
		out = append(out, strings.TrimSuffix(dir, "/")+"/**")
	}
	return tagged(out...)
}

// page is one Markdown text under way.
type page struct {
	*reading
	base  Candidate // what all its entries get
	heads [7]string // the headings in force, by level
	lead  string    // the line with a colon before the list under way
	leads []int     // the parts that hold this line
}

// read goes through the blocks, one list at a time, and says of each part that became no memory why.
func (p *page) read(blocks []block) {
	p.blocks(blocks)
	for i := range p.parts {
		if part := &p.parts[i]; part.File == p.file && part.Candidate+part.Entry == 0 && part.Why == "" {
			part.Why = reasons()[part.Kind]
		}
	}
}

func (p *page) blocks(blocks []block) {
	for i := 0; i < len(blocks); {
		b := blocks[i]
		switch b.kind {
		case heading:
			p.enter(b)
		case paragraph:
			listed := i+1 < len(blocks) && blocks[i+1].kind == bullet
			p.line(b, listed, listed && blocks[i+1].ordered)
		case gap:
			p.leadBy("", nil)
		case bullet:
			end := i + 1
			for end < len(blocks) && blocks[end].kind == bullet && (blocks[end].level > b.level || blocks[end].ordered == b.ordered) {
				end++
			}
			p.list(blocks[i:end])
			if end == len(blocks) || blocks[end].kind != bullet {
				p.leadBy("", nil)
			}
			i = end
			continue
		}
		i++
	}
}

func (p *page) enter(b block) {
	p.heads[b.level] = unnumbered(withoutTargets(plainInline(b.text)))
	for l := b.level + 1; l < len(p.heads); l++ {
		p.heads[l] = ""
	}
	p.leadBy("", nil)
}

// leadBy sets the line that stands before the list that comes now.
func (p *page) leadBy(lead string, parts []int) { p.lead, p.leads = lead, parts }

// under is the nearest heading, without the page's title.
func (p *page) under() string {
	for l := 6; l >= 2; l-- {
		if p.heads[l] != "" {
			return p.heads[l]
		}
	}
	return ""
}

// topic is the nearest heading, the title included.
func (p *page) topic() string {
	if h := p.under(); h != "" {
		return h
	}
	return p.heads[1]
}

// line reads a paragraph: a lead-in for the list below it, a short rule, or prose. A paragraph
// that ends with a colon, with no list below it, is a rule if it says one without what follows. Above
// numbered steps, a line that is no whole sentence names them, with or without a colon.
func (p *page) line(b block, listed, steps bool) {
	text := plainInline(b.text)
	p.leadBy("", nil)
	if lead, colon := strings.CutSuffix(text, ":"); colon {
		if listed || !commanding(lead) || leansOn(lead) {
			p.leave(b.parts, "it introduces what follows")
			p.leadBy(lead, b.parts)
			return
		}
		text = lead
	}
	if steps && b.lines == 1 && len(text) <= maxLabel && !strings.ContainsAny(text[max(len(text)-1, 0):], ".!?") {
		p.leadBy(text, b.parts)
		return
	}
	switch {
	case orders(b, text):
		p.emit(b.parts, b.line, "", text, text)
	case strings.HasPrefix(text, "@") && !strings.Contains(text, " "):
		p.leave(b.parts, "it includes another file")
	case strings.HasPrefix(text, "This file ") || strings.HasPrefix(text, "This document "):
		p.leave(b.parts, "it is about the file itself")
	case strings.HasPrefix(text, "See ") && len(text) <= maxLabel:
		p.leave(b.parts, "it is a link to another page")
	case len(strings.Fields(text)) >= fewestFact && !strings.HasSuffix(text, ":") && !isNavigation(text):
		p.fact(b, text)
	}
}

// leansOn reports whether a line that ends with a colon says nothing without what follows: "Run these checks".
func leansOn(lead string) bool {
	short := keys.Words(lead) < 4
	return short || strings.Contains(lead, " following") || strings.Contains(lead, " these ") || strings.HasSuffix(lead, " this") || strings.HasSuffix(lead, " below")
}

// orders reports whether a paragraph is an item and no fact: a short one that says must, never or the like.
func orders(b block, text string) bool {
	return b.lines <= 2 && len(text) <= maxRule/2 && commanding(text)
}

// fact adds a paragraph as a fact, with the heading above it as its topic.
func (p *page) fact(b block, text string) {
	e := entry.Entry{Role: entry.RoleFact, Text: text}
	if topic := p.topic(); topic != "" {
		e.Topics = []string{topic}
	}
	e.Paths = p.base.Paths
	if !p.addEntry(EntryLine{Line: b.line, Entry: e}) {
		return
	}
	for _, at := range b.parts {
		p.parts[at].Entry = len(p.entries)
	}
}

// isNavigation reports whether a list item is only a link to another page.
func isNavigation(text string) bool {
	bare := strings.Trim(text, "* ")
	if !strings.HasPrefix(bare, "[") {
		return strings.HasPrefix(bare, "@") && !strings.Contains(bare, " ")
	}
	_, size := link(bare)
	return size > 1 && len(bare)-size < 4
}

// emit adds one entry: its own words, and the label that stood over it. The key
// is made of the words that it is about, for those tell entries of one list apart.
func (p *page) emit(parts []int, line int, label, own, about string) {
	own, about = withoutStop(unboxed(own)), unboxed(about)
	head := p.under()
	switch {
	case p.full(line):
		return
	case own == "":
		p.leave(parts, "it is done")
		return
	case slices.Contains([]string{"contents", "table of contents", "toc"}, strings.ToLower(head)):
		p.leave(parts, "it is in a table of contents")
		return
	case slices.Contains([]string{"example", "examples", "for example", "e.g."}, strings.ToLower(label)):
		p.leave(parts, "it is an example")
		return
	}
	text := own
	if label != "" && len(label) <= maxLabel {
		text = strings.TrimRight(label, ".:;,") + ": " + own
	}
	short := len(strings.Fields(text)) < fewWords && (len(strings.Fields(own)) < 2 || memfile.KeyPart(head, keys.MaxPart) != keys.Area(head))
	if head != "" && (short || denies(head) && !denies(text)) && len(head) <= maxLabel {
		text = head + ": " + text
	}
	if len(strings.Fields(text)) < 2 {
		p.leave(parts, "one word states nothing")
		return
	}
	category := memfile.Text{Where: "heading", Text: p.topic()}
	c := p.base
	c.Line, c.Value = line, memfile.Str(text)
	c.arrived(category)
	if keys.Area(category.Text) == "user" {
		category.Text = "about user"
	}
	p.derive(&c, category, memfile.Text{Where: "text", Text: about}, memfile.Text{Where: "heading", Text: head})
	c.Confidence = memfile.Low
	tasks := containsAny(head, "future", "roadmap", "todo", "to do", "next steps", "implementation steps", "goals", "ideas", "planned")
	if !tasks && (commanding(text) || !doubtful(text)) {
		c.Confidence = memfile.Medium
	}
	if label != "" {
		parts = slices.Concat(parts, p.leads)
	}
	p.claim(parts, p.add(c))
}

// withoutStop is a text without its last full stop.
func withoutStop(text string) string {
	if short, ok := strings.CutSuffix(text, "."); ok && !strings.HasSuffix(short, ".") && !strings.HasSuffix(short, " etc") {
		return short
	}
	return text
}

// unnumbered takes a number off a heading.
func unnumbered(head string) string {
	number, rest, ok := strings.Cut(head, " ")
	if ok && strings.Trim(number, "0123456789.)") == "" && strings.ContainsAny(number, ".)") {
		return strings.TrimSpace(rest)
	}
	return head
}

// unboxed takes the box off a task list's item; one that is ticked is done,
// and no memory.
func unboxed(text string) string {
	if rest, ok := strings.CutPrefix(text, "[ ]"); ok {
		return strings.TrimSpace(rest)
	}
	if len(text) >= 3 && text[0] == '[' && text[2] == ']' && (text[1] == 'x' || text[1] == 'X') {
		return ""
	}
	return text
}

// pointer is the line that `import --take-out` of an older memctl left in a file.
const pointer = "This file continues in `" + memfile.FileName + "`: memctl gives its rules to agents when a session starts; without memctl, read it."

// Unpointed returns the file without that line.
func Unpointed(file []byte) []byte {
	before, after, there := bytes.Cut(file, []byte(pointer))
	if !there {
		return file
	}
	if before = bytes.TrimRight(before, "\r\n"); len(before) == 0 {
		after = bytes.TrimLeft(after, "\r\n")
	}
	return slices.Concat(before, after)
}
