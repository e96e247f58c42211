package merge

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// What git's own merge of the text leaves in conflict, whatever the style of its
// markers, is taken apart and merged without losing what either side says: its keys,
// and what it has forgotten.
func TestNothingIsLostOfWhatGitLeftInConflict(t *testing.T) {
	styles := [][]string{nil, {"--diff3"}, {"--zdiff3"}}
	merged, shown := 0, 0
	for seed := range uint64(600) {
		tr := newGen(seed).triple()
		if tr.base == nil {
			continue
		}
		text := gitMerged(t, tr, styles[seed%3])
		if !bytes.Contains(text, []byte("\n<<<<<<< ")) {
			continue
		}
		sides, err := Sides(text)
		if err != nil || sides.Hunks == 0 {
			t.Fatalf("seed %d: %d conflicts, %v\n%s", seed, sides.Hunks, err, text)
		}
		if !sides.Untouched([3][]byte{tr.base, tr.ours, tr.theirs}) {
			t.Fatalf("seed %d: counts as edited\n%s", seed, text)
		}
		m, err := Files(memfile.FileName, sides.Base, sides.Ours, sides.Theirs)
		var damaged *Error
		if errors.As(err, &damaged) {
			continue // as text, git made no sound file of one side: it has to be recovered first
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		merged++
		if sides.Base != nil {
			shown++
		}
		f, problems := memfile.Parse("m", m.Bytes)
		if f == nil {
			t.Fatalf("seed %d: not sound: %v\n%s", seed, problems, m.Bytes)
		}
		if lost := lostOf(f.Document(), tr); lost != "" {
			t.Fatalf("seed %d: %s\n--- conflict\n%s\n--- resolved\n%s", seed, lost, text, m.Bytes)
		}
	}
	if merged < 50 || shown < 20 {
		t.Errorf("only %d of the triples conflict as text, %d with a base", merged, shown)
	}
}

// gitMerged is git's merge of the three as text.
func gitMerged(t *testing.T, tr triple, style []string) []byte {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for name, src := range map[string][]byte{"2": tr.base, "1": tr.ours, "3": tr.theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	cmd := exec.Command("git", append(append([]string{"merge-file", "-p"}, style...), names...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 129 && len(style) > 0 {
		return gitMerged(t, tr, nil) // a git that does not know the style
	}
	if len(out) == 0 {
		t.Fatalf("git merge-file: %v", err) // its status counts the conflicts
	}
	return out
}

// lostOf names what a side has and the resolved document has not.
func lostOf(got memfile.Document, tr triple) string {
	b, _ := memfile.Parse("m", tr.base)
	forgotten := map[string]bool{}
	for _, d := range got.Deletions {
		forgotten[d.Key] = true
	}
	for _, src := range [][]byte{tr.ours, tr.theirs} {
		f, _ := memfile.Parse("m", src)
		for _, it := range f.Document().Items {
			removed := slices.ContainsFunc(b.Document().Items, func(o memfile.Item) bool { return o.Key == it.Key })
			there := slices.ContainsFunc(got.Items, func(o memfile.Item) bool { return o.Key == it.Key })
			if !there && !forgotten[it.Key] && !removed {
				return "lost " + it.Key
			}
		}
		for _, d := range f.Document().Deletions {
			known := slices.ContainsFunc(b.Document().Deletions, func(o memfile.Tombstone) bool { return o.Key == d.Key })
			if !known && !forgotten[d.Key] {
				return "forgot that it has forgotten " + d.Key
			}
		}
	}
	return ""
}
