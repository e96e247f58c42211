package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/purge"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// PurgeRequest is one `purge`: of every value that a key ever had, of a fact or
// a note by its id, or of a text. Without Yes it only says where it is found.
type PurgeRequest struct {
	memory.Options
	Key  string // "" where Text says what to look for
	Text string
	Yes  bool
}

// PurgeResult is where a text is found, scope by scope, and what became of it.
type PurgeResult struct {
	TextCount  int          `json:"text_count"`  // texts that were looked for
	ShortCount int          `json:"short_count"` // texts that are too short to be told from others
	LongCount  int          `json:"long_count"`  // texts that are too long to be looked for
	Scopes     []PurgeScope `json:"scopes"`
	LeftCount  int          `json:"left_count"` // places where it is left
	// Also are the scopes where the text of a key is found too, and that never had the key:
	// nothing is removed there.
	Also []string `json:"also"`
	fault.Noted
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *PurgeResult) AddNoteCodes() {
	r.Noted.AddNoteCodes()
	for i := range r.Scopes {
		r.Scopes[i].AddNoteCodes()
	}
}

// PurgeScope is one scope's part.
type PurgeScope struct {
	Scope  string        `json:"scope"`
	Path   string        `json:"path"`
	Own    bool          `json:"own"`      // memctl rewrites its history
	Pushed bool          `json:"pushed"`   // a remote has it
	Purged bool          `json:"purged"`   // memctl has purged its own copies
	Places []purge.Place `json:"places"`   // where it was found
	Left   []purge.Place `json:"left"`     // where it is left
	Paste  []string      `json:"commands"` // for a person, in this order: each where those before it ended well
	fault.Noted
}

// Purge finds a text in every place that memory reaches. With Yes it removes it from memory's
// files, the journal and local state, and from the history of stores of memctl's own, and looks
// again; for a project's history it names the commands. If one scope fails, Purge goes on with
// the others, and joins the errors. Errors, all *fault.Error: explicit-only, not-found,
// no-value, not-specific, too-long, still-remembered, partial-clone; faults of git and of the
// disk.
func Purge(ctx context.Context, ss *store.Stores, req PurgeRequest) (PurgeResult, error) {
	res := PurgeResult{Scopes: []PurgeScope{}, Also: []string{}, Noted: fault.Noted{Notes: []fault.Note{}}}
	if req.Yes {
		if err := req.Permit("purge --yes", memory.StateAbsent, req.command()+" --yes"+req.input()); err != nil {
			return res, memory.AsError("", err)
		}
	}
	stores, failed := req.stores(ctx, ss)
	values, in, err := req.sought(ctx, ss, stores)
	if failed = errors.Join(failed, err); len(values) == 0 {
		if failed != nil {
			return res, failed
		}
		return res, &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: "memory has no value under this name and never had one; to purge a text, pass it on stdin", Hints: []string{purgeText}}
	}
	if req.Key != "" {
		values = slices.DeleteFunc(values, policy.IsOnlyPurged)
	}
	if len(values) == 0 {
		return res, errors.Join(failed, req.unknown(ctx, in))
	}
	trace, left := policy.NewTextFinder(values...)
	res.ShortCount, res.LongCount, res.TextCount = left.Short, left.Long, trace.Count()
	if err := req.unsearchable(trace, left); err != nil {
		return res, err
	}
	for _, st := range in {
		p := purging{PurgeRequest: req, ss: ss, st: st, trace: trace}
		failed = errors.Join(failed, p.run(ctx))
		if len(p.out.Places) > 0 {
			res.Scopes = append(res.Scopes, p.out)
			res.LeftCount += len(p.out.Left)
		}
	}
	for _, st := range stores {
		if !slices.Contains(in, st) {
			failed = errors.Join(failed, req.alsoIn(ctx, st, trace, &res))
		}
	}
	return res, failed
}

// unknown refuses a purge if memctl no longer knows a value of the key. With Yes
// it also deletes unreachable objects, which an interrupted purge may have left.
func (req PurgeRequest) unknown(ctx context.Context, stores []*store.Store) error {
	failed := error(&fault.Error{Code: "no-value", Status: 1, Cause: memory.Quoted(req.named()) + ": it was purged before, so memctl knows no value of it any more", Hints: []string{purgeText}})
	for _, st := range stores {
		if req.Yes && st.IsMemctlOwned() && st.Repo != nil {
			failed = errors.Join(failed, purge.Sweep(ctx, st, req.Wait()))
		}
	}
	return failed
}

// purging is one purge in progress, in one scope.
type purging struct {
	PurgeRequest
	ss    *store.Stores
	st    *store.Store
	trace policy.TextFinder
	out   PurgeScope
}

