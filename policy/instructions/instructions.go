// Package instructions finds what tries to steer whoever reads a text, and knows what was
// copied whole from a conversation, a log or a page of code.
package instructions

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// The scores at which a text is taken for an attempt to steer an agent. Between
// the two a person decides.
const (
	RefuseScore = 10
	HoldScore   = 7
)

// minLongDocument is the length, in bytes, above which a text is more than a wish
// about the form of answers.
const minLongDocument = 240

// minLongStory is the length, in bytes, above which words of roles and limits add
// up by chance, as they do in a story; more of them must stand there.
const (
	minLongStory     = 700
	holdScoreInStory = 9
)

// Order is what a text tells an agent to do.
type Order struct {
	Kind    string   // hide, override, send, …; "" where it tells nothing
	Words   []string // that say so
	Mark    string   // the markup, command or setting that weighs most, "" where something else does
	Points  int
	Level   Level  // whom it is about
	Private string // the kind of fact about a person that is stated, "" for none
}

// scratch is for the words of a short text. The next text takes it over.
type scratch struct {
	words  [96]word
	starts [96]start
	hits   [32]foundPhrase
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// Find tells what a text orders an agent to do, or what it says about a person. risk also looks for what may put a
// project at risk.
func Find(p *chars.Part, risk bool) Order {
	r := scratchPool.Get().(*scratch)
	defer scratchPool.Put(r)
	p = withoutMentions(p)
	w, t := cut(p, r.words[:0]), orderTable()
	tally, starts := t.findPhrases(w, r.starts[:0])
	page := isFormattedPage(p.Text)
	if tally.best >= 4 && tally.Kind == "document" && len(p.Text) > minLongDocument && !page {
		// A preference is short; a long text that turns to its reader is not one.
		tally.Points += 3
	}
	o := Order{Kind: tally.Kind, Points: tally.Points, Words: tally.Words, Private: tally.Private}
	if o.Points < holdScoreInStory && (page || len(p.Text) > minLongStory && (o.Kind == "role" || o.Kind == "harm")) {
		o.Points, tally.best, o.Kind = 0, 0, ""
	}
	o.addActiveContent(p, page, tally.best)
	if o.Points >= HoldScore {
		return o
	}
	o.Kind, o.Mark, o.Words = "", "", nil
	if page && !risk || p.ASCII && strings.IndexByte(p.Text, ' ') < 0 {
		return o
	}
	if kind, words, level := t.findOrder(w, starts, tally.begunConcepts, r.hits[:0], risk); level == Private && kind != "" {
		o.Private = kind
	} else {
		o.Kind, o.Words, o.Level = kind, words, level
	}
	return o
}

// isFormattedPage reports whether a text is a long one with headings, lists or code in it, as answers of
// assistants are.
func isFormattedPage(text string) bool {
	return len(text) > minLongStory && (strings.Contains(text, "```") || strings.Count(text, "**") >= 4 || strings.Contains(text, "\n#") || strings.Contains(text, "</"))
}

//go:embed mentions.txt
var mentionText string

var mentions = sync.OnceValue(func() *chars.WordIndex[chars.Rule] { return chars.ParseRules(mentionText) })

// withoutMentions blanks what a text quotes as an input that something detects or rejects.
func withoutMentions(p *chars.Part) *chars.Part {
	if p.ASCII && strings.Count(p.Text, `"`)+strings.Count(p.Text, "'") < 2 {
		return p
	}
	for r := range mentions().FindIn(p) {
		for _, m := range r.Find(p) {
			rest := chars.NewPart(p.Where, p.Text[:m.Start]+strings.Repeat(" ", m.End-m.Start)+p.Text[m.End:])
			p = &rest
		}
	}
	return p
}

//go:embed markup.txt
var markupText string

var markup = sync.OnceValue(func() *chars.WordIndex[chars.Rule] { return chars.ParseRules(markupText) })

// addActiveContent adds what acts when it is shown or run: scripts, handlers, pictures whose address carries data away,
// chat templates, commands, settings. best is what weighs most so far.
func (o *Order) addActiveContent(p *chars.Part, page bool, best int) {
	for r := range markup().FindIn(p) {
		for _, m := range r.Find(p) {
			points, counts := 0, true
			for _, check := range r.Checks {
				switch check {
				case "prose":
					counts = counts && !page && !inCode(p.Text, m.Start)
				case "short":
					counts = counts && !page
				case "allowed":
					counts = counts && !forbiddenNear(p.Lower, m.Start, m.End)
				default:
					points, _ = strconv.Atoi(check)
				}
			}
			if !counts {
				continue
			}
			if o.Points += points; points > best {
				best, o.Kind, o.Mark, o.Words = points, r.Kind, strings.TrimSpace(p.Text[m.Start:m.End]), nil
			}
			break
		}
	}
}

// inCode reports whether a place stands between backticks. Markup there is named, and does nothing.
func inCode(text string, at int) bool {
	return strings.Count(text, "`")%2 == 0 && strings.Count(text[:at], "`")%2 == 1
}

// forbiddenNear reports whether a word of the same sentence forbids what stands at a place.
func forbiddenNear(lower string, start, end int) bool {
	from, to := max(0, start-120), min(len(lower), end+60)
	if dot := strings.LastIndex(lower[from:start], ". "); dot >= 0 {
		from += dot
	}
	if dot := strings.Index(lower[start:to], ". "); dot >= 0 {
		to = start + dot
	}
	return chars.ContainsAny(lower[from:to], "forbid", "rejects", "refuses", "not allowed", "banned", "stays false") ||
		slices.ContainsFunc(strings.FieldsFunc(lower[from:start], func(r rune) bool { return r == ' ' || r == ',' }), spelling.IsProhibition)
}
