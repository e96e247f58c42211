package policy

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables cannot change without the revision: caches of verdicts hang on it.
// To mend it, raise the constant revision and write the line that the failure
// shows to testdata/revision.txt. The tables of secret and instructions count by what
// their own tests write down of them.
func TestTheRevisionChangesWithTheTables(t *testing.T) {
	all := fmt.Append(nil, lastingPhrases, MaxValueBytes, MaxNoteBytes, MaxTagBytes, MaxTags)
	for _, name := range []string{"instructions", "secret"} {
		tables, err := os.ReadFile(name + "/testdata/tables.txt")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tables...)
	}
	personal, err := filepath.Glob("personal/*.go") // its rules are functions
	if err != nil || len(personal) == 0 {
		t.Fatalf("%v, %v", personal, err)
	}
	personal = append(personal, "instructions/risk.go", "instructions/tables_risk.go", "instructions/risk.txt")
	for _, name := range personal {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, code...)
	}
	sum := sha256.Sum256(all)
	want := fmt.Sprintf("%s %x", revision, sum[:8])
	got, err := os.ReadFile("testdata/revision.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != want {
		t.Errorf("the tables changed: raise revision, and write this to testdata/revision.txt: %s", want)
	}
}

func TestLastingPhrasesAreWrittenAsTheirReaderExpects(t *testing.T) {
	for _, p := range lastingPhrases {
		words := strings.Fields(p.Text)
		if len(words) == 0 || words[0][0] == '*' || words[len(words)-1][0] == '*' || p.Points < 1 || p.Text != strings.ToLower(p.Text) {
			t.Errorf("%q", p.Text)
		}
	}
}
