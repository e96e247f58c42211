package contents

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

// The snapshot is a store's memory as it was read last, keyed by the file's
// SHA-256 and what decides the verdicts (rulesKey), so that a session that starts on an
// unchanged file parses and rules on nothing. It is a cache: anything wrong
// with it makes it count as missing. Its layout:
//
//	magic, SHA-256 of the file, labels, rules, scope, memory, SHA-256 of all before
//
// with lengths as uvarints and strings as length and bytes.
const (
	SnapshotFile  = "snapshot"
	snapshotMagic = "memctl snapshot 6\n"
)

// CacheRoot opens the folder of local state that holds what can be built again
// for this worktree; with make it creates it first. Errors: fs.ErrNotExist.
func CacheRoot(st *store.Store, make bool) (*os.Root, error) { return st.WorktreeState().Open(make) }

func loadSnapshot(st *store.Store, file [sha256.Size]byte) *Memory {
	data, err := st.WorktreeState().Read(SnapshotFile)
	if err != nil || len(data) < len(snapshotMagic)+2*sha256.Size {
		return nil
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil
	}
	d := &decoder{data: body}
	if d.raw(len(snapshotMagic)) != snapshotMagic || d.raw(sha256.Size) != string(file[:]) || d.str() != labelNames() || d.str() != rulesKey(st) || d.str() != st.Scope {
		return nil
	}
	m := empty(st)
	m.Exists = true
	d.memory(m)
	if d.err != nil || len(d.data) != 0 {
		return nil
	}
	return m
}

func saveSnapshot(st *store.Store, file [sha256.Size]byte, m *Memory) {
	e := &encoder{}
	e.data = append(e.data, snapshotMagic...)
	e.data = append(e.data, file[:]...)
	e.str(labelNames())
	e.str(rulesKey(st))
	e.str(st.Scope)
	e.memory(m)
	sum := sha256.Sum256(e.data)
	st.WorktreeState().WriteCache(SnapshotFile, append(e.data, sum[:]...))
}

