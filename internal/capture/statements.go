package capture

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memfile"
)

// leave says why the block under way is no memory.
func (p *page) leave(why string) {
	p.row.Left, p.row.Quiet, p.labelled = why, why == whyLabel, why == whyLabel
	p.add(p.row)
}

// chain returns the labels above the block under way, the outermost first.
func (p *page) chain(b block) (list []string) {
	list = append(list, p.title)
	for l := 1; l < len(p.heads); l++ {
		own := strings.EqualFold(p.heads[l], p.name) || p.form != nil && strings.EqualFold(p.heads[l], p.stem())
		if title := l == 1 && (own || p.titled && p.level() > 1); !title {
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

// codeNote begins what is added to a text with code below it.
const codeNote = " (code in "

// emit adds the memories of a text: one, or where it is too long as many as its sentences need. Code below it stays in the file.
func (p *page) emit(b block, number, text string) {
	if p.over != nil {
		return
	}
	chain, size := p.chain(b), len(number)
	for _, l := range chain {
		size += len(l) + 2
	}
	if size > maxText {
		p.add(p.row.refused(ruleTooLong, "is a document, not an entry of memory"))
		return
	}
	if box, ok := strings.CutPrefix(text, "[ ]"); ok {
		text = strings.TrimSpace(box)
	}
	code := codeNote + p.name + ")"
	next := p.next()
	if p.form == nil && b.kind != partTable && next.kind == partCode && (b.kind != partItem || next.near || next.level >= b.level+2) {
		text = trimEndMarks(text) + code
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
	for _, piece := range piecesOf(text, maxValue-size) {
		row := p.memory(b, piece, front+number+piece)
		if row.IsItem() && p.names != nil {
			row.Key, row.Derived = p.names.Key(area, steps+withoutTargets(strings.TrimSuffix(piece, code))), true
		}
		p.add(row)
	}
}

// memory is the block under way as a memory: an item, or a fact of a table or of another tool's memory.
func (p *page) memory(b block, bare, text string) Row {
	row := p.row
	row.Scope, row.Personal, row.bare = p.place, p.personalHeading(), bare
	if p.form == nil && b.kind != partTable {
		row.Value, row.Confidence = memfile.Str(text), memfile.Medium
		row.whole = !b.quoted && len(b.tags)+len(p.parents)+len(p.lead) == 0 && p.bold.text == "" && !p.hasBelow(b)
	} else {
		row.Role, row.Text = entry.RoleFact, text
	}
	row.Paths = p.paths
	if p.form == nil {
		return row
	}
	row.Personal = ""
	if row.Topics = tagged(p.heads[1]); p.heads[1] == "" && p.title == "" && p.stem()+".md" != indexName {
		row.Topics = []string{p.stem()}
	}
	if p.form.by == byType {
		row.Tags = tagged(p.front.text("type"))
	}
	if p.form.low && p.front.text(p.form.sure) == "" {
		row.Confidence = memfile.Low
	}
	if row.Scope = cmp.Or(p.form.scope(p.front), p.place); slices.ContainsFunc(p.heads[:], func(head string) bool { return head != "" && areaOf(head) == "user" }) {
		row.Scope = userScope
	}
	if day, err := time.Parse("20060102 15:04", p.stem()+" "+cmp.Or(p.clock, "00:00")); err == nil && p.form.by == byTime {
		row.Role, row.Topics, row.Created = entry.RoleNote, nil, entry.FormatTime(day)
	}
	return row
}

// hasBelow reports whether the block under way, a list item, has something below it.
func (p *page) hasBelow(b block) bool {
	next := p.next()
	return b.kind == partItem && (next.hasText() || next.kind == partCode) && next.level >= b.level+2
}

// tableRow adds a row of a table, each cell behind the name of its column.
func (p *page) tableRow(b block) {
	cells, next := cellsOf(b.text), p.next()
	switch {
	case isDelimiter(b.text):
		p.leave(whyLabel)
		return
	case p.header == nil && isDelimiter(next.text):
		p.header = cells
		p.leave(whyLabel)
		return
	case p.header == nil:
		p.header = []string{}
	}
	var text []string
	for i, cell := range cells {
		if i < len(p.header) && p.header[i] != "" && cell != "" {
			cell = trimEndMarks(p.header[i]) + ": " + cell
		}
		text = append(text, cell)
	}
	p.emit(b, "", strings.Join(tagged(text...), "; "))
}

// personalWords matches the heading of a section about a person. It decides no scope: the person is asked.
const personalWords = `(?i)^(personal|personal (notes|preferences|settings|stuff|rules)|private|private notes|about me|me|my .*|user preferences` +
	`|persönlich\S*|persönliche .*|privat|über mich|meine? .*|personnel\S*|préférences personnelles|à propos de moi|mes .*|mon .*` +
	`|mis .*|sobre mí|preferencias personales|pessoal|preferências pessoais|sobre mim|meus? .*|minhas? .*|personale|su di me` +
	`|persoonlijk|over mij|mijn .*|личн\S*( .*)?|обо мне|мои .*|moje .*|osobiste|kişisel.*|个人.*|關於我|关于我|我的.*|個人.*|私の.*` +
	`|自分.*|개인.*|나의 .*|내 .*|شخصي\S*( .*)?|عني|व्यक्तिगत.*|मेरे .*|निजी.*)$`

// personalHeading returns the first heading of a section about a person, "" for none.
func (p *page) personalHeading() string {
	for _, head := range p.heads {
		if head != "" && p.personal != nil && p.personal.MatchString(strings.TrimFunc(head, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })) {
			return head
		}
	}
	return ""
}

// Instruction is a list item, a paragraph, a quotation or a row of a table of an instruction file.
type Instruction struct {
	Line int    // 1-based
	Text string // on one line, without the labels above it
	Full string // as an import stores it
	// Whole is set if the text is complete by itself: it is at the top level, nothing is below it, and no line above it is its label.
	Whole bool
}

// Instructions lists what an instruction file says, in the order of its lines. What cannot be read says nothing.
func Instructions(name string, data []byte) (list []Instruction) {
	data, err := plainText(File{Name: name, Data: data}, "")
	if err != nil {
		return nil
	}
	data = bytes.ReplaceAll(data, []byte(oursBegin), []byte("<!-- memctl_begin")) // the file says these lines too
	r := reading{most: len(data)}                                                 // without names: nobody asks for keys
	r.markdown(File{Name: name, Data: data}, nil)
	for _, row := range r.rows {
		full := row.Text
		if row.IsItem() {
			full = row.Value.Plain()
		}
		if row.Left == "" {
			list = append(list, Instruction{Line: row.Line, Text: row.bare, Full: full, Whole: row.whole})
		}
	}
	return list
}

// Sentences are the sentences of a text, each as a line in the form in which texts are compared, without the number of a step
// and the note on code below it. Says finds them only in a row.
func Sentences(text string) string {
	text, _, _ = strings.Cut(text[len(Number(text)):], codeNote)
	return strings.Join(append(memfile.Gists(strings.ReplaceAll(text, ". ", "\n")), ""), "\n")
}

// Number is the number with which a step begins, such as "12. "; "" for none.
func Number(text string) string {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(text[digits:], ". ") || strings.HasPrefix(text[digits:], ") ")) {
		return text[:digits+2]
	}
	return ""
}

// Says reports whether all, the Sentences of a text, contains text with or without its labels.
func Says(all, text string) bool {
	for more := all != ""; more; _, text, more = strings.Cut(text, ": ") {
		if s := Sentences(text); s != "" && strings.Contains("\n"+all, "\n"+s) {
			return true
		}
	}
	return false
}
