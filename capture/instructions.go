package capture

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// The sizes, in bytes, at which parts of a list are put together.
const (
	maxJoined = 500 // a lead-in with its short list is one entry up to here
	maxLabel  = 100 // a longer lead-in is not repeated before each entry
	maxRule   = 240 // a longer line of its own is prose
	fewWords  = 3   // an entry with fewer says nothing without its heading
)

// instructions reads a file of instructions for agents: list items, and short
// lines of their own that tell somebody to do something, become entries, with
// keys and tags from the headings above them. Prose, code, tables and quotations
// do not.
func (r *reading) instructions(f File) {
	front, body, first := frontMatter(string(f.Data))
	p := page{reading: r, base: candidateOf(front)}
	p.read(scan(body, first))
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
	base     Candidate // what all its entries get
	category string    // the key's first part where no heading gives one
	lexicon  bool      // tags from technical words too
	personal bool      // a heading User makes user.* keys
	sure     bool      // a plain statement is as good as a rule here
	heads    [7]string // the headings in force, by level
	lead     string    // the line with a colon before the list under way
}

// read goes through the blocks, one list at a time.
func (p *page) read(blocks []block) {
	for i := 0; i < len(blocks); {
		b := blocks[i]
		switch b.kind {
		case heading:
			p.enter(b)
		case paragraph:
			p.line(b)
		case gap:
			p.lead = ""
		case bullet:
			end := i
			for end < len(blocks) && blocks[end].kind == bullet {
				end++
			}
			p.list(blocks[i:end])
			p.lead = ""
			i = end
			continue
		}
		i++
	}
}

func (p *page) enter(b block) {
	p.heads[b.level] = unnumbered(plainInline(b.text))
	for l := b.level + 1; l < len(p.heads); l++ {
		p.heads[l] = ""
	}
	p.lead = ""
}

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

// line reads a paragraph: a lead-in for the list below it, a short rule, or
// prose.
func (p *page) line(b block) {
	text := plainInline(b.text)
	p.lead = ""
	if strings.HasSuffix(text, ":") {
		p.lead = strings.TrimSuffix(text, ":")
		return
	}
	if b.lines <= 2 && len(text) <= maxRule && p.topic() != "" && imperative(text) {
		p.emit(b.line, "", text)
	}
}

// list reads a run of list items: those at the outermost column with what
// stands below each.
func (p *page) list(items []block) {
	if items[0].ordered && !items[0].code && p.steps(items) {
		return
	}
	label := p.lead
	for i := 0; i < len(items); {
		end := i + 1
		for end < len(items) && items[end].level > items[i].level {
			end++
		}
		p.tree(items[i], items[i+1:end], label)
		i = end
	}
}

// steps makes one entry of a numbered list: a step says nothing without those
// around it. It reports whether the list is short enough for that.
func (p *page) steps(items []block) bool {
	head := p.lead
	if head == "" {
		head = p.topic()
	}
	parts := make([]string, 0, len(items))
	size := len(head)
	for _, it := range items {
		text := plainInline(it.text)
		if it.level == items[0].level && it.ordered {
			text = itoa(len(parts)+1) + ". " + text
		}
		if it.level > items[0].level || it.code {
			return false
		}
		size += len(text) + 2
		parts = append(parts, strings.TrimRight(text, ";"))
	}
	if head == "" || len(head) > maxLabel || len(parts) < 2 || size > maxJoined {
		return false
	}
	p.emit(items[0].line, head, strings.Join(parts, "; "))
	return true
}

// tree reads one list item with those below it. A label that ends with a colon
// is read together with its list where that is short, else repeated before each.
func (p *page) tree(top block, below []block, label string) {
	text := plainInline(top.text)
	open := strings.HasSuffix(text, ":")
	switch {
	case open && len(below) == 0:
		return // what followed was code, or nothing
	case open && p.joined(top, text, below, label):
		return
	case !open && !isNavigation(top.text):
		p.emit(top.line, label, text)
	}
	if len(below) == 0 {
		return
	}
	inner := strings.TrimSuffix(text, ":")
	if open && label != "" && len(label)+len(inner) < maxLabel {
		inner = label + ": " + inner
	}
	p.list2(below, inner)
}

// list2 reads a list inside a list.
func (p *page) list2(items []block, label string) {
	kept := p.lead
	p.lead = label
	if len(label) > maxLabel {
		p.lead = ""
	}
	p.list(items)
	p.lead = kept
}

// joined makes one entry of a label and the short list below it.
func (p *page) joined(top block, text string, below []block, label string) bool {
	parts := make([]string, 0, len(below))
	size := len(text)
	for _, b := range below {
		part := plainInline(b.text)
		if b.level > below[0].level || b.code || strings.HasSuffix(part, ":") {
			return false
		}
		size += len(part) + 2
		parts = append(parts, strings.TrimRight(part, ".;"))
	}
	if size > maxJoined {
		return false
	}
	p.emit(top.line, label, text+" "+strings.Join(parts, "; "))
	return true
}

func withLabel(label, text string) string {
	if label == "" || len(label) > maxLabel {
		return text
	}
	return label + ": " + text
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
// is made of its own words, for those tell entries of one list apart.
func (p *page) emit(line int, label, own string) {
	own = unboxed(own)
	head := p.under()
	if own == "" || isContents(head) || isExample(label) || p.full(line) {
		return
	}
	text := withLabel(label, own)
	short := len(strings.Fields(text)) < fewWords
	if head != "" && (short || negative(head) && !negative(text)) && len(head) <= maxLabel {
		text = head + ": " + text
	}
	if len(strings.Fields(text)) < 2 {
		return
	}
	category := memfile.Text{Where: "file name", Text: p.category}
	if head != "" || p.category == "" {
		category = memfile.Text{Where: "heading", Text: p.topic()}
	}
	rule := unnumbered(own)
	c := p.base
	c.Line, c.Value = line, memfile.Str(text)
	c.arrived(category)
	if !p.personal && categoryPart(category.Text) == "user" {
		category.Text = "about user"
	}
	p.derive(&c, category, memfile.Text{Where: "text", Text: rule}, memfile.Text{Where: "heading", Text: head})
	c.Tags = append(c.Tags, p.technical(text)...)
	c.Confidence = memfile.Low
	if !planned(head) && (imperative(rule) || label != "" && commanding(label) || p.sure && !doubtful(text)) {
		c.Confidence = memfile.Medium
	}
	p.add(c)
}

// isContents reports whether a heading stands over a table of contents.
func isContents(head string) bool {
	lower := strings.ToLower(head)
	return lower == "contents" || lower == "table of contents" || lower == "toc"
}

// isExample reports whether a list only shows what was said before.
func isExample(label string) bool {
	lower := strings.ToLower(label)
	return lower == "example" || lower == "examples" || lower == "for example" || lower == "e.g."
}

// planned reports whether a heading stands over what is still to be done: its
// verbs are tasks, not rules.
func planned(head string) bool {
	lower := strings.ToLower(head)
	for _, w := range [...]string{"future", "roadmap", "todo", "to do", "next steps", "implementation steps", "goals", "ideas", "planned"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// unnumbered takes a number off a heading.
func unnumbered(head string) string {
	number, rest, ok := strings.Cut(head, " ")
	if ok && strings.Trim(number, "0123456789.)") == "" && number != "" {
		return strings.TrimSpace(rest)
	}
	return head
}

func (p *page) technical(text string) []string {
	if !p.lexicon {
		return nil
	}
	return technicalWords(text)
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
