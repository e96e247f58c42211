package capture

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	maxValue  = 1900     // bytes of an item's value; a longer text is split at sentences
	maxWhole  = 1800     // bytes of a file that is one fact
	maxLead   = 240      // bytes up to which a whole paragraph is the label of the list below it; of a longer one it is the last sentence
	maxSource = 64 << 10 // bytes of one block that are kept
)

// page is one Markdown file under way.
type page struct {
	*reading
	form     *form  // of another tool's memory; nil for instructions
	front    object // of such a file: its front matter
	name     string // of the file
	title    string // of such a file: what its front matter calls it
	paths    []string
	place    string // the scope that the file's place asks for
	titled   bool   // the only heading of level 1 names the project, and no topic
	blocks   []block
	at       int
	row      Row         // of the block under way
	heads    [7]string   // the headings in force, by level
	clock    string      // the time that a heading says
	head     int         // the row of the last heading, counted from 1
	under    int         // how many memories there were when it began
	bold     label       // the bold line in force
	lead     []label     // the lines in force that introduce what follows
	labelled bool        // the block before is such a line
	parents  []parent    // the list items in force
	counts   map[int]int // the last number at each column
	header   []string    // of the table under way
}

// label is a line that is in front of what follows it. over is the kind of the first block below it.
type label struct{ text, over string }

// parent is a list item that others are below.
type parent struct {
	level        int
	text, number string
	same         bool // items of the same column, but another kind of list, are below it as well
}

// markdown reads a Markdown file by its structure alone. Of instructions, list items, paragraphs and quotations are items, and
// table rows facts. Of another tool's memory, which has a form, all of these and code are facts. Each text begins with the labels
// that are above it.
func (r *reading) markdown(f File, x *form) {
	front, body, first := frontMatter(string(f.Data))
	p := page{reading: r, form: x, name: path.Base(f.Name), paths: pathsOf(front, f.Folder), place: f.Scope, counts: map[int]int{}}
	why := whyWhere
	if x != nil {
		why = whyFile
		if about := front.get("description"); about != "" && strings.TrimSpace(body) == "" {
			body, first = about, first-1
		}
		p.front, p.paths = object{}, nil
		for name := range front {
			p.front[name], _ = json.Marshal(front.get(name))
		}
	}
	if first > 1 {
		r.add(Row{Line: 1, Last: first - 1, Kind: partFront, Left: why})
	}
	p.blocks = blocksOf(body, first)
	if x != nil && front.get("type") != "" {
		p.title = cmp.Or(front.get("name"), p.stem())
		if text := strings.TrimSpace(body); text != "" && len(text) <= maxWhole {
			p.row = Row{Line: first, Last: p.blocks[len(p.blocks)-1].last, Kind: partText}
			p.add(p.memory(block{}, text, p.title+": "+text))
			return
		}
	}
	ones := 0
	for _, b := range p.blocks {
		if b.kind == partHeading && b.level == 1 {
			ones++
		}
	}
	switch strings.ToLower(p.name) {
	case "claude.md", "claude.local.md", "agents.md", "gemini.md", "qwen.md", ".cursorrules", "copilot-instructions.md":
		p.titled = ones == 1
	default:
		p.titled = ones == 1 && x != nil
	}
	for p.at = range p.blocks {
		p.block(p.blocks[p.at])
	}
	p.endHeading()
}

// stem is the file's name without its ending.
func (p *page) stem() string { return strings.TrimSuffix(p.name, path.Ext(p.name)) }

// memories is how many the input has so far.
func (p *page) memories() int { return p.items + p.entries }

func (p *page) block(b block) {
	p.row = Row{Line: b.first, Last: b.last, Kind: b.kind}
	if b.kind != partTable {
		p.header = nil
	}
	if p.at > 0 && !slices.Equal(b.tags, p.blocks[p.at-1].tags) || b.kind == partRule {
		p.unlabel()
	}
	labelled := p.labelled
	p.labelled = false
	switch kind := b.kind; {
	case kind == partHeading:
		p.heading(b)
	case b.hasText() && p.skips():
		p.leave(whyNone)
	case kind == partTable:
		p.settle(b)
		p.tableRow(b)
	case kind == partItem:
		p.settle(b)
		p.takeListItem(b)
	case (kind == partText || kind == partQuote) && b.text != "":
		p.settle(b)
		if len(p.parents) == 0 {
			clear(p.counts)
		}
		p.paragraph(b, labelled)
	case kind == partCode && p.form != nil:
		p.settle(b)
		p.emit(b, "", b.text)
	default:
		p.row.Left, p.row.Quiet = whyNoMemory(kind), isHiddenKind(kind) || b.text == "" && kind == partQuote
		p.add(p.row)
	}
}

// unlabel ends all labels but the headings.
func (p *page) unlabel() { p.bold, p.lead, p.parents = label{}, nil, nil }

func (p *page) heading(b block) {
	p.endHeading()
	text := trimEndMarks(plainInline(b.text))
	if p.form != nil {
		text = strings.TrimSpace(strings.TrimPrefix(text, p.form.title))
		if at, err := time.Parse("15:04", text); err == nil && p.form.by == byTime {
			p.clock, text = at.Format("15:04"), ""
		}
	}
	p.heads[b.level] = text
	clear(p.heads[b.level+1:])
	p.unlabel()
	clear(p.counts)
	p.row.Left, p.row.Quiet = whyNoMemory(partHeading), true
	p.add(p.row)
	p.head, p.under = len(p.rows), p.memories()
}

// endHeading says of a heading that nothing is below it.
func (p *page) endHeading() {
	deeper := p.at < len(p.blocks) && p.blocks[p.at].kind == partHeading && p.blocks[p.at].level > p.level()
	if p.head > 0 && !deeper && p.under == p.memories() {
		p.rows[p.head-1].Left, p.rows[p.head-1].Quiet = whyAlone, false
	}
}

