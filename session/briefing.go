package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store/contents"
)

// BudgetTokens is what a briefing should stay under. One that is
// over it is handed out whole, with a warning: only an agent's own limit cuts.
const BudgetTokens = 30000

// The names of the briefing's parts, in their order. What must give way does
// so from the end.
const (
	PartProfile  = "profile"
	PartPinned   = "pinned"
	PartRecorded = "recorded"
	PartContext  = "context"
	PartSkills   = "skills"
)

// Reasons of things, beside those of items, that are not in the briefing.
const (
	WhyUntrusted  = "untrusted"
	WhyUnreviewed = "unreviewed"
	WhyUnreadable = "unreadable"
	WhyLimit      = "limit"
	WhyBehind     = "behind" // the index that finds it is not up to date
)

// Part is one section of the briefing: whole units, in order of worth.
type Part struct {
	Name    string
	Heading string
	Units   []string      // each ends in a newline; it is there whole or not at all
	Names   []string      // of the units, for what stands back; nil for none
	Scopes  []string      // of the units, for the receipt; nil for none
	Items   []int         // how many items the units hold, from the first on; those beyond are no items
	files   []contextUnit // of PartContext, one for each unit
	Short   string        // the one unit to hand out instead where the agent's limit leaves no room for all; "" for none
}

// Stood is something that is not in the briefing, and why.
type Stood struct {
	Name  string
	Why   string
	Count int
	Keys  []string // of the items, where the receipt names them
	Named bool     // the receipt names it: a file or a whole scope, not one item of many
}

// Briefing is all that a session starts with. Render lays it out.
type Briefing struct {
	Project       string // the project's label, and how it was found
	ProjectSource string
	Scopes        []string // whose memory was read, in order of precedence
	Parts         []Part
	Stood         []Stood
	Notices       []string // single lines that must be there, such as that the repository is not trusted
	Invitation    string   // how the agent keeps something; "" leaves it out
	Client        Client
	OneMemory     bool   // the person's setting: memctl is the one memory
	Mode          string // as the receipt names it; "" leaves it out
	NoMemory      bool   // no memory is handed out, so the preamble is not needed
}

// Rendered is the briefing as it is handed out.
type Rendered struct {
	Text   string
	Parts  []Part  // as far as they are in the text
	Stood  []Stood // with what the agent's limit pushed out
	Tokens int
	Over   bool // over BudgetTokens
}

// Render lays the briefing out, and takes units off its end until it fits the
// agent's own limit.
func (b Briefing) Render() Rendered {
	parts := slices.Clone(b.Parts)
	for i := range parts {
		parts[i].Units, parts[i].Names, parts[i].files = slices.Clone(parts[i].Units), slices.Clone(parts[i].Names), slices.Clone(parts[i].files)
	}
	stood := slices.Clone(b.Stood)
	for {
		text := b.layoutWithOwnSize(parts, stood)
		last := lastFilled(parts)
		if b.Client.Limit == 0 || last < 0 || b.Client.Unit.Size(text) <= b.Client.Limit {
			tokens := Tokens(len(text))
			return Rendered{Text: text, Parts: filled(parts), Stood: stood, Tokens: tokens, Over: tokens > BudgetTokens}
		}
		if i := slices.IndexFunc(parts, func(p Part) bool { return p.Short != "" }); i >= 0 {
			parts[i].Units, parts[i].Short = []string{parts[i].Short}, ""
			continue
		}
		if len(parts[last].files) > 0 {
			stood = cutFile(stood, parts[last].shorten(b.Client.Unit.Size(text)-b.Client.Limit))
			continue
		}
		stood = b.pushOut(&parts[last], stood)
	}
}

// pushOut takes the part's last unit away and notes that it stands back.
func (b Briefing) pushOut(p *Part, stood []Stood) []Stood {
	n := len(p.Units) - 1
	name := p.Name
	if n < len(p.Names) {
		name = p.Names[n]
	}
	p.Units = p.Units[:n]
	for i := range stood {
		if !stood[i].Named && stood[i].Name == name && stood[i].Why == WhyLimit {
			stood[i].Count++
			return stood
		}
	}
	return append(stood, Stood{Name: name, Why: WhyLimit, Count: 1, Named: p.Name == PartContext})
}

// cutFile notes once that a context file is cut or dropped.
func cutFile(stood []Stood, said Stood) []Stood {
	stood = slices.DeleteFunc(stood, func(s Stood) bool { return s.Name == said.Name && s.Why == WhyCut })
	return append(stood, said)
}

func lastFilled(parts []Part) int {
	for i := len(parts) - 1; i >= 0; i-- {
		if len(parts[i].Units) > 0 {
			return i
		}
	}
	return -1
}

func filled(parts []Part) []Part {
	return slices.DeleteFunc(parts, func(p Part) bool { return len(p.Units) == 0 })
}

// layoutWithOwnSize lays out a text whose receipt tells the text's own size: it grows
// with each try until it is right.
func (b Briefing) layoutWithOwnSize(parts []Part, stood []Stood) string {
	size := 0
	for {
		text := b.layout(parts, stood, size)
		if len(text) <= size {
			return text
		}
		size = len(text)
	}
}

