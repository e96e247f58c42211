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

func TestATeamFileThatIsNoFileIsNotFollowed(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(elsewhere, []byte("profile:\n  bytes: 2000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(b.Root, store.TeamFile)); err != nil {
		t.Skip(err)
	}
	team := b.Project().Stores.Team()
	if team.Bytes != 0 || !team.AllProtected || !team.Rules.Broken() {
		t.Errorf("%+v", team)
	}
}
