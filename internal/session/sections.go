package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The names of the parts that entries make.
const (
	PartEntries   = "entries"
	PartTopics    = "topics"
	PartNotes     = "notes"
	PartSummary   = "summary"
	PartHeadlines = "headlines"
)

const (
	// maxEntryChars caps one entry's line; a longer one is cut, and says so.
	maxEntryChars = 1000
	// maxTopics caps the topics that are named.
	maxTopics = 20
)

// staleMark stands behind an entry that agents have to look at twice.
const staleMark = " (stale: what it is about has changed)"

// Entry is an entry as the briefing takes it.
type Entry struct {
	ID, Scope, Category, Text string
	Day                       string // of a note, 2006-01-02
	Stated                    bool   // a person wrote or confirmed it
	Stale                     bool   // what it points at has changed
}

// TaggedParts are the entries that belong to every session, under a heading for each category;
// within one they keep their order. Agents' entries come after a person's, so that they are cut
// first.
func TaggedParts(entries []Entry) []Part {
	headings := []string{"Bootstrap", "Rules", "Feedback", "Facts", "Decisions", "Context"}
	var parts []Part
	for _, stated := range []bool{true, false} {
		for _, heading := range headings {
			p := Part{Name: PartEntries, Heading: heading}
			if !stated {
				p.Heading += ", noted by agents"
			}
			p.AddEntries(slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return headingOf(e.Category) != heading || e.Stated != stated }))
			parts = append(parts, p)
		}
	}
	return filled(parts)
}

func headingOf(category string) string {
	return cmp.Or(map[string]string{"": "Bootstrap", "rule": "Rules", "feedback": "Feedback", "decision": "Decisions", "context": "Context"}[category], "Facts")
}

// AddEntries adds entries to the part.
func (p *Part) AddEntries(entries []Entry) {
	for _, e := range entries {
		p.Units, p.Scopes = append(p.Units, e.Line()), append(p.Scopes, e.Scope)
	}
}

// Kind is how many entries there are of one kind, or about one topic.
type Kind struct {
	Name  string
	Count int
}

// CountKinds adds a line of counts to the part; the kinds are ordered here.
func (p *Part) CountKinds(what string, kinds []Kind) {
	slices.SortFunc(kinds, func(a, b Kind) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	var said []string
	rest := 0
	for i, k := range kinds {
		if i >= maxCategories {
			rest += k.Count
			continue
		}
		said = append(said, Defuse(k.Name)+" "+strconv.Itoa(k.Count))
	}
	if rest > 0 {
		said = append(said, "in other categories "+strconv.Itoa(rest))
	}
	if len(said) > 0 {
		p.Units = append(p.Units, "- "+what+": "+strings.Join(said, ", ")+"\n")
	}
}

// TopicsPart names the topics, given the liveliest first.
func TopicsPart(topics []Kind) Part {
	p := Part{Name: PartTopics, Heading: "Topics"}
	var said []string
	for _, t := range topics[:min(len(topics), maxTopics)] {
		if name := Defuse(t.Name); name != "" {
			said = append(said, name+" "+strconv.Itoa(t.Count))
		}
	}
	if len(said) > 0 {
		p.Units = []string{"- " + strings.Join(said, ", ") + "\n"}
	}
	return p
}

// NotesPart holds notes, given the newest first: what must give way are the
// older ones.
func NotesPart(notes []Entry) Part {
	p := Part{Name: PartNotes, Heading: "Notes, the latest first"}
	p.AddEntries(notes)
	return p
}

// Line is the entry as one harmless line.
func (e Entry) Line() string {
	text := Defuse(e.Text)
	if utf8.RuneCountInString(text) > maxEntryChars {
		text = string([]rune(text)[:maxEntryChars]) + " [...]"
	}
	day := ""
	if e.Day != "" {
		day = Defuse(e.Day)
		if !e.Stated {
			day += " (agent)"
		}
		day += ": "
	}
	if e.Stale {
		text += staleMark
	}
	return "- [" + e.Scope + "] " + day + text + "\n"
}