func (p *purging) run(ctx context.Context) error {
	found, err := purge.FindText(ctx, p.st, p.trace)
	if err != nil {
		return err
	}
	if hashes, err := found.Hashes(ctx); err != nil {
		return err
	} else if len(hashes) > 0 {
		p.trace = p.trace.With(hashes...)
		if found, err = purge.FindText(ctx, p.st, p.trace); err != nil {
			return err
		}
	}
	p.out = PurgeScope{
		Scope: p.st.Scope, Path: p.st.Dir, Own: p.st.IsMemctlOwned(), Places: p.clean(found.Places), Left: p.clean(found.Places),
		Paste: []string{}, Noted: fault.Noted{Notes: []fault.Note{}},
	}
	p.out.Pushed = found.In(purge.PlaceRemote)
	if len(found.Places) == 0 {
		return nil
	}
	if found.InCopy() {
		p.out.Notes = append(p.out.Notes, fault.NewNote("shared-index-first", "the shared index has it: remove it from the skill or context file, and run `memctl index push` where that is; until then `memctl index pull` copies it again"))
	}
	err = p.remembered(ctx)
	still := fault.FindAnswer(err)
	switch {
	case p.Yes:
		if err == nil {
			err = p.remove(ctx, found)
		}
	case still != nil:
		p.out.Notes, p.out.Paste, err = append(p.out.Notes, fault.NewNote("still-remembered", still.Error())), append(still.Hints, p.confirmedCommand()), nil
	default:
		p.out.Paste = []string{p.confirmedCommand()}
	}
	held := Holders{Store: p.st, Has: func(text string) bool { return p.trace.FoundIn([]byte(text)) }}
	p.out.Notes = slices.Concat(p.out.Notes, p.pushedNotes(), held.Notes())
	return err
}

// pushedNotes say what a person does about the text where a remote has it.
func (p *purging) pushedNotes() (list []fault.Note) {
	if !p.out.Pushed {
		return nil
	}
	list = append(list, fault.NewNote("was-pushed", "it was pushed: the host and every clone still have it, and a pull or `memctl sync` from an old clone restores it; treat a pushed secret as public, and replace it"))
	switch {
	case !p.out.Own:
		list = append(list, fault.NewNote("replace-clones", "once the forced push is done, replace every other clone by a new one"))
	case p.out.Purged:
		there := p.PurgeRequest
		if there.Scope == "" && p.st.Scope != store.Only {
			there.Scope = p.st.Scope
		}
		list = append(list, fault.NewNote("push-first", "push with the command above: until the remote no longer has the value, `memctl sync` neither merges nor pushes; if another machine has pushed already, the push changes nothing and `memctl sync` works again"),
			fault.NewNote("other-machines", "on each other machine, before its next `memctl sync`: "+there.confirmedCommand()))
	}
	return list
}

// remove removes it from what is memctl's own, and looks again.
func (p *purging) remove(ctx context.Context, found *purge.Search) error {
	uncommitted, err := found.PurgeFiles(ctx, p.Wait(), p.ss.Today())
	if err != nil {
		return err
	}
	if uncommitted != "" {
		p.out.Notes = append(p.out.Notes, fault.NewNote("purge-uncommitted", "memory's files are changed and not committed: "+uncommitted))
	}
	if found, err = purge.FindText(ctx, p.st, p.trace); err != nil {
		return err
	}
	if err := found.PurgeState(ctx, p.Wait()); err != nil {
		return err
	}
	var pushes []string
	switch {
	case p.st.Repo == nil:
	case p.out.Own:
		pushes, err = found.PurgeHistory(ctx, p.Wait())
	case found.In(purge.PlaceJournal):
		err = found.PurgeJournal(ctx)
	}
	if err != nil {
		return err
	}
	p.out.Paste = append(p.out.Paste, pushes...)
	if found, err = purge.FindText(ctx, p.st, p.trace); err != nil {
		return err
	}
	p.out.Purged, p.out.Left = true, p.clean(found.Places)
	if len(found.Places) == 0 || p.out.Own {
		return nil
	}
	list, missing, err := found.RewriteCommands(ctx)
	switch {
	case missing:
		p.out.Notes = append(p.out.Notes, fault.NewNote("no-filter-repo", "git filter-repo, which removes it from branches, tags and the stash, is not installed; your system may have a package git-filter-repo too"))
		list = []string{"pip install git-filter-repo", p.confirmedCommand()}
	case len(list) > 0:
		if found.LeftTo(purge.ByFilter) {
			p.out.Notes = append(p.out.Notes, fault.NewNote("backup-first", "copy the repository and commit your work first: filter-repo rewrites every file that contains the value, drops signatures, and ends with `git reset --hard`; delete the copy later, since it has the value too"))
		}
		p.out.Notes = append(p.out.Notes, fault.NewNote("gc-deletes", "git gc deletes every unreachable object, including abandoned commits; this cannot be undone"))
	}
	p.out.Paste = append(p.out.Paste, list...)
	return err
}

// clean keeps the text itself out of the places' names.
func (p *purging) clean(places []purge.Place) []purge.Place {
	list := append([]purge.Place{}, places...)
	for i := range list {
		list[i].Name = string(p.trace.Replace([]byte(list[i].Name)))
	}
	return list
}

// named is what was asked for, as a command line may show it.
func (req PurgeRequest) named() string {
	if req.Key == "" {
		return "-"
	}
	return policy.Inert(memory.Redacted(req.Key))
}

