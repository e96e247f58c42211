package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// ImportRequest is one `import`: candidates that capture read, and what it
// could not read.
type ImportRequest struct {
	memory.Options
	Name    string // what the input is called, for the items' source
	Format  string
	Input   capture.Result
	Project bool // the input is about one project: it is not put into the user's store unasked
	// Said: the candidates are what the person said to agents, and not lines of a file. The
	// source of each is the day on which they said it.
	Said bool
	// Turns: the entries are turns of a conversation that the person has memctl store as it goes on.
	// They go to a store of the person's own, so the repository's trust does not matter, and
	// nobody is asked about one that the policy holds: it is left out.
	Turns bool
	// Accepted: the person accepted the candidates, so that each is their own statement, except those
	// of low confidence. What was forgotten or is locked stays so all the same.
	Accepted bool
	// Progress is told how many lines that are entries are done; nil for nobody.
	Progress func(done, total int)
}

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
	SkippedCount   int           `json:"skipped_count"`            // parts of Markdown files that became no memory
	Parts          []ImportPart  `json:"parts,omitempty"`          // all parts of Markdown files, in their order
	Writes         []ImportWrite `json:"writes"`
	Hints          []string      `json:"hints,omitempty"`
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
}

// ImportWrite is the one write to one scope.
type ImportWrite struct {
	Scope     string   `json:"scope"`
	ItemCount int      `json:"item_count"`           // added, changed and in conflict
	FileCount int      `json:"file_count,omitempty"` // entries added
	Commit    *string  `json:"commit"`
	Why       string   `json:"why"`
	Diff      string   `json:"diff,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// Known reports whether memory had it.
func (e ImportEntry) Known() bool { return e.Outcome == outcomeKnown }

// Coming are the candidates that a session receives from the project after the import.
func (res ImportResult) Coming(list []capture.Candidate) (coming []capture.Candidate) {
	for _, c := range list {
		if slices.ContainsFunc(res.Entries, func(e ImportEntry) bool {
			came := e.Outcome == outcomeAdded || e.Outcome == outcomeChanged
			return came && e.File == c.File && e.Line == c.Line && e.Scope == store.Project && e.Confidence != memfile.Low
		}) {
			coming = append(coming, c)
		}
	}
	return coming
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

const (
	ruleDuplicateKey = "duplicate-key"
	ruleTooMany      = "too-many"
)

// maxHeldAtOnce bounds what one import puts into the queue, so that there is
// room left for everything else.
const maxHeldAtOnce = 200

// Import brings candidates in, by the rules of add and with one write a scope.
// It passes on what a file says, unless the person accepted it: an item is medium at most, and
// what a person stated is never replaced. Locks, tombstones and switches always hold. Errors: *fault.Error of code
// no-memory-file, and those of txn.Update.
func Import(ctx context.Context, ss *store.Stores, req ImportRequest) (ImportResult, error) {
	res := ImportResult{
		Schema: memory.SchemaNumber, Act: req.act(), Name: policy.Inert(memory.Redacted(req.Name)), Format: req.Format, Origin: req.Origin.Kind,
		Entries: []ImportEntry{}, Writes: []ImportWrite{},
	}
	if !req.Said && !req.Turns && !req.Explicit() && ss.Repo() != nil && !ss.Trusted(ctx) {
		return res, &fault.Error{
			Code: memory.RuleExplicitOnly, Status: 1, Cause: "the person has not trusted this repository, so only they can import from it",
			Why: "import", Names: []string{policy.Inert(memory.Redacted(req.Name))},
		}
	}
	if err := req.hasHome(ctx, ss); err != nil {
		return res, err
	}
	im := &importing{
		ImportRequest: req, ctx: ctx, ss: ss, seen: map[string]memfile.Value{}, batches: map[string]*entryBatch{},
	}
	if err := errors.Join(im.prepare(), im.prepareEntries()); err != nil {
		return res, im.cutShort(err, res.Writes)
	}
	for _, scope := range im.scopes {
		w, err := im.inScope(scope)
		if err != nil {
			return res, im.cutShort(err, res.Writes)
		}
		if w.ItemCount+w.FileCount > 0 {
			res.Writes = append(res.Writes, w)
		}
	}
	res.countAll(im)
	return res, nil
}

// countAll counts what became of everything that was read, in the order of its lines.
func (res *ImportResult) countAll(im *importing) {
	type told struct {
		ImportEntry
		item bool // listed whatever became of it
	}
	var all []told
	for _, e := range im.entries {
		all = append(all, told{e.ImportEntry, true})
	}
	for _, l := range im.lines {
		all = append(all, told{l.ImportEntry, false})
	}
	for _, s := range im.Input.Skipped {
		all = append(all, told{ImportEntry{
			File: policy.Inert(memory.Redacted(s.File)), Line: s.Line, Outcome: outcomeRefused, Findings: []memory.Finding{{Rule: s.Rule, Message: s.Why}},
		}, false})
	}
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	for _, t := range all {
		if t.item {
			res.count(t.ImportEntry)
		} else {
			res.countLine(t.ImportEntry)
		}
	}
	res.tellParts(im)
}

// cutShort is the error of an import that a person ended: what came in before, a
// write a scope, stays.
func (im *importing) cutShort(err error, made []ImportWrite) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	said := "interrupted; nothing was imported"
	if len(made) > 0 && !im.ss.DryRun() {
		said = "interrupted; scope " + made[0].Scope + " received its part of the import, the other scopes received nothing"
	}
	return &fault.Error{Code: "interrupted", Status: 2, Cause: said, Retry: true}
}

func (res *ImportResult) count(e ImportEntry) {
	res.CandidateCount++
	switch e.Outcome {
	case outcomeAdded:
		res.AddedCount++
	case outcomeChanged:
		res.ChangedCount++
	case outcomeKnown:
		res.KnownCount++
	case outcomeConflict:
		res.ConflictCount++
	case outcomeHeld:
		res.HeldCount++
	default:
		res.RefusedCount++
	}
	if e.Findings == nil {
		e.Findings = []memory.Finding{}
	}
	res.Entries = append(res.Entries, e)
}

// hasHome refuses to put a project's own conventions where every repository
// would read them.
func (req ImportRequest) hasHome(ctx context.Context, ss *store.Stores) error {
	homeless := req.Project || req.Explicit() && slices.ContainsFunc(req.Input.Candidates, func(c capture.Candidate) bool { return c.Scope == "" })
	if !homeless || req.Scope != "" || ss.Alone() || ss.Repo() == nil || req.Automatic() {
		return nil
	}
	m, err := memory.ProjectMemory(ctx, ss)
	if err != nil || m != nil && (m.Exists || m.Foreign || txn.Absent(ctx, m)) {
		return err
	}
	return &fault.Error{
		Code: "no-memory-file", Status: 1, Cause: memory.Quoted(req.Name) + ": is about this project, which has no memory file",
		Why: "import", Names: []string{policy.Inert(memory.Redacted(req.Name))},
	}
}

// importing is one import under way.
type importing struct {
	ImportRequest
	ctx      context.Context
	ss       *store.Stores
	entries  []*importEntry
	scopes   []string                 // in the order of their first candidates
	seen     map[string]memfile.Value // keys of this import, by scope and key
	texts    map[string]bool          // values that are known, in normal form
	queued   int
	lines    []*entryImport
	batches  map[string]*entryBatch // the lines by scope
	sameTime map[string]int         // how many lines of a session have a time
}

// importLine is what lines that are items and lines that are entries share.
type importLine struct {
	ImportEntry
	held []policy.Finding // why it waits for review
}

// importEntry is one candidate under way.
type importEntry struct {
	importLine
	adding
	base string // the key as it was derived
}

// prepare finds for each candidate its request and its scope, and refuses what
// no scope takes.
func (im *importing) prepare() error {
	for _, c := range im.Input.Candidates {
		options := im.Options
		if accepted := im.Accepted && c.Confidence != memfile.Low; accepted {
			c.Confidence = ""
		} else if options.Explicit() {
			options.Origin.Kind = memory.Relayed // the file says it, not the person
		}
		if !im.ss.Alone() {
			options.Scope = cmp.Or(options.Scope, c.Scope)
		}
		if err := im.ctx.Err(); err != nil {
			return err
		}
		key, best := memfile.NormalKey(c.Key)
		e := &importEntry{base: key}
		e.ImportEntry = ImportEntry{File: policy.Inert(memory.Redacted(c.File)), Line: c.Line, Key: key, Findings: []memory.Finding{}}
		e.adding = adding{
			writing: writing{
				ctx: im.ctx, ss: im.ss, today: im.ss.Today(), imported: true, Request: Request{Options: options, Key: key, Value: c.Value, Labels: c.Labels},
			},
			keyed:   (!c.Derived || im.Project && im.Explicit()) && !options.Automatic() && !im.Said,
			arrived: c.Arrived, derived: c.Derived, named: c.Named, said: im.Said,
		}
		e.Source, e.Tags = im.from(c.Source), normalTags(c.Tags)
		if !c.Derived {
			e.keepOriginal("key", c.Key, key)
			for _, tag := range c.Tags {
				e.keepOriginal("tags", tag, strings.ToLower(tag))
			}
		}
		im.entries = append(im.entries, e)
		err := e.check(best)
		if err == nil {
			e.st, err = memory.Target(im.ctx, im.ss, key, c.Value.Plain(), memory.Options{Scope: options.Scope, Origin: im.Origin})
		}
		if err != nil {
			if err := e.ruled(err, e.derived); err != nil {
				return err
			}
			continue
		}
		e.ImportEntry.Scope = e.st.Scope
		im.note(e.st.Scope)
	}
	return nil
}

func (im *importing) note(scope string) {
	for _, s := range im.scopes {
		if s == scope {
			return
		}
	}
	im.scopes = append(im.scopes, scope)
}

// act is what the ledger and the commit call the act.
func (req ImportRequest) act() string {
	switch {
	case req.Said:
		return "capture"
	case req.Turns:
		return "turns"
	}
	return "import"
}

// from is the source of a candidate, and of the whole write where the candidate's own is "".
func (req ImportRequest) from(source string) string {
	switch {
	case req.Turns:
		return req.Name
	case !req.Said:
		return importedFrom(req.Name, source)
	case source == "":
		return ""
	}
	return memfile.SaidPrefix + source
}

// importedFrom is an item's source. What an earlier import said about itself is
// not repeated.
func importedFrom(name, said string) string {
	const prefix = "imported from "
	source := prefix + name
	if said != "" && !strings.HasPrefix(said, prefix) && len(source)+len(said) < policy.MaxNoteBytes {
		source += ": " + said
	}
	return source
}

// normalTags gives tags our form. The mark of an unconfirmed item goes with its
// confidence and is set with it.
func normalTags(list []string) []string {
	var out []string
	for _, t := range list {
		if t = strings.ToLower(strings.TrimSpace(t)); t != "" && t != memfile.TagNeedsConfirmation {
			out = append(out, t)
		}
	}
	return out
}

// ruled notes a refusal, or what holds the line; any other error stays one. A key of ours is made of
// the text that was refused, so it is not shown.
func (l *importLine) ruled(err error, ours bool) error {
	var held *heldError
	var r *memory.Refusal
	switch {
	case errors.As(err, &held):
		l.Outcome, l.Findings, l.held = outcomeHeld, memory.Findings(held.findings), held.findings
		return nil
	case !errors.As(err, &r):
		return err
	}
	l.Outcome, l.Findings, l.Key = outcomeRefused, r.Findings, policy.Inert(memory.Redacted(l.Key))
	if ours || slices.ContainsFunc(r.Findings, func(f memory.Finding) bool { return f.Where == "key" }) {
		l.Key = ""
	}
	return nil
}

// queueHeld puts a line that the policy holds where it waits for review.
func (im *importing) queueHeld(l *importLine, c candidate) error {
	if l.held == nil || l.Outcome != outcomeHeld {
		return nil
	}
	if im.queued++; im.queued > maxHeldAtOnce {
		l.Outcome = outcomeRefused
		l.Findings = append(l.Findings, memory.Finding{Rule: ruleTooMany, Message: fmt.Sprintf("one import can leave at most %d entries pending", maxHeldAtOnce)})
		return nil
	}
	_, err := queue(c, memory.Write{}, memory.Held, l.held)
	return err
}
