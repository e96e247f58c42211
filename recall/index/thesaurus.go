package index

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
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

// Weighted is a term and how much it counts, 0 to 1 for a related word.
type Weighted struct {
	Term   string
	Weight float64
}

// RelatedTerms are the terms that have to do with a term, and how common the term is in the
// language, 0 to 1; 0 where that is not known.
func RelatedTerms(term string) (list []Weighted, common float64) {
	list, common = thesaurus(thesaurusData).related(term)
	for _, other := range softwareWords()[term] {
		if !slices.ContainsFunc(list, func(w Weighted) bool { return w.Term == other }) {
			list = append(list, Weighted{Term: other, Weight: 1})
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
// a word's number, in steps, and its weight in 255ths.

// BuildThesaurus writes a table of related words, and of how common words are, 0 to 1.
// Words that have no row of their own may stand in others' rows.
func BuildThesaurus(related map[string][]Weighted, common map[string]float64) ([]byte, error) {
	known := map[string]bool{}
	for word, list := range related {
		known[word] = true
		for _, r := range list {
			known[r.Term] = true
		}
	}
	words := make([]string, 0, len(known))
	for w := range known {
		words = append(words, w)
	}
	slices.Sort(words)
	var heads, names, rows []byte
	for _, w := range words {
		heads = le.AppendUint32(le.AppendUint32(heads, uint32(len(names))), uint32(len(rows)))
		names = append(names, w...)
		list := slices.Clone(related[w])
		slices.SortFunc(list, func(a, b Weighted) int { return cmp.Compare(a.Term, b.Term) })
		rows = append(rows, byte(min(max(common[w], 0), 1)*255))
		last := 0
		for _, r := range list {
			if r.Weight < 0 || r.Weight > 1 {
				return nil, fmt.Errorf("%q: %q: the weight %g is not between 0 and 1", w, r.Term, r.Weight)
			}
			at, _ := slices.BinarySearch(words, r.Term)
			rows = append(binary.AppendUvarint(rows, uint64(at-last)), byte(r.Weight*255))
			last = at
		}
	}
	heads = le.AppendUint32(le.AppendUint32(heads, uint32(len(names))), uint32(len(rows)))
	return slices.Concat(le.AppendUint32(nil, uint32(len(words))), heads, names, rows), nil
}

// thesaurus reads a table. A damaged one gives no words, never a panic.
type thesaurus []byte

func (t thesaurus) words() int {
	if len(t) < 12 {
		return 0
	}
	return min(int(le.Uint32(t)), (len(t)-12)/8)
}

// slice is a part of the table, from its first heads on; nil out of bounds.
func (t thesaurus) slice(from, to int) []byte {
	if from < 0 || to < from || to > len(t) {
		return nil
	}
	return t[from:to]
}

func (t thesaurus) heads(i int) (name, row int) {
	return int(le.Uint32(t[4+8*i:])), int(le.Uint32(t[8+8*i:]))
}

func (t thesaurus) word(i int) string {
	at := 12 + 8*t.words()
	from, _ := t.heads(i)
	to, _ := t.heads(i + 1)
	return string(t.slice(at+from, at+to))
}

// related are the words of a word's row, and how common the word is, 0 to 1; 0 where
// the table does not know it.
func (t thesaurus) related(term string) (list []Weighted, common float64) {
	n := t.words()
	i := sort.Search(n, func(i int) bool { return t.word(i) >= term })
	if i == n || t.word(i) != term {
		return nil, 0
	}
	names, _ := t.heads(n)
	_, from := t.heads(i)
	_, to := t.heads(i + 1)
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
		list = append(list, Weighted{t.word(int(word)), float64(c.data[0]) / 255})
		c.data = c.data[1:]
	}
	return list, common
}
