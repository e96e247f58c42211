package recall

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/memfile"
)

// Action is what an agent is about to do: it reads or changes a file, or runs commands.
type Action struct {
	File     string     // from the project's root, with slashes; "" for none
	Commands [][]string // the words of simple commands
	// CountTracked counts the tracked files for which the function is true, up to a number. It is asked about globs and folders only.
	CountTracked func(matches func(file string) bool, most int) int
	MayShow      func(*index.Record) bool // as in Event
	Keep         func(*index.Doc) bool    // as in Event
	Stale        func(*index.Doc) bool    // as in Query
	MaxHits      int
}

// The score of a memory at a file or a command (docs/session.md).
const (
	namedFileScore     = 10  // it names the file, or a folder or glob of few files
	maxFewFiles        = 20  // that a folder or a glob matches at most
	upperFolderWeight  = 0.7 // of a word in a folder above the last one
	programAloneWeight = 0.7 // of a program's name: what it is to do has to be there too
	minActionScore     = 5.3 // more than one word that no other repository has
)

// FindForAction finds the memories that a file or a command is about, the one that fits best first. The error wraps ErrCorrupt.
func FindForAction(x *index.Index, d Action) ([]Hit, error) {
	s := &scorer{index: x, analyzer: &index.Analyzer{}}
	w := d.words()
	if len(w.weight) == 0 {
		return nil, nil
	}
	if err := s.chooseDocs(d.MayShow); err != nil || s.docCount == 0 {
		return nil, err
	}
	docs, err := s.candidatesForAction(w)
	if err != nil {
		return nil, err
	}
	var list []Hit
	for _, n := range docs {
		doc, err := s.index.Doc(int(n))
		if err != nil {
			return nil, err
		}
		list = append(list, w.scoreDoc(s, doc, d.CountTracked))
	}
	return bestHits(s.rankDistinct(list, d.Stale), minActionScore, d.MaxHits, d.Keep), nil
}

// actionWords are the words of an action, each with its weight, and the files that it names.
type actionWords struct {
	weight   map[string]float64            // 0 for words that say nothing, and may stand in a glob
	terms    map[string]map[string]float64 // by word: its terms, each with its rarity
	files    []string
	frequent map[string]bool // by word: whether it stands in many paths of the project
}

// words are the words of the file's path, or of the commands.
func (d *Action) words() actionWords {
	w := actionWords{weight: map[string]float64{}, terms: map[string]map[string]float64{}, frequent: map[string]bool{}}
	if d.File != "" {
		w.files = append(w.files, d.File)
		parts := strings.Split(d.File, "/")
		for i, part := range parts {
			if i >= len(parts)-2 {
				w.addName(part, 1)
			} else {
				w.addName(part, upperFolderWeight)
			}
		}
	}
	for _, command := range d.Commands {
		for i, word := range command {
			if word = strings.TrimPrefix(word, "./"); i > 0 && strings.ContainsAny(word, "/.") && !strings.HasPrefix(word, "-") {
				w.files = append(w.files, word)
			}
			word, _, _ = strings.Cut(word, "@") // a version
			switch {
			case i == 0:
				w.addName(word, programAloneWeight)
			case len(word) > 2 || !strings.HasPrefix(word, "-"):
				w.addName(word, 1)
			}
		}
	}
	for _, file := range w.files { // a word that is a file's name says which file, however many others have it in theirs
		w.frequent[strings.ToLower(path.Base(withoutExtension(file)))] = false
	}
	return w
}

func (w *actionWords) addName(name string, weight float64) {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, word := range append(camelWords(part), part) {
			if word = strings.ToLower(word); len(word) < 2 || isNumber(word) {
				continue
			}
			if isRoutineWord(word) {
				w.weight[word] = 0
			} else {
				w.weight[word] = max(w.weight[word], weight)
			}
		}
	}
}

// camelWords are the words of a name in camel case; none for another.
func camelWords(name string) (list []string) {
	start := 0
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			list, start = append(list, name[start:i]), i
		}
	}
	if start == 0 {
		return nil
	}
	return append(list, name[start:])
}

// isRoutineWord reports whether a word is a program, a verb or an ending that stands in commands and paths of every project.
func isRoutineWord(word string) bool { return strings.Contains(routineWords, " "+word+" ") }

const routineWords = ` git ls cat grep rg find sed awk echo mkdir rm cp mv npm npx yarn pnpm node go python python3 pip cmake make docker curl tail head wc
 chmod cd env sudo bash sh test tee sort touch which kill ps export xargs timeout run install build add commit push pull status diff log show stash
 checkout rebase merge fetch start exec ci lint vet mod init md json yaml yml toml ts tsx js jsx py cc cpp hpp css html sql php proto txt csv png svg src lib docs tests `

