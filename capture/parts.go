package capture

// The kinds of parts.
const (
	partFront   = "front matter"
	partHeading = "heading"
	partText    = "paragraph"
	partItem    = "list item"
	partTable   = "table"
	partCode    = "code block"
	partQuote   = "quotation"
	partComment = "comment"
	partHTML    = "HTML block"
	partRule    = "horizontal line"
	partOurs    = "memctl part"
	partFile    = "file"
	partRecord  = "record"
)

// Part is a run of lines of a file and what became of them. The parts of a Markdown file contain
// each line that is not blank exactly once; those of a JSON file are its memories.
type Part struct {
	File       string
	Line, Last int    // 1-based; 0 of a file that was not read
	Kind       string // heading, paragraph, list item, table, code …
	Candidate  int    // the place of its candidate in Result.Candidates, counted from 1, or 0
	Entry      int    // the place of its entry in Result.Entries, counted from 1, or 0
	Rule       string // the rule that refused it while it was read
	Why        string // why it became no memory
	Quiet      bool   // it has no text of its own, or stands in front of other texts: there is no need to list it
}

// head notes the front matter of a file, where there is one: the lines before first.
func (r *reading) head(first int, why string) {
	if first > 1 {
		r.parts = append(r.parts, Part{File: r.file, Line: 1, Last: first - 1, Kind: partFront, Why: why})
	}
}

// member reads what may be one memory, at the lines from first to last, and notes what became of it. read adds an entry, or
// skips the line.
func (r *reading) member(first, last int, kind string, read func()) {
	entries, skipped := len(r.entries), len(r.skipped)
	read()
	p := Part{File: r.file, Line: first, Last: last, Kind: kind}
	switch {
	case len(r.entries) > entries:
		p.Entry = len(r.entries)
	case len(r.skipped) > skipped:
		p.Rule = r.skipped[skipped].Rule
	}
	r.parts = append(r.parts, p)
}

// The reasons that say what a line is for.
const (
	whyLabel = "it introduces what follows"
	whyAlone = "nothing below it is imported"
)

// reasons say why a part of some kind became no memory, where nothing else says it.
func reasons() map[string]string {
	return map[string]string{
		partHeading: "it names the memories below it",
		partText:    "it states nothing by itself",
		partItem:    "it states nothing without the lines around it",
		partTable:   whyText,
		partCode:    "code stays in the file",
		partQuote:   whyText,
		partComment: "it is a comment",
		partHTML:    "it has no text",
		partRule:    "it is a line across the page",
		partOurs:    "memctl wrote it",
	}
}

// quiet reports whether a part of the kind is not listed if it became no memory.
func quiet(kind string) bool {
	return kind == partHeading || kind == partComment || kind == partRule || kind == partHTML
}

// leave says why parts became no memory.
func (r *reading) leave(parts []int, why string) {
	for _, at := range parts {
		if r.parts[at].Candidate == 0 {
			r.parts[at].Why, r.parts[at].Quiet = why, why == whyLabel
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
			part.Candidate, part.Why, part.Rule, part.Quiet = len(r.candidates), "", "", false
		default:
			part.Rule = rule
		}
	}
}
