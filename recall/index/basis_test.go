package index

import (
	"fmt"
	"testing"
)

// numbered are docs that share some of their words.
func numbered(n int) []Doc {
	var docs []Doc
	for i := range n {
		id := fmt.Sprintf("d%d", i)
		docs = append(docs, Doc{ID: id, Scope: "project", Source: id + ".md", Text: fmt.Sprintf("word%d word%d number%d", i%8, i/8, i)})
	}
	return docs
}

func TestTheBasisIsTheSameForTheSameDocs(t *testing.T) {
	first, err := Build(numbered(80), nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Build(numbered(80), nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Error("two builds differ")
	}
	s, err := openSegment(first)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := s.basis(); err != nil || len(rows) != latentDims*80 {
		t.Errorf("%d bytes of rows, %v", len(rows), err)
	}
}

func TestAFewDocsHaveNoBasis(t *testing.T) {
	data, err := Build(numbered(latentLeast-2), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSegment(data)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := s.basis(); err != nil || rows != nil {
		t.Errorf("%d bytes of rows, %v", len(rows), err)
	}
}
