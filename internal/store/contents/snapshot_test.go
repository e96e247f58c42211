package contents

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// snapped is a memory whose every field is set, as the snapshot keeps it.
func snapped(start int) *Memory {
	m := &Memory{}
	v, n := reflect.ValueOf(m).Elem(), start
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "Store", "Exists", "Foreign", "Salvaged", "Earlier", "Mend", "Closed", "src", "settled", "kept", "keptRead": // of the store, or true of no snapshot
			continue
		}
		storetest.Fill(v.Field(i), &n, 4)
	}
	for i := range m.Items {
		m.Items[i].Bound, m.Items[i].Foreign = false, false // by what else a View reads, each time
	}
	return m
}

func encoded(m *Memory) []byte {
	e := &codec{}
	e.memory(m)
	return e.data
}

func TestSnapshotKeepsEveryField(t *testing.T) {
	for start := range 2 { // every flag is once true and once false
		want, got := snapped(start), &Memory{}
		d := &codec{data: encoded(want), reading: true}
		d.memory(got)
		if d.err != nil || len(d.data) > 0 {
			t.Fatalf("%v, %d bytes left", d.err, len(d.data))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%+v\nwant\n%+v", got, want)
		}
	}
}

func TestSnapshotKeepsFlagsApart(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[memfile.Item]()) {
		if f.Type.Kind() != reflect.Bool {
			continue
		}
		want, got := &Memory{Items: make([]Item, 1)}, &Memory{}
		reflect.ValueOf(&want.Items[0].Item).Elem().FieldByIndex(f.Index).SetBool(true)
		(&codec{data: encoded(want), reading: true}).memory(got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s alone comes back as %+v", f.Name, got.Items)
		}
	}
}

// A file is read from its snapshot: a value that only the snapshot has shows
// that it is used, and any harm to it that it is not.
func TestSnapshotThatIsNotWholeIsIgnored(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "from the file"))
	src := []byte(b.Read(memfile.FileName))
	sum := sha256.Sum256(src)
	st := b.Project()
	marked := empty(st)
	marked.Items = []Item{{Item: memfile.Item{Key: "a.b", Value: memfile.Str("from the snapshot")}}}
	saveSnapshot(st, sum, marked)
	path := filepath.Join(b.Root, ".git", "memctl", SnapshotFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(i int) []byte {
		data := append([]byte{}, whole...)
		data[i] ^= 1
		return data
	}
	other := *st
	other.Scope = store.Private
	for name, tt := range map[string]struct {
		data []byte
		used bool
	}{
		"whole":                 {whole, true},
		"empty":                 {nil, false},
		"torn in the middle":    {whole[:len(whole)/2], false},
		"one byte short":        {whole[:len(whole)-1], false},
		"one byte more":         {append(append([]byte{}, whole...), 0), false},
		"another format":        {flip(len(snapshotMagic) - 2), false},
		"another file":          {flip(len(snapshotMagic)), false},
		"a bit of the memory":   {flip(len(whole) - sha256.Size - 3), false},
		"a bit of the checksum": {flip(len(whole) - 1), false},
		"nothing but zeros":     {make([]byte, 500), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := Read(t.Context(), b.Project())
			if err != nil {
				t.Fatal(err)
			}
			want := "from the file"
			if tt.used {
				want = "from the snapshot"
			}
			if it := m.Find("a.b"); it == nil || it.Value.Text != want || !m.Exists {
				t.Errorf("read %+v, want the value %q", it, want)
			}
		})
	}
	saveSnapshot(&other, sum, marked)
	if m, _ := lastSnapshot(st); m != nil {
		t.Error("another scope's verdicts were taken")
	}
}

func TestSnapshotGoesWithTheFile(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	for _, value := range []string{"one", "two", "one"} {
		b.Write(memfile.FileName, storetest.WithItem("a.b", value))
		for range 2 { // the first reads the file, the second the snapshot
			m, err := Read(t.Context(), b.Project())
			if err != nil || m.Find("a.b") == nil || m.Find("a.b").Value.Text != value {
				t.Fatalf("%v, %+v; want %q", err, m, value)
			}
		}
	}
}

func FuzzSnapshotDecoder(f *testing.F) {
	f.Add(encoded(snapped(0)))
	f.Add(encoded(&Memory{}))
	deep := memfile.Value{Kind: memfile.List}
	for range 500 {
		deep = memfile.Value{Kind: memfile.List, List: []memfile.Value{deep}}
	}
	f.Add(encoded(&Memory{Items: []Item{{Item: memfile.Item{Value: deep}}}}))
	f.Add([]byte{1, 0, 1, 1, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &Memory{}
		d := &codec{data: data, reading: true}
		d.memory(m)
		if d.err != nil || len(d.data) > 0 {
			return
		}
		again := &Memory{}
		d = &codec{data: encoded(m), reading: true}
		if d.memory(again); d.err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%v: %+v then %+v", d.err, m, again)
		}
	})
}
