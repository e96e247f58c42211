package memory

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// PurgeRequest is one `purge`: of every value that a key ever had, of a fact or
// a note by its id, or of a text. Without Yes it only says where it stands.
type PurgeRequest struct {
	Options
	Key  string // "" where Text says what to look for
	Text string
	Yes  bool
	// People rewrites the names of authors, committers and taggers too.
	People bool
}

// PurgeResult is where a text stands, scope by scope, and what became of it.
type PurgeResult struct {
	Schema     int          `json:"schema"`
	TextCount  int          `json:"text_count"`  // texts that were looked for
	ShortCount int          `json:"short_count"` // texts that are too short to be told from others
	LongCount  int          `json:"long_count"`  // texts that are too long to be looked for
	Scopes     []PurgeScope `json:"scopes"`
	LeftCount  int          `json:"left_count"` // places where it still stands
	// Also are the scopes where the text of a key stands too, and that never had the key:
	// nothing is taken out there.
	Also  []string `json:"also"`
	Notes []string `json:"notes"`
}

// PurgeScope is one scope's part.
type PurgeScope struct {
	Scope    string        `json:"scope"`
	Path     string        `json:"path"`
	Own      bool          `json:"own"`          // memctl rewrites its history by itself
	Pushed   bool          `json:"pushed"`       // a remote has it
	Purged   bool          `json:"purged"`       // what memctl does by itself was done
	Named    int           `json:"people_count"` // commits and tags of people who are named so, and stay as they are
	Places   []store.Place `json:"places"`       // where it stood
	Left     []store.Place `json:"left"`         // where it stands still
	Commands []string      `json:"commands"`     // for a person, in this order: each where those of git before it ended well
	Copy     string        `json:"copy"`         // the command that first keeps what the last of them deletes; "" where none does
	Then     []string      `json:"then"`         // after those: they push what branches have that the remote does not, as that it was forgotten
	Notes    []string      `json:"notes"`
}

// Purge finds a text in every place that memory reaches, and with Yes takes it
// out of memctl's own state and of the history of stores of memctl's own; a
// project's history it prepares, for the commands that it names. It then
// looks again. A scope where that fails keeps no other from it: what the others
// say stands in the result, and the errors are joined. Errors, all *Error:
// explicit-only, not-found, no-value, not-specific, too-long, still-remembered, partial-clone, unfinished; faults of
// git and of the disk.
func Purge(ctx context.Context, ss *store.Stores, req PurgeRequest) (PurgeResult, error) {
	res := PurgeResult{Schema: SchemaNumber, Scopes: []PurgeScope{}, Also: []string{}, Notes: []string{}}
	if req.Yes && !req.explicit() {
		return res, &Error{Code: ruleExplicitOnly, Status: 1, Message: "only a person purges: what is gone from history is gone", Hints: []string{req.doing()}}
	}
	stores, failed := req.stores(ctx, ss)
	ended, err := req.finish(ctx, stores)
	if err != nil {
		return res, err
	}
	values, in, err := req.sought(ctx, ss, stores)
	if failed = errors.Join(failed, err); len(values) == 0 {
		if failed != nil {
			return res, failed
		}
		return res, &Error{Code: ruleNotFound, Status: 1, Message: "nothing of that name is or was remembered here; a text is read from stdin", Hints: []string{"memctl purge - < FILE"}}
	}
	if req.Key != "" {
		values = slices.DeleteFunc(values, policy.OnlyGone)
	}
	switch {
	case len(values) > 0:
	case ended:
		res.Notes = append(res.Notes, "the purge that was cut short has ended, and no value is known here any more")
		return res, failed
	default:
		return res, errors.Join(failed, &Error{Code: "no-value", Status: 1, Message: quoted(req.named()) + ": it was purged before, and no value of it is known any more", Hints: []string{"memctl purge - < FILE"}})
	}
	trace, left := policy.NewTrace(values...)
	res.ShortCount, res.LongCount, res.TextCount = left.Short, left.Long, trace.Count()
	if err := req.untold(trace, left); err != nil {
		return res, err
	}
	search := store.Search{Trace: trace, People: req.People}
	for _, st := range in {
		p := purging{PurgeRequest: req, ss: ss, st: st, search: search}
		failed = errors.Join(failed, p.run(ctx))
		if len(p.out.Places) > 0 || p.out.Named > 0 {
			res.Scopes = append(res.Scopes, p.out)
			res.LeftCount += len(p.out.Left)
		}
	}
	res.Notes = append(res.Notes, notWhole(slices.DeleteFunc(slices.Clone(in), func(st *store.Store) bool {
		return slices.ContainsFunc(res.Scopes, func(s PurgeScope) bool { return s.Scope == st.Scope && len(s.Commands) > 0 })
	}))...)
	for _, st := range stores {
		if !slices.Contains(in, st) {
			failed = errors.Join(failed, req.alsoIn(ctx, st, search, &res))
		}
	}
	return res, failed
}