// level is that of the last heading.
func (p *page) level() int {
	for l := 6; l > 0; l-- {
		if p.heads[l] != "" {
			return l
		}
	}
	return 0
}

// skips reports whether the form has no memory below the last heading.
func (p *page) skips() bool {
	return p.form != nil && slices.ContainsFunc(p.form.skip, func(name string) bool {
		return strings.HasPrefix(strings.ToLower(p.heads[p.level()]), name)
	})
}

// settle ends the labels that are not above the block any more.
func (p *page) settle(b block) {
	for i := range p.lead {
		if over := &p.lead[i].over; *over == "" {
			*over = b.kind
		} else if *over != b.kind || b.kind != partItem && !b.near {
			p.lead = nil
			break
		}
	}
	if over := &p.bold.over; *over == "" {
		*over = b.kind
	} else if *over == partItem && b.kind != partItem && b.level < 2 {
		p.bold = label{}
	}
	for len(p.parents) > 0 {
		last := p.parents[len(p.parents)-1]
		if b.level >= last.level+2 || b.kind == partItem && b.level == last.level && last.same && (b.number == "") != (last.number == "") {
			return
		}
		p.parents = p.parents[:len(p.parents)-1]
	}
}

// next is the block below the one under way, without comments.
func (p *page) next() block {
	for _, b := range p.blocks[p.at+1:] {
		if b.kind != partComment {
			return b
		}
	}
	return block{}
}

func (p *page) takeListItem(b block) {
	next := p.next()
	number := p.number(&b)
	text := plainInline(b.text)
	is, other := labelLine(b.text), next.kind == partItem && next.level == b.level && (next.number == "") != (b.number == "")
	above := next.hasText() && (next.level >= b.level+2 || is && other && (b.number != "" || endsInColon(b.text)))
	if is && above {
		p.leave(whyLabel)
	} else {
		p.state(b, number, text)
	}
	if above {
		p.parents = append(p.parents, parent{b.level, trimEndMarks(number + text), b.number, is})
	}
}

// number is the number in front of a list item's text. A list whose items all have the number 1 is counted.
func (p *page) number(b *block) string {
	for level := range p.counts {
		if level > b.level {
			delete(p.counts, level)
		}
	}
	if b.number == "" {
		return ""
	}
	n, _ := strconv.Atoi(b.number)
	if last := p.counts[b.level]; n <= last {
		n = last + 1
	}
	p.counts[b.level], b.number = n, strconv.Itoa(n)
	return b.number + ". "
}

// paragraph takes a paragraph: a memory, a label, or both. labelled says that the block before it is a label.
func (p *page) paragraph(b block, labelled bool) {
	text, next := plainInline(b.text), p.next()
	if text == "" {
		p.leave(whyText)
		return
	}
	follows := (next.hasText() || p.form != nil && next.kind == partCode) && slices.Equal(next.tags, b.tags)
	colon, bold := endsInColon(b.text), boldLine(b.text)
	if alert, ok := strings.CutPrefix(text, "[!"); ok && strings.HasSuffix(alert, "]") {
		text, colon = strings.TrimSuffix(alert, "]"), true
	}
	sentence := endsSentence(text)
	if !colon && (sentence || bold && boldLine(next.text)) && !(bold && next.kind == partItem) {
		follows = false // it is a rule, and no label
	}
	lead := text
	if len(lead) > maxLead || colon {
		sentences := sentencesOf(text)
		lead = sentences[len(sentences)-1]
	}
	switch {
	case !follows, !colon && !bold && next.kind != partItem:
		p.state(b, "", text)
		return
	case colon && lead != text:
		p.state(b, "", strings.TrimSpace(strings.TrimSuffix(text, lead)))
	case sentence, len(text) > maxLead && !colon:
		p.state(b, "", text)
	default:
		p.leave(whyLabel)
	}
	fresh := label{text: trimEndMarks(lead)}
	switch {
	case len(p.parents) > 0:
		p.parents = append(p.parents, parent{level: b.level - 2, text: fresh.text})
	case bold && !colon && !sentence:
		p.bold, p.lead = fresh, nil
	case labelled && len(p.lead) > 0:
		for i := range p.lead {
			p.lead[i].over = ""
		}
		p.lead = append(p.lead, fresh)
	default:
		p.lead = []label{fresh}
	}
}

// state takes a text as a memory, unless it states nothing.
func (p *page) state(b block, number, text string) {
	for word := range strings.FieldsSeq(withoutCode(text)) {
		name, found := strings.CutPrefix(strings.Trim(word, "()*,;:.。，"), "@")
		if found && strings.ContainsAny(name, "./") && strings.IndexFunc(name, unicode.IsLetter) >= 0 && !slices.Contains(p.includes, name) {
			p.includes = append(p.includes, name)
		}
	}
	_, target, _ := strings.Cut(text, "](")
	target, _, _ = strings.Cut(target, ")")
	switch {
	case strings.HasPrefix(text, "@") && !strings.ContainsAny(text, " \t"):
		p.leave("it includes another file")
	case p.form != nil && strings.HasPrefix(text, "[") && p.files[path.Base(target)]:
		p.leave(whyCopy)
	case p.form != nil && onlyLink(text):
		p.leave(whyText)
	case onlyLink(text) && strings.HasPrefix(target, "#"):
		p.leave("it is a link within the file")
	case len(text) > 3 && text[0] == '[' && text[2] == ']' && (text[1] == 'x' || text[1] == 'X'):
		p.leave("it is ticked off")
	case !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		p.leave(whyText)
	default:
		p.emit(b, number, text)
	}
}
