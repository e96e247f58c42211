package recall

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
)

// term is one term that is looked for, and where it stands in the index.
type term struct {
	text       string
	word       string // as it was written, in lower case; "" for pairs of letters and names
	formOfBits uint64 // the question's terms of which it is another form
	weight     float64
	isName     bool // written as a name
	postings   []index.Posting
	docCount   int // how many docs have it, those elsewhere too
	idf        float64
}

// parseQuestion cuts the question into terms, and the pairs of them that stand together.
func (s *search) parseQuestion() {
	names := s.nameTerms()
	at := map[string]int{}
	last, whole := index.Token{Pos: -2}, index.Token{}
	s.analyzer.Analyze(s.query.Text, func(t index.Token) {
		if !t.Part {
			whole = t
		}
		defer func() { s.notePart(at, whole, t) }()
		if t.Pos == last.Pos+1 {
			s.phrases = append(s.phrases, [2]string{last.Term, t.Term})
		}
		last = t
		if i, ok := at[t.Term]; ok {
			s.terms[i].weight = 1.5 // asked twice is not twice as much
			return
		}
		if len(s.terms) >= maxTerms {
			return
		}
		at[t.Term] = len(s.terms)
		weight := 1.0
		if !names[t.Term] && (isFiller(t.Term) || index.IsFunctionWord(t.Word)) {
			weight = s.ranking.Filler
		}
		if s.ranking.Common > 0 {
			_, common := index.RelatedTerms(t.Term)
			weight *= 1 - s.ranking.Common*common
		}
		s.terms = append(s.terms, term{text: t.Term, word: t.Word, weight: weight, isName: names[t.Term]})
	})
	s.questionTerms = len(s.terms)
	for i, t := range s.terms {
		if !isFiller(t.text) {
			s.contentBits |= 1 << i
		}
	}
}

// isFiller reports whether a term is what a person asks with, not about.
func isFiller(term string) bool {
	switch term {
	case "recommend", "suggest", "help", "look", "consid", "plan", "want", "need", "know", "tell", "give", "get", "best", "good", "great",
		"idea", "option", "tip", "advic", "like", "think", "make", "tri", "way", "thing", "find", "interest", "start", "pleas", "use", "kind",
		"type", "sure", "specif", "provid", "share", "explor", "new", "come", "go", "take", "visit", "choos", "popular", "must":
		return true
	}
	return false
}

// nameTerms are the terms of words that the question writes with a capital inside a
// sentence. An acronym (PR, CI, API) is a word as any other.
func (s *search) nameTerms() map[string]bool {
	names := map[string]bool{}
	start := true
	for _, word := range strings.Fields(s.query.Text) {
		r, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(r) && !start && !isTimeName(word) && !isAcronym(word) {
			s.analyzer.Analyze(word, func(t index.Token) { names[t.Term] = true })
		}
		start = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
	}
	return names
}

// isAcronym reports whether all letters of a word are capitals.
func isAcronym(word string) bool {
	word = strings.TrimSuffix(word, "s") // APIs
	return word == strings.ToUpper(word)
}

// isTimeName reports whether a word is a month or a day of the week.
func isTimeName(word string) bool {
	word = index.WithoutAccents(strings.ToLower(strings.Trim(word, ",.?!'\"")))
	_, month := timeValue(word, "month")
	_, weekday := timeValue(word, "weekday")
	return month || weekday
}

// notePart notes that one term of the question is a part of another.
func (s *search) notePart(at map[string]int, whole, part index.Token) {
	w, ok := at[whole.Term]
	p, too := at[part.Term]
	if !part.Part || !ok || !too {
		return
	}
	i := slices.IndexFunc(s.compoundNames, func(n compoundName) bool { return n.whole == w })
	if i < 0 {
		i, s.compoundNames = len(s.compoundNames), append(s.compoundNames, compoundName{whole: w, bits: 1 << w})
	}
	s.compoundNames[i].bits |= 1 << p
}

