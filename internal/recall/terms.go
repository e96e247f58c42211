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
	text   string
	word   string // as it was written, in lower case; "" for pairs of letters and names
	same   uint64 // the question's terms of which it is another form
	weight float64
	name   bool // written as a name
	posts  []index.Posting
	have   int // how many docs have it, those elsewhere too
	idf    float64
}

// parse cuts the question into terms, and the pairs of them that stand together.
func (s *search) parse() {
	names := s.names()
	at := map[string]int{}
	last, whole := index.Token{Pos: -2}, index.Token{}
	s.cutter.Analyze(s.q.Text, func(t index.Token) {
		if !t.Part {
			whole = t
		}
		defer func() { s.partOf(at, whole, t) }()
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
		if !names[t.Term] && (filler(t.Term) || index.IsFunctionWord(t.Word)) {
			weight = s.r.Filler
		}
		if s.r.Common > 0 {
			_, common := index.RelatedTerms(t.Term)
			weight *= 1 - s.r.Common*common
		}
		s.terms = append(s.terms, term{text: t.Term, word: t.Word, weight: weight, name: names[t.Term]})
	})
	s.asked = len(s.terms)
	for i, t := range s.terms {
		if !filler(t.text) {
			s.content |= 1 << i
		}
	}
}

// filler reports whether a term is what a person asks with, not about.
func filler(term string) bool {
	switch term {
	case "recommend", "suggest", "help", "look", "consid", "plan", "want", "need", "know", "tell", "give", "get", "best", "good", "great",
		"idea", "option", "tip", "advic", "like", "think", "make", "tri", "way", "thing", "find", "interest", "start", "pleas", "use", "kind",
		"type", "sure", "specif", "provid", "share", "explor", "new", "come", "go", "take", "visit", "choos", "popular", "must":
		return true
	}
	return false
}

// names are the terms of words that the question writes with a capital inside a
// sentence. An acronym (PR, CI, API) is a word as any other.
func (s *search) names() map[string]bool {
	names := map[string]bool{}
	start := true
	for _, word := range strings.Fields(s.q.Text) {
		r, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(r) && !start && !namesTime(word) && !acronym(word) {
			s.cutter.Analyze(word, func(t index.Token) { names[t.Term] = true })
		}
		start = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
	}
	return names
}

// acronym reports whether all letters of a word are capitals.
func acronym(word string) bool {
	word = strings.TrimSuffix(word, "s") // APIs
	return word == strings.ToUpper(word)
}

// namesTime reports whether a word is a month or a day of the week.
func namesTime(word string) bool {
	word = index.WithoutAccents(strings.ToLower(strings.Trim(word, ",.?!'\"")))
	_, month := asTime(word, "month")
	_, weekday := asTime(word, "weekday")
	return month || weekday
}

// partOf notes that one term of the question is a part of another.
func (s *search) partOf(at map[string]int, whole, part index.Token) {
	w, ok := at[whole.Term]
	p, too := at[part.Term]
	if !part.Part || !ok || !too {
		return
	}
	i := slices.IndexFunc(s.wholes, func(n named) bool { return n.whole == w })
	if i < 0 {
		i, s.wholes = len(s.wholes), append(s.wholes, named{whole: w, bits: 1 << w})
	}
	s.wholes[i].bits |= 1 << p
}

// lookUp reads the postings of the terms, and scores the docs that have them. A doc
// that has a name whole has its parts.
func (s *search) lookUp() error {
	s.score = make([]float32, s.x.NumberCount())
	s.has = make([]uint64, s.x.NumberCount())
	for i := range s.terms {
		if err := s.read(&s.terms[i]); err != nil {
			return err
		}
		s.bm25(&s.terms[i])
		for _, p := range s.terms[i].posts {
			s.has[p.Doc] |= 1 << i
		}
	}
	for _, n := range s.wholes {
		for _, p := range s.terms[n.whole].posts {
			s.has[p.Doc] |= n.bits
		}
	}
	return nil
}

// read fills in a term's postings: those in docs that may be hits.
func (s *search) read(t *term) (err error) {
	if t.posts, err = s.x.Postings(t.text); err != nil {
		return err
	}
	if s.allowed != nil {
		t.posts = slices.DeleteFunc(t.posts, func(p index.Posting) bool { return !s.allowed[p.Doc] })
	}
	if s.q.Prompt && s.isCategory(t.text) {
		t.posts = slices.DeleteFunc(t.posts, func(p index.Posting) bool { return p.InText == 0 })
	}
	if t.have = len(t.posts); s.q.Elsewhere != nil {
		t.have += s.q.Elsewhere.Having(t.text)
	}
	t.idf = index.Rarity(s.docs, t.have)
	return nil
}

// isCategory reports whether a term is the name of a category.
func (s *search) isCategory(term string) (is bool) {
	s.cutter.Analyze(strings.Join(entry.Categories(), " "), func(t index.Token) { is = is || t.Term == term })
	return is
}

