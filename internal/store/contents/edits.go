package contents

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Edit says that another program than memctl changed the value of an item of the project that a person stated. The value is no
// person's word until a person confirms it.
type Edit struct {
	Before string       // the commit that has the value that the person stated
	Was    memfile.Item // the item there
	Open   bool         // no commit has the change, so agents get the earlier value
}

// maxTraced is how many commits are read in search of those that gave items their values. A value that is older counts as it is
// labelled.
const maxTraced = 1000

// ByHand is an item as readers get it that somebody edited by hand: medium, and passed on by an agent or by somebody else.
func ByHand(it memfile.Item) memfile.Item {
	if it.Source, it.By = memfile.SourceByHand, memfile.ByRelayed; it.Confidence == memfile.High {
		it.Confidence = memfile.Medium
	}
	return it
}

// findEdits sets the Edit of each item. What an earlier reading found of the same value holds, unless the change was open.
func (m *Memory) findEdits(ctx context.Context, last *Memory) {
	unchanged := m == last && !slices.ContainsFunc(m.Items, func(it Item) bool { return it.Edit != nil })
	if unchanged || m.Store.Scope != store.Project || m.Store.Repo == nil {
		return
	}
	known := map[string]Item{}
	if last != nil {
		for _, it := range last.Items {
			known[it.Key] = it
		}
	}
	here := &Reviewed{ss: m.Store.Stores}
	sought := map[string]*Item{}
	for i := range m.Items {
		it := &m.Items[i]
		was, same := known[it.Key]
		it.Edit = nil
		if same = same && was.IsStated() && memfile.Equal(was.Value, it.Value); same && (was.Edit == nil || !was.Edit.Open) {
			it.Edit = was.Edit
		} else if it.IsStated() && it.Confidence != memfile.Low { // what is low waits anyway
			sought[it.Key] = it
		}
		if it.Edit == nil && sought[it.Key] == nil {
			continue
		}
		if here.readWritten(); len(here.written) > 0 && here.written[writtenDigest(it.Item)] {
			it.Edit = nil
			delete(sought, it.Key)
		}
	}
	for key, edit := range m.tracedEdits(ctx, sought) {
		sought[key].Edit = edit
	}
}

// labelEdits gives the edited items the labels that readers get.
func (m *Memory) labelEdits() {
	for i := range m.Items {
		if it := &m.Items[i]; it.Edit != nil {
			it.written, it.Item = it.Labels, ByHand(it.Item)
		}
	}
}

// inForce is an item with an open edit as agents get it: as it was before.
func (m *Memory) inForce(it Item) Item {
	doc := memfile.Document{Deletions: m.Deletions}
	was := it.Edit.Was.Formed()
	return Item{Item: was, changed: &it, Judged: Judged{Verdict: Verdict{withheld(m.Store, doc, was, nil, heldBy(doc))}}}
}

// InFile is the item as the file has it, also where an agent gets it as it was before an open edit.
func (it Item) InFile() Item {
	if it.changed != nil {
		return *it.changed
	}
	return it
}

// OpenEdits are the changes of values in the project's memory file that no commit has and no act made, by key. Under way in a merge
// or a rebase there are none, since git brought the values.
func OpenEdits(ctx context.Context, st *store.Store, doc memfile.Document) map[string]*Edit {
	m := empty(st)
	for _, it := range settled(doc) {
		m.Items = append(m.Items, Item{Item: it})
	}
	last, _ := lastSnapshot(st)
	m.findEdits(ctx, last)
	edits := map[string]*Edit{}
	for _, it := range m.Items {
		if it.Edit != nil && it.Edit.Open {
			edits[it.Key] = it.Edit
		}
	}
	return edits
}

// tracedEdits finds the edits of items by what HEAD and its history have. What cannot be found out is no edit.
func (m *Memory) tracedEdits(ctx context.Context, sought map[string]*Item) (edits map[string]*Edit) {
	if len(sought) == 0 {
		return nil
	}
	_ = withTracer(ctx, m.Store, func(t *tracer, head string) error {
		t.now, edits = m, t.edits
		return t.trace(head, sought, m.Store.Repo.Operation() != "")
	})
	return edits
}

// HandEdits are the changes of the items' values that a revision ("" for HEAD) has and no act made, whoever committed them, by key.
func HandEdits(ctx context.Context, st *store.Store, rev string, items []memfile.Item) (edits map[string]*Edit) {
	sought := map[string]*Item{}
	for _, it := range items {
		sought[it.Key] = &Item{Item: it}
	}
	_ = withTracer(ctx, st, func(t *tracer, head string) (err error) {
		if t.author, edits = (committer.Person{}), t.edits; rev != "" {
			head, err = object.Resolve(ctx, st.Repo, rev)
		}
		if err == nil {
			err = t.trace(head, sought, false)
		}
		return err
	})
	return edits
}

