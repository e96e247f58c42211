package meaning

import (
	"hash/crc32"
	"sort"
	"testing"
)

func of(text string) []byte { return (&Reader{}).Vector(text) }

func TestTheTableIsWhole(t *testing.T) {
	n := wordCount()
	if n < 20_000 || numberAt(4) != Size {
		t.Fatalf("the table has %d words, %d numbers each", n, numberAt(4))
	}
	if !sort.SliceIsSorted(make([]struct{}, n), func(i, j int) bool { return wordName(i) < wordName(j) }) {
		t.Error("the words are not in order")
	}
	if Version() != crc32.ChecksumIEEE([]byte(tableData[headerBytes:])) {
		t.Error("the checksum is wrong")
	}
	if end := headerBytes + n*(8+Size) + int(numberAt(headerBytes+4*(n-1))); end != len(tableData) {
		t.Errorf("the table has %d bytes, want %d", len(tableData), end)
	}
}

func TestSimilarTextsAreNear(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"a quick program", "fast software", "a slow boat"},
		{"the database server crashed", "postgres failed", "we had pasta for lunch"},
		{"food without meat", "vegetarian meals", "network cables"},
		{"delete the folder", "remove a directory", "sing a song"},
	} {
		near, far := Cosine(of(c.text), of(c.near)), Cosine(of(c.text), of(c.far))
		if near < far+0.1 {
			t.Errorf("%q: %q has %.2f and %q has %.2f", c.text, c.near, near, c.far, far)
		}
	}
}

func TestFormsOfWords(t *testing.T) {
	for text, same := range map[string]string{"DATABASE": "database", "database's": "database", "the databases’": "databases"} {
		if got := Cosine(of(text), of(same)); got < 0.9 {
			t.Errorf("%q and %q: %.2f, want nearly 1", text, same, got)
		}
	}
	for _, text := range []string{"", "the of it", "zzqxv", "?!", "\xff\xfe", "should", "東京"} {
		for i, x := range of(text) {
			if x != 0 {
				t.Fatalf("%q: the number %d is %d, want 0", text, i, x)
			}
		}
	}
}

func BenchmarkVector(b *testing.B) {
	var r Reader
	for b.Loop() {
		r.Vector("the invoice service retries a failed payment three times before it alerts the team")
	}
}

func BenchmarkCosine(b *testing.B) {
	x, y := of("a quick program"), of("fast software")
	for b.Loop() {
		Cosine(x, y)
	}
}
