package recall

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/meaning"
)

// Event is something that happens in a session, for which [FindForEvent] looks for memories that nobody asked for.
type Event struct {
	Text    string                   // the person's words; "" finds nothing
	MayShow func(*index.Record) bool // which docs can be handed over at all; nil for all
	Keep    func(*index.Doc) bool    // asked last, and only of what passes the bar; nil for all
	Stale   func(*index.Doc) bool    // as in Query
	MaxHits int                      // how many are handed over
}

// The score of a memory at a prompt, and the bar that it has to pass (docs/session.md). The figures were fitted on the prompts of
// three projects, with and without other projects' memories beside, and on ordinary prompts.
const (
	whenWeight          = 0.9  // of a word that only When has
	phraseWeight        = 1.1  // of each where When has several together: together they are rarer
	partWeight          = 0.7  // of whenWeight, where the text has a part of the phrase alone
	meaningWeight       = 12.5 // of the cosine of both texts
	wordsForFullMeaning = 4    // words in common from which the cosine counts in full: fewer make it high by themselves
	costOfWhen          = 2.25 // who has more words is hit more often
	minDocs             = 10
	minWords            = 3 // of the words in common: one that 60 of 1,250 prompts have. Meaning alone says too little

	// The bar. What a prompt has in common with many memories is not what it is about, so a memory has to stand out from the
	// fourth best. That measures what chance brings in this store, which the number of memories only guesses.
	minScore       = 6.5
	minAboveFourth = 8.0

	roughly       = 0.3 // by how much the cosine of the index, which has a doc's labels in it, may be lower than that of the text
	ofUnknown     = 4.5 // the rarity of a word in a language that the table does not know: about that of an English word of its kind
	maxEventBytes = 8 << 10
	maxSentences  = 24
	maxDistinct   = 10 // memories that are compared with one another
	maxScoredDocs = 40 // docs that are weighed closely: those with the rarest words in common
)

// FindForEvent finds the memories that an event is about, the one that fits best first; most often there is none. A memory that alone
// has a code of the text comes before the others. Matched are the words that decided, the rarest first. It reads no file but the
// index. The error wraps ErrCorrupt.
func FindForEvent(x *index.Index, o Event) ([]Hit, error) {
	s := &scorer{index: x, analyzer: &index.Analyzer{}, reader: &meaning.Reader{}}
	codes := s.codeTerms(o.Text)
	if s.readEvent(o.Text); len(s.texts[0].rarity)+len(codes) == 0 {
		return nil, nil
	}
	if err := s.chooseDocs(o.MayShow); err != nil || s.docCount == 0 {
		return nil, err
	}
	exact, err := s.onlyDocsWithCode(codes)
	if err != nil {
		return nil, err
	}
	docs, err := s.candidatesForEvent()
	if err != nil {
		return nil, err
	}
	list, err := s.scoreAll(docs)
	if err != nil {
		return nil, err
	}
	list = s.rankDistinct(list, o.Stale)
	least := minScore
	if len(list) > 3 {
		scores := make([]float64, len(list))
		for i := range list {
			scores[i] = list[i].Score
		}
		slices.Sort(scores)
		least = max(least, scores[len(scores)-4]+minAboveFourth)
	}
	told := bestHits(exact, 0, o.MaxHits, o.Keep)
	list = slices.DeleteFunc(list, func(h Hit) bool { return h.isListedIn(exact) })
	return append(told, bestHits(list, least, o.MaxHits-len(told), o.Keep)...), nil
}

