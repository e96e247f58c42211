package merge

import (
	"bytes"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// How many of a hundred threes of branches may come out otherwise when they are
// merged in another order: in what they say, and in their bytes at all.
const (
	mostOtherMeaning = 1.0
	mostOtherBytes   = 10.0
)

// branches are three versions that go back to one base; nil where one of them is
// not as memctl writes it, with a key twice or a forgotten item.
func (g gen) branches() [][]byte {
	base := []byte(g.Layout(g.Document()))
	if f, _ := memfile.Parse("m", base); f == nil {
		return nil
	}
	list := [][]byte{base, g.version(base), g.version(base), g.version(base)}
	for _, src := range list {
		doc, seen := docOf(src), map[string]bool{}
		for _, it := range doc.Items {
			if seen[it.Key] || memfile.ForgottenBy(doc, it) != nil {
				return nil
			}
			seen[it.Key] = true
		}
	}
	return list
}

// inOrder merges one branch after the other; nil where that cannot be done.
func inOrder(base []byte, branches ...[]byte) []byte {
	at := branches[0]
	for _, next := range branches[1:] {
		m, err := Files(memfile.FileName, base, at, next)
		if err != nil {
			return nil
		}
		at = m.Bytes
	}
	return at
}

// TestMergeOrder: three branches, in each of the three orders. docs/merge.md
// says what may differ.
func TestMergeOrder(t *testing.T) {
	tried, meaning, other := 0, 0, 0
	for seed := range triples() / 8 {
		list := newGen(seed).branches()
		if list == nil {
			continue
		}
		base, a, b, c := list[0], list[1], list[2], list[3]
		one, two, three := inOrder(base, a, b, c), inOrder(base, b, c, a), inOrder(base, a, c, b)
		if one == nil || two == nil || three == nil {
			continue
		}
		tried++
		doc := docOf(one)
		switch {
		case len(memfile.Diff(doc, docOf(two))) > 0 || len(memfile.Diff(doc, docOf(three))) > 0:
			meaning++
			other++
		case !bytes.Equal(one, two) || !bytes.Equal(one, three):
			other++
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(tried) }
	t.Logf("%d threes of branches: %.2f%% say something else in another order, %.2f%% are not the same bytes", tried, share(meaning), share(other))
	const few = 3 // which say nothing of a share
	if share(meaning-few) > mostOtherMeaning || share(other-few) > mostOtherBytes {
		t.Errorf("at most %.1f%% and %.1f%%", mostOtherMeaning, mostOtherBytes)
	}
}
