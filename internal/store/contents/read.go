// Package contents reads what a store has, and what it had: items and entries with the rules
// that withhold them from agents, versions in history, what was forgotten. It changes no file
// of a store.
package contents

import (
	"context"
	"reflect"
	"slices"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
)

// Memory is one store's memory as readers see it: one item a key, with what
// keeps it from agents.
type Memory struct {
	Store  *store.Store
	Exists bool // there is a memory file
	// Foreign: the file shows no trace of a memory; it is somebody's page (see memfile.IsPage).
	Foreign bool
	// Salvaged: the file is damaged, and this is what can be read of it. Earlier: it has lost its block, and this is its last
	// sound version.
	Salvaged  bool
	Earlier   bool
	Mend      string // where Salvaged: the command that mends it
	Version   int
	Updated   string
	Settings  memfile.Settings
	Items     []Item // in the order of the file
	Deletions []memfile.Tombstone
	Closed    Reasons // why the reader of a View is handed nothing of it

	src      []byte            // of the file
	settled  []memfile.Item    // that a sound file has, as it has them
	kept     *memfile.Document // see Kept, once keptRead
	keptRead bool
}

// Item is an item with the rules that withhold it from agents.
type Item struct {
	memfile.Item
	Judged
	Foreign bool          // somebody else wrote it, and the person does not vouch for it; a View tells
	Edit    *Edit         // another program than memctl changed its value; nil for no change
	Said    bool          // the instruction file that it was imported from says it
	Unsaid  bool          // that file does not say it any more
	changed *Item         // the item as the file has it, where an agent gets the one from before an open edit
	written labels.Labels // of an edited item, as the file has them
}

// RuleForgotten withholds an item whose key has a tombstone of its day or
// later.
const RuleForgotten = "forgotten"

// Read reads the store's memory, from the snapshot where the file has not
// changed since. It writes nothing but the snapshot. Errors:
// fault.NotAFile, fault.TooLarge.
func Read(ctx context.Context, st *store.Store) (*Memory, error) {
	if m := remembered(st); m != nil {
		return m, nil
	}
	st.Stores.Accepted(ctx)
	m, err := read(ctx, st)
	if err == nil {
		st.Stores.CacheValue(store.CachedMemory(st.Scope), m)
	}
	return m, err
}

// remembered is the memory that this session has read already; nil where it has not, or
// the store has changed since.
func remembered(st *store.Store) *Memory {
	m, _ := st.Stores.Remembered(store.CachedMemory(st.Scope)).(*Memory)
	return m
}

func read(ctx context.Context, st *store.Store) (*Memory, error) {
	src, err := MemoryBytes(st)
	if src == nil || err != nil {
		m := empty(st)
		if err == nil {
			m.keepSettings(ctx)
		}
		return m, err
	}
	m := interpret(ctx, st, src)
	m.src = src
	return m, nil
}

// BytesAsRead are the memory file's as this session has read them already, else as they are now; nil without an
// error where it is not there.
func BytesAsRead(st *store.Store) ([]byte, error) {
	if m := remembered(st); m != nil && m.src != nil {
		return m.src, nil
	}
	return MemoryBytes(st)
}

func empty(st *store.Store) *Memory {
	return &Memory{Store: st, Version: 1, Settings: memfile.AllOn}
}

// MemoryBytes are the memory file's; nil without an error where it is not there.
func MemoryBytes(st *store.Store) ([]byte, error) {
	return readFile(st, memfile.FileName, memfile.MaxFileBytes)
}

// readFile reads a file of the store, of at most so many bytes; nil is no file.
func readFile(st *store.Store, name string, most int64) ([]byte, error) {
	if st.Dir == "" {
		return nil, nil
	}
	return store.ReadFile(st.Dir, st.OnDisk(name), most)
}

// interpret turns the file's bytes into memory.
func interpret(ctx context.Context, st *store.Store, src []byte) *Memory {
	last, of := lastSnapshot(st)
	if sum := last.stamp(src); of == string(sum[:]) {
		last.findEdits(ctx, last)
		last.labelEdits()
		return last
	}
	m := empty(st)
	m.Exists = true
	if f, problems := memfile.Parse(st.Name(), src); f != nil {
		m.src = src
		m.fill(f.Document(), last.verdicts())
	} else if memfile.IsPage(src) {
		was := beforeBlockWasLost(ctx, st)
		if was == nil {
			m.Exists, m.Foreign = false, true
			return m
		}
		m.Salvaged, m.Earlier, m.Mend = true, true, "memctl recover"
		m.fill(*was, nil)
	} else {
		m.Salvaged, m.Mend = true, "memctl recover"
		if FirstDamage(problems).Rule == "conflict-markers" {
			m.Mend = "memctl resolve"
		}
		m.fill(salvaged(ctx, st, src), nil)
	}
	m.findEdits(ctx, last)
	if m.findUnsaid(ctx); !m.Salvaged {
		saveSnapshot(st, m.stamp(src), m)
	}
	m.labelEdits()
	return m
}