// scoreByWords reads the postings of the terms, and scores the docs that have them. A doc
// that has a name whole has its parts.
func (s *search) scoreByWords() error {
	s.score = make([]float32, s.index.NumberCount())
	s.hasBits = make([]uint64, s.index.NumberCount())
	for i := range s.terms {
		if err := s.readPostings(&s.terms[i]); err != nil {
			return err
		}
		s.addBM25(&s.terms[i])
		for _, p := range s.terms[i].postings {
			s.hasBits[p.Doc] |= 1 << i
		}
	}
	for _, n := range s.compoundNames {
		for _, p := range s.terms[n.whole].postings {
			s.hasBits[p.Doc] |= n.bits
		}
	}
	return nil
}

// readPostings fills in a term's postings: those in docs that may be hits.
func (s *search) readPostings(t *term) (err error) {
	if t.postings, err = s.index.Postings(t.text); err != nil {
		return err
	}
	if s.allowed != nil {
		t.postings = slices.DeleteFunc(t.postings, func(p index.Posting) bool { return !s.allowed[p.Doc] })
	}
	if s.query.Prompt && s.isCategory(t.text) {
		t.postings = slices.DeleteFunc(t.postings, func(p index.Posting) bool { return p.InText == 0 })
	}
	if t.docCount = len(t.postings); s.query.Elsewhere != nil {
		t.docCount += s.query.Elsewhere.DocsWithTerm(t.text)
	}
	t.idf = index.Rarity(s.docCount, t.docCount)
	return nil
}

// isCategory reports whether a term is the name of a category.
func (s *search) isCategory(term string) (is bool) {
	s.analyzer.Analyze(strings.Join(entry.Categories(), " "), func(t index.Token) { is = is || t.Term == term })
	return is
}

// addBM25 adds a term's part to the scores.
func (s *search) addBM25(t *term) {
	if t.weight == 0 || len(t.postings) == 0 {
		return
	}
	mean := float64(max(s.length, 1)) / float64(max(s.docCount, 1))
	for _, p := range t.postings {
		gain := t.weight * t.idf * s.frequencyFactor(p, float64(p.Length)/mean)
		if s.score[p.Doc] == 0 {
			s.scored = append(s.scored, p.Doc)
		}
		s.score[p.Doc] += float32(gain)
	}
}

// frequencyFactor is BM25's factor for how often a term is in a text of that length, in means.
func (s *search) frequencyFactor(p index.Posting, length float64) float64 {
	tf := float64(p.InText) + s.ranking.Label*float64(p.InLabels)
	return tf * (s.ranking.K1 + 1) / (tf + s.ranking.K1*(1-s.ranking.B+s.ranking.B*length))
}

// maxRelated is how many related words a question gains.
const maxRelated = 60

// addRelated adds words that are related to the question's, for memories that say the
// same in other words.
func (s *search) addRelated() error {
	if s.ranking.Bridge == 0 {
		return nil
	}
	s.relatedBits = make([]uint64, s.index.NumberCount())
	list, from := s.relatedTerms()
	forms, err := s.formTerms()
	if err != nil {
		return err
	}
	for _, t := range append(forms, list[:min(len(list), maxRelated)]...) {
		if err := s.readPostings(&t); err != nil {
			return err
		}
		s.addBM25(&t)
		s.terms = append(s.terms, t)
		for _, p := range t.postings {
			s.relatedBits[p.Doc] |= from[t.text]
			s.hasBits[p.Doc] |= t.formOfBits
		}
	}
	return nil
}

// maxForms is how many terms of longer words one term of the question looks for.
const maxForms = 8

// formTerms are the question's words as other languages than English stem them, and the compounds that have them as a part, at half
// their weight.
func (s *search) formTerms() (list []term, err error) {
	if s.index != nil {
		if has, err := s.index.HasForms(); err != nil || !has {
			return nil, err
		}
	}
	for i, t := range s.terms[:s.questionTerms] {
		add := func(text string, weight float64) {
			list = append(list, term{text: text, weight: weight * t.weight, formOfBits: 1 << i})
		}
		for _, form := range index.FormTerms(t.word) {
			add(form, 1)
		}
		if s.index == nil {
			continue
		}
		compounds, err := s.index.Compounds(t.word, maxForms)
		if err != nil {
			return nil, err
		}
		for _, form := range compounds {
			add(form, 0.5)
		}
	}
	return list, nil
}

