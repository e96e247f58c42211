package capture

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
)

const (
	maxValue  = 1900     // bytes of an item's value; a longer text is split at sentences
	maxLead   = 240      // bytes up to which a whole paragraph is the label of the list below it; of a longer one it is the last sentence
	maxSource = 64 << 10 // bytes of one block that are kept
)

// instructions reads a file of instructions for agents by its structure alone. List items, paragraphs and quotations
// become items, and table rows become facts. Each text begins with the labels that are above it.
func (r *reading) instructions(f File) {
	front, body, first := frontMatter(string(f.Data))
	r.head(first, "it says where the rules below apply")
	p := page{reading: r, name: path.Base(f.Name), paths: pathsOf(front, f.Folder), scope: f.Scope, blocks: blocksOf(body, first), counts: map[int]int{}}
	ones := 0
	for _, b := range p.blocks {
		if b.kind == partHeading && b.level == 1 {
			ones++
		}
	}
	switch strings.ToLower(p.name) {
	case "claude.md", "claude.local.md", "agents.md", "gemini.md", "qwen.md", ".cursorrules", "copilot-instructions.md":
		p.titled = ones == 1
	}
	for p.at = range p.blocks {
		p.block(p.blocks[p.at])
	}
	p.endHeading()
}

// page is one instruction file under way.
type page struct {
	*reading
	name     string // of the file
	paths    []string
	scope    string
	titled   bool // the only heading of level 1 names the project, and no topic
	blocks   []block
	at       int
	heads    [7]string   // the headings in force, by level
	part     int         // the part of the last heading, counted from 1
	under    int         // how many records were made when it began
	bold     label       // the bold line in force
	lead     []label     // the lines in force that introduce what follows
	parents  []parent    // the list items in force
	counts   map[int]int // the last number at each column
	header   []string    // of the table under way
	personal *regexp.Regexp
}

// label is a line that stands in front of what follows it. over is the kind of the first block below it.
type label struct{ text, over string }

// parent is a list item that others are below.
type parent struct {
	level        int
	text, number string
	same         bool // items of the same column, but another kind of list, are below it as well
}

func (p *page) block(b block) {
	at := len(p.parts)
	p.parts = append(p.parts, Part{File: p.file, Line: b.first, Last: b.last, Kind: b.kind, Why: reasons()[b.kind], Quiet: quiet(b.kind) || b.text == "" && b.kind == partQuote})
	if b.kind != partTable {
		p.header = nil
	}
	if p.at > 0 && !slices.Equal(b.tags, p.blocks[p.at-1].tags) {
		p.bold, p.lead, p.parents = label{}, nil, nil
	}
	switch b.kind {
	case partHeading:
		p.heading(b)
	case partRule:
		p.bold, p.lead, p.parents = label{}, nil, nil
	case partTable:
		p.settle(b)
		p.row(at, b)
	case partItem:
		p.settle(b)
		p.item(at, b)
	case partText, partQuote:
		if b.text != "" {
			p.settle(b)
			if len(p.parents) == 0 {
				clear(p.counts)
			}
			p.paragraph(at, b)
		}
	}
}

func (p *page) heading(b block) {
	p.endHeading()
	p.heads[b.level] = trimLabel(plainInline(b.text))
	clear(p.heads[b.level+1:])
	p.bold, p.lead, p.parents = label{}, nil, nil
	clear(p.counts)
	p.part, p.under = len(p.parts), len(p.candidates)+len(p.entries)
}