// finish ends a purge that was cut short, before this one looks for its own text, and
// says whether there was one.
func (req PurgeRequest) finish(ctx context.Context, stores []*store.Store) (ended bool, err error) {
	for _, st := range stores {
		if !st.Unpurged() {
			continue
		}
		if !req.Yes || req.DryRun {
			return ended, &Error{Code: "unfinished", Status: 1, Message: "a purge of scope " + st.Scope + " was cut short: this ends it", Hints: []string{req.doing()}}
		}
		if err := st.FinishPurge(ctx, req.wait()); err != nil {
			return ended, err
		}
		ended = true
	}
	return ended, nil
}

// purging is one purge under way, in one scope.
type purging struct {
	PurgeRequest
	ss     *store.Stores
	st     *store.Store
	search store.Search
	said   []string // by the search, of what no command of this repository changes
	out    PurgeScope
}

func (p *purging) run(ctx context.Context) error {
	if p.Yes && !p.DryRun { // before the look: the commits that it names have hashes in them
		if _, err := p.ss.Key(); err != nil {
			return err
		}
	}
	found, err := p.st.FindText(ctx, p.search, false)
	if err != nil {
		return err
	}
	p.out = PurgeScope{
		Scope: p.st.Scope, Path: p.st.Dir, Own: p.st.Own(), Pushed: found.Pushed, Named: found.Named,
		Places: p.clean(found.Places), Left: p.clean(found.Places), Commands: []string{}, Then: []string{}, Notes: []string{},
	}
	p.said = said(found)
	if len(found.Places) == 0 {
		p.notes()
		return nil
	}
	switch {
	case !p.Yes || p.DryRun:
		err = p.plan(ctx, found)
	default:
		if err = p.remembered(ctx); err != nil {
			p.said = nil
			break
		}
		if p.out.Own {
			err = p.own(ctx, found)
		} else {
			err = p.project(ctx, found)
		}
	}
	p.notes()
	return err
}

// plan names what takes it out: what comes first, and the purge itself, which names
// git's commands then. They are not named before: what memctl takes out by itself moves
// refs that they expect.
func (p *purging) plan(ctx context.Context, found *store.Purge) error {
	if len(found.Commands)+len(found.First) > 0 || p.out.Own { // else all of it stays as it is
		p.out.Commands = []string{p.doing()}
	}
	var still *Error
	switch err := p.remembered(ctx); {
	case errors.As(err, &still):
		p.out.Commands = still.Hints
		p.out.Notes, p.said = append(p.out.Notes, still.Message), nil
	case err != nil:
		return err
	case p.waits(found):
		p.out.Commands = append(found.First, p.doing())
	}
	return nil
}

// said is what a search has found that no command of this repository changes.
func said(found *store.Purge) []string {
	list := found.Edited
	if found.Super != "" {
		list = append(list, "a submodule of "+found.Super+", which names commits that are rewritten here: once all of it is done, "+found.Recorded+
			" has it name the new one; what its older commits name is gone, so git submodule update fails for them")
	}
	return list
}

// clean keeps the text itself out of the places' names.
func (p *purging) clean(places []store.Place) []store.Place {
	list := slices.Clone(places)
	for i := range list {
		list[i].Name = string(p.search.Trace.Cut([]byte(list[i].Name)))
	}
	if list == nil {
		list = []store.Place{}
	}
	return list
}

// waits reports whether something comes before a person's commands, and says why. In
// a store of memctl's own that is a clone to be made whole alone.
func (p *purging) waits(found *store.Purge) bool {
	if len(found.First) == 0 || p.out.Own && found.First[0] != gitops.Unshallow {
		return false
	}
	if found.Why != "" && !slices.Contains(p.out.Notes, found.Why) {
		p.out.Notes = append(p.out.Notes, found.Why)
	}
	return true
}

