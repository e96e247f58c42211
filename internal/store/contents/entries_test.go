package contents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/tests/storetest"
)

// TestThePolicyIsNotAskedAboutAnAcceptedFile: only the file's very bytes are accepted, at their own path.
func TestThePolicyIsNotAskedAboutAnAcceptedFile(t *testing.T) {
	st := storetest.Git(t, memfile.Template).Project()
	text := "The deploy key is AKIAQ3EGRYZX6LJ5WTHN."
	e := entry.Entry{ID: entry.ContentID(text), Role: entry.RoleFact, Conversation: "project", Created: "2026-02-21T09:03:00.000Z", Text: text}
	src, err := entry.Print(e)
	if err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(st.Dir, filepath.FromSlash(e.Path()))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(src string, accepted map[string]string) Entry {
		t.Helper()
		if err := os.WriteFile(full, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := ReadEntries(t.Context(), st, []string{e.Path()}, accepted)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		return list[0]
	}
	digest := read(string(src), nil).Digest
	for name, tt := range map[string]struct {
		src      string
		accepted map[string]string
		withheld bool
	}{
		"nothing is accepted":     {string(src), nil, true},
		"the file is":             {string(src), map[string]string{e.Path(): digest}, false},
		"another path is":         {string(src), map[string]string{"other.md": digest}, true},
		"it has changed":          {strings.Replace(string(src), "The deploy", "My deploy", 1), map[string]string{e.Path(): digest}, true},
		"its digest is not known": {string(src), map[string]string{e.Path(): ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(tt.src, tt.accepted); got.HiddenBy(policy.RuleSecret) != tt.withheld {
				t.Errorf("withheld by %q, want by a rule: %t", got.Rules(), tt.withheld)
			}
		})
	}
}
