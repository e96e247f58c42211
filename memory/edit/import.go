package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
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
	former   map[string]string        // see formerTexts
	queued   int
	lines    []*entryImport
	batches  map[string]*entryBatch // the lines by scope
	sameTime map[string]int         // how many lines of a session have a time
}

// importLine is what lines that are items and lines that are entries share.
type importLine struct {
	ImportEntry
	entry bool             // it is one, and no item
	held  []policy.Finding // why it waits for review
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
	if !slices.Contains(im.scopes, scope) {
		im.scopes = append(im.scopes, scope)
	}
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
	source := memory.ImportedFrom + name
	if said != "" && !strings.HasPrefix(said, memory.ImportedFrom) && len(source)+len(said) < policy.MaxNoteBytes {
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

// restorable notes for a person the name of what a line says again that was forgotten.
func (im *importing) restorable(l *importLine, err error) error {
	var r *memory.Refusal
	if im.Explicit() && errors.As(err, &r) && r.Findings[0].Rule == memory.RuleForgotten {
		r.Findings[0].Message, l.Forgotten = "this was forgotten", r.Facts.Path
	}
	return err
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

// knownEntries tells which lines of a batch the store has.
type knownEntries struct {
	*entryBatch
	paths map[string]string // the files that are there, by slot
	fresh map[string]string // the text of what comes in now, by slot
	texts map[string]bool   // the facts that are there, by conversation and text; nil: not read
}

// entrySlot is what only one entry has: its conversation, or that it is a note,
// with its id. What was replaced or merged holds its own for good.
func entrySlot(name string) string {
	p, _ := entry.ParsePath(name)
	if p.Tier == entry.Note {
		return entry.Note + "/" + p.ID
	}
	if p.Tier == entry.Turn {
		return p.Conversation + "/" + p.Tier + "/" + p.ID
	}
	return p.Conversation + "/" + cmp.Or(p.Tier, entry.Fact) + "/" + p.ID
}

// known reports whether a line's place is taken: by the same text, or by another one,
// which stays. A fact whose place another text has, since a person changed it by hand,
// takes the next one, if no other file says the same.
func (k *knownEntries) known(l *entryImport) (bool, error) {
	if l.e.Tier() == entry.Fact {
		return k.knownFact(l)
	}
	at, taken := k.paths[entrySlot(l.e.Path())]
	if !taken {
		return false, nil
	}
	l.Outcome = outcomeKnown
	if !l.givenID && l.e.Tier() != entry.Summary {
		return true, nil // the id is made of the text and its time
	}
	same, err := k.says(at, l.e.Text)
	if !same && err == nil {
		l.duplicate()
	}
	return true, err
}

func (l *entryImport) duplicate() {
	l.Outcome, l.Findings = outcomeRefused, []memory.Finding{{Rule: ruleDuplicateID, Message: "another text has its id, or its conversation has another summary; memctl leaves that unchanged"}}
}

func (k *knownEntries) knownFact(l *entryImport) (bool, error) {
	for n := range entry.FactIDs {
		l.e.ID = entry.FactID(l.e.Text, n)
		l.ImportEntry.Key = memory.ShortID(l.e.ID)
		at, taken := k.paths[entrySlot(l.e.Path())]
		if !taken {
			there, err := k.hasFact(l.e)
			if there {
				l.Outcome = outcomeKnown
			}
			return there, err
		}
		if same, err := k.says(at, l.e.Text); same || err != nil {
			l.Outcome = outcomeKnown
			return true, err
		}
	}
	l.duplicate()
	return true, nil
}

// says reports whether the text is that of what comes in now, or stands in the file.
func (k *knownEntries) says(at, text string) (bool, error) {
	there, now := k.fresh[entrySlot(at)]
	if !now {
		src, err := contents.EntryBytes(k.st, at)
		if err != nil {
			return false, err
		}
		if f, _ := entry.Parse(at, src); f != nil {
			there = f.Entry().Text
		}
	}
	return entry.NormalText(there) == entry.NormalText(text), nil
}

// hasFact reports whether a file of another name says the fact: one that a person moved,
// or wrote other words into. Where reading them all would be felt, it is not looked for.
func (k *knownEntries) hasFact(e entry.Entry) (bool, error) {
	key := func(e entry.Entry) string { return e.Conversation + "\n" + entry.NormalText(e.Text) }
	if k.texts == nil {
		k.texts = map[string]bool{}
		r := remembering{writing: writing{ctx: k.im.ctx, ss: k.im.ss, st: k.st}, e: e}
		facts, err := r.facts()
		if err != nil {
			return false, err
		}
		for _, f := range facts {
			if !f.Deleted {
				k.texts[key(f.Entry)] = true
			}
		}
	}
	return k.texts[key(e)], nil
}
