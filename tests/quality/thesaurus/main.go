// Command thesaurus makes recall's table of related words out of WordNet's database
// files:
//
//	go run ./tests/quality/thesaurus -wordnet FOLDER -out internal/recall/index/thesaurus.bin
//
// Two words are related where what WordNet says of them has much in common: the
// words of their synsets, of the synsets these point to, and of their glosses. The
// rows name the most related words of each, by their stems.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

const (
	minMentions = 4   // words that WordNet mentions less often are left out
	features    = 60  // of a word, the heaviest
	tooCommon   = 800 // features that more words have say nothing
)

func main() {
	folder := flag.String("wordnet", "", "folder with data.noun, data.verb, data.adj, data.adv and index.sense")
	out := flag.String("out", "", "the file to write")
	most := flag.Int("most", 10, "related words a word")
	least := flag.Float64("least", 0.1, "least similarity, 0 to 1")
	show := flag.String("show", "", "print the related words of this word")
	flag.Parse()
	if err := run(*folder, *out, *show, *most, *least); err != nil {
		fmt.Fprintln(os.Stderr, "thesaurus:", err)
		os.Exit(1)
	}
}

func run(folder, out, show string, most int, least float64) error {
	net, err := read(folder)
	if err != nil {
		return err
	}
	related := relate(net.vectors(), most, least)
	net.addKinds(related)
	if show != "" {
		for _, term := range index.Terms(show) {
			fmt.Fprintln(os.Stderr, term, related[term])
		}
	}
	fmt.Fprintln(os.Stderr, len(related), "words")
	if out == "" {
		return nil
	}
	data, err := buildTable(related, net.common())
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}

// vector is what is said of a word, by word.
type vector map[string]float64

// relate finds for each word the words whose vectors are most like its own.
func relate(vectors map[string]vector, most int, least float64) map[string][]index.WeightedTerm {
	vectors = weigh(vectors)
	type entry struct {
		word   int32
		weight float32
	}
	words := make([]string, 0, len(vectors))
	for w := range vectors {
		words = append(words, w)
	}
	slices.Sort(words)
	having := map[string][]entry{}
	for i, w := range words {
		for f, x := range vectors[w] {
			having[f] = append(having[f], entry{int32(i), float32(x)})
		}
	}
	related := map[string][]index.WeightedTerm{}
	sums := make([]float32, len(words))
	for i, w := range words {
		var touched []int32
		for f, x := range vectors[w] {
			if len(having[f]) > tooCommon {
				continue
			}
			for _, e := range having[f] {
				if sums[e.word] == 0 {
					touched = append(touched, e.word)
				}
				sums[e.word] += float32(x) * e.weight
			}
		}
		var list []index.WeightedTerm
		for _, t := range touched {
			if sim := float64(sums[t]); int(t) != i && sim >= least {
				list = append(list, index.WeightedTerm{Term: words[t], Weight: min(sim, 1)})
			}
			sums[t] = 0
		}
		slices.SortFunc(list, func(a, b index.WeightedTerm) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Term, b.Term))
		})
		if len(list) > 0 {
			related[w] = list[:min(len(list), most)]
		}
	}
	return related
}

// weigh makes rare features heavy, keeps the heaviest, and brings each vector to
// length 1.
func weigh(vectors map[string]vector) map[string]vector {
	have := map[string]int{}
	for _, v := range vectors {
		for f := range v {
			have[f]++
		}
	}
	out := map[string]vector{}
	for w, v := range vectors {
		type entry struct {
			feature string
			weight  float64
		}
		var list []entry
		for f, x := range v {
			idf := math.Log(float64(len(vectors)) / float64(have[f]))
			list = append(list, entry{f, math.Sqrt(x) * idf})
		}
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.feature, b.feature))
		})
		list = list[:min(len(list), features)]
		sum := 0.0
		for _, e := range list {
			sum += e.weight * e.weight
		}
		kept := vector{}
		for _, e := range list {
			kept[e.feature] = e.weight / math.Sqrt(sum)
		}
		out[w] = kept
	}
	return out
}