// pushing are the commands that are left to a person in a repository of memctl's own.
func (p *purging) pushing(found *store.Purge) []string {
	if p.waits(found) {
		return found.First
	}
	var list []string
	for _, c := range found.Commands {
		if rest, ok := strings.CutPrefix(c, "git push "); ok {
			list = append(list, "git -C "+p.st.Dir+" push "+rest)
		}
	}
	return list
}

// own takes it out of a store of memctl's own, wholly, and looks again.
func (p *purging) own(ctx context.Context, found *store.Purge) error {
	if err := found.PurgeFiles(ctx, p.wait(), p.ss.Today()); err != nil {
		return err
	}
	next, err := p.st.FindText(ctx, p.search, true)
	if err != nil {
		return err
	}
	if err := next.PurgeState(ctx, p.wait()); err != nil {
		return err
	}
	if p.st.Repo != nil {
		if err := next.PurgeHistory(ctx, p.wait()); err != nil {
			return err
		}
	}
	p.out.Commands, p.out.Purged = p.pushing(next), true
	return p.lookAgain(ctx, false)
}

// project takes it out of memctl's own state there, and prepares the rest.
func (p *purging) project(ctx context.Context, found *store.Purge) error {
	if err := found.PurgeState(ctx, p.wait()); err != nil {
		return err
	}
	if err := found.PurgeJournal(ctx); err != nil {
		return err
	}
	p.out.Purged = true
	return p.lookAgain(ctx, true)
}

// lookAgain says where it still stands, after all that was done.
func (p *purging) lookAgain(ctx context.Context, prepare bool) error {
	after, err := p.st.FindText(ctx, p.search, prepare)
	if err != nil {
		return err
	}
	p.out.Left, p.said = p.clean(after.Places), said(after)
	if prepare {
		p.out.Commands, p.out.Copy = []string{}, ""
	}
	if len(after.Places) == 0 || !prepare {
		return nil
	}
	p.out.Copy = after.Copy
	if p.out.Commands = after.Commands; p.waits(after) {
		p.out.Commands = append(after.First, p.doing())
		return nil
	}
	p.out.Then = append(p.out.Then, after.Ahead...)
	return nil
}

// authors are the people who are named in n commits.
func authors(n int) string {
	if n == 1 {
		return "1 commit's author"
	}
	return strconv.Itoa(n) + " commits' authors"
}

// notes tell what no command here can do.
func (p *purging) notes() {
	add := func(text string) { p.out.Notes = append(p.out.Notes, text) }
	has := func(kind string) bool {
		return slices.ContainsFunc(p.out.Places, func(at store.Place) bool { return at.Kind == kind })
	}
	if p.out.Named > 0 {
		add("also the name of " + authors(p.out.Named) + "; left as it is: --people rewrites it too")
	}
	if p.out.Pushed {
		add("it was pushed: the host, and every clone, keeps it until it is pushed over and they are purged too; a pull or `memctl sync` from an old clone brings it back; a secret that was pushed counts as known: change it")
		add(p.elsewhere())
	}
	if p.out.Own && p.st.Repo != nil && len(p.out.Commands) > 0 && p.out.Purged {
		add("push, with the command above: until the remote is rid of it `memctl sync` takes and sends nothing; where another machine has pushed already the push changes nothing, and `memctl sync` goes on by itself")
	}
	if has(store.PlaceTag) {
		add("tags that were pushed are pushed again by hand: git push --force REMOTE TAG")
	}
	if has(store.PlaceNotes) && p.out.Pushed {
		add("git notes that were pushed are pushed again by hand: git push --force REMOTE refs/notes/NAME")
	}
	if has(store.PlaceOther) {
		add("files that are not memory's, or that are named so, hold it too, and stay as they are")
	}
	if slices.ContainsFunc(p.out.Places, func(at store.Place) bool { return at.Kind == store.PlaceGitFile && strings.HasPrefix(at.Name, "refs/") }) {
		add("a branch or a tag is named so: rename it, then purge again")
	}
	for _, text := range p.said {
		add(text)
	}
	for _, at := range p.out.Places {
		if !p.out.Own && at.Kind == store.PlaceFile && strings.HasSuffix(at.Name, ".bak") {
			add(quoted(at.Name) + ": a copy that no command here takes away: delete it, then purge again")
		}
		if at.Kind == store.PlaceGitFile && at.Name == "config" {
			add("git's settings of this repository have it: git config --edit, then purge again")
		}
	}
	if p.st.Repo != nil {
		for _, folder := range p.st.Repo.Borrows() {
			add("objects are borrowed from " + folder + ", where memctl changes nothing")
		}
	}
}