// rankDistinct puts the memories with the highest scores first, and counts near-equals once.
func (s *scorer) rankDistinct(list []Hit, stale func(*index.Doc) bool) []Hit {
	slices.SortFunc(list, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	once := distinctHits{analyzer: s.analyzer}
	for i, h := range list {
		if i == maxDistinct {
			return append(once.hits, list[i:]...)
		}
		h.Stale = isStale(&h.Doc, stale)
		once.add(h)
	}
	return once.hits
}

// bestHits are the first memories, at most most, that reach the score least and pass keep.
func bestHits(list []Hit, least float64, most int, keep func(*index.Doc) bool) (told []Hit) {
	for i := range list {
		if len(told) < most && list[i].Score >= least && (keep == nil || keep(&list[i].Doc)) {
			told = append(told, list[i])
		}
	}
	return told
}

// scorer weighs memories for one event.
type scorer struct {
	index    *index.Index
	searched []searchedBy // by doc
	docCount int          // that are searched
	analyzer *index.Analyzer
	reader   *meaning.Reader
	texts    []eventText // the whole text, then its sentences
}

// searchedBy says whether a doc is searched, and whether the words of its key count as text.
type searchedBy byte

const (
	notAtAll searchedBy = iota
	byText
	byTextAndKey
)

// eventText is a text of the event.
type eventText struct {
	rarity map[string]float64 // by term
	vector []byte
	cost   float64 // the longer a text, the more it has in common with everything
}

// readEvent cuts the event's text into its sentences.
func (s *scorer) readEvent(text string) {
	if len(text) > maxEventBytes {
		text = strings.ToValidUTF8(text[:maxEventBytes], "")
	}
	for _, t := range append([]string{text}, splitSentences(text)...) {
		s.texts = append(s.texts, s.readEventText(t))
	}
}

// chooseDocs finds the docs that are searched.
func (s *scorer) chooseDocs(may func(*index.Record) bool) error {
	s.searched = make([]searchedBy, s.index.NumberCount())
	for n := range s.searched {
		if s.index.IsDropped(n) {
			continue
		}
		r, err := s.index.Record(n)
		if err != nil {
			return err
		}
		if may == nil || may(&r) {
			s.searched[n] = byText
			if r.Tier == index.TierItem {
				s.searched[n] = byTextAndKey
			}
			s.docCount++
		}
	}
	return nil
}

// readEventText cuts a text into what counts. Rarities of terms are worked out once, for the whole text.
func (s *scorer) readEventText(text string) (h eventText) {
	h.rarity = map[string]float64{}
	sum := 0.0
	h.vector = s.reader.Vector(text)
	text, foreign := withoutIdleWords(text)
	s.analyzer.Analyze(text, func(t index.Token) {
		if _, known := h.rarity[t.Term]; known || isNumber(t.Term) {
			return
		}
		r := rarityInPrompts(t.Term)
		if foreign && r == rarityInPrompts("") {
			r = ofUnknown
		}
		if len(s.texts) > 0 {
			r = s.texts[0].rarity[t.Term]
		}
		h.rarity[strings.Clone(t.Term)] = r
		sum += r
	})
	h.cost = math.Sqrt(sum)
	return h
}

// candidatesForEvent are the docs with the rarest words in common with the whole text. It corrects the rarities of words that many docs
// of this store have.
func (s *scorer) candidatesForEvent() ([]int32, error) {
	whole := s.texts[0].rarity
	common := map[int32]float64{}
	for _, term := range slices.Sorted(maps.Keys(whole)) {
		in, err := s.docsWithTerm(term, whole)
		if err != nil {
			return nil, err
		}
		for doc, weight := range in {
			common[doc] += weight * whole[term]
		}
	}
	s.alignRarities()
	docs := slices.Collect(maps.Keys(common))
	slices.SortFunc(docs, func(a, b int32) int { return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b, a)) })
	return docs[:min(len(docs), maxScoredDocs)], nil
}

// docsWithTerm are the docs that have a term in their text (1) or in their When, and lowers the term's rarity to that in the store.
func (s *scorer) docsWithTerm(term string, rarity map[string]float64) (map[int32]float64, error) {
	in := map[int32]float64{}
	for _, t := range []string{index.WhenTerm(term), term} {
		posts, err := s.index.Postings(t)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			switch {
			case s.searched[p.Doc] == notAtAll:
			case t != term:
				in[p.Doc] = whenWeight
			case p.InText > 0 || s.searched[p.Doc] == byTextAndKey:
				in[p.Doc] = 1
			}
		}
	}
	rarity[term] = min(rarity[term], maxRarityInStore(len(in), s.docCount))
	return in, nil
}

// alignRarities brings the sentences to the rarities of the whole text.
func (s *scorer) alignRarities() {
	for i := range s.texts {
		sum := 0.0
		for term := range s.texts[i].rarity {
			s.texts[i].rarity[term] = s.texts[0].rarity[term]
			sum += s.texts[0].rarity[term]
		}
		s.texts[i].cost = math.Sqrt(sum)
	}
}

