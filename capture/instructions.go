package capture

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// The sizes, in bytes, at which parts of a list are put together.
const (
	maxJoined = 500  // a lead-in with its short list is one entry up to here
	maxSteps  = 1800 // the steps of a numbered list are one entry up to here
	maxCode   = 160  // code below a step is part of it up to here
	maxLabel  = 100  // a longer lead-in is not repeated before each entry
	maxRule   = 240  // a longer line of its own is prose
	fewWords  = 3    // an entry with fewer says nothing without its heading
)

// instructions reads a file of instructions for agents: list items, and short
// lines of their own that tell somebody to do something, become entries, with
// keys and tags from the headings above them. Prose, code, tables and quotations
// do not.
func (r *reading) instructions(f File) {
	front, body, first := frontMatter(string(f.Data))
	p := page{reading: r, base: candidateOf(front)}
	r.head(first, "it says where the rules below apply")
	p.read(r.scan(body, first))
}

// head notes the front matter of a file, where there is one: the lines before first.
func (r *reading) head(first int, why string) {
	if first > 1 {
		r.parts = append(r.parts, Part{File: r.file, Line: 1, Last: first - 1, Kind: partFront, Why: why})
	}
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
	leads    []int     // the parts that hold this line
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

// reasons say why a part of some kind became no memory, where nothing else says it.
func reasons() map[string]string {
	return map[string]string{
		partHeading: "it names the memories below it",
		partText:    "it states no rule in one or two lines",
		partItem:    "it states nothing without the lines around it",
		partTable:   "import does not read tables",
		partCode:    "import does not read code",
		partQuote:   "import does not read quotations",
		partComment: "it is a comment",
		partHTML:    "import does not read HTML",
		partRule:    "it is a line across the page",
		partOurs:    "memctl wrote it",
	}
}

func (p *page) blocks(blocks []block) {
	for i := 0; i < len(blocks); {
		b := blocks[i]
		switch b.kind {
		case heading:
			p.enter(b)
		case paragraph:
			p.line(b)
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
	p.heads[b.level] = unnumbered(plainInline(b.text))
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

// line reads a paragraph: a lead-in for the list below it, a short rule, or
// prose.
func (p *page) line(b block) {
	text := plainInline(b.text)
	p.leadBy("", nil)
	if strings.HasSuffix(text, ":") {
		p.leadBy(strings.TrimSuffix(text, ":"), b.parts)
		return
	}
	if b.lines <= 2 && len(text) <= maxRule && p.topic() != "" && imperative(text) {
		p.emit(b.parts, b.line, "", text, text)
	}
}

// list reads a run of list items: those at the outermost column with what
// stands below each.
func (p *page) list(items []block) {
	if items[0].ordered && p.steps(items) {
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

// steps makes one entry of a numbered list, in its order: a step says nothing without those
// around it. It reports whether the list is short enough for that.
func (p *page) steps(items []block) bool {
	head := p.lead
	if head == "" {
		head = p.topic()
	}
	if len(head) > maxLabel {
		head = ""
	}
	var text, about strings.Builder
	var parts []int
	count, below := 0, 0
	for i, it := range items {
		if i == len(items)-1 {
			it = it.alone()
		}
		step, code, read := withCode(it)
		parts = append(parts, it.parts...)
		if read {
			parts = append(parts, it.inCode...)
		}
		top := it.level <= items[0].level
		switch {
		case top && !it.ordered:
			return false
		case top:
			count, below = count+1, 0
			text.WriteString(strings.Repeat("; ", min(1, count-1)) + itoa(count) + ". ")
		case below == 0 && it.level > items[0].level:
			below++
			if !strings.HasSuffix(text.String(), ":") {
				text.WriteByte(':')
			}
			text.WriteByte(' ')
		default:
			text.WriteString(", ")
		}
		text.WriteString(strings.TrimRight(step, ";.") + code)
		about.WriteString(step + " ")
	}
	if count < 2 || len(head)+text.Len() > maxSteps {
		return false
	}
	p.emit(parts, items[0].line, head, text.String(), about.String())
	return true
}

// withCode is the text of a list item, and the code below it where that is short.
// It reports whether the code is in it.
func withCode(it block) (text, code string, read bool) {
	text = plainInline(it.text)
	size := 0
	for _, line := range it.code {
		size += len(line) + 3
	}
	if len(it.code) == 0 || len(it.code) > 4 || size > maxCode || strings.Contains(strings.Join(it.code, ""), "`") {
		return text, "", false
	}
	return text, " `" + strings.Join(it.code, "`, `") + "`", true
}

// alone is a list item without the code that follows its list.
func (b block) alone() block {
	b.code, b.inCode = b.code[:b.late], b.inCode[:b.lateIn]
	return b
}

// tree reads one list item with those below it. A label that ends with a colon
// is read together with its list where that is short, else repeated before each.
func (p *page) tree(top block, below []block, label string) {
	top = top.alone()
	text, code, read := withCode(top)
	parts := top.parts
	if read {
		text, parts = text+code, slices.Concat(parts, top.inCode)
	}
	open := strings.HasSuffix(text, ":")
	switch {
	case open && len(below) == 0:
		p.leave(parts, "nothing that import reads follows it")
		return
	case open && p.joined(top, text, below, label):
		return
	case !open && isNavigation(top.text):
		p.leave(parts, "it is a link to another page")
	case !open:
		p.emit(parts, top.line, label, text, text)
	}
	if len(below) == 0 {
		return
	}
	inner := strings.TrimSuffix(text, ":")
	if open && label != "" && len(label)+len(inner) < maxLabel {
		inner = label + ": " + inner
	}
	lead, leads := p.lead, p.leads
	p.leadBy(inner, slices.Concat(parts, leads))
	if len(inner) > maxLabel {
		p.lead = ""
	}
	for i := 0; i < len(below); {
		end := i + 1
		for end < len(below) && (below[end].level > below[i].level || below[end].ordered == below[i].ordered) {
			end++
		}
		p.list(below[i:end])
		i = end
	}
	p.leadBy(lead, leads)
}

// joined makes one entry of a label and the short list below it.
func (p *page) joined(top block, text string, below []block, label string) bool {
	list := make([]string, 0, len(below))
	size := len(text)
	parts := top.parts
	for _, b := range below {
		item := plainInline(b.text)
		if b.level > below[0].level || b.code != nil || b.ordered || strings.HasSuffix(item, ":") {
			return false
		}
		size += len(item) + 2
		list = append(list, strings.TrimRight(item, ".;"))
		parts = slices.Concat(parts, b.parts)
	}
	if size > maxJoined {
		return false
	}
	own := text + " " + strings.Join(list, "; ")
	p.emit(parts, top.line, label, own, own)
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
// is made of the words that it is about, for those tell entries of one list apart.
func (p *page) emit(parts []int, line int, label, own, about string) {
	own = unboxed(own)
	head := p.under()
	switch {
	case p.full(line):
		p.claim(parts, ruleTooMany)
		return
	case own == "":
		p.leave(parts, "it is done")
		return
	case isContents(head):
		p.leave(parts, "it is in a table of contents")
		return
	case isExample(label):
		p.leave(parts, "it is an example")
		return
	}
	text := withLabel(label, own)
	short := len(strings.Fields(text)) < fewWords
	if head != "" && (short || negative(head) && !negative(text)) && len(head) <= maxLabel {
		text = head + ": " + text
	}
	if len(strings.Fields(text)) < 2 {
		p.leave(parts, "one word states nothing")
		return
	}
	category := memfile.Text{Where: "file name", Text: p.category}
	if head != "" || p.category == "" {
		category = memfile.Text{Where: "heading", Text: p.topic()}
	}
	c := p.base
	c.Line, c.Value = line, memfile.Str(text)
	c.arrived(category)
	if !p.personal && categoryPart(category.Text) == "user" {
		category.Text = "about user"
	}
	about = unnumbered(unboxed(about))
	p.derive(&c, category, memfile.Text{Where: "text", Text: about}, memfile.Text{Where: "heading", Text: head})
	c.Tags = append(c.Tags, p.technical(text)...)
	c.Confidence = memfile.Low
	if !planned(head) && (imperative(unnumbered(own)) || imperative(about) || label != "" && commanding(label) || p.sure && !doubtful(text)) {
		c.Confidence = memfile.Medium
	}
	if label != "" {
		parts = slices.Concat(parts, p.leads)
	}
	p.claim(parts, p.add(c))
}

// leave says why parts became no memory.
func (r *reading) leave(parts []int, why string) {
	for _, at := range parts {
		if r.parts[at].Candidate == 0 {
			r.parts[at].Why = why
		}
	}
}

// claim says what became of the parts of a candidate that was just added, or refused by a rule.
func (r *reading) claim(parts []int, rule string) {
	for _, at := range parts {
		part := &r.parts[at]
		switch {
		case part.Candidate > 0: // a label goes with the first of its lines
		case rule == "":
			part.Candidate, part.Why, part.Rule = len(r.candidates), "", ""
		default:
			part.Rule = rule
		}
	}
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
