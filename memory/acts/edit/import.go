package edit

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// ImportRequest is one `import` of the rows that capture read.
type ImportRequest struct {
	memory.Options
	Name    string // what the input is called, for the items' source
	Format  string
	Input   capture.Result
	Project bool // the input is about one project: it is not put into the user's store unasked
	// Turns: the entries are turns of a conversation that the person has memctl store as it goes on.
	// They go to a store of the person's own, so the repository's trust does not matter, and
	// nobody is asked about one that the policy holds: it is left out.
	Turns bool
	// Accepted: the person accepted the candidates, so that each is their own statement, except those
	// of low confidence. What was forgotten or is locked stays so all the same.
	Accepted bool
	// Personal: what is below a heading such as Personal goes to the project as well.
	Personal bool
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
		Act: req.act(), Name: policy.Inert(memory.Redacted(req.Name)), Format: req.Format, Origin: req.Origin.Kind,
		Rows: []ImportRow{}, Writes: []ImportWrite{},
	}
	if !req.Turns && ss.Repo() != nil && !ss.Trusted(ctx) {
		if err := req.Permit("import, untrusted project", memory.StateAbsent, "memctl trust", "memctl import "+policy.Inert(memory.Redacted(req.Name))); err != nil {
			return res, memory.AsError("", err)
		}
	}
	if err := req.hasHome(ctx, ss); err != nil {
		return res, err
	}
	im := &importing{ImportRequest: req, ctx: ctx, ss: ss, heard: memory.Listen(ss, req.Origin), sameTime: map[string]int{}, corrected: map[string]map[string]string{}}
	if err := im.prepare(); err != nil {
		return res, err
	}
	for _, scope := range im.scopes {
		w, err := im.inScope(scope)
		if err != nil {
			return res, err
		}
		if w.ItemCount+w.FileCount > 0 {
			res.Writes = append(res.Writes, w)
		}
	}
	for _, l := range im.lines {
		res.take(l)
	}
	return res, nil
}

// hasHome refuses to put a project's own conventions where every repository
// would read them.
func (req ImportRequest) hasHome(ctx context.Context, ss *store.Stores) error {
	homeless := slices.ContainsFunc(req.Input.Rows, func(row capture.Row) bool {
		return row.Left == "" && row.Scope == "" && (req.Project || req.Explicit() && row.IsItem())
	})
	if !homeless || req.Scope != "" || ss.IsSingleStore() || ss.Repo() == nil || req.Automatic() {
		return nil
	}
	m, err := memory.ProjectMemory(ctx, ss)
	if err != nil || m != nil && (m.Exists || m.Foreign || txn.Absent(ctx, m)) {
		return err
	}
	return &fault.Error{
		Code: "no-memory-file", Status: 1, Cause: memory.Quoted(req.Name) + " is about this project, which has no memory file",
		Hints: []string{"memctl init", "memctl import --scope private " + policy.Inert(memory.Redacted(req.Name))},
	}
}

// importing is one import under way.
type importing struct {
	ImportRequest
	ctx       context.Context
	ss        *store.Stores
	heard     memory.Heard
	lines     []*importLine            // one for each row of the input
	scopes    []string                 // in the order of their first lines
	seen      map[string]memfile.Value // keys of this import, by scope and key
	texts     map[string]ImportRow     // where values are known, by their normal form
	corrected map[string]map[string]string
	sameTime  map[string]int // how many lines of a session have a time
	forgotten []*contents.Forgotten
	facts     map[string]string // where facts are, by id
	queued    int
}

// importLine is a row of an import under way.
type importLine struct {
	ImportRow
	c       *candidate       // nil for what is no memory
	base    string           // of an item: the key as it was derived
	text    string           // of an item: capture.TextOf
	givenID bool             // of an entry: the line has an id of its own
	judged  error            // of an entry: what the policy refuses or holds
	held    []policy.Finding // why it waits for review
}

// prepare finds for each row its request and its scope, and refuses what no scope takes.
func (im *importing) prepare() (err error) {
	for i, row := range im.Input.Rows {
		if err := im.step(i, len(im.Input.Rows)); err != nil {
			return err
		}
		l := &importLine{ImportRow: ImportRow{
			File: policy.Inert(memory.Redacted(row.File)), Line: row.Line, Last: row.Last, Kind: row.Kind, Findings: []fault.Finding{}, Quiet: row.Quiet,
		}}
		im.lines = append(im.lines, l)
		switch {
		case row.Rule != "":
			l.refuse(row.Rule, row.Left)
			continue
		case row.Left != "":
			l.Outcome, l.Why = outcomeSkipped, row.Left
			continue
		}
		if !row.IsItem() && im.forgotten == nil {
			if err := im.readEntries(); err != nil {
				return err
			}
		}
		l.c = im.candidate(row)
		if err := im.place(l, row); err != nil {
			return err
		}
	}
	return nil
}