// relatedTerms are the words that are related to the question's, and those of When, the heaviest first, with the terms of the question
// that each comes from.
func (s *search) relatedTerms() (list []term, from map[string]uint64) {
	weight := map[string]float64{}
	from = map[string]uint64{}
	for i, t := range s.terms[:s.questionTerms] {
		if isFiller(t.text) {
			continue
		}
		related, _ := index.RelatedTerms(t.text)
		for _, r := range related {
			weight[r.Term] += s.ranking.Bridge * t.weight * r.Weight
			from[r.Term] |= 1 << i
		}
		when := index.WhenTerm(t.text) // words that a memory names as its occasion count half
		weight[when], from[when] = t.weight/2, 1<<i
	}
	for _, t := range s.terms[:s.questionTerms] {
		delete(weight, t.text)
	}
	return sortedByWeight(weight), from
}

// TermsOf are the terms that Search looks for, with what each counts: those of the text, and those
// that are related to them.
func TermsOf(text string) (asked, related []index.WeightedTerm) {
	r := DefaultRanking()
	s := &search{query: Query{Text: text}, ranking: &r, analyzer: &index.Analyzer{}}
	s.parseQuestion()
	list, _ := s.relatedTerms()
	forms, _ := s.formTerms() // without an index there is nothing that can fail
	return weighted(s.terms), weighted(append(forms, list[:min(len(list), maxRelated)]...))
}

func weighted(terms []term) (list []index.WeightedTerm) {
	for _, t := range terms {
		list = append(list, index.WeightedTerm{Term: t.text, Weight: t.weight})
	}
	return list
}

// sortedByWeight are terms in the order of their weights.
func sortedByWeight(weight map[string]float64) []term {
	list := make([]term, 0, len(weight))
	for text, w := range weight {
		list = append(list, term{text: text, weight: w})
	}
	sortTerms(list)
	return list
}

func sortTerms(list []term) {
	slices.SortFunc(list, func(a, b term) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.text, b.text)) })
}

// maxReadForStopWords is how many of the best docs have their texts read for stop words.
const maxReadForStopWords = 50

// scoreStopWords adds the question's stop words to the scores of the best docs. They count more the fewer of its other words
// the best one has. No index has stop words, so they find nothing alone, and these docs say how rare each one is.
func (s *search) scoreStopWords() error {
	asked := index.StopWords(s.query.Text)
	if s.ranking.StopWords == 0 || len(asked) == 0 || len(s.candidates) == 0 {
		return nil
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	first := s.candidates[0].doc
	weight := s.ranking.StopWords * max(1-s.coveredShare(first), 1/float64(max(1, bits.OnesCount64(s.hasBits[first]))))
	best := s.candidates[:min(len(s.candidates), maxReadForStopWords)]
	counts := make([][]uint16, len(best))
	having := make([]int, len(asked))
	for i := range best {
		d, err := s.index.Doc(best[i].doc)
		if err != nil {
			return err
		}
		counts[i] = make([]uint16, len(asked))
		for _, word := range index.StopWords(d.Text) {
			if at, ok := slices.BinarySearch(asked, word); ok {
				if counts[i][at]++; counts[i][at] == 1 {
					having[at]++
				}
			}
		}
	}
	mean := float64(max(s.length, 1)) / float64(max(s.docCount, 1))
	for i := range best {
		c := &best[i]
		for at, count := range counts[i] {
			gain := weight * index.Rarity(len(best), having[at]) * s.frequencyFactor(index.Posting{InText: count}, float64(s.index.Length(c.doc))/mean)
			c.parts.words += gain
			c.total += gain
		}
	}
	s.sortCandidates()
	return nil
}
