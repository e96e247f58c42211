package patch

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/memfiletest"
)

func TestRewriteGivesWhatWasWantedOnRandomFiles(t *testing.T) {
	for seed := range uint64(2000) {
		g := memfiletest.New(seed)
		doc := g.Document()
		src := g.Layout(doc)
		f, problems := memfile.Parse("m", []byte(src))
		if f == nil {
			t.Fatalf("seed %d: %+v\n%s", seed, problems, src)
		}
		if where := memfile.FirstDifference(f.Document(), doc); where != "" {
			t.Fatalf("seed %d: read otherwise: %s\n%s", seed, where, src)
		}
		same, err := Rewrite(f, f.Document())
		if err != nil || string(same) != src {
			t.Fatalf("seed %d: no change changed the bytes: %v", seed, err)
		}
		want := g.Edit(f.Document())
		out, err := Rewrite(f, want)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		checkUntouched(t, seed, f, want, src, out)
	}
}

// checkUntouched finds every entry that the edit left alone byte for byte in
// the result, and every comment and line of prose.
func checkUntouched(t *testing.T, seed uint64, f *memfile.File, want memfile.Document, src string, out []byte) {
	t.Helper()
	list := f.Root().Field("saved_memory").Field("items")
	for i, it := range f.Document().Items {
		if list.Style == yamltext.Flow { // it is printed anew as a whole
			break
		}
		j := slices.IndexFunc(want.Items, func(w memfile.Item) bool { return w.Line == it.Line && w.Column == it.Column })
		if j < 0 || !memfile.SameItem(want.Items[j], it) {
			continue
		}
		e := list.Entries[i]
		if !bytes.Contains(out, []byte(src[e.Start:e.Value.End])) {
			t.Fatalf("seed %d: item %d changed its bytes\n%s\n---\n%s", seed, i, src, out)
		}
	}
	start, end := f.Block()
	if !bytes.HasPrefix(out, []byte(src[:start])) || !bytes.HasSuffix(out, []byte(src[end:])) {
		t.Fatalf("seed %d: bytes outside the block changed", seed)
	}
	if strings.Contains(src, "\r\n") && strings.Count(src, "\n") == strings.Count(src, "\r\n") && bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n")) {
		t.Fatalf("seed %d: line endings are mixed", seed)
	}
}

// FuzzRewrite makes a random edit of any sound file. What is written must be
// what was wanted, which Rewrite itself checks, and bytes outside the block
// must stay.
func FuzzRewrite(f *testing.F) {
	for seed := range uint64(40) {
		g := memfiletest.New(seed)
		f.Add(seed, []byte(g.Layout(g.Document())))
	}
	f.Fuzz(func(t *testing.T, seed uint64, src []byte) {
		file, _ := memfile.Parse("m", src)
		if file == nil {
			return
		}
		same, err := Rewrite(file, file.Document())
		if err != nil || string(same) != string(src) {
			t.Fatalf("no change changed the bytes: %v", err)
		}
		want := memfiletest.New(seed).Edit(file.Document())
		out, err := Rewrite(file, want)
		if err != nil {
			braces := file.Root().Style == yamltext.Flow || file.Root().Field("saved_memory").Style == yamltext.Flow
			if !braces && !errors.Is(err, ErrNewer) && len(src) < memfile.MaxBlockBytes/2 {
				t.Fatalf("%v\n%s", err, src)
			}
			return
		}
		checkUntouched(t, seed, file, want, string(src), out)
	})
}