// candidate is what a row asks for: what the person states, where they accepted it, and else what the file says.
func (im *importing) candidate(row capture.Row) *candidate {
	options, text := im.Options, row.Text
	if row.IsItem() {
		text = row.Value.Plain()
	}
	l := row.Labels
	if im.Accepted && l.Confidence != memfile.Low {
		l.Confidence = ""
	} else if options.Explicit() {
		options.Origin.Kind = memory.Relayed
	}
	l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { // it goes with the confidence
		return strings.EqualFold(strings.TrimSpace(tag), memfile.TagNeedsConfirmation)
	})
	if !im.ss.IsSingleStore() {
		options.Scope = cmp.Or(options.Scope, row.Scope)
	}
	if im.Origin.Kind == memory.Relayed && !im.Turns {
		options.Origin = im.heard.Origin("", text)
	}
	c := &candidate{ctx: im.ctx, ss: im.ss, today: im.ss.Today(), importer: &im.Origin, derived: row.Derived, forgotten: im.forgotten, scopes: im.facts, Request: Request{
		Options: options, Labels: l, Key: row.Key, Value: row.Value, Role: row.Role, Text: row.Text, Category: row.Category, Topics: row.Topics, Session: row.Session,
		Conversation: row.Conversation, Weight: row.Weight, Created: row.Time(),
	}}
	if row.IsItem() {
		c.Source, c.chosen = im.from(row), (!row.Derived || im.Project && im.Explicit()) && !im.Automatic()
		return c
	}
	c.e.ID, c.chosen, c.Source = row.ID, im.Explicit() || im.Turns, strings.TrimSpace(row.Source)
	if c.Source == "" || !im.Explicit() {
		c.Source = im.from(row)
	}
	return c
}

// place gives a line its scope or its refusal.
func (im *importing) place(l *importLine, row capture.Row) error {
	err := l.c.prepare()
	if l.Key = l.c.name(); row.IsItem() {
		l.base, l.text = l.Key, capture.TextOf(row.Key, row.Value.Plain(), false)
	} else {
		l.Tier, l.givenID = row.Tier(), row.ID != "" && row.Tier() != entry.Fact
		if err == nil {
			l.judged = im.judge(l.c)
			l.Confidence = l.c.e.Confidence
		}
	}
	if st := l.c.st; st != nil {
		l.Scope = st.Scope
	}
	if row.Personal != "" && l.Scope == store.Project && im.Scope == "" && !im.Personal && err == nil {
		l.Outcome, l.personal, l.Key = outcomeSkipped, true, ""
		l.Why = "it is below " + memory.Quoted(row.Personal) + "; for yourself: --scope user"
		return nil
	}
	if err = l.ruled(err); err == nil && l.Outcome != outcomeRefused && !slices.Contains(im.scopes, l.Scope) {
		im.scopes = append(im.scopes, l.Scope)
	}
	return err
}

// act is what the ledger and the commit call the act.
func (req ImportRequest) act() string {
	if req.Turns {
		return "turns"
	}
	return "import"
}

// from is the source of a candidate, and of the whole write where the candidate's own is "".
func (req ImportRequest) from(row capture.Row) string {
	if req.Turns {
		return req.Name
	}
	from, source := memfile.ImportedFrom+cmp.Or(row.From, req.Name), strings.TrimSpace(row.Source)
	if source != "" && !strings.HasPrefix(source, memfile.ImportedFrom) && len(from)+len(source) < policy.MaxNoteBytes {
		from += ": " + source // what an earlier import said about itself is not repeated
	}
	return from
}

// ruled notes why a line is refused or held, and returns any other error. It hides a derived key,
// which is made of the refused text.
func (l *importLine) ruled(err error) error {
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
	if !l.c.isItem() || l.c.derived || slices.ContainsFunc(r.Findings, func(f fault.Finding) bool { return f.Where == "key" }) {
		l.Key = ""
	}
	return nil
}

// restorable notes for a person which forgotten memory a line says again.
func (im *importing) restorable(l *importLine, err error) error {
	var r *memory.Refusal
	if im.Explicit() && errors.As(err, &r) && r.Findings[0].Rule == memory.RuleForgotten {
		r.Findings[0].Message, l.Forgotten = "this was forgotten", r.Restore
	}
	return err
}

// SourceName is what an imported file is called in the source of its items: an instruction file by its path in the project or in the
// home, so that it is found again, and any other by its name.
func SourceName(ss *store.Stores, name string) string {
	full, err := filepath.Abs(name)
	if rel, ok := RelativePath(ss.Root(), full); ok && err == nil && store.IsInstruction(rel) {
		return rel
	}
	if rel, ok := RelativePath(ss.Home(), full); ok && err == nil && store.IsInstruction(store.HomePrefix+rel) {
		return store.HomePrefix + rel
	}
	return filepath.Base(name)
}

// PlaceOf returns the folder of the project that an instruction file is about, "" for all of it, and the scope that its place
// asks for: private for a file that git ignores or that is local by its name, user for one in the person's home, else "".
func PlaceOf(ctx context.Context, ss *store.Stores, name string) (folder, scope string) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", ""
	}
	if rel, ok := RelativePath(ss.Root(), full); ok {
		if path.Base(rel) == store.LocalFile || strings.Contains(strings.ToLower(path.Base(rel)), ".local.") || ignored(ctx, ss, rel) {
			scope = store.Private
		}
		for part := range strings.SplitSeq(path.Dir(rel), "/") {
			if strings.HasPrefix(part, ".") {
				return folder, scope // such as .cursor: its rules are about the folder that it is in
			}
			folder = path.Join(folder, part)
		}
		if capture.Detect(rel, nil) == capture.Markdown {
			folder = "" // a page of documentation is about no folder
		}
		return folder, scope
	}
	if rel, ok := RelativePath(ss.Home(), full); ok && (strings.HasPrefix(rel, ".") || !strings.Contains(rel, "/")) {
		return "", store.User
	}
	return "", ""
}

// RelativePath is the path from a folder to a file below it, wherever links above the file lead; ok is false for a file elsewhere.
func RelativePath(folder, full string) (rel string, ok bool) {
	if folder == "" {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(real, filepath.Base(full))
	}
	rel, err := filepath.Rel(folder, full)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

func ignored(ctx context.Context, ss *store.Stores, rel string) bool {
	if ss.Repo() == nil {
		return false
	}
	states, err := worktree.States(ctx, ss.Repo(), []string{rel})
	return err == nil && states[rel].Ignored
}
