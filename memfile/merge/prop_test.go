package merge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/tests/memfiletest"
)

// gen makes random versions of files.
type gen struct{ memfiletest.Random }

func newGen(seed uint64) gen { return gen{memfiletest.New(seed)} }

// triples is how many random triples the properties are tried on; make torture
// sets MEMCTL_MERGE_TRIPLES.
func triples() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("MEMCTL_MERGE_TRIPLES"), 10, 64); err == nil {
		return n
	}
	return 200
}

// triple is a base and two versions that go back to it, as people and memctl
// would make them.
type triple struct{ base, ours, theirs []byte }

func (g gen) triple() triple {
	src := []byte(g.Layout(g.Document()))
	if f, _ := memfile.Parse("m", src); f == nil {
		return g.triple()
	}
	tr := triple{base: src, ours: g.version(src), theirs: g.version(src)}
	if g.IntN(8) == 0 {
		tr.theirs = g.version(g.version(tr.ours)) // one came from the other
	}
	if g.IntN(6) == 0 {
		tr.base = nil
	}
	return tr
}

// version changes what a file says, its layout and the text around it.
func (g gen) version(src []byte) []byte {
	out := src
	if f, _ := memfile.Parse("m", src); f != nil && g.IntN(8) > 0 {
		doc := g.Edit(f.Document())
		if g.IntN(3) == 0 && len(doc.Items) > 0 { // as forget does
			i := g.IntN(len(doc.Items))
			doc.Deletions = append(doc.Deletions, memfile.Tombstone{Key: doc.Items[i].Key, Removed: "2026-12-30", Reason: "forgotten"})
			doc.Items = slices.Delete(doc.Items, i, i+1)
		}
		if b, err := patch.Rewrite(f, doc); err == nil {
			out = b
		}
	}
	lines := strings.SplitAfter(string(out), "\n")
	for range g.IntN(3) {
		i := g.IntN(len(lines) + 1)
		lines = slices.Insert(lines, i, memfiletest.Pick(g.Random, "# a remark\n", "Text.\n", "\n", "      # inside too\n", "extra: 1\n", "  mood: calm\n"))
	}
	if g.IntN(10) == 0 && len(lines) > 1 {
		i := g.IntN(len(lines))
		lines = slices.Delete(lines, i, i+1)
	}
	text := strings.Join(lines, "")
	if g.IntN(12) == 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", memfiletest.Pick(g.Random, "\n", "\r\n"))
	}
	if f, _ := memfile.Parse("m", []byte(text)); f == nil {
		return out
	}
	return []byte(text)
}

