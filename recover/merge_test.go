package recovery

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestMergeCutSide cuts one side of a merge off at each of its lines, and
// within them: whatever is left, the merge has every item and tombstone of the
// base, and what the other side did.
func TestMergeCutSide(t *testing.T) {
	base := head + "    - key: a.one\n      value: the first of the values\n      added: 2026-01-02\n      source: user\n      confidence: high\n" +
		"    - key: b.two\n      value: the second of the values\n      added: 2026-01-02\n      source: user\n      confidence: high\n      locked: true\n" +
		"deletions:\n  - key: c.three\n    removed: 2026-01-04\n    reason: asked to\n  - key: d.four\n    removed: 2026-01-04\n```\n\nProse.\n"
	base = strings.Replace(base, "announce_writes: true", "announce_writes: false", 1)
	theirs := strings.Replace(base, "the first of the values", "another value", 1)
	opt := Options{Today: "2026-11-21"}
	cuts := 0
	for n := strings.Index(base, "  items:"); n < strings.Index(base, "```\n\nProse"); n += 3 {
		m, err := MergeFile("memories.md", []byte(base), []byte(base[:n]), []byte(theirs), opt)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		other, err := MergeFile("memories.md", []byte(base), []byte(theirs), []byte(base[:n]), opt)
		if err != nil || string(other.Bytes) != string(m.Bytes) {
			t.Fatalf("cut at %d: the other way round: %v", n, err)
		}
		f, _ := memfile.Parse("m", m.Bytes)
		doc := f.Document()
		tombs := map[string]bool{}
		for _, tomb := range doc.Deletions {
			tombs[tomb.Key] = true
		}
		items := map[string]memfile.Item{}
		for _, it := range doc.Items {
			items[it.Key] = it
		}
		two := items["b.two"]
		if items["a.one"].Key == "" || two.Key == "" || !two.Locked || !tombs["c.three"] || !tombs["d.four"] || doc.Settings.AnnounceWrites {
			t.Errorf("cut at %d, after %q:\n%s", n, base[max(0, n-30):n], m.Bytes)
		}
		said := func(it memfile.Item, text string) bool {
			found := it.Value.Text == text
			for _, r := range it.Conflict {
				found = found || r.Value.Text == text
			}
			return found
		}
		if !said(items["a.one"], "another value") || !said(two, "the second of the values") {
			t.Errorf("cut at %d, after %q: a value is gone:\n%s", n, base[max(0, n-30):n], m.Bytes)
		}
		cuts++
	}
	if cuts < 100 {
		t.Errorf("only %d cuts", cuts)
	}

	// So does a side that was emptied.
	m, err := MergeFile("memories.md", []byte(base), nil, []byte(theirs), opt)
	if f, _ := memfile.Parse("m", m.Bytes); err != nil || f == nil || len(f.Document().Items) != 2 || len(f.Document().Deletions) != 2 {
		t.Errorf("an empty side: %v\n%s", err, m.Bytes)
	}

	// A sound side takes out what it takes out.
	sound := strings.Replace(base, "  - key: d.four\n    removed: 2026-01-04\n", "", 1)
	m, err = MergeFile("memories.md", []byte(base), []byte(sound), []byte(theirs), opt)
	if err != nil || strings.Contains(string(m.Bytes), "d.four") || len(m.Notes) > 0 {
		t.Errorf("a tombstone taken out of a sound side: %v %v\n%s", err, m.Notes, m.Bytes)
	}
}
