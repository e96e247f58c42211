package contents

import (
	"context"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// View is memory as one reader may have it, in all scopes of a session: each item and entry
// comes with the reasons why the reader is not handed it. Every door reads memory through
// one. A View also withholds what an agent wrote in the private or the user scope and the
// project has forgotten: the project's tombstones may not have been there at the time of
// the write, as on a branch without memory. A View holds what the stores had when it read
// them.
type View struct {
	ctx      context.Context
	ss       *store.Stores
	Off      bool   // the person's own switch is off
	Failed   error  // it cannot be read: every reading returns this error
	Agent    string // the agent of a managed team that reads; "" for memctl.context.agent
	Reader   Reader
	Reviewed *Reviewed // set where the reader gets of the project only what is reviewed
	foreign  func(scope string, it *Item) bool
	memories map[string]*Memory // before outranking

	nothing bool // the project forgot nothing, or may not be read
	said    *Forgotten
	persons map[string]*Stated // by key; nil before it was asked for

	kept         map[string]bool // the scopes and instruction files that still say some of their items
	instructions string          // the sentences of all instruction files; "" before they were asked for
}

// Reader is who reads memory. Each may have more than the one before.
type Reader uint8

// The readers.
const (
	Hook   Reader = iota // a session that did not ask: it gets of the project only what the person trusts
	Agent                // an agent that asks
	Person               // all but secrets
)

// OrHook is Hook where hook is set, else the reader.
func (r Reader) OrHook(hook bool) Reader {
	if hook {
		return Hook
	}
	return r
}

// Stated is an item that a person stated, and its scope.
type Stated struct {
	*Item
	Scope string
	locks bool // it wins over a nearer scope
}

// NewView begins the View of a reader.
func NewView(ctx context.Context, ss *store.Stores, who Reader) *View {
	v := &View{ctx: ctx, ss: ss, Reader: who, memories: map[string]*Memory{}, kept: map[string]bool{}, foreign: foreignItems(ctx, ss)}
	v.nothing = !slices.Contains(ss.Scopes(), store.Project) || v.untrusted(store.Project)
	if who == Hook && ss.TrustLevel(ctx) == store.TrustReviewed {
		v.Reviewed = LoadReviewed(ctx, ss)
	}
	mine, err := ss.Setting(ctx, store.Enabled)
	v.Off, v.Failed = err != nil || !mine.Bool(), err
	return v
}

func (v *View) untrusted(scope string) bool {
	return v.Reader == Hook && scope == store.Project && !v.ss.Trusted(v.ctx)
}

// Memory is a scope's memory. One that the person does not trust is not read. Errors: a scope
// that the session does not have; those of Read; in a person's own scope, those of the project's.
func (v *View) Memory(scope string) (*Memory, error) {
	m, err := v.alone(scope)
	if err != nil || m.Closed&Untrusted != 0 {
		return m, err
	}
	return v.withOutranked(m), nil
}

// Memories are those of all scopes that have a memory file, in order of precedence. With only,
// that scope's alone, whether it has one or not.
func (v *View) Memories(only string) ([]*Memory, error) { return inScopes(v.ss, only, v.Memory) }

// alone is a scope's memory before a person's values in other scopes count.
func (v *View) alone(scope string) (*Memory, error) {
	if m := v.memories[scope]; m != nil || v.Failed != nil {
		return m, v.Failed
	}
	st, err := v.ss.Get(v.ctx, scope)
	if err != nil {
		return nil, err
	}
	m := empty(st)
	if v.untrusted(scope) {
		m.Closed = Untrusted
	} else {
		read, err := Read(v.ctx, st)
		if err != nil {
			return nil, err
		}
		*m = *read
		m.Items = slices.Clone(m.Items)
		for i := range m.Items {
			it := &m.Items[i]
			if v.Reader != Person && it.Edit != nil && it.Edit.Open {
				*it = m.inForce(*it)
			}
			if err := v.bind(scope, it.By, &it.Judged, func(said *Forgotten) bool { return said.BindsItem(it.Item) }); err != nil {
				return nil, err
			}
		}
	}
	v.withdraw(m)
	if v.Off {
		m.Closed |= Off
	}
	m.Judge(v.ss.Today())
	for i := range m.Items {
		it := &m.Items[i]
		it.Foreign = v.foreign != nil && v.foreign(scope, it)
		if v.Reviewed != nil && scope == store.Project && !v.Reviewed.HasItem(it) {
			it.out |= Unreviewed
		}
	}
	v.memories[scope] = m
	return m, nil
}

// Judge gives each item the reasons that the memory itself decides. today is YYYY-MM-DD.
func (m *Memory) Judge(today string) {
	if !m.Settings.Enabled {
		m.Closed |= Disabled
	}
	for i := range m.Items {
		it := &m.Items[i]
		it.judge(&it.Labels, m.Closed, today, it.Confidence != memfile.Medium && it.Confidence != memfile.High)
	}
}

// bind withholds an agent's record that the project has forgotten.
func (v *View) bind(scope, by string, j *Judged, is func(*Forgotten) bool) error {
	if j.HiddenBy(RuleForgotten) {
		return nil
	}
	bound, err := v.binds(scope, by, is)
	if bound {
		j.Bound = true
		j.hide(RuleForgotten)
	}
	return err
}

// PersonsOwn reports whether a scope is the person's alone. The project's tombstones count there.
func PersonsOwn(scope string) bool { return scope == store.Private || scope == store.User }

// BindsItem reports whether an agent wrote the item in a scope of the person's own and the
// project has forgotten it. Errors: the project cannot be read.
func (v *View) BindsItem(scope string, it memfile.Item) (bool, error) {
	return v.binds(scope, it.By, func(said *Forgotten) bool { return said.BindsItem(it) })
}

// BindsEntry is BindsItem for an entry.
func (v *View) BindsEntry(scope string, e entry.Entry) (bool, error) {
	return v.binds(scope, e.By, func(said *Forgotten) bool { return said.BindsEntry(e) })
}

func (v *View) binds(scope, by string, is func(*Forgotten) bool) (bool, error) {
	if by == "" || !PersonsOwn(scope) {
		return false, nil
	}
	said, err := v.Forgotten()
	return said != nil && is(said), err
}

// Forgotten is what was forgotten in the project, nil for nothing.
func (v *View) Forgotten() (*Forgotten, error) {
	if v.nothing || v.said != nil {
		return v.said, nil
	}
	st, err := v.ss.Get(v.ctx, store.Project)
	if err != nil {
		return nil, err
	}
	tombs, err := tombstones(v.ctx, st)
	if err != nil || len(tombs) == 0 {
		v.nothing = err == nil
		return nil, err
	}
	v.said, err = ForgottenOf(st, memfile.Document{Deletions: tombs})
	return v.said, err
}

// withOutranked is the memory with what gives way to a person's value in another scope.
func (v *View) withOutranked(m *Memory) *Memory {
	var items []Item
	for i := range m.Items {
		it := &m.Items[i]
		if it.ByPerson() || v.Person(it.Key) == nil {
			continue
		}
		if items == nil {
			items = slices.Clone(m.Items)
		}
		items[i].out |= Outranked
		items[i].hide(RuleOutranked)
	}
	if items == nil {
		return m
	}
	other := *m
	other.Items = items
	return &other
}

// ByPerson reports whether the item is the person's word, or that of somebody whom they vouch for.
func (it *Item) ByPerson() bool { return it.IsStated() && !it.Foreign }

// Person is the person's item of a key that sessions in this folder are handed, whatever agents
// wrote under that key in other scopes; nil for none. A scope that cannot be read has no say.
func (v *View) Person(key string) *Stated {
	if v.persons == nil {
		v.persons = map[string]*Stated{}
		for _, scope := range v.ss.Scopes() {
			m, err := v.alone(scope)
			if err != nil {
				continue
			}
			for i := range m.Items {
				it := &m.Items[i]
				if !it.ByPerson() || it.out&^Off != 0 || len(it.Paths) > 0 && !memfile.MatchesFolder(it.Paths, v.ss.SessionFolder()) {
					continue
				}
				one := &Stated{it, scope, it.Locked && scope == store.User}
				if was := v.persons[it.Key]; was == nil || one.locks && !was.locks {
					v.persons[it.Key] = one
				}
			}
		}
	}
	return v.persons[key]
}

// ReadEntries reads some of a scope's entries, as contents.ReadEntries does. What the person does not trust
// is not read.
func (v *View) ReadEntries(scope string, files []string, accepted map[string]string) ([]Entry, error) {
	m, err := v.alone(scope)
	if err != nil || m.Closed&Untrusted != 0 {
		return nil, err
	}
	list, err := ReadEntries(v.ctx, m.Store, files, accepted)
	if err != nil {
		return nil, err
	}
	return list, v.judge(m, list)
}

// AllEntries reads all entries of a scope, as ReadAllEntries does.
func (v *View) AllEntries(scope string) (*Entries, error) {
	m, err := v.alone(scope)
	if err != nil || m.Closed&Untrusted != 0 {
		return &Entries{}, err
	}
	all, err := ReadAllEntries(v.ctx, m.Store)
	if err != nil {
		return nil, err
	}
	return all, v.judge(m, all.List)
}

// judge gives each entry its reasons.
func (v *View) judge(m *Memory, list []Entry) error {
	for i := range list {
		e := &list[i]
		if err := v.bind(e.Scope, e.By, &e.Judged, func(said *Forgotten) bool { return said.BindsEntry(e.Entry) }); err != nil {
			return err
		}
		if v.withdrawn(e) {
			e.hide(RuleWithdrawn)
		}
		closed := m.Closed
		if e.Deleted {
			closed |= Gone
		}
		e.judge(&e.Labels, closed, v.ss.Today(), e.Confidence == memfile.Low)
		if agent, _ := memfile.OwnAgent(e.Source, e.By); agent != "" && agent != v.readingAgent() {
			e.out |= OtherAgent
		}
		if e.out&^Doubts == 0 && !v.CanReadFile(e.Scope, e.Path) { // last, because it reads the file again
			e.out |= Unreviewed
		}
	}
	return nil
}

// readingAgent is the agent of a managed team that reads, "" for none.
func (v *View) readingAgent() string {
	if v.Agent == "" {
		set, _ := v.ss.Setting(v.ctx, store.ContextAgent) // any text is valid
		v.Agent = set.Text
	}
	return v.Agent
}

// CanReadFile reports whether the reader may have a file of a scope: of the project's, under trust
// reviewed, only one that is on the upstream's default branch or was written here.
func (v *View) CanReadFile(scope, name string) bool {
	if v.Reviewed == nil || scope != store.Project {
		return true
	}
	st, err := v.ss.Get(v.ctx, scope)
	if err != nil {
		return false
	}
	src, err := EntryBytes(st, name)
	return err == nil && v.Reviewed.HasEntry(v.ctx, st, name, src)
}