// bm25 adds a term's part to the scores.
func (s *search) bm25(t *term) {
	if t.weight == 0 || len(t.posts) == 0 {
		return
	}
	mean := float64(max(s.length, 1)) / float64(max(s.docs, 1))
	for _, p := range t.posts {
		gain := t.weight * t.idf * s.often(p, float64(p.Length)/mean)
		if s.score[p.Doc] == 0 {
			s.scored = append(s.scored, p.Doc)
		}
		s.score[p.Doc] += float32(gain)
	}
}

// often is BM25's factor for how often a term is in a text of that length, in means.
func (s *search) often(p index.Posting, length float64) float64 {
	tf := float64(p.InText) + s.r.Label*float64(p.InLabels)
	return tf * (s.r.K1 + 1) / (tf + s.r.K1*(1-s.r.B+s.r.B*length))
}

// maxBridged is how many related words a question gains.
const maxBridged = 60

// addRelated adds words that are related to the question's, for memories that say the
// same in other words.
func (s *search) addRelated() error {
	if s.r.Bridge == 0 {
		return nil
	}
	s.akin = make([]uint64, s.x.NumberCount())
	list, from := s.related()
	forms, err := s.forms()
	if err != nil {
		return err
	}
	for _, t := range append(forms, list[:min(len(list), maxBridged)]...) {
		if err := s.read(&t); err != nil {
			return err
		}
		s.bm25(&t)
		s.terms = append(s.terms, t)
		for _, p := range t.posts {
			s.akin[p.Doc] |= from[t.text]
			s.has[p.Doc] |= t.same
		}
	}
	return nil
}

// mostForms is how many terms of longer words one term of the question looks for.
const mostForms = 8

// forms are the question's words as other languages than English stem them, and the compounds that have them as a part, at half
// their weight.
func (s *search) forms() (list []term, err error) {
	if s.x != nil {
		if has, err := s.x.HasForms(); err != nil || !has {
			return nil, err
		}
	}
	for i, t := range s.terms[:s.asked] {
		add := func(text string, weight float64) {
			list = append(list, term{text: text, weight: weight * t.weight, same: 1 << i})
		}
		for _, form := range index.FormTerms(t.word) {
			add(form, 1)
		}
		if s.x == nil {
			continue
		}
		compounds, err := s.x.Compounds(t.word, mostForms)
		if err != nil {
			return nil, err
		}
		for _, form := range compounds {
			add(form, 0.5)
		}
	}
	return list, nil
}

// related are the words that are related to the question's, and those of When, the heaviest first, with the terms of the question
// that each comes from.
func (s *search) related() (list []term, from map[string]uint64) {
	weight := map[string]float64{}
	from = map[string]uint64{}
	for i, t := range s.terms[:s.asked] {
		if filler(t.text) {
			continue
		}
		related, _ := index.RelatedTerms(t.text)
		for _, r := range related {
			weight[r.Term] += s.r.Bridge * t.weight * r.Weight
			from[r.Term] |= 1 << i
		}
		when := index.WhenTerm(t.text) // words that a memory names as its occasion count half
		weight[when], from[when] = t.weight/2, 1<<i
	}
	for _, t := range s.terms[:s.asked] {
		delete(weight, t.text)
	}
	return byWeight(weight), from
}

// TermsOf are the terms that Search looks for, with what each counts: those of the text, and those
// that are related to them.
func TermsOf(text string) (asked, related []index.WeightedTerm) {
	r := DefaultRanking()
	s := &search{q: Query{Text: text}, r: &r, cutter: &index.Analyzer{}}
	s.parse()
	list, _ := s.related()
	forms, _ := s.forms() // without an index there is nothing that can fail
	return weighted(s.terms), weighted(append(forms, list[:min(len(list), maxBridged)]...))
}

func weighted(terms []term) (list []index.WeightedTerm) {
	for _, t := range terms {
		list = append(list, index.WeightedTerm{Term: t.text, Weight: t.weight})
	}
	return list
}

// byWeight are terms in the order of their weights.
func byWeight(weight map[string]float64) []term {
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

// stopDocs is how many of the best docs have their texts read for stop words.
const stopDocs = 50

// scoreStopWords adds the question's stop words to the scores of the best docs. They count more the fewer of its other words
// the best one has. No index has stop words, so they find nothing alone, and these docs say how rare each one is.
func (s *search) scoreStopWords() error {
	asked := index.StopWords(s.q.Text)
	if s.r.StopWords == 0 || len(asked) == 0 || len(s.candidates) == 0 {
		return nil
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	first := s.candidates[0].doc
	weight := s.r.StopWords * max(1-s.cover(first), 1/float64(max(1, bits.OnesCount64(s.has[first]))))
	best := s.candidates[:min(len(s.candidates), stopDocs)]
	counts := make([][]uint16, len(best))
	having := make([]int, len(asked))
	for i := range best {
		d, err := s.x.Doc(best[i].doc)
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
	mean := float64(max(s.length, 1)) / float64(max(s.docs, 1))
	for i := range best {
		c := &best[i]
		for at, count := range counts[i] {
			gain := weight * index.Rarity(len(best), having[at]) * s.often(index.Posting{InText: count}, float64(s.x.Length(c.doc))/mean)
			c.parts.words += gain
			c.total += gain
		}
	}
	s.sortCands()
	return nil
}
