package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
)

// wordnet is its synsets by part of speech and offset.
type wordnet struct {
	synsets  map[string]*synset
	uses     map[string]float64 // by word, part of speech and offset: how often it was tagged
	mentions map[string]int     // by term
}

type synset struct {
	words    []string // with underscores
	pointers []pointer
	gloss    []string // terms
	examples []string
	own      []string // the words' terms
	pos      string
}

type pointer struct{ kind, to string }

func read(folder string) (*wordnet, error) {
	n := &wordnet{synsets: map[string]*synset{}, uses: map[string]float64{}, mentions: map[string]int{}}
	for pos, name := range map[string]string{"n": "noun", "v": "verb", "a": "adj", "r": "adv"} {
		if err := eachLine(filepath.Join(folder, "data."+name), func(line string) error { return n.readSynset(pos, line) }); err != nil {
			return nil, err
		}
	}
	err := eachLine(filepath.Join(folder, "index.sense"), func(line string) error {
		f := strings.Fields(line)
		if len(f) != 4 {
			return fmt.Errorf("not a sense: %q", line)
		}
		word, rest, _ := strings.Cut(f[0], "%")
		count, err := strconv.Atoi(f[3])
		n.uses[word+" "+posOf(rest)+f[1]] += float64(count)
		return err
	})
	return n, err
}

func posOf(sense string) string {
	switch sense[:1] {
	case "1":
		return "n"
	case "2":
		return "v"
	case "4":
		return "r"
	}
	return "a"
}

func eachLine(path string, visit func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "  ") { // the licence
			continue
		}
		if err := visit(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// readSynset reads "offset file type count word id … count pointer… | gloss".
func (n *wordnet) readSynset(pos, line string) error {
	data, gloss, _ := strings.Cut(line, " | ")
	f := strings.Fields(data)
	if len(f) < 6 {
		return fmt.Errorf("not a synset: %q", line)
	}
	s := &synset{pos: pos}
	count, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil || len(f) < 5+2*int(count) {
		return fmt.Errorf("not a synset: %q", line)
	}
	at := 4
	for range count {
		word, _, _ := strings.Cut(f[at], "(")
		s.words = append(s.words, strings.ToLower(word))
		s.own = append(s.own, index.Terms(strings.ReplaceAll(word, "_", " "))...)
		at += 2
	}
	pointers, err := strconv.Atoi(f[at])
	if err != nil || len(f) < at+1+4*pointers {
		return fmt.Errorf("not a synset: %q", line)
	}
	for range pointers {
		to := f[at+3]
		if to == "s" {
			to = "a"
		}
		s.pointers = append(s.pointers, pointer{f[at+1], to + f[at+2]})
		at += 4
	}
	definition, examples, _ := strings.Cut(gloss, `"`)
	s.gloss, s.examples = index.Terms(definition), index.Terms(examples)
	for _, list := range [][]string{s.gloss, s.examples, s.own} {
		for _, t := range list {
			n.mentions[t]++
		}
	}
	n.synsets[pos+f[0]] = s
	return nil
}

// vectors says of each word what is said of its synsets, the more the more often
// the word is used so.
func (n *wordnet) vectors() map[string]vector {
	vectors := map[string]vector{}
	for id, s := range n.synsets {
		bag := n.bag(s)
		for _, word := range s.words {
			terms := index.Terms(strings.ReplaceAll(word, "_", " "))
			if len(terms) != 1 || n.mentions[terms[0]] < minMentions || strings.ContainsAny(terms[0], "0123456789=") {
				continue
			}
			v := vectors[terms[0]]
			if v == nil {
				v = vector{}
				vectors[terms[0]] = v
			}
			share := n.uses[word+" "+id] + 0.3
			for t, x := range bag {
				v[t] += share * x
			}
		}
	}
	return vectors
}

// pointing is what the words of a synset count that another points to.
var pointing = map[byte]float64{'@': 0.6, '~': 0.3, '+': 0.8, ';': 0.7, '-': 0.2, '%': 0.4, '#': 0.4, '&': 0.6, '^': 0.5, '$': 0.6, '!': 0.3, '=': 0.5, '>': 0.4, '*': 0.4}

func (n *wordnet) bag(s *synset) vector {
	v := vector{}
	add := func(terms []string, weight float64) {
		for _, t := range terms {
			v[t] = max(v[t], weight)
		}
	}
	add(s.own, 1)
	add(s.gloss, 0.6)
	add(s.examples, 0.3)
	for _, p := range s.pointers {
		if to := n.synsets[p.to]; to != nil {
			w := pointing[p.kind[0]]
			add(to.own, w)
			if p.kind[0] != '~' {
				add(to.gloss, w/2)
			}
		}
	}
	return v
}

// addKinds adds what a word is a kind of, by its most used synset: its row of alike
// words seldom has it.
func (n *wordnet) addKinds(related map[string][]index.WeightedTerm) {
	const kind = 0.5
	best := map[string]float64{}
	kinds := map[string][]string{}
	for id, s := range n.synsets {
		for _, word := range s.words {
			terms := index.Terms(word)
			if uses := n.uses[word+" "+id] + 0.3; len(terms) == 1 && related[terms[0]] != nil && s.pos == "n" && uses > best[terms[0]] {
				best[terms[0]] = uses
				kinds[terms[0]] = nil
				for _, p := range s.pointers {
					if to := n.synsets[p.to]; to != nil && p.kind == "@" {
						kinds[terms[0]] = append(kinds[terms[0]], to.own...)
					}
				}
			}
		}
	}
	for word, list := range kinds {
		for _, k := range list {
			at := slices.IndexFunc(related[word], func(r index.WeightedTerm) bool { return r.Term == k })
			switch {
			case k == word || related[k] == nil:
			case at >= 0:
				related[word][at].Weight = max(related[word][at].Weight, kind)
			default:
				related[word] = append(related[word], index.WeightedTerm{Term: k, Weight: kind})
			}
		}
	}
}

// common says how common each word is, 0 to 1, by how often WordNet's texts and the
// texts that were tagged with it use it.
func (n *wordnet) common() map[string]float64 {
	uses := map[string]float64{}
	for term, count := range n.mentions {
		uses[term] += float64(count)
	}
	for sense, count := range n.uses {
		word, _, _ := strings.Cut(sense, " ")
		if terms := index.Terms(word); len(terms) == 1 {
			uses[terms[0]] += count
		}
	}
	most := 0.0
	for _, count := range uses {
		most = max(most, count)
	}
	common := map[string]float64{}
	for term, count := range uses {
		common[term] = math.Log(1+count) / math.Log(1+most)
	}
	return common
}
