package index

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"
)

// thesaurusData is made of WordNet by tests/quality/thesaurus; thesaurus.txt is its
// licence.
//
//go:embed thesaurus.bin
var thesaurusData []byte

// WeightedTerm is a term and how much it counts, 0 to 1 for a related word.
type WeightedTerm struct {
	Term   string
	Weight float64
}

// RelatedTerms are the terms that have to do with a term, and how common the term is in the
// language, 0 to 1; 0 where that is not known.
func RelatedTerms(term string) (list []WeightedTerm, common float64) {
	list, common = thesaurus(thesaurusData).related(term)
	for _, other := range softwareWords()[term] {
		if !slices.ContainsFunc(list, func(w WeightedTerm) bool { return w.Term == other }) {
			list = append(list, WeightedTerm{Term: other, Weight: 1})
		}
	}
	return list, common
}

// softwareWords are words that mean the same in the work on software, and not in WordNet, each with the others of its line.
var softwareWords = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.SplitSeq(`release ship deploy publish
repository repo
database db
configuration config setting
authentication auth login
dependency package library
documentation docs readme
environment env
directory folder
credential secret token password
linter lint
formatter format
pipeline ci workflow
exception error failure
delete remove
runtime interpreter
latency performance speed`, "\n") {
		terms := Terms(line)
		for i, t := range terms {
			all[t] = slices.Concat(all[t], terms[:i], terms[i+1:])
		}
	}
	return all
})

// The table: the number of words; for each where its name begins, and where its
// row; the names; the rows. A row is how common the word is, in 255ths, and pairs of
// a word's number, in steps, and its weight in 255ths. tests/quality/thesaurus writes it.

// thesaurus reads a table. A damaged one gives no words, never a panic.
type thesaurus []byte

func (t thesaurus) wordCount() int {
	if len(t) < 12 {
		return 0
	}
	return min(int(littleEndian.Uint32(t)), (len(t)-12)/8)
}

// slice is a part of the table, from its first heads on; nil out of bounds.
func (t thesaurus) slice(from, to int) []byte {
	if from < 0 || to < from || to > len(t) {
		return nil
	}
	return t[from:to]
}

func (t thesaurus) wordOffsets(i int) (name, row int) {
	return int(littleEndian.Uint32(t[4+8*i:])), int(littleEndian.Uint32(t[8+8*i:]))
}

func (t thesaurus) word(i int) string {
	at := 12 + 8*t.wordCount()
	from, _ := t.wordOffsets(i)
	to, _ := t.wordOffsets(i + 1)
	return string(t.slice(at+from, at+to))
}

// related are the words of a word's row, and how common the word is, 0 to 1; 0 where
// the table does not know it.
func (t thesaurus) related(term string) (list []WeightedTerm, common float64) {
	n := t.wordCount()
	i := sort.Search(n, func(i int) bool { return t.word(i) >= term })
	if i == n || t.word(i) != term {
		return nil, 0
	}
	names, _ := t.wordOffsets(n)
	_, from := t.wordOffsets(i)
	_, to := t.wordOffsets(i + 1)
	at := 12 + 8*n + names
	row := t.slice(at+from, at+to)
	if len(row) == 0 {
		return nil, 0
	}
	common = float64(row[0]) / 255
	c := cursor{data: row[1:]}
	for word := uint64(0); len(c.data) > 0; {
		word += c.uvarint()
		if word >= uint64(n) || len(c.data) == 0 {
			return list, common
		}
		list = append(list, WeightedTerm{t.word(int(word)), float64(c.data[0]) / 255})
		c.data = c.data[1:]
	}
	return list, common
}
