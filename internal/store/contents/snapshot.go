package contents

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
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
	snapshotMagic = "memctl snapshot 9\n"
)

// lastSnapshot reads the snapshot, and the SHA-256 of the file that it is of; nil where there is none that counts.
func lastSnapshot(st *store.Store) (m *Memory, file string) {
	data, err := st.WorktreeState().Read(SnapshotFile)
	if err != nil || len(data) < len(snapshotMagic)+2*sha256.Size {
		return nil, ""
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil, ""
	}
	d := &decoder{data: body}
	if d.raw(len(snapshotMagic)) != snapshotMagic {
		return nil, ""
	}
	if file = d.raw(sha256.Size); d.str() != labelNames() || d.str() != rulesKey(st) || d.str() != st.Scope {
		return nil, ""
	}
	m = empty(st)
	m.Exists = true
	d.memory(m)
	if d.err != nil || len(d.data) != 0 {
		return nil, ""
	}
	return m, file
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

// encoder appends what a snapshot has: numbers and flags as uvarints, texts and lists after
// their length, and structs as their fields, all of them exported.
type encoder struct{ data []byte }

func (e *encoder) num(n int)    { e.data = binary.AppendUvarint(e.data, uint64(n)) }
func (e *encoder) str(s string) { e.num(len(s)); e.data = append(e.data, s...) }

func (e *encoder) any(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		e.str(v.String())
	case reflect.Int:
		e.num(int(v.Int()))
	case reflect.Uint8:
		e.num(int(v.Uint()))
	case reflect.Bool:
		n := 0
		if v.Bool() {
			n = 1
		}
		e.num(n)
	case reflect.Slice:
		e.num(v.Len())
		for i := range v.Len() {
			e.any(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			e.num(0)
			return
		}
		e.num(1)
		e.any(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			e.any(v.Field(i))
		}
	default:
		panic("snapshot: " + v.Type().String()) // a test encodes every field
	}
}

// stored are the parts of a memory that a snapshot has, beside its items.
func (m *Memory) stored() []any { return []any{&m.Version, &m.Updated, &m.Settings, &m.Deletions} }

func (e *encoder) memory(m *Memory) {
	for _, part := range m.stored() {
		e.any(reflect.ValueOf(part).Elem())
	}
	e.num(len(m.Items))
	for i := range m.Items {
		e.any(reflect.ValueOf(&m.Items[i].Item).Elem())
		e.any(reflect.ValueOf(&m.Items[i].Withheld).Elem())
		e.any(reflect.ValueOf(&m.Items[i].Edit).Elem())
	}
}

// decoder reads what encoder wrote; after a fault every call gives zero.
type decoder struct {
	data  []byte
	err   error
	depth int // of values within values
}

// maxDepth is above the depth at which a memory file can hold values (memfile.MaxDepth), in structs and lists.
const maxDepth = 8 * memfile.MaxDepth

// maxRoom is how many elements of a list get room at once.
const maxRoom = 1024

var errSnapshot = errors.New("snapshot: damaged")

func (d *decoder) fail() { d.err, d.data = errSnapshot, nil }

func (d *decoder) num() int {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || n > 1<<31 {
		d.fail()
		return 0
	}
	d.data = d.data[size:]
	return int(n)
}

func (d *decoder) raw(n int) string {
	if n > len(d.data) {
		d.fail()
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

func (d *decoder) str() string { return d.raw(d.num()) }

func (d *decoder) any(v reflect.Value) {
	if d.depth++; d.depth > maxDepth {
		d.fail()
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.str())
	case reflect.Int:
		v.SetInt(int64(d.num()))
	case reflect.Uint8:
		v.SetUint(uint64(d.num()))
	case reflect.Bool:
		v.SetBool(d.num() == 1)
	case reflect.Slice:
		n := d.num()
		for i := 0; i < n && d.err == nil; i++ {
			if i == v.Cap() {
				v.Grow(min(n-i, maxRoom)) // a wrong length shall not cost memory
			}
			v.SetLen(i + 1)
			d.any(v.Index(i))
		}
	case reflect.Pointer:
		if d.num() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.any(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.any(v.Field(i))
		}
	}
	d.depth--
}

func (d *decoder) memory(m *Memory) {
	for _, part := range m.stored() {
		d.any(reflect.ValueOf(part).Elem())
	}
	n := d.num()
	m.Items = make([]Item, 0, min(n, maxRoom))
	for ; n > 0 && d.err == nil; n-- {
		m.Items = append(m.Items, Item{})
		it := &m.Items[len(m.Items)-1]
		d.any(reflect.ValueOf(&it.Item).Elem())
		d.any(reflect.ValueOf(&it.Withheld).Elem())
		d.any(reflect.ValueOf(&it.Edit).Elem())
	}
}
