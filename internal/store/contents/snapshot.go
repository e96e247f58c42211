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

// The snapshot is a store's memory as it was read last, keyed by the
// SHA-256 of the file and the instruction files that it names and what decides the verdicts (rulesKey), so that a session that starts on an
// unchanged file parses and rules on nothing. It is a cache: anything wrong
// with it makes it count as missing. Its layout:
//
//	magic, SHA-256 of the files, labels, rules, scope, memory, SHA-256 of all before
//
// with lengths as uvarints and strings as length and bytes.
const (
	SnapshotFile  = "snapshot"
	snapshotMagic = "memctl snapshot 10\n"
)

// lastSnapshot reads the snapshot, and the SHA-256 of the files that it is of; nil where there is none that counts.
func lastSnapshot(st *store.Store) (m *Memory, file string) {
	data, err := st.WorktreeState().Read(SnapshotFile)
	if err != nil || len(data) < len(snapshotMagic)+2*sha256.Size {
		return nil, ""
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil, ""
	}
	d := &codec{data: body, reading: true}
	if d.raw(len(snapshotMagic)) != snapshotMagic {
		return nil, ""
	}
	if file = d.raw(sha256.Size); d.str("") != labelNames() || d.str("") != rulesKey(st) || d.str("") != st.Scope {
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
	e := &codec{}
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

// stored are the parts of a memory that a snapshot has, beside its items.
func (m *Memory) stored() []any { return []any{&m.Version, &m.Updated, &m.Settings, &m.Deletions} }

// codec writes or reads what a snapshot has: numbers and flags as uvarints, texts and lists after
// their length, and structs as their fields, all of them exported. After a fault every call gives zero.
type codec struct {
	data    []byte // written, or still to be read
	reading bool
	err     error
	depth   int // of values within values
}

// maxDepth is above the depth at which a memory file can hold values (memfile.MaxDepth), in structs and lists.
const maxDepth = 8 * memfile.MaxDepth

// maxRoom is how many elements of a list get room at once.
const maxRoom = 1024

var errSnapshot = errors.New("snapshot: damaged")

func (c *codec) fail() { c.err, c.data = errSnapshot, nil }

// num writes a number, or returns the one that it reads; so do the other methods.
func (c *codec) num(n int) int {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(n))
		return n
	}
	read, size := binary.Uvarint(c.data)
	if size <= 0 || read > 1<<31 {
		c.fail()
		return 0
	}
	c.data = c.data[size:]
	return int(read)
}

func (c *codec) codeBool(is bool) bool {
	n := 0
	if is {
		n = 1
	}
	return c.num(n) == 1
}

// raw reads so many bytes.
func (c *codec) raw(n int) string {
	if n > len(c.data) {
		c.fail()
		return ""
	}
	s := string(c.data[:n])
	c.data = c.data[n:]
	return s
}

func (c *codec) str(s string) string {
	n := c.num(len(s))
	if c.reading {
		return c.raw(n)
	}
	c.data = append(c.data, s...)
	return s
}

func (c *codec) codeValue(v reflect.Value) {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	switch v.Kind() {
	case reflect.String:
		if s := c.str(v.String()); c.reading {
			v.SetString(s)
		}
	case reflect.Int:
		if n := c.num(int(v.Int())); c.reading {
			v.SetInt(int64(n))
		}
	case reflect.Uint8:
		if n := c.num(int(v.Uint())); c.reading {
			v.SetUint(uint64(n))
		}
	case reflect.Bool:
		if is := c.codeBool(v.Bool()); c.reading {
			v.SetBool(is)
		}
	case reflect.Slice:
		n := c.num(v.Len())
		for i := 0; i < n && c.err == nil; i++ {
			if c.reading && i == v.Cap() {
				v.Grow(min(n-i, maxRoom)) // a wrong length shall not cost memory
			}
			if c.reading {
				v.SetLen(i + 1)
			}
			c.codeValue(v.Index(i))
		}
	case reflect.Pointer:
		if c.codeBool(!v.IsNil()) {
			if c.reading {
				v.Set(reflect.New(v.Type().Elem()))
			}
			c.codeValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			c.codeValue(v.Field(i))
		}
	default:
		panic("snapshot: " + v.Type().String()) // a test writes every field
	}
	c.depth--
}

func (c *codec) memory(m *Memory) {
	for _, part := range m.stored() {
		c.codeValue(reflect.ValueOf(part).Elem())
	}
	n := c.num(len(m.Items))
	if c.reading {
		m.Items = make([]Item, 0, min(n, maxRoom))
	}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			m.Items = append(m.Items, Item{})
		}
		for _, part := range []any{&m.Items[i].Item, &m.Items[i].Withheld, &m.Items[i].Edit, &m.Items[i].Said, &m.Items[i].Unsaid} {
			c.codeValue(reflect.ValueOf(part).Elem())
		}
	}
}
