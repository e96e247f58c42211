package indexfile

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// read gives all entries of stage 0, by name.
func read(data []byte) (map[string]Entry, error) {
	found := map[string]Entry{}
	err := Each(data, sha1.Size, func(name []byte, raw Raw) bool {
		found[fmt.Sprintf("%s@%d", name, raw.Entry().Stage)] = raw.Entry()
		return true
	})
	return found, err
}

// entries is how many entries the index says it has.
func entries(data []byte) int { return int(binary.BigEndian.Uint32(data[8:])) }

// file is an entry as memctl makes it.
func file(n int) *Entry {
	return &Entry{
		CTime: Time{uint32(n), 1}, MTime: Time{uint32(n), 2}, Dev: 3, Inode: uint32(n), Mode: 0o100644, UID: 4, GID: 5, Size: uint32(n),
		ID: strings.Repeat(fmt.Sprintf("%02x", n%256), sha1.Size),
	}
}

// checkSplice compares the entries of the new index with those of a model.
func checkSplice(t *testing.T, data []byte, changes []Change) {
	t.Helper()
	before := map[string]Entry{}
	if len(data) > 0 {
		var err error
		if before, err = read(data); err != nil || len(before) < entries(data) {
			return // not to be read, or names that are there twice
		}
	}
	next, err := Splice(data, sha1.Size, 0, changes)
	if err != nil {
		return
	}
	want := maps.Clone(before)
	for _, c := range changes {
		delete(want, c.Path+"@0")
		if c.Entry != nil {
			want[c.Path+"@0"] = *c.Entry
		}
	}
	got, err := read(next.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Fatalf("entries\n%v\nwant\n%v", got, want)
	}
}

// TestSplice changes a new index and one of git's in every way.
func TestSplice(t *testing.T) {
	t.Parallel()
	bases := map[string][]byte{"none": nil}
	version2, err := os.ReadFile(filepath.Join("testdata", "index-v2"))
	if err != nil {
		t.Fatal(err)
	}
	bases["version 2"] = version2
	for name, data := range bases {
		for _, paths := range [][]string{{"A"}, {"zz/z"}, {"memories.md"}, {"A/very/deep/folder/x", "A/very/deep/folder/y", "B"}, {strings.Repeat("long/", 1000) + "x"}} {
			var changes []Change
			for i, p := range paths {
				changes = append(changes, Change{p, file(i + 1)})
			}
			next, err := Splice(data, sha1.Size, 0, changes)
			if err != nil {
				t.Errorf("%s, %.40q: %v", name, paths, err)
				continue
			}
			checkSplice(t, data, changes)
			for i := range changes {
				changes[i].Entry = nil
			}
			checkSplice(t, next.Bytes, changes)
			back, err := Splice(next.Bytes, sha1.Size, 0, changes)
			if err != nil {
				t.Errorf("%s, %.40q: %v", name, paths, err)
			} else if had, _ := read(data); !slices.Contains(paths, "memories.md") {
				if now, _ := read(back.Bytes); !maps.Equal(now, had) {
					t.Errorf("%s, %.40q: taken out again, the entries differ", name, paths)
				}
			}
		}
	}
}

// TestSpliceRefuses what only git may change.
func TestSpliceRefuses(t *testing.T) {
	t.Parallel()
	base, err := Splice(nil, sha1.Size, 0, []Change{{"folder/file", file(1)}, {"name", file(2)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Change{
		"a file where a folder is": {"folder", file(3)},
		"a folder where a file is": {"name/below", file(3)},
	} {
		if _, err := Splice(base.Bytes, sha1.Size, 0, []Change{c}); err != errState {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Splice(base.Bytes, sha1.Size, 0, []Change{{"name-2", file(3)}}); err != nil {
		t.Error(err)
	}
	version4, err := os.ReadFile(filepath.Join("testdata", "index-v4"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Splice(version4, sha1.Size, 0, []Change{{"name", file(3)}}); err != errState {
		t.Errorf("version 4: %v", err)
	}
}

// TestSpliceTellsYoungFiles: an entry as young as the index, unless it is replaced.
func TestSpliceTellsYoungFiles(t *testing.T) {
	t.Parallel()
	base, err := Splice(nil, sha1.Size, 0, []Change{{"old", file(10)}, {"young", file(20)}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"old": true, "young": false} {
		next, err := Splice(base.Bytes, sha1.Size, 20, []Change{{path, file(30)}})
		if err != nil || next.Young != want {
			t.Errorf("%s replaced: Young = %t, %v", path, next.Young, err)
		}
	}
}

func FuzzSplice(f *testing.F) {
	for _, version := range []string{"2", "4"} {
		data, err := os.ReadFile(filepath.Join("testdata", "index-v"+version))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "a\nmemories.md\nz/z", "other.txt")
	}
	f.Fuzz(func(t *testing.T, data []byte, added, removed string) {
		if len(data) > 1<<14 || len(added)+len(removed) > 1<<10 {
			t.Skip("larger inputs take long, and show nothing else")
		}
		var changes []Change
		seen := map[string]bool{"": true}
		for i, p := range strings.Split(added, "\n") {
			if !seen[p] && !strings.ContainsRune(p, 0) {
				changes = append(changes, Change{p, file(i)})
			}
			seen[p] = true
		}
		for _, p := range strings.Split(removed, "\n") {
			if !seen[p] && !strings.ContainsRune(p, 0) {
				changes = append(changes, Change{Path: p})
			}
			seen[p] = true
		}
		checkSplice(t, data, changes)
	})
}
