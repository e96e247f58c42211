package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
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
	WhyNoGit      = "not a git repository"
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
	Whole   bool          // Render does not cut it: it is made to fit before
	Short   string        // the one unit to hand out instead where the agent's limit leaves no room for all; "" for none
}

// Stood is something that is not in the briefing, and why.
type Stood struct {
	Name  string   `json:"name"`
	Why   string   `json:"why"`
	Count int      `json:"count"`
	Keys  []string `json:"-"` // of the items, where the receipt names them
	Limit string   `json:"-"` // of the items without room, the limit that binds; "" for another reason
	Named bool     `json:"-"` // the receipt names it: a file or a whole scope, not one item of many
}

// Briefing is all that a session starts with. Render lays it out.
type Briefing struct {
	Project       string // the project's label, and how it was found
	ProjectSource string
	Scopes        []string // whose memory was read, in order of precedence
	Parts         []Part
	Stood         []Stood
	Notices       []string // single lines that must be there, such as that the repository is not trusted
	Storing       Storing  // how the agent keeps something
	Client        Client
	OneMemory     bool   // the person's setting: memctl is the one memory
	Mode          string // as the receipt names it; "" leaves it out
	NoMemory      bool   // no memory is handed out, so the preamble is not needed
}

// Storing is how an agent stores and searches memory.
type Storing int

// The ways of storing.
const (
	StoreNot Storing = iota
	StoreByCommand
	StoreByTool // of memctl's MCP server
)

// Rendered is the briefing as it is handed out.
type Rendered struct {
	Text   string
	Parts  []Part  // as far as they are in the text
	Stood  []Stood // with what the agent's limit pushed out
	Excess int     // how much the text is over the agent's limit, in its unit; positive only if what is left cannot be cut
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
		last, excess := lastFilled(parts), b.excess(text)
		if last < 0 || excess <= 0 {
			tokens := Tokens(len(text))
			return Rendered{Text: text, Parts: filled(parts), Stood: stood, Excess: excess, Tokens: tokens, Over: tokens > BudgetTokens}
		}
		if i := slices.IndexFunc(parts, func(p Part) bool { return p.Short != "" }); i >= 0 {
			parts[i].Units, parts[i].Short = []string{parts[i].Short}, ""
			continue
		}
		if len(parts[last].files) > 0 {
			stood = cutFile(stood, parts[last].shorten(excess))
			continue
		}
		for p := &parts[last]; excess > 0 && len(p.Units) > 0; {
			excess -= b.Client.Unit.Size(p.Units[len(p.Units)-1])
			stood = b.pushOut(p, stood)
		}
	}
}

// excess is how much the text is over the agent's limit.
func (b Briefing) excess(text string) int {
	if b.Client.Limit == 0 {
		return 0
	}
	return b.Client.Unit.Size(text) - b.Client.Limit
}

// pushOut removes the part's last unit and notes that it is left out.
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
		if len(parts[i].Units) > 0 && !parts[i].Whole {
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
	size, body := 0, b.body(parts)
	for {
		receipt := b.receipt(parts, stood, size)
		if len(body)+len(receipt) <= size {
			return body + receipt
		}
		size = len(body) + len(receipt)
	}
}

// body is the text up to the receipt.
func (b Briefing) body(parts []Part) string {
	var t strings.Builder
	t.Grow(MaxBytes)
	t.WriteString(Heading + "\n\n")
	if !b.NoMemory {
		t.WriteString(b.preamble() + "\n\n")
	}
	for _, line := range b.Notices {
		t.WriteString(line + "\n\n")
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
	return t.String()
}

// Room is what the rest of the briefing leaves for the profile under the agent's limit, in its unit,
// with parts that come before it; 0 for no limit.
func (b Briefing) Room(before Part) int {
	const counts = 100 // what the receipt says of items
	if b.Client.Limit == 0 {
		return 0
	}
	text := b.body([]Part{before}) + b.receipt([]Part{before}, b.Stood, MaxBytes) + "## " + profileHeading + "\n\n\n"
	return max(b.Client.Limit-b.Client.Unit.Size(text)-counts+len(Preamble), 1)
}

// Heading begins a briefing. Claude Code's own system prompt has a part "# Memory", which asks the model to write files.
const Heading = "# Memory of this project (memctl)"

func (b Briefing) preamble() string {
	text := Preamble
	switch b.Storing {
	case StoreByTool:
		text += " Use `recall` for a problem or a decision that is not listed. When the person states something lasting, call `remember` once (a key such as test.run, a short value, `said_by_user`)."
	case StoreByCommand:
		text += " Use `memctl recall QUESTION` for a problem or a decision that is not listed. When the person states something lasting, run `memctl add KEY VALUE` once (a key such as test.run, a short value)."
	case StoreNot:
		return text
	}
	text += " Keep it here, not in memory files of your own. Ignore one-off requests and quotes."
	if b.OneMemory {
		text += " This is the only memory that the person wants agents to use; leave other memory files as they are."
	}
	return text
}

// ReceiptMark begins the line at the end of every briefing.
const ReceiptMark = "Receipt: "

// receipt is the last line: what came from where, what stood back and why, and
// the size against the budget.
func (b Briefing) receipt(parts []Part, stood []Stood, size int) string {
	var said []string
	switch {
	case b.Project == "":
	case b.ProjectSource == store.NameFromTop:
		said = append(said, "project "+b.Project)
	default:
		said = append(said, "project "+b.Project+" (name from "+b.ProjectSource+")")
	}
	if b.NoMemory {
		said = append(said, "mode off, so no memory is here")
	} else if b.Mode != "" && b.Mode != ModeIndex {
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
	return ReceiptMark + strings.Join(append(said, weight), "; ") + ".\n"
}

// counted says how many items of each scope are in the parts, and how many facts, notes and hits.
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
		p.add(line(b), b.Scope, 1)
	}
	return p
}

func (p *Part) add(unit, scope string, items int) {
	p.Units, p.Scopes, p.Items = append(p.Units, unit), append(p.Scopes, scope), append(p.Items, items)
}

// Count is how many items and other things the part has.
func (p Part) Count() int {
	n := len(p.Units) - len(p.Items)
	for _, items := range p.Items {
		n += items
	}
	return n
}

const profileHeading = "Active Profile"

// Part is the profile as a part of the briefing.
func (p Profile) Part() Part {
	part := Part{Name: PartProfile, Heading: profileHeading, Whole: true}
	for _, l := range printed(p.Bullets) {
		if l.item == nil {
			part.add(l.String(), "", 0)
		} else {
			part.add(l.String(), l.item.Scope, 1)
		}
	}
	if p.Missing != "" {
		part.add(p.Missing, "", 0)
	}
	return part
}

// maxCategories caps the categories that are counted by name.
const maxCategories = 20

// Recorded counts the items that are recorded beside the profile, by category: the first part of
// each key. It does not count what agents do not receive.
func Recorded(p Profile) Part {
	counts := map[string]int{}
	for _, l := range p.LeftOut {
		switch l.Why {
		case WhyLesson, WhyPaths: // the profile itself names those for which it has no room
			counts[category(l.Key)]++
		}
	}
	var kinds []Kind
	for name, n := range counts {
		kinds = append(kinds, Kind{name, n})
	}
	part := Part{Name: PartRecorded, Heading: "Recorded, by category"}
	part.CountKinds("items", kinds)
	return part
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
