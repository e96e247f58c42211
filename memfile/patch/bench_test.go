package patch

import (
	"fmt"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

func fileOf(n int) []byte {
	doc := memfile.Document{Settings: memfile.Settings{Enabled: true, AnnounceWrites: true}}
	for i := range n {
		doc.Items = append(doc.Items, memfile.Item{Key: fmt.Sprintf("area%d.name%03d", i%7, i),
			Value: memfile.Str(fmt.Sprintf("some preference of ordinary length, number %d, in plain words", i)),
			Added: "2026-11-21", Labels: labels.Labels{Source: "explicit user preference", Confidence: memfile.High, Tags: []string{"style"}}})
	}
	b, err := memfile.New(doc)
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkParse500(b *testing.B) {
	src := fileOf(500)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := memfile.Parse(memfile.FileName, src); f == nil {
			b.Fatal("damaged")
		}
	}
}

func BenchmarkRewrite500(b *testing.B) {
	f, _ := memfile.Parse(memfile.FileName, fileOf(500))
	for b.Loop() {
		want := f.Document()
		want.Items[250].Value = memfile.Str("another")
		if _, err := Rewrite(f, want); err != nil {
			b.Fatal(err)
		}
	}
}
