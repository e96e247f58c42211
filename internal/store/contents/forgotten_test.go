package contents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestForgottenValues(t *testing.T) {
	long := memfile.Str("never deploy on Fridays")
	tomb := func(key string) memfile.Tombstone { return memfile.Tombstone{Key: key, Removed: "2026-01-01"} }
	type was struct {
		key string
		v   memfile.Value
	}
	for name, tt := range map[string]struct {
		forgotten []was
		tombs     []memfile.Tombstone
		asked     memfile.Value
		want      string // the key it was forgotten under, "" where it was not
	}{
		"nothing was":                              {nil, []memfile.Tombstone{tomb("a.b")}, long, ""},
		"the same value":                           {[]was{{"a.b", long}}, []memfile.Tombstone{tomb("a.b")}, long, "a.b"},
		"the same in other letters and spaces":     {[]was{{"a.b", long}}, []memfile.Tombstone{tomb("a.b")}, memfile.Str(" Never  DEPLOY on fridays"), "a.b"},
		"another value":                            {[]was{{"a.b", long}}, []memfile.Tombstone{tomb("a.b")}, memfile.Str("never deploy on Mondays"), ""},
		"its tombstone was lifted":                 {[]was{{"a.b", long}}, []memfile.Tombstone{tomb("c.d")}, long, ""},
		"of two keys one tombstone was lifted":     {[]was{{"a.b", long}, {"c.d", long}}, []memfile.Tombstone{tomb("a.b")}, long, "a.b"},
		"of two keys the other one was lifted":     {[]was{{"a.b", long}, {"c.d", long}}, []memfile.Tombstone{tomb("c.d")}, long, "c.d"},
		"two words bind no other key":              {[]was{{"a.b", memfile.Str("use tabs")}}, []memfile.Tombstone{tomb("a.b")}, memfile.Str("use tabs"), ""},
		"a number binds no other key":              {[]was{{"a.b", memfile.Value{Kind: memfile.Number, Text: "4"}}}, []memfile.Tombstone{tomb("a.b")}, memfile.Str("4"), ""},
		"a tombstone that holds the value":         {nil, []memfile.Tombstone{{Key: "a.b", Value: &long}}, memfile.Str("Never deploy on Fridays"), "a.b"},
		"a tombstone by value that has no key":     {nil, []memfile.Tombstone{{Key: "e.f"}, {Value: &long}}, long, ""},
		"a tombstone that holds another one's":     {nil, []memfile.Tombstone{{Key: "a.b", Value: &long}}, memfile.Str("never deploy at night"), ""},
		"forgotten twice under one key and lifted": {[]was{{"a.b", long}, {"a.b", long}}, nil, long, ""},
	} {
		t.Run(name, func(t *testing.T) {
			st := storetest.Git(t, memfile.Template).Project()
			for _, w := range tt.forgotten {
				if err := RememberForgotten(st, w.v, w.key); err != nil {
					t.Fatal(err)
				}
			}
			doc := memfile.Document{Deletions: tt.tombs}
			key, found, err := ForgottenValue(st, doc, "g.h", tt.asked)
			byValue := len(tt.tombs) > 1 && tt.tombs[len(tt.tombs)-1].Key == ""
			if err != nil || key != tt.want || found != (tt.want != "" || byValue) {
				t.Errorf("%q %t %v, want %q", key, found, err, tt.want)
			}
		})
	}
}

func TestForgottenValuesAreKeptAsHashesOfThisMachine(t *testing.T) {
	b := storetest.Git(t, memfile.Template)
	st := b.Project()
	if err := RememberForgotten(st, memfile.Str("the merger is in May"), "a.b"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(b.Root, ".git", "memctl", "forgotten.json")
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(first)), "merger") {
		t.Errorf("the value stands in %s", first)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if err := os.Remove(filepath.Join(st.Stores.DataDir(), MachineKey)); err != nil {
		t.Fatal(err)
	}
	other := storetest.Git(t, memfile.Template)
	if err := RememberForgotten(other.Project(), memfile.Str("the merger is in May"), "a.b"); err != nil {
		t.Fatal(err)
	}
	if second := other.Read(filepath.Join(".git", "memctl", "forgotten.json")); second == string(first) {
		t.Error("another key gives the same hash")
	}
}
