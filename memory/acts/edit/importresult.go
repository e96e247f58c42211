package edit

import (
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// ImportResult is what became of each row.
type ImportResult struct {
	Act            string        `json:"act"`
	Name           string        `json:"name"`
	Format         string        `json:"format"`
	Origin         string        `json:"origin"`
	CandidateCount int           `json:"candidate_count"` // what was read, and what could not be
	AddedCount     int           `json:"added_count"`
	ChangedCount   int           `json:"changed_count"`  // an item of no person's that has another value now, or that the person confirmed
	KnownCount     int           `json:"known_count"`    // the same value was there
	ConflictCount  int           `json:"conflict_count"` // put beside what a person stated
	HeldCount      int           `json:"held_count"`
	RefusedCount   int           `json:"refused_count"`
	Rows           []ImportRow   `json:"rows"`                     // what was read, in its order; of entries the first 1,000 that came in, and as many others
	UnlistedCount  int           `json:"unlisted_count,omitempty"` // how many more there are
	LowCount       int           `json:"-"`                        // of what was added, those of low confidence
	MediumCount    int           `json:"-"`                        // its items of medium confidence
	SkippedCount   int           `json:"skipped_count"`            // rows that are no memory
	PersonalCount  int           `json:"personal_count,omitempty"` // of these, those below a heading such as Personal
	Writes         []ImportWrite `json:"writes"`
	Hints          []string      `json:"hints,omitempty"`
	listed         [2]int        // how many rows that are no items are in Rows: those that did not come in, and those that did
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *ImportResult) AddNoteCodes() {
	for i := range r.Writes {
		r.Writes[i].AddNoteCodes()
	}
}

// ImportRow is what became of some lines of the input: of a memory, or of what is none.
type ImportRow struct {
	File       string          `json:"file,omitempty"`
	Line       int             `json:"line"`                // the first line; 0 of a whole file that was not read
	Last       int             `json:"last_line,omitempty"` // the last line
	Kind       string          `json:"kind,omitempty"`
	Outcome    string          `json:"outcome"`        // added, changed, known, conflict, held, refused or skipped
	Tier       string          `json:"tier,omitempty"` // of an entry
	Key        string          `json:"key,omitempty"`  // "" for what was refused under a key of ours, which is made of its text
	Scope      string          `json:"scope,omitempty"`
	Confidence string          `json:"confidence,omitempty"`
	Why        string          `json:"why,omitempty"` // why it was skipped, or the rule that refused or holds it
	Findings   []fault.Finding `json:"findings,omitempty"`
	Forgotten  string          `json:"-"` // the name of what was forgotten and a person can restore
	Text       string          `json:"-"` // of a memory that comes in
	Quiet      bool            `json:"-"` // there is no need to list it
	personal   bool            // it is skipped because it is about a person
}

// ImportWrite is the one write to one scope.
type ImportWrite struct {
	Scope     string `json:"scope"`
	ItemCount int    `json:"item_count"`           // added, changed and in conflict
	FileCount int    `json:"file_count,omitempty"` // entries added
	memory.Committed
}

// Known reports whether memory had it.
func (e ImportRow) Known() bool { return e.Outcome == outcomeKnown }

// Coming reports whether a session receives it after the import.
func (e ImportRow) Coming() bool {
	return (e.Outcome == outcomeAdded || e.Outcome == outcomeChanged) && e.Confidence != memfile.Low
}

// RefusedBy is the rule that refused it, "" where none did.
func (e ImportRow) RefusedBy() string {
	if e.Outcome != outcomeRefused || len(e.Findings) == 0 {
		return ""
	}
	return e.Findings[0].Rule
}

// The outcomes of one candidate.
const (
	outcomeAdded    = "added"
	outcomeChanged  = "changed"
	outcomeKnown    = "known"
	outcomeConflict = "conflict"
	outcomeHeld     = "held"
	outcomeRefused  = "refused"
	outcomeSkipped  = "skipped" // it is no memory
)

// maxListed is how many entries of the input the answer lists: of those that came in, and of those that did not.
const maxListed = 1000

// take counts a line, and lists it as far as there is room.
func (res *ImportResult) take(l *importLine) {
	row := l.ImportRow
	if row.Outcome == outcomeSkipped {
		if row.Quiet {
			return
		}
		res.SkippedCount++
		if row.personal {
			res.PersonalCount++
		}
	} else {
		*map[string]*int{
			outcomeAdded: &res.AddedCount, outcomeChanged: &res.ChangedCount, outcomeKnown: &res.KnownCount,
			outcomeConflict: &res.ConflictCount, outcomeHeld: &res.HeldCount, outcomeRefused: &res.RefusedCount,
		}[row.Outcome]++
		res.CandidateCount++
	}
	switch {
	case row.Outcome == outcomeAdded && row.Confidence == memfile.Low:
		res.LowCount++
	case row.Outcome == outcomeAdded && row.Confidence == memfile.Medium && row.Tier == "":
		res.MediumCount++
	case (row.Outcome == outcomeRefused || row.Outcome == outcomeHeld) && len(row.Findings) > 0:
		row.Why = row.Findings[0].Rule
	}
	if row.comesIn() {
		row.Text = l.c.plain()
	}
	in := 0
	if row.comesIn() || row.Known() {
		in = 1
	}
	if l.c == nil || !l.c.isItem() {
		if res.listed[in]++; res.listed[in] > maxListed {
			res.UnlistedCount++
			return
		}
	}
	res.Rows = append(res.Rows, row)
}