func (b Briefing) layout(parts []Part, stood []Stood, size int) string {
	var t strings.Builder
	t.WriteString("# Memory\n\n")
	if !b.NoMemory {
		t.WriteString(b.preamble() + "\n\n")
	}
	for _, line := range b.Notices {
		t.WriteString(line + "\n\n")
	}
	if b.Invitation != "" {
		t.WriteString(b.Invitation + "\n\n")
	}
	for _, p := range parts {
		if len(p.Units) == 0 {
			continue
		}
		t.WriteString("## " + p.Heading + "\n\n")
		for _, u := range p.Units {
			t.WriteString(u)
		}
		t.WriteString("\n")
	}
	return t.String() + b.receipt(parts, stood, size) + "\n"
}

// Overhead is how many bytes the briefing has at most beside its parts, with the heading
// of the profile.
func (b Briefing) Overhead() int {
	const counts = 600 // what the receipt says of parts and of what is left out
	b.Parts, b.Stood = nil, nil
	return len(b.layout(nil, nil, 0)) + len("## Active Profile\n\n\n") + counts
}

func (b Briefing) preamble() string {
	text := Preamble + " `memctl recall` (or the `recall` tool, if memctl's MCP server is connected) searches everything else; a good time for that is the first message of a session."
	if b.OneMemory {
		text += " This is the only memory that the person wants agents to use; leave other memory files as they are."
	}
	return text
}

// ReceiptMark begins the line at the end of every briefing.
const ReceiptMark = "Receipt: "

// receipt says in one line what came from where, what stood back and why, and
// the size against the budget.
func (b Briefing) receipt(parts []Part, stood []Stood, size int) string {
	var said []string
	if b.Project != "" {
		said = append(said, "project "+b.Project+" (name from "+b.ProjectSource+")")
	}
	if b.NoMemory {
		said = append(said, "mode off, so no memory is here")
	} else if b.Mode != "" {
		said = append(said, "mode "+b.Mode)
	}
	said = append(said, b.counted(parts)...)
	if back := stoodText(stood); back != "" {
		said = append(said, "left out: "+back)
	}
	tokens := Tokens(size)
	weight := fmt.Sprintf("%d of %d tokens (%d bytes)", tokens, BudgetTokens, size)
	if tokens > BudgetTokens {
		weight += ", over budget"
	}
	return ReceiptMark + strings.Join(append(said, weight), "; ") + "."
}

// counted says how many items of each scope are in the parts, and how many there are
// of what is no item.
func (b Briefing) counted(parts []Part) (said []string) {
	items, others := map[string]int{}, map[string]int{}
	for _, p := range parts {
		for i := range p.Units[:min(len(p.Units), len(p.Scopes))] {
			if i < len(p.Items) {
				items[p.Scopes[i]] += p.Items[i]
			} else {
				others[entriesIn(p.Name)]++
			}
		}
	}
	var from, also []string
	for _, scope := range b.Scopes {
		from = append(from, scope+" "+strconv.Itoa(items[scope]))
	}
	for _, what := range []string{"facts", "notes", "recalled"} {
		if n := others[what]; n > 0 {
			also = append(also, what+" "+strconv.Itoa(n))
		}
	}
	if len(from) > 0 {
		said = append(said, "items here: "+strings.Join(from, ", "))
	}
	if len(also) > 0 {
		said = append(said, "also here: "+strings.Join(also, ", "))
	}
	return said
}

// entriesIn is what the receipt calls a part's units that are no items.
func entriesIn(part string) string {
	switch part {
	case PartNotes:
		return "notes"
	case PartRecalled:
		return "recalled"
	}
	return "facts"
}

// Bulleted makes a part of bullets, each with its scope.
func Bulleted(name, heading string, bullets []Bullet) Part {
	p := Part{Name: name, Heading: heading}
	for _, b := range bullets {
		p.Items = append(p.Items, len(b.Each()))
		p.Units = append(p.Units, "- ["+b.Scope+"] "+b.Key+": "+b.Text+"\n")
		p.Scopes = append(p.Scopes, b.Scope)
	}
	return p
}

// maxCategories caps the categories that are counted by name.
const maxCategories = 20

// Recorded counts what the memories hold, by category: the first part of each
// key. What is kept from agents is not counted.
func Recorded(memories []*contents.Memory, on Conditions) Part {
	counts := map[string]int{}
	for _, m := range memories {
		for i := range m.Items {
			switch exclusionReason(&m.Items[i], on) {
			case WhyDisabled, WhyWithheld, WhyOutranked, WhyExpired, WhyUnreviewed:
				continue
			}
			counts[category(m.Items[i].Key)]++
		}
	}
	var kinds []Kind
	for name, n := range counts {
		kinds = append(kinds, Kind{name, n})
	}
	p := Part{Name: PartRecorded, Heading: "Recorded, by category"}
	p.CountKinds("items", kinds)
	return p
}

// category is the first part of a key in our form; of any other key, "other":
// somebody's text is no name for a category.
func category(key string) string {
	if memfile.KeyForm(key) {
		name, _, _ := strings.Cut(key, ".")
		return name
	}
	return "other"
}
