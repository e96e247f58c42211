package memfile

import (
	"fmt"
	"testing"
)

func fileOf(n int) []byte {
	doc := Document{Settings: Settings{Enabled: true, AnnounceWrites: true}}
	for i := range n {
		doc.Items = append(doc.Items, Item{Key: fmt.Sprintf("area%d.name%03d", i%7, i),
			Value: Str(fmt.Sprintf("some preference of ordinary length, number %d, in plain words", i)),
			Added: "2026-11-21", Source: "explicit user preference", Confidence: High, Tags: []string{"style"}})
	}
	b, err := New(doc)
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
		if f, _ := Parse(FileName, src); f == nil {
			b.Fatal("damaged")
		}
	}
}

func BenchmarkRewrite500(b *testing.B) {
	f, _ := Parse(FileName, fileOf(500))
	for b.Loop() {
		want := f.Document()
		want.Items[250].Value = Str("another")
		if _, err := Rewrite(f, want); err != nil {
			b.Fatal(err)
		}
	}
}
