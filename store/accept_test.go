package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// The snapshot holds verdicts, so it must go when what they depend on does.
func TestSnapshotGoesWithTheTeamsRulesAndWhatIsAccepted(t *testing.T) {
	b := gitBox(t, withItem("a.b", "Bluebird"))
	b.write(TeamFile, "policy:\n  - {words: bluebird}\n")
	withheldNow := func(want bool) {
		t.Helper()
		for range 2 { // the first may judge, the second reads the snapshot
			m, err := b.project().Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(m.Find("a.b").Withheld, "team"); got != want {
				t.Errorf("withheld %v, want %v", got, want)
			}
		}
	}
	withheldNow(true)
	st := b.project()
	if err := st.Accept(t.Context(), AcceptDigest("a.b", memfile.Str("Bluebird"))); err != nil {
		t.Fatal(err)
	}
	withheldNow(false)
	st = b.project()
	if err := st.ss.Unaccept(t.Context(), AcceptDigest("a.b", memfile.Str("Bluebird"))); err != nil {
		t.Fatal(err)
	}
	withheldNow(true)
	b.write(TeamFile, "policy:\n  - {words: heron}\n")
	withheldNow(false)
}

func TestATeamFileThatIsNoFileIsNotFollowed(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	elsewhere := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(elsewhere, []byte("label: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(b.root, TeamFile)); err != nil {
		t.Skip(err)
	}
	team := b.project().ss.Team()
	if team.Label != "" || !team.AllProtected || !team.Rules.Broken() {
		t.Errorf("%+v", team)
	}
}