// endHeading says of a heading that nothing is below it.
func (p *page) endHeading() {
	deeper := p.at < len(p.blocks) && p.blocks[p.at].kind == partHeading && p.part > 0 && p.blocks[p.at].level > p.level()
	if p.part > 0 && !deeper && p.under == len(p.candidates)+len(p.entries) {
		p.parts[p.part-1].Why, p.parts[p.part-1].Quiet = whyAlone, false
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

func (p *page) item(at int, b block) {
	next, parts := p.next(), []int{at}
	number := p.number(&b)
	text := plainInline(b.text)
	is, other := labelLine(b.text), next.kind == partItem && next.level == b.level && (next.number == "") != (b.number == "")
	above := next.content() && (next.level >= b.level+2 || is && other && (b.number != "" || endsInColon(b.text)))
	if is && above {
		p.leave(parts, whyLabel)
	} else if !p.notText(parts, text) {
		p.emit(parts, b, number, text)
	}
	if above {
		p.parents = append(p.parents, parent{b.level, trimLabel(number + text), b.number, is})
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

func (p *page) paragraph(at int, b block) {
	text, next, parts := plainInline(b.text), p.next(), []int{at}
	follows := next.content() && slices.Equal(next.tags, b.tags)
	sentences := sentencesOf(text)
	colon, bold := endsInColon(b.text), boldLine(b.text)
	if alert, ok := strings.CutPrefix(text, "[!"); ok && strings.HasSuffix(alert, "]") {
		text, colon = strings.TrimSuffix(alert, "]"), true
	}
	sentence := strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！")
	if bold && !colon && (boldLine(next.text) && next.kind != partItem || sentence && next.kind != partItem) {
		follows = false // it is a rule in bold, and no label
	}
	lead := text
	if len(lead) > maxLead || colon && len(sentences) > 1 {
		lead = sentences[len(sentences)-1]
	}
	switch {
	case !follows, !colon && !bold && next.kind != partItem:
		p.text(parts, b, text)
		return
	case colon && len(sentences) > 1:
		p.text(parts, b, strings.TrimSpace(strings.TrimSuffix(text, lead)))
	case !colon && (!bold || sentence):
		p.text(parts, b, text)
	default:
		p.leave(parts, whyLabel)
	}
	fresh := label{text: trimLabel(lead)}
	switch {
	case len(p.parents) > 0:
		p.parents = append(p.parents, parent{level: b.level - 2, text: fresh.text})
	case bold && !colon && !sentence:
		p.bold, p.lead = fresh, nil
	case p.at > 0 && p.parts[at-1].Why == whyLabel && p.blocks[p.at-1].kind != partItem && len(p.lead) > 0:
		for i := range p.lead {
			p.lead[i].over = ""
		}
		p.lead = append(p.lead, fresh)
	default:
		p.lead = []label{fresh}
	}
}

// text adds a paragraph, unless it has no text to remember.
func (p *page) text(parts []int, b block, text string) {
	if !p.notText(parts, text) {
		p.emit(parts, b, "", text)
	}
}

// notText says of a text that states nothing why.
func (p *page) notText(parts []int, text string) bool {
	for word := range strings.FieldsSeq(withoutCode(text)) {
		name, found := strings.CutPrefix(strings.Trim(word, "()*,;:.。，"), "@")
		if found && strings.ContainsAny(name, "./") && strings.IndexFunc(name, unicode.IsLetter) >= 0 && !slices.Contains(p.includes, name) {
			p.includes = append(p.includes, name)
		}
	}
	why := ""
	switch label, _ := link(text + " "); {
	case strings.HasPrefix(text, "@") && !strings.ContainsAny(text, " \t"):
		why = "it includes another file"
	case onlyLink(text) && strings.HasPrefix(text, "["+label+"](#"):
		why = "it is a link within the file"
	case len(text) > 3 && text[0] == '[' && text[2] == ']' && (text[1] == 'x' || text[1] == 'X'):
		why = "it is ticked off"
	case strings.IndexFunc(text, memfile.KeyLetter) < 0:
		why = whyText
	}
	if why != "" {
		p.leave(parts, why)
	}
	return why != ""
}

// chain are the labels in front of what is read now, the outermost first.
func (p *page) chain(b block) (list []string) {
	for l := 1; l < len(p.heads); l++ {
		title := l == 1 && (strings.EqualFold(p.heads[1], p.name) || p.titled && p.level() > 1)
		if p.heads[l] != "" && !title {
			list = append(list, p.heads[l])
		}
	}
	for _, tag := range b.tags {
		if name, _, _ := strings.Cut(tag, " "); !strings.Contains(layout, " "+strings.ToLower(name)+" ") {
			list = append(list, tag)
		}
	}
	list = append(list, p.bold.text)
	for _, l := range p.lead {
		list = append(list, l.text)
	}
	for _, l := range p.parents {
		list = append(list, l.text)
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// emit adds the items of a text: one, or where it is too long as many as its sentences need. Code below it stays in the file.
func (p *page) emit(parts []int, b block, number, text string) {
	chain := p.chain(b)
	if box, ok := strings.CutPrefix(text, "[ ]"); ok {
		text = strings.TrimSpace(box)
	}
	code := " (code in " + p.name + ")"
	if next := p.next(); next.kind == partCode && (b.kind != partItem || next.near || next.level >= b.level+2) {
		text = trimLabel(text) + code
	}
	area, steps := "", number
	if len(chain) > 0 {
		area = chain[0]
	}
	for _, up := range slices.Backward(p.parents) {
		if up.number != "" {
			steps = up.number + ". " + steps
		}
	}
	front := strings.Join(append(chain, ""), ": ")
	for _, piece := range piecesOf(text, maxValue-len(front)-len(number)) {
		if p.full(b.first) {
			return
		}
		c := Candidate{Line: b.first, Value: memfile.Str(front + number + piece), Scope: p.scope, Derived: true, Personal: p.personalHeading()}
		c.Paths, c.Confidence = p.paths, memfile.Medium
		c.Key = p.names.Key(area, steps+withoutTargets(strings.TrimSuffix(piece, code)))
		p.claim(parts, p.add(c))
	}
}

// row adds a row of a table as a fact, each cell behind the name of its column.
func (p *page) row(at int, b block) {
	cells, next := cellsOf(b.text), p.next()
	switch {
	case isDelimiter(b.text):
		p.leave([]int{at}, whyLabel)
		return
	case p.header == nil && isDelimiter(next.text):
		p.header = cells
		p.leave([]int{at}, whyLabel)
		return
	case p.header == nil:
		p.header = []string{}
	}
	var text []string
	for i, cell := range cells {
		if i < len(p.header) && p.header[i] != "" && cell != "" {
			cell = trimLabel(p.header[i]) + ": " + cell
		}
		text = append(text, cell)
	}
	said := strings.Join(append(p.chain(b), strings.Join(tagged(text...), "; ")), ": ")
	e := entry.Entry{Role: entry.RoleFact, Text: said}
	e.Paths = p.paths
	if p.addEntry(EntryLine{Line: b.first, Entry: e, Scope: p.scope, Personal: p.personalHeading()}) {
		p.parts[at].Entry, p.parts[at].Why = len(p.entries), ""
	}
}

// personalWords matches a heading that says that what is below it is about a person. It sends nothing anywhere: the person is asked.
const personalWords = `(?i)^(personal|personal (notes|preferences|settings|stuff|rules)|private|private notes|about me|me|my .*|user preferences` +
	`|persönlich\S*|persönliche .*|privat|über mich|meine? .*|personnel\S*|préférences personnelles|à propos de moi|mes .*|mon .*` +
	`|mis .*|sobre mí|preferencias personales|pessoal|preferências pessoais|sobre mim|meus? .*|minhas? .*|personale|su di me` +
	`|persoonlijk|over mij|mijn .*|личн\S*( .*)?|обо мне|мои .*|moje .*|osobiste|kişisel.*|个人.*|關於我|关于我|我的.*|個人.*|私の.*` +
	`|自分.*|개인.*|나의 .*|내 .*|شخصي\S*( .*)?|عني|व्यक्तिगत.*|मेरे .*|निजी.*)$`

// personalHeading returns the first heading that says that what is below it is about a person, "" for none.
func (p *page) personalHeading() string {
	if p.personal == nil {
		p.personal = regexp.MustCompile(personalWords)
	}
	for _, head := range p.heads {
		if head != "" && p.personal.MatchString(strings.TrimFunc(head, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })) {
			return head
		}
	}
	return ""
}