// stores are those of the scope, or of all scopes.
func (req PurgeRequest) stores(ctx context.Context, ss *store.Stores) ([]*store.Store, error) {
	scopes := ss.Scopes()
	if req.Scope != "" {
		scopes = []string{req.Scope}
	}
	var list []*store.Store
	var failed error
	for _, scope := range scopes {
		st, err := ss.Get(ctx, scope)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case st.Repo != nil && (st.Repo.Partial() || st.Repo.Shallow()):
			failed = errors.Join(failed, &fault.Error{Code: "partial-clone", Status: 1, Cause: "scope " + scope +
				": this is a partial or a shallow clone, so its history cannot be searched; purge in a full clone, and clone this one again"})
		case st.Dir != "":
			list = append(list, st)
		}
	}
	return list, failed
}

// command is this purge as a command line, without --yes.
func (req PurgeRequest) command() string { return "memctl purge " + req.words() }

// words are those of command after the act.
func (req PurgeRequest) words() string {
	if req.Scope != "" {
		return req.named() + " --scope " + req.Scope
	}
	return req.named()
}

// confirmedCommand is the command line that does it, from a person's shell.
func (req PurgeRequest) confirmedCommand() string { return req.command() + " --yes" + req.input() }

// input is what a command line that reads the text ends with.
func (req PurgeRequest) input() string {
	if req.Key == "" {
		return " < FILE"
	}
	return ""
}

// sought are the texts to look for, and the stores that they are removed from: of a
// key those that have it or had it, since others may contain the text for another
// reason. A scope that was asked for by name is searched in any case, for the
// values that others have, where it never had the key.
func (req PurgeRequest) sought(ctx context.Context, ss *store.Stores, stores []*store.Store) ([]memfile.Value, []*store.Store, error) {
	if req.Key == "" {
		return []memfile.Value{memfile.Str(req.Text)}, stores, nil
	}
	values, in, err := purgeValues(ctx, stores, req.Key)
	if req.Scope == "" || len(values) > 0 || err != nil {
		return values, in, err
	}
	every := req
	every.Scope = ""
	all, failed := every.stores(ctx, ss)
	if values, _, err = purgeValues(ctx, all, req.Key); len(values) > 0 {
		return values, stores, nil
	}
	return nil, nil, errors.Join(failed, err)
}

// alsoIn names a scope that has the text of a key and never had the key. Local state
// does not count: some of it tells of every scope.
func (req PurgeRequest) alsoIn(ctx context.Context, st *store.Store, trace policy.TextFinder, res *PurgeResult) error {
	found, err := purge.FindText(ctx, st, trace)
	if err != nil {
		return err
	}
	elsewhere := false
	for _, at := range found.Places {
		elsewhere = elsewhere || at.Kind != purge.PlaceState
	}
	if !elsewhere {
		return nil
	}
	there := req
	there.Scope = st.Scope
	note := fault.NewNote("elsewhere", "also found in scope "+st.Scope+": "+there.command()+" (run this first: once the scope above is purged, "+req.named()+" has no value to search for)")
	if req.Yes {
		there.Key = "" // whose value is gone
		note = fault.NewNote("elsewhere", "also found in scope "+st.Scope+": "+there.command()+there.input())
	}
	res.Also, res.Notes = append(res.Also, st.Scope), append(res.Notes, note)
	return nil
}

// purgeText is the command that purges a text without naming it.
const purgeText = "memctl purge - < FILE"

// whyUnsearchable is why nothing of some texts can be looked for, and its code; "" where
// something can.
func whyUnsearchable(trace policy.TextFinder, left policy.NotFindable) (code, why string) {
	switch {
	case trace.FindsMark():
		return "not-specific", "it is found in " + policy.PurgedMark + ", which marks a purged text"
	case !trace.Empty():
		return "", ""
	case left.Long > 0:
		return "too-long", fmt.Sprintf("it is longer than %d bytes, the limit of a search", policy.MaxFoundBytes)
	case left.Short > 0:
		return "not-specific", fmt.Sprintf("a text of less than %d bytes is too short to search for", policy.MinFoundBytes)
	}
	return "not-specific", "true, false and null are too common to search for"
}

// unsearchable refuses what cannot be looked for, with what can be done instead.
func (req PurgeRequest) unsearchable(trace policy.TextFinder, left policy.NotFindable) error {
	code, why := whyUnsearchable(trace, left)
	if code == "" {
		return nil
	}
	name := "the text on stdin"
	e := &fault.Error{Code: code, Status: 1}
	if req.Key != "" {
		name = memory.Quoted(req.Key)
		e.Hints = []string{"memctl log " + req.named()} // shows which commits have it
	}
	e.Hints = append(e.Hints, purgeText)
	way := "purge a longer text that contains it, from stdin"
	if code == "too-long" {
		way = "purge a part of it, from stdin"
	}
	e.Cause = name + " cannot be purged: " + why + "; " + way
	return e
}