// labelNames lists the labels that a snapshot has of each item.
func labelNames() string {
	var names []string
	for _, f := range (&labels.Labels{}).Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

type encoder struct{ data []byte }

func (e *encoder) num(n int)    { e.data = binary.AppendUvarint(e.data, uint64(n)) }
func (e *encoder) str(s string) { e.num(len(s)); e.data = append(e.data, s...) }

func (e *encoder) flag(b bool) {
	n := byte(0)
	if b {
		n = 1
	}
	e.data = append(e.data, n)
}

func (e *encoder) strs(list []string) {
	e.num(len(list))
	for _, s := range list {
		e.str(s)
	}
}

func (e *encoder) value(v memfile.Value) {
	e.num(int(v.Kind))
	e.str(v.Text)
	e.num(len(v.List))
	for _, w := range v.List {
		e.value(w)
	}
	e.fields(v.Map)
}

func (e *encoder) fields(list []memfile.Field) {
	e.num(len(list))
	for _, f := range list {
		e.str(f.Name)
		e.value(f.Value)
	}
}

func (e *encoder) rivals(list []memfile.Rival) {
	e.num(len(list))
	for _, r := range list {
		e.value(r.Value)
		e.strs([]string{r.Added, r.Source, r.Confidence, r.By, r.Seen})
		e.num(r.Signals)
	}
}

func (e *encoder) memory(m *Memory) {
	e.num(m.Version)
	e.str(m.Updated)
	for _, sw := range m.Settings.Switches() {
		e.flag(*sw.At)
	}
	e.num(len(m.Items))
	for _, it := range m.Items {
		e.item(it)
	}
	e.num(len(m.Deletions))
	for _, t := range m.Deletions {
		e.strs([]string{t.Key, t.Removed, t.Reason})
		e.flag(t.Value != nil)
		if t.Value != nil {
			e.value(*t.Value)
		}
		e.strs(t.Hashes)
		e.rivals(t.Conflict)
		e.fields(t.Extra)
		e.num(t.Line)
		e.num(t.Column)
	}
}

func (e *encoder) item(it Item) {
	e.value(it.Value)
	e.str(it.Key)
	e.str(it.Added)
	e.str(it.Updated)
	for _, l := range it.Labels.Fields() {
		switch at := l.At.(type) {
		case *string:
			e.str(*at)
		case *[]string:
			e.strs(*at)
		case *int:
			e.num(*at)
		case *bool:
			e.flag(*at)
		}
	}
	e.strs(it.Withheld)
	e.rivals(it.Conflict)
	e.fields(it.Extra)
	e.num(len(it.Allow))
	for _, a := range it.Allow {
		e.strs([]string{a.Rule, a.Digest, a.Why})
	}
	e.num(it.Line)
	e.num(it.Column)
}

// decoder reads what encoder wrote; after a fault every call gives zero.
type decoder struct {
	data  []byte
	err   error
	depth int // of values within values
}

const (
	// maxValueDepth is above what a memory file can hold (memfile.MaxDepth).
	maxValueDepth = 2 * memfile.MaxDepth
	// maxListRoom caps what is allocated for a list before its entries are read:
	// a wrong length shall not cost memory.
	maxListRoom = 1024
)

var errSnapshot = errors.New("snapshot: damaged")

func (d *decoder) num() int {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || n > 1<<31 {
		d.err, d.data = errSnapshot, nil
		return 0
	}
	d.data = d.data[size:]
	return int(n)
}

func (d *decoder) raw(n int) string {
	if n > len(d.data) {
		d.err, d.data = errSnapshot, nil
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

func (d *decoder) str() string { return d.raw(d.num()) }

func (d *decoder) flag() bool { return d.raw(1) == "\x01" }

// count reads a list's length, which is never above the bytes that are left.
func (d *decoder) count() int {
	n := d.num()
	if n > len(d.data) {
		d.err, d.data = errSnapshot, nil
		return 0
	}
	return n
}

func list[T any](d *decoder, read func() T) []T {
	n := d.count()
	if n == 0 {
		return nil
	}
	out := make([]T, 0, min(n, maxListRoom))
	for range n {
		if out = append(out, read()); d.err != nil {
			return nil
		}
	}
	return out
}

func (d *decoder) strs() []string { return list(d, d.str) }

func (d *decoder) value() memfile.Value {
	if d.depth++; d.depth > maxValueDepth {
		d.err, d.data = errSnapshot, nil
	}
	v := memfile.Value{Kind: memfile.Kind(d.num()), Text: d.str()}
	v.List = list(d, d.value)
	v.Map = d.fields()
	d.depth--
	return v
}

func (d *decoder) fields() []memfile.Field {
	return list(d, func() memfile.Field { return memfile.Field{Name: d.str(), Value: d.value()} })
}

func (d *decoder) rivals() []memfile.Rival {
	return list(d, func() memfile.Rival {
		r := memfile.Rival{Value: d.value()}
		d.assign(&r.Added, &r.Source, &r.Confidence, &r.By, &r.Seen)
		r.Signals = d.num()
		return r
	})
}

// assign reads a list of strings into the places, in order.
func (d *decoder) assign(places ...*string) {
	if d.num() != len(places) {
		d.err, d.data = errSnapshot, nil
		return
	}
	for _, p := range places {
		*p = d.str()
	}
}

func (d *decoder) memory(m *Memory) {
	m.Version, m.Updated = d.num(), d.str()
	for _, sw := range m.Settings.Switches() {
		*sw.At = d.flag()
	}
	m.Items = list(d, d.item)
	m.Deletions = list(d, func() memfile.Tombstone {
		var t memfile.Tombstone
		d.assign(&t.Key, &t.Removed, &t.Reason)
		if d.flag() {
			v := d.value()
			t.Value = &v
		}
		t.Hashes, t.Conflict, t.Extra = d.strs(), d.rivals(), d.fields()
		t.Line, t.Column = d.num(), d.num()
		return t
	})
}

func (d *decoder) item() Item {
	it := Item{Item: memfile.Item{Value: d.value()}}
	it.Key, it.Added, it.Updated = d.str(), d.str(), d.str()
	for _, l := range it.Labels.Fields() {
		switch at := l.At.(type) {
		case *string:
			*at = d.str()
		case *[]string:
			*at = d.strs()
		case *int:
			*at = d.num()
		case *bool:
			*at = d.flag()
		}
	}
	it.Withheld = d.strs()
	it.Conflict, it.Extra = d.rivals(), d.fields()
	it.Allow = list(d, func() memfile.Allowance {
		var a memfile.Allowance
		d.assign(&a.Rule, &a.Digest, &a.Why)
		return a
	})
	it.Line, it.Column = d.num(), d.num()
	return it
}