// candidatesForAction are the docs that have the rarest words of an action.
func (s *scorer) candidatesForAction(w actionWords) ([]int32, error) {
	common := map[int32]float64{}
	for word, weight := range w.weight {
		w.terms[word] = map[string]float64{}
		s.analyzer.Analyze(word, func(t index.Token) {
			if !t.Part {
				w.terms[word][strings.Clone(t.Term)] = min(pathRarity(word), rarityInPrompts(t.Term))
			}
		})
		for term := range w.terms[word] {
			in, err := s.docsWithTerm(term, w.terms[word])
			if err != nil {
				return nil, err
			}
			for doc := range in {
				common[doc] += weight*w.terms[word][term] + 0.1
			}
		}
	}
	docs := slices.Collect(maps.Keys(common))
	slices.SortFunc(docs, func(a, b int32) int { return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b, a)) })
	return docs[:min(len(docs), maxScoredDocs)], nil
}

// scoreDoc gives a doc's score for the action.
func (w *actionWords) scoreDoc(s *scorer, d index.Doc, tracked func(func(string) bool, int) int) (t Hit) {
	t.Doc = d
	texts := slices.Concat([]string{d.Text}, d.When, d.Anchors)
	if d.Tier == index.TierItem {
		texts = append(texts, strings.ReplaceAll(d.ID, ".", " "))
	}
	has := map[string]bool{}
	for _, text := range texts {
		for word := range strings.FieldsSeq(text) {
			if name := strings.Trim(word, "`'\"()[]{}<>,;:!?"); (strings.ContainsAny(name, "/*._-") || camelWords(name) != nil) && w.namesAFile(strings.TrimRight(name, "."), tracked) {
				t.Score, t.Matched = namedFileScore, []string{name}
				return t
			}
		}
		maps.Copy(has, s.contentTerms(text))
	}
	rarity := map[string]float64{}
	for word, terms := range w.terms {
		for term, rare := range terms {
			if has[term] && rare*w.weight[word] > 0 {
				rarity[word] += rare * w.weight[word]
			}
		}
	}
	t.Matched = slices.SortedFunc(maps.Keys(rarity), func(a, b string) int { return cmp.Or(cmp.Compare(rarity[b], rarity[a]), cmp.Compare(a, b)) })
	for _, word := range t.Matched {
		t.Score += rarity[word]
	}
	if t.Score >= minActionScore && tracked != nil { // what many files have in their paths says which part of the project it is, as a folder does
		t.Matched = slices.DeleteFunc(t.Matched, func(word string) bool {
			if w.isInManyPaths(word, tracked) {
				t.Score -= rarity[word]
				return true
			}
			return false
		})
	}
	return t
}

// isInManyPaths reports whether more than a few tracked files have the word in their paths.
func (w *actionWords) isInManyPaths(word string, tracked func(func(string) bool, int) int) bool {
	known, ok := w.frequent[word]
	if !ok {
		capital := strings.ToUpper(word[:1]) + word[1:]
		known = tracked(func(file string) bool { return strings.Contains(file, word) || strings.Contains(file, capital) }, maxFewFiles+1) > maxFewFiles
		w.frequent[word] = known
	}
	return known
}

// withoutExtension is a file's path without its ending, and without the test that a command names in it ("a_test.py::test_b").
func withoutExtension(file string) string {
	file, _, _ = strings.Cut(file, "::")
	folder, base := path.Split(file)
	if dot := strings.Index(base, "."); dot > 0 {
		base = base[:dot]
	}
	return folder + base
}

// namesAFile reports whether what looks like a path names one of the files: the file itself, with its ending or without, or a folder or
// glob of few files.
func (w *actionWords) namesAFile(name string, tracked func(func(string) bool, int) int) bool {
	name = strings.TrimPrefix(path.Clean(name), "./")
	if name == "" || name == "." || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") {
		return false
	}
	literal := longestLiteral(name)
	matches := func(file string) bool { return strings.Contains(file, literal) && globMatchesBelow(name, file) }
	for _, file := range w.files {
		if strings.HasSuffix("/"+file, "/"+name) || strings.HasSuffix("/"+withoutExtension(file), "/"+name) {
			return true
		}
		if matches(file) && tracked != nil {
			if tracked(matches, maxFewFiles+1) <= maxFewFiles {
				return true
			}
		}
	}
	return false
}

// longestLiteral is the longest part of a glob that a file has to contain.
func longestLiteral(glob string) (longest string) {
	for part := range strings.FieldsFuncSeq(glob, func(r rune) bool { return strings.ContainsRune("*?[]", r) }) {
		if part = strings.Trim(part, "/"); len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// globMatchesBelow reports whether a folder or a glob, which may begin at any folder, matches a file.
func globMatchesBelow(glob, file string) bool {
	for {
		if memfile.MatchesFile([]string{glob}, file) {
			return true
		}
		_, below, ok := strings.Cut(file, "/")
		if !ok {
			return false
		}
		file = below
	}
}

// pathWords lists the words of the paths of 87 repositories, each with the number of repositories that have it, in the order of
// bytes.
//
//go:embed pathwords.txt
var pathWords string

const repositoryCount = 87

// pathRarity is how rare a word is in paths.
func pathRarity(word string) float64 {
	return math.Log((repositoryCount + 1) / (float64(numberInTable(pathWords, word)) + 0.5))
}
