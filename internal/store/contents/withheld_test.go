package contents

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// The snapshot holds verdicts, so it must go when what they depend on does.
func TestSnapshotGoesWithTheTeamsRulesAndWhatIsAccepted(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "Bluebird"))
	b.Write(store.TeamFile, "policy:\n  - {words: bluebird}\n")
	withheldNow := func(want bool) {
		t.Helper()
		for range 2 { // the first may judge, the second reads the snapshot
			m, err := Read(t.Context(), b.Project())
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(m.Find("a.b").Withheld, "team"); got != want {
				t.Errorf("withheld %v, want %v", got, want)
			}
		}
	}
	withheldNow(true)
	st := b.Project()
	if err := st.Accept(t.Context(), AcceptDigest("a.b", memfile.Str("Bluebird"))); err != nil {
		t.Fatal(err)
	}
	withheldNow(false)
	st = b.Project()
	if err := st.Stores.Unaccept(t.Context(), AcceptDigest("a.b", memfile.Str("Bluebird"))); err != nil {
		t.Fatal(err)
	}
	withheldNow(true)
	b.Write(store.TeamFile, "policy:\n  - {words: heron}\n")
	withheldNow(false)
}

// All entries are read once, until the store or what verdicts depend on changes. A View that hides one hides it from no other.
func TestAllEntriesAreReadOnce(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	const folder = "memories/entries/project/facts/"
	if err := os.MkdirAll(filepath.Join(b.Root, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	fact := func(id, text string) {
		b.Write(folder+id+".md", "---\nid: "+id+"\nrole: memory\ncreated_at: \"2026-11-01T08:00:00Z\"\n---\n\n"+text+"\n")
	}
	st := b.Project()
	read := func(want int) {
		t.Helper()
		all, err := ReadAllEntries(t.Context(), st)
		if err != nil || len(all.List) != want {
			t.Fatalf("%d entries and %v unread, %v, want %d", len(all.List), all.Unread, err, want)
		}
		for i := range all.List {
			if len(all.List[i].Withheld) > 0 {
				t.Errorf("it is withheld by %q", all.List[i].Withheld)
			}
			all.List[i].hide(RuleForgotten)
		}
	}
	fact("11111111-1111-4111-8111-111111111111", "the first")
	read(1)
	fact("22222222-2222-4222-8222-222222222222", "the second")
	read(1)
	read(1)
	st.DropCache()
	read(2)
	fact("33333333-3333-4333-8333-333333333333", "the third")
	read(2)
	st.Stores.ForgetConfig()
	read(3)
}

func TestATeamFileThatIsNoFileIsNotFollowed(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(elsewhere, []byte("label: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(b.Root, store.TeamFile)); err != nil {
		t.Skip(err)
	}
	team := b.Project().Stores.Team()
	if team.Label != "" || !team.AllProtected || !team.Rules.Broken() {
		t.Errorf("%+v", team)
	}
}
