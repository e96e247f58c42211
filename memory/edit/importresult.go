package edit

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store/contents"
)

// ImportResult is what became of each candidate.
type ImportResult struct {
	Schema         int           `json:"schema"`
	Act            string        `json:"act"`
	Name           string        `json:"name"`
	Format         string        `json:"format"`
	Origin         string        `json:"origin"`
	CandidateCount int           `json:"candidate_count"` // what was read, and what could not be
	AddedCount     int           `json:"added_count"`
	ChangedCount   int           `json:"changed_count"`  // an item of no person's that has another value now
	KnownCount     int           `json:"known_count"`    // the same value was there
	ConflictCount  int           `json:"conflict_count"` // put beside what a person stated
	HeldCount      int           `json:"held_count"`
	RefusedCount   int           `json:"refused_count"`
	Entries        []ImportEntry `json:"entries"`                  // all items; of lines that are entries, those that did not come in
	UnlistedCount  int           `json:"unlisted_count,omitempty"` // of these, beyond the first 100
	LowCount       int           `json:"-"`                        // of what was added, those of low confidence
	SkippedCount   int           `json:"skipped_count"`            // parts of Markdown files that became no memory
	PersonalCount  int           `json:"personal_count,omitempty"` // of these, those below a heading such as Personal
	Parts          []ImportPart  `json:"parts,omitempty"`          // all parts of Markdown files, in their order
	NoRoom         []string      `json:"no_room,omitempty"`        // the keys of this import for which a session here has no room
	Writes         []ImportWrite `json:"writes"`
	Hints          []string      `json:"hints,omitempty"`
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *ImportResult) AddNoteCodes() {
	for i := range r.Writes {
		r.Writes[i].AddNoteCodes()
	}
}

// ImportEntry is one candidate and what became of it.
type ImportEntry struct {
	File       string           `json:"file,omitempty"`
	Line       int              `json:"line"`
	Key        string           `json:"key"` // "" for what was refused under a key of ours, which is made of its text
	Scope      string           `json:"scope"`
	Outcome    string           `json:"outcome"` // added, changed, known, conflict, held or refused
	Confidence string           `json:"confidence,omitempty"`
	Findings   []memory.Finding `json:"findings"`
	Forgotten  string           `json:"-"` // the name of what was forgotten and a person can restore
	Text       string           `json:"-"` // of an item: capture.TextOf
}

// ImportWrite is the one write to one scope.
type ImportWrite struct {
	Scope     string `json:"scope"`
	ItemCount int    `json:"item_count"`           // added, changed and in conflict
	FileCount int    `json:"file_count,omitempty"` // entries added
	memory.Committed
}

// Known reports whether memory had it.
func (e ImportEntry) Known() bool { return e.Outcome == outcomeKnown }

// Coming reports whether a session receives it after the import.
func (e ImportEntry) Coming() bool {
	return (e.Outcome == outcomeAdded || e.Outcome == outcomeChanged) && e.Confidence != memfile.Low
}

// RefusedBy is the rule that refused it, "" where none did.
func (e ImportEntry) RefusedBy() string {
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
	outcomeSkipped  = "skipped" // of a part alone
)

// countAll counts what became of everything that was read, in the order of its lines.
func (res *ImportResult) countAll(im *importing) {
	all := slices.Clone(im.lines)
	for _, s := range im.Input.Skipped {
		all = append(all, &importLine{ImportEntry: ImportEntry{
			File: policy.Inert(memory.Redacted(s.File)), Line: s.Line, Outcome: outcomeRefused, Findings: []memory.Finding{{Rule: s.Rule, Message: s.Why}},
		}})
	}
	slices.SortStableFunc(all, func(a, b *importLine) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	for _, l := range all {
		res.count(l)
	}
	res.tellParts(im)
}

// noRoom returns the keys of this import for which a session here has no room. In a dry run it looks at what the import would store.
func (im *importing) noRoom() (keys []string, err error) {
	memories, err := contents.NewView(im.ctx, im.ss, contents.Person).Memories("")
	if err != nil || im.Turns || im.Said {
		return nil, err
	}
	mine := map[[2]string]bool{}
	for _, l := range im.lines {
		if !l.comesIn() || !l.c.isItem() {
			continue
		}
		mine[[2]string{l.Scope, l.Key}] = true
		if im.ss.DryRun() {
			i := slices.IndexFunc(memories, func(m *contents.Memory) bool { return m.Store.Scope == l.Scope })
			if i < 0 {
				i, memories = len(memories), append(memories, &contents.Memory{Store: l.c.st, Exists: true, Settings: memfile.Settings{Enabled: true}})
			}
			m := memories[i]
			m.Items = slices.DeleteFunc(m.Items, func(it contents.Item) bool { return it.Key == l.Key })
			m.Items = append(m.Items, contents.Item{Item: *l.c.stored.Item})
		}
	}
	if len(mine) == 0 {
		return nil, nil
	}
	for _, m := range memories {
		if im.ss.DryRun() {
			m.Judge(im.ss.Today())
		}
	}
	on := memory.HandedOut(im.ctx, im.ss, false)
	for _, l := range session.Choose(memories, on).Profile(on).LeftOut {
		if l.Why == session.WhyCap && mine[[2]string{l.Scope, l.Key}] {
			keys = append(keys, l.Key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// count counts a line and lists it: what is no item only where it did not come in, as far as there is room.
func (res *ImportResult) count(l *importLine) {
	res.CandidateCount++
	if l.Outcome == outcomeSkipped {
		res.PersonalCount++
		res.SkippedCount++
		return
	}
	*map[string]*int{
		outcomeAdded: &res.AddedCount, outcomeChanged: &res.ChangedCount, outcomeKnown: &res.KnownCount,
		outcomeConflict: &res.ConflictCount, outcomeHeld: &res.HeldCount, outcomeRefused: &res.RefusedCount,
	}[l.Outcome]++
	if l.Outcome == outcomeAdded && l.Confidence == memfile.Low {
		res.LowCount++
	}
	item := l.c != nil && l.c.isItem()
	switch {
	case !item && (l.Outcome == outcomeAdded || l.Outcome == outcomeKnown):
	case !item && len(res.Entries) >= maxListed:
		res.UnlistedCount++
	default:
		res.Entries = append(res.Entries, l.ImportEntry)
	}
}