// docScores is a doc's score for each text, as far as its words say it.
type docScores struct {
	Hit
	texts    []textScore
	maxScore float64 // what the best score can be with its meaning
}

type textScore struct {
	score   float64
	words   map[string]float64
	vector  []byte  // of the text
	meaning float64 // what the cosine counts
}

// scoreAll gives the scores of the docs, each the best of the whole text and its sentences. It leaves out docs that neither
// pass the bar nor raise it: to look up what a text means costs most.
func (s *scorer) scoreAll(docs []int32) (list []Hit, err error) {
	all := make([]docScores, len(docs))
	for i, n := range docs {
		if all[i], err = s.scoreByWords(int(n)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b docScores) int { return cmp.Compare(b.maxScore, a.maxScore) })
	highest := math.Inf(-1)
	for _, w := range all {
		if w.maxScore < minScore && (highest < minScore || w.maxScore < highest-minAboveFourth) {
			break
		}
		s.addMeaningScore(&w)
		highest = max(highest, w.Score)
		list = append(list, w.Hit)
	}
	return list, nil
}

// scoreByWords compares a doc's words with the texts.
func (s *scorer) scoreByWords(n int) (w docScores, err error) {
	if w.Doc, err = s.index.Doc(n); err != nil {
		return w, err
	}
	text := s.contentTerms(w.Text)
	if w.Tier == index.TierItem {
		maps.Copy(text, s.contentTerms(strings.ReplaceAll(w.ID, ".", " ")))
	}
	var when []map[string]bool
	for _, phrase := range w.When {
		when = append(when, s.contentTerms(phrase))
	}
	w.maxScore = math.Inf(-1)
	for i := range s.texts {
		h := &s.texts[i]
		words := map[string]float64{}
		for term, rarity := range h.rarity {
			if share := termShare(term, text, when, h.rarity); share > 0 {
				words[term] = share * rarity
			}
		}
		sum := 0.0
		for _, term := range slices.Sorted(maps.Keys(words)) { // one order of adding, one sum
			sum += words[term]
		}
		if sum < minWords {
			continue
		}
		t := textScore{score: sum - h.cost, words: words, vector: h.vector, meaning: meaningWeight * min(1, float64(len(words))/wordsForFullMeaning)}
		if len(when) > 0 {
			t.score -= costOfWhen
		}
		rough, err := s.index.Cosine(n, h.vector)
		if err != nil {
			return w, err
		}
		w.maxScore = max(w.maxScore, t.score+t.meaning*(rough+roughly))
		w.texts = append(w.texts, t)
	}
	return w, nil
}

// addMeaningScore completes a doc's score.
func (s *scorer) addMeaningScore(w *docScores) {
	vector := s.reader.Vector(w.Text)
	w.Score = math.Inf(-1)
	var words map[string]float64
	for _, t := range w.texts {
		if score := t.score + t.meaning*meaning.Cosine(t.vector, vector); score > w.Score {
			w.Score, words = score, t.words
		}
	}
	w.Matched = slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b)) })
}

// termShare is how much a term of the event counts for a memory: 0 where it does not have it.
func termShare(term string, text map[string]bool, when []map[string]bool, heard map[string]float64) (share float64) {
	if text[term] {
		return 1
	}
	for _, phrase := range when {
		if !phrase[term] {
			continue
		}
		whole := true
		for other := range phrase {
			_, has := heard[other]
			whole = whole && has
		}
		switch {
		case !whole:
			share = max(share, whenWeight*partWeight)
		case len(phrase) > 1:
			return phraseWeight
		default:
			share = whenWeight
		}
	}
	return share
}

// contentTerms are the terms of a text that count.
func (s *scorer) contentTerms(text string) map[string]bool {
	set := map[string]bool{}
	s.analyzer.Analyze(text, func(t index.Token) {
		if !isNumber(t.Term) {
			set[strings.Clone(t.Term)] = true
		}
	})
	return set
}

// splitSentences returns the sentences of a text that has more than one.
func splitSentences(text string) (list []string) {
	for s := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".?!;\n。？！；", r) }) {
		if len(list) < maxSentences && strings.TrimSpace(s) != "" {
			list = append(list, s)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