func TestMergeProperties(t *testing.T) {
	unmerged := 0
	n := triples()
	first, _ := strconv.ParseUint(os.Getenv("MEMCTL_MERGE_FIRST"), 10, 64)
	told := progress{quiet: os.Getenv("MEMCTL_MERGE_TRIPLES") == "", last: time.Now()}
	for seed := first; seed < first+n; seed++ {
		told.seed(seed-first, seed)
		tr := newGen(seed).triple()
		m, err := Files(memfile.FileName, tr.base, tr.ours, tr.theirs)
		if err != nil {
			if unmerged++; unmerged < 20 {
				t.Logf("seed %d: %v", seed, err)
			}
			if !errors.Is(err, memfile.ErrUnwritable) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		checkMerge(t, seed, tr, m)
		if t.Failed() {
			t.Fatalf("seed %d\n--- base\n%s\n--- ours\n%s\n--- theirs\n%s\n--- merged\n%s", seed, tr.base, tr.ours, tr.theirs, m.Bytes)
		}
	}
	t.Logf("%d triples, %d could not be merged", n, unmerged)
	if unmerged > int(n/200) {
		t.Errorf("%d of %d triples could not be merged", unmerged, n)
	}
}

// progress tells, while many triples are tried, how far it has come and which
// seeds took longest. A test's log is printed at its end alone.
type progress struct {
	quiet bool
	last  time.Time
	worst []slowSeed // the longest first
}

type slowSeed struct {
	seed uint64
	took time.Duration
}

// seed notes that the n-th seed begins, and so that the one before it is done.
func (p *progress) seed(n, seed uint64) {
	const most, each = 5, 10_000
	now := time.Now()
	if n > 0 {
		p.worst = append(p.worst, slowSeed{seed - 1, now.Sub(p.last).Round(time.Millisecond)})
		slices.SortFunc(p.worst, func(a, b slowSeed) int { return cmp.Compare(b.took, a.took) })
		p.worst = p.worst[:min(len(p.worst), most)]
	}
	if p.last = now; !p.quiet && n > 0 && n%each == 0 {
		fmt.Fprintf(os.Stderr, "%d triples; the slowest seeds:", n)
		for _, s := range p.worst {
			fmt.Fprintf(os.Stderr, " %d in %s", s.seed, s.took)
		}
		fmt.Fprintln(os.Stderr)
	}
}

func checkMerge(t *testing.T, seed uint64, tr triple, m Result) {
	t.Helper()
	again := func(what string, base, ours, theirs, want []byte) {
		t.Helper()
		got, err := Files(memfile.FileName, base, ours, theirs)
		if err != nil || !bytes.Equal(got.Bytes, want) {
			t.Errorf("seed %d: %s: %v\n%s", seed, what, err, got.Bytes)
		}
	}
	again("the other way round", tr.base, tr.theirs, tr.ours, m.Bytes)
	again("with itself", tr.base, m.Bytes, m.Bytes, m.Bytes)
	again("unchanged theirs", tr.ours, m.Bytes, tr.ours, m.Bytes)
	f, problems := memfile.Parse("m", m.Bytes)
	if f == nil {
		t.Errorf("seed %d: not sound: %v", seed, problems)
		return
	}
	trivial := bytes.Equal(m.Bytes, tr.ours) || bytes.Equal(m.Bytes, tr.theirs)
	_, one := memfile.Parse("m", tr.ours)
	_, two := memfile.Parse("m", tr.theirs)
	for _, p := range problems {
		had := slices.ContainsFunc(slices.Concat(one, two), func(q memfile.Problem) bool { return q.Rule == p.Rule })
		if p.Severity == memfile.Error && !trivial && (!had || p.Rule == "duplicate-key" || p.Rule == "forgotten") {
			t.Errorf("seed %d: %s: %s", seed, p.Rule, p.Message)
		}
	}
	if !trivial {
		checkNothingLost(t, seed, tr, f.Document(), m.Bytes)
		checkNothingBack(t, seed, tr, f.Document())
		checkLines(t, seed, tr, m.Bytes)
	}
}

// docOf parses bytes; nil gives an empty document.
func docOf(src []byte) memfile.Document {
	if f, _ := memfile.Parse("m", src); f != nil {
		return f.Document()
	}
	return memfile.Document{}
}

// holds reports whether the document has the value under the key, anywhere.
func holds(doc memfile.Document, key string, v memfile.Value) bool {
	want := v.YAML()
	same := func(x memfile.Value) bool {
		return x.YAML() == want || memfile.SameRead(x, v) || x.Canonical() == v.Canonical()
	}
	for _, it := range doc.Items {
		if it.Key == key && (same(it.Value) || slices.ContainsFunc(it.Conflict, func(r memfile.Rival) bool { return same(r.Value) })) {
			return true
		}
	}
	for _, tomb := range doc.Deletions {
		if tomb.Key == key && (tomb.Value != nil && same(*tomb.Value) || slices.ContainsFunc(tomb.Conflict, func(r memfile.Rival) bool { return same(r.Value) })) {
			return true
		}
	}
	return false
}

func checkNothingLost(t *testing.T, seed uint64, tr triple, got memfile.Document, merged []byte) {
	t.Helper()
	base := docOf(tr.base)
	for _, src := range [][]byte{tr.ours, tr.theirs} {
		doc := docOf(src)
		for _, it := range doc.Items {
			forgotten := slices.ContainsFunc(got.Deletions, func(x memfile.Tombstone) bool { return x.Key == it.Key })
			switch {
			case holds(got, it.Key, it.Value):
			case tr.base != nil && holds(base, it.Key, it.Value): // superseded
			case forgotten && (tr.base == nil || it.By == memfile.ByAutomatic):
			case memfile.ForgottenBy(doc, it) != nil: // it was not to be shown there already
			default:
				t.Errorf("seed %d: %s: the value %s is lost", seed, it.Key, it.Value.YAML())
			}
		}
		for _, tomb := range doc.Deletions {
			same := func(x memfile.Tombstone) bool { return isOrHides(x, tomb) }
			if !slices.ContainsFunc(got.Deletions, same) && !slices.ContainsFunc(base.Deletions, same) {
				t.Errorf("seed %d: the tombstone of %s is lost", seed, tomb.Key)
			}
		}
	}
	for line := range strings.Lines(string(tr.base)) {
		line := strings.TrimSpace(line)
		in := func(src []byte) bool { return bytes.Contains(src, []byte(line)) }
		if prose := line == "Some prose with a list:" || line == "More prose."; prose && in(tr.ours) && in(tr.theirs) && !in(merged) {
			t.Errorf("seed %d: %q is lost", seed, line)
		}
	}
}

// isOrHides reports whether a tombstone of the result is that of a side, or has the hash of the text that the side's has.
func isOrHides(got, side memfile.Tombstone) bool {
	return memfile.TombstoneKey(got) == memfile.TombstoneKey(side) || got.OfEntry() && side.OfEntry() && side.Value != nil && got.Recognises(side.Value.Plain())
}

// checkNothingBack: what one side forgot or took out is not there, unless the
// other side brought it back or changed it.
func checkNothingBack(t *testing.T, seed uint64, tr triple, got memfile.Document) {
	t.Helper()
	if tr.base == nil {
		return
	}
	base, one, two := itemsOf(docOf(tr.base)), itemsOf(docOf(tr.ours)), itemsOf(docOf(tr.theirs))
	for _, it := range got.Items {
		for _, s := range [][2]side{{one, two}, {two, one}} {
			b, tomb, was := base.items[it.Key], s[0].tombs[it.Key], base.tombs[it.Key]
			if s[0].items[it.Key] == nil && tomb != nil && (was == nil || !memfile.SameTombstone(*was, *tomb)) {
				t.Errorf("seed %d: %s was forgotten, and is back", seed, it.Key)
			}
			if s[0].items[it.Key] == nil && b != nil && sameOrNone(b, s[1].items[it.Key], memfile.SameItem) {
				t.Errorf("seed %d: %s was taken out, and is back", seed, it.Key)
			}
		}
	}
	for _, r := range got.Deletions {
		made := func(of memfile.Tombstone) bool { return isOrHides(r, of) }
		if !slices.ContainsFunc(slices.Concat(docOf(tr.ours).Deletions, docOf(tr.theirs).Deletions), made) {
			t.Errorf("seed %d: a tombstone nobody made", seed)
		}
	}
}