// withTracer calls fn with HEAD's commit, if there is one.
func withTracer(ctx context.Context, st *store.Store, fn func(t *tracer, head string) error) error {
	if st.Repo == nil {
		return nil
	}
	state, err := st.Repo.State()
	if err != nil || state.Unborn {
		return err
	}
	author := st.Stores.LookupConfig(ctx).Commits.Author
	author = committer.Person{Name: cmp.Or(st.Stores.Getenv("GIT_AUTHOR_NAME"), author.Name), Email: cmp.Or(st.Stores.Getenv("GIT_AUTHOR_EMAIL"), author.Email)}
	return object.WithReader(ctx, st.Repo, func(o object.Reader) error {
		return fn(&tracer{o: object.WithTreeCache(o), st: st, author: author, docs: map[string]version{}, edits: map[string]*Edit{}}, state.Head)
	})
}

// tracer follows the values of items back to the commits that gave them.
type tracer struct {
	o      object.Reader
	st     *store.Store
	author committer.Person
	now    *Memory            // what was read already; nil for nothing
	docs   map[string]version // by blob
	edits  map[string]*Edit
}

// version is what a blob has. A damaged file has what recovery reads in it, and says nothing of the items that it lacks, which
// recovery adds back.
type version struct {
	items   map[string]memfile.Item
	damaged bool
}

// traced are items that have the same values in a commit.
type traced struct {
	commit string
	items  map[string]*Item
}

func (t *tracer) trace(head string, sought map[string]*Item, merging bool) error {
	blob, err := t.blob(head)
	if err != nil {
		return err
	}
	begin := traced{head, map[string]*Item{}}
	for key, it := range sought {
		was, there := t.version(blob).items[key]
		if there && was.IsStated() && memfile.Equal(was.Value, it.Value) {
			begin.items[key] = it
		} else if there && !merging {
			if t.edits[key] = (&Edit{Before: head, Was: was, Open: true}); was.IsStated() {
				begin.items[key] = &Item{Item: was}
			}
		}
	}
	queue := []traced{begin}
	for n := 0; len(queue) > 0 && n < maxTraced && err == nil; n++ {
		if at := queue[0]; len(at.items) > 0 {
			var earlier []traced
			earlier, err = t.parentsWithValues(at)
			queue = append(queue, earlier...)
		}
		queue = queue[1:]
	}
	if errors.Is(err, object.ErrMissing) { // the end of a shallow clone
		return nil
	}
	return err
}

// parentsWithValues says which parents have the values of a commit, and notes the edits that the commit is.
func (t *tracer) parentsWithValues(at traced) (earlier []traced, err error) {
	blob, err := t.blob(at.commit)
	if err != nil {
		return nil, err
	}
	c, err := object.ReadCommit(t.o, at.commit)
	rest := maps.Clone(at.items)
	for _, parent := range c.Parents {
		before, failed := t.blob(parent)
		if err = cmp.Or(err, failed); err != nil {
			return nil, err
		}
		same, v := traced{parent, map[string]*Item{}}, t.version(before)
		for key, it := range rest {
			if was, there := v.items[key]; before == blob || !there && v.damaged || there && was.IsStated() && memfile.Equal(was.Value, it.Value) {
				same.items[key] = it
				delete(rest, key)
			}
		}
		earlier = append(earlier, same)
		if len(c.Parents) > 1 || byMemctl(c) || t.isPersonsCommit(c) {
			continue // a merge, memctl or the person themself gave what is left its value
		}
		for key, it := range rest {
			// A write of memctl's changes the day with the value, which a squashed commit keeps.
			if was, there := v.items[key]; there && was.IsStated() && was.Day() == cmp.Or(t.version(blob).items[key].Day(), it.Day()) {
				t.edits[key] = &Edit{Before: parent, Was: was, Open: t.edits[key] != nil && t.edits[key].Open}
				same.items[key] = &Item{Item: was} // which may be an edit too
			}
		}
	}
	return earlier, err
}

// byMemctl reports whether an act of memctl made the commit.
func byMemctl(c object.Commit) bool { return strings.Contains(c.Message, "\nMemory-Act: ") }

// isPersonsCommit reports whether the person made the commit.
func (t *tracer) isPersonsCommit(c object.Commit) bool {
	return c.Author == t.author.Name && c.Email == t.author.Email
}

func (t *tracer) blob(commit string) (string, error) {
	_, id, ok, err := object.EntryAt(t.o, commit, t.st.GitPath())
	if !ok {
		id = ""
	}
	return id, err
}

func (t *tracer) version(blob string) version {
	v, known := t.docs[blob]
	if known || blob == "" {
		return v
	}
	v.items = map[string]memfile.Item{}
	if _, src, err := t.o.Read(blob); err == nil {
		var list []memfile.Item
		if t.now != nil && len(t.now.src) > 0 && bytes.Equal(src, t.now.src) {
			list = t.now.settled // most often HEAD has the file as it is
		} else {
			doc, whole := readable(t.st, src)
			v.damaged, list = !whole, settled(doc)
		}
		for _, it := range list {
			v.items[it.Key] = it
		}
	}
	t.docs[blob] = v
	return v
}