// SaveSnapshotOf saves what the file holds, so that whoever reads it next need
// not parse it, and returns it. Items that the last snapshot had too keep their verdicts.
func SaveSnapshotOf(ctx context.Context, st *store.Store, file *memfile.File) *Memory {
	st.Stores.Accepted(ctx)
	m := empty(st)
	m.Exists, m.src = true, file.Bytes()
	last, _ := lastSnapshot(st)
	m.fill(file.Document(), last.verdicts())
	m.findEdits(ctx, last)
	m.findUnsaid(ctx)
	saveSnapshot(st, m.stamp(m.src), m)
	m.labelEdits()
	return m
}

// verdicts are those of the policy on each item, by its content.
func (m *Memory) verdicts() map[string][]string {
	if m == nil {
		return nil
	}
	known := make(map[string][]string, len(m.Items))
	for _, it := range m.Items {
		known[contentKey(it.Item)] = slices.DeleteFunc(slices.Clone(it.Withheld), func(rule string) bool { return rule == RuleForgotten })
	}
	return known
}

// contentKey tells items apart by all that the policy sees of them.
func contentKey(it memfile.Item) string {
	it.Line, it.Column = 0, 0
	e := &codec{data: make([]byte, 0, 256)}
	e.codeValue(reflect.ValueOf(it))
	return string(e.data)
}

// fill settles duplicate keys and rules on every item whose verdict is not known. What
// readers get of an item has the forms of its fields.
func (m *Memory) fill(doc memfile.Document, known map[string][]string) {
	m.Version, m.Updated, m.Settings, m.Deletions = doc.Version, memfile.FormedDay(doc.Updated), doc.Settings, doc.Deletions
	said := heldBy(doc)
	m.Items = make([]Item, 0, len(doc.Items))
	m.settled = settled(doc)
	for _, it := range m.settled {
		m.Items = append(m.Items, Item{Item: it.Formed(), Judged: Judged{Verdict: Verdict{withheld(m.Store, doc, it, known, said)}}})
	}
}

// settled are the items of a document, one a key.
func settled(doc memfile.Document) (list []memfile.Item) {
	doubles := memfile.Duplicates(doc)
	for i, it := range doc.Items {
		if same, twice := doubles[it.Key]; twice {
			if same[0] != i {
				continue
			}
			var all []memfile.Item
			for _, j := range same {
				all = append(all, doc.Items[j])
			}
			it = merge.SameKey(all)
		}
		list = append(list, it)
	}
	return list
}

// Find is the item of the key, by its exact text.
func (m *Memory) Find(key string) *Item {
	for i := range m.Items {
		if m.Items[i].Key == key {
			return &m.Items[i]
		}
	}
	return nil
}

// Readable reads the stores that have a memory file, in order of precedence.
// With only, that scope alone, whether it has one or not.
func Readable(ctx context.Context, ss *store.Stores, only string) ([]*Memory, error) {
	return inScopes(ss, only, func(scope string) (*Memory, error) {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			return nil, err
		}
		return Read(ctx, st)
	})
}

func inScopes(ss *store.Stores, only string, read func(scope string) (*Memory, error)) (list []*Memory, err error) {
	scopes := ss.Scopes()
	if only != "" {
		scopes = []string{only}
	}
	for _, scope := range scopes {
		m, err := read(scope)
		if err != nil {
			return nil, err
		}
		if m.Exists || only != "" {
			list = append(list, m)
		}
	}
	return list, nil
}

// OutsideBlock is what the memory file has outside its block: what a recovery kept under its notes, and what
// people wrote. "" if the file cannot be read.
func OutsideBlock(st *store.Store) string {
	src, err := MemoryBytes(st)
	f, _ := memfile.Parse(st.Name(), src)
	if err != nil || f == nil {
		return ""
	}
	start, end := f.Block()
	return string(src[:start]) + "\n" + string(src[end:])
}

// Document is what the file on disk says, as it stands: duplicate keys
// included, damaged parts salvaged.
func Document(_ context.Context, st *store.Store) (memfile.Document, error) {
	src, err := MemoryBytes(st)
	return OldDocument(st, src), err
}

// NoDocument is the memory where there is no file: nothing, switched on.
func NoDocument() memfile.Document {
	return memfile.Document{Version: 1, Settings: memfile.AllOn}
}

// FileBytes are a file's of the store; nil without an error where it is not
// there.
func FileBytes(st *store.Store, name string) ([]byte, error) {
	if name == memfile.FileName {
		return MemoryBytes(st)
	}
	return readFile(st, name, MaxChanged)
}

// FirstDamage is the damage to tell of: a merge's markers before what they led to.
func FirstDamage(problems []memfile.Problem) memfile.Problem {
	for _, p := range problems {
		if p.Rule == "conflict-markers" {
			return p
		}
	}
	for _, p := range problems {
		if p.Damage {
			return p
		}
	}
	return memfile.Problem{Line: 1, Message: "is damaged"}
}

// MaxChanged bounds the bytes that one act writes to files: the entries of the
// largest import, each with its front matter.
const MaxChanged = 128 << 20
