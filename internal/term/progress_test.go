package term

import (
	"strings"
	"testing"
	"time"
)

func TestProgressAppearsWithTimeAndGoesAtTheEnd(t *testing.T) {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := NewProgress(&b, "indexing", "files")
	p.now = func() time.Time { return clock }
	p.Update(0, 100)
	clock = clock.Add(progressAfter / 2)
	p.Update(10, 100)
	if b.Len() != 0 {
		t.Fatalf("drawn at once: %q", b.String())
	}
	clock = clock.Add(progressAfter)
	p.Update(50, 100)
	want := "\rindexing [##########          ] 50 of 100 files, 111 a second\x1b[K"
	if b.String() != want {
		t.Fatalf("drawn %q, want %q", b.String(), want)
	}
	p.Update(60, 100) // too soon
	p.Clear()
	p.Clear()
	if b.String() != want+"\r\x1b[K" {
		t.Errorf("after the end %q", b.String())
	}
	var none *Progress
	none.Update(1, 2)
	NewProgress(nil, "a", "b").Update(1, 2)
}
