package recall

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/recall/meaning"
)

// Occasion is something that happens in a session, for which [About] looks for memories that nobody asked for.
type Occasion struct {
	Text string                   // the person's words; "" finds nothing
	May  func(*index.Record) bool // which docs can be handed over at all; nil for all
	Keep func(*index.Doc) bool    // asked last, and only of what passes the bar; nil for all
	Most int                      // how many are handed over
}

// Told is a memory that an occasion is about.
type Told struct {
	index.Doc
	Score float64
	Words []string // of the occasion, as terms: those that decided, the rarest first
}

// The score of a memory at a prompt, and the bar that it has to pass (docs/session.md). The figures were fitted on 50 prompts that
// a memory is about and 1,250 ordinary ones, and measured on another project's.
const (
	weighWhen    = 0.9  // of a word that only When has
	weighPart    = 0.5  // of that, where the text has a part of the phrase alone
	weighMeaning = 12.5 // of the cosine of both texts
	costOfWhen   = 2.25 // who has more words is hit more often
	bar          = 8.5  // with barDocs memories
	barStep      = 1.5  // for e times as many
	barDocs      = 50
	leastDocs    = 10
	leastWords   = 3 // of the words in common: one that 60 of 1,250 prompts have. Meaning alone says too little

	roughly           = 0.3 // by how much the cosine of the index, which has a doc's labels in it, may be lower than that of the text
	ofUnknown         = 4.5 // the rarity of a word in a language that the table does not know: about that of an English word of its kind
	mostOccasionBytes = 8 << 10
	mostSentences     = 24
	mostWeighed       = 40 // docs that are weighed closely: those with the rarest words in common
)

// About finds the memories that an occasion is about, the one that fits best first; most often there is none. It reads no file
// but the index. The error wraps ErrCorrupt.
func About(x *index.Index, o Occasion) ([]Told, error) {
	s := &speaker{x: x, cutter: &index.Analyzer{}, reader: &meaning.Reader{}}
	if s.hear(o.Text); len(s.texts[0].rarity) == 0 {
		return nil, nil
	}
	if err := s.choose(o.May); err != nil || s.docs == 0 {
		return nil, err
	}
	docs, err := s.nearest()
	if err != nil {
		return nil, err
	}
	least := bar + barStep*math.Log(float64(max(s.docs, leastDocs))/barDocs)
	var list []Told
	for _, n := range docs {
		t, err := s.weigh(int(n), least)
		if err != nil {
			return nil, err
		}
		if t.Score >= least {
			list = append(list, t)
		}
	}
	return best(list, o.Most, o.Keep), nil
}

// best are the memories with the highest scores that may be handed over.
func best(list []Told, most int, keep func(*index.Doc) bool) []Told {
	slices.SortFunc(list, func(a, b Told) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	told := list[:0]
	for i := range list {
		if len(told) < most && (keep == nil || keep(&list[i].Doc)) {
			told = append(told, list[i])
		}
	}
	return told
}

// speaker weighs memories for one occasion.
type speaker struct {
	x      *index.Index
	may    []speaks // by doc
	docs   int      // that may speak
	cutter *index.Analyzer
	reader *meaning.Reader
	texts  []heard // the whole text, then its sentences
}

// speaks says whether a doc may speak, and whether the words of its key count as its text.
type speaks byte

const (
	isSilent speaks = iota
	byText
	byKeyToo
)

// heard is a text of the occasion.
type heard struct {
	rarity map[string]float64 // by term
	vector []byte
	cost   float64 // the longer a text, the more it has in common with everything
}

// hear cuts the occasion's text.
func (s *speaker) hear(text string) {
	if len(text) > mostOccasionBytes {
		text = strings.ToValidUTF8(text[:mostOccasionBytes], "")
	}
	for _, t := range append([]string{text}, sentences(text)...) {
		s.texts = append(s.texts, s.heard(t))
	}
}

// choose finds the docs that may speak.
func (s *speaker) choose(may func(*index.Record) bool) error {
	s.may = make([]speaks, s.x.Numbers())
	for n := range s.may {
		if s.x.Gone(n) {
			continue
		}
		r, err := s.x.Record(n)
		if err != nil {
			return err
		}
		if may == nil || may(&r) {
			s.may[n] = byText
			if r.Tier == index.TierItem {
				s.may[n] = byKeyToo
			}
			s.docs++
		}
	}
	return nil
}

// heard cuts a text into what counts. Rarities of terms are worked out once, for the whole text.
func (s *speaker) heard(text string) (h heard) {
	h.rarity = map[string]float64{}
	sum := 0.0
	h.vector = s.reader.Vector(text)
	text, foreign := withoutIdle(text)
	s.cutter.Analyze(text, func(t index.Token) {
		if _, known := h.rarity[t.Term]; known || idle(t.Term) {
			return
		}
		r := commonRarity(t.Term)
		if foreign && r == commonRarity("") {
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

// nearest are the docs with the rarest words in common with the whole text. It corrects the rarities of words that many docs
// of this store have.
func (s *speaker) nearest() ([]int32, error) {
	whole := s.texts[0].rarity
	common := map[int32]float64{}
	for _, term := range slices.Sorted(maps.Keys(whole)) {
		in, err := s.having(term, whole)
		if err != nil {
			return nil, err
		}
		for doc, weight := range in {
			common[doc] += weight * whole[term]
		}
	}
	s.recount()
	docs := slices.Collect(maps.Keys(common))
	slices.SortFunc(docs, func(a, b int32) int { return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b, a)) })
	return docs[:min(len(docs), mostWeighed)], nil
}

// having are the docs that have a term in their text (1) or in their When, and lowers the term's rarity to that in the store.
func (s *speaker) having(term string, rarity map[string]float64) (map[int32]float64, error) {
	in := map[int32]float64{}
	for _, t := range []string{index.WhenTerm(term), term} {
		posts, err := s.x.Postings(t)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			switch {
			case s.may[p.Doc] == isSilent:
			case t != term:
				in[p.Doc] = weighWhen
			case p.Body > 0 || s.may[p.Doc] == byKeyToo:
				in[p.Doc] = 1
			}
		}
	}
	rarity[term] = min(rarity[term], rarityIn(len(in), s.docs))
	return in, nil
}

// recount brings the sentences to the rarities of the whole text.
func (s *speaker) recount() {
	for i := range s.texts {
		sum := 0.0
		for term := range s.texts[i].rarity {
			s.texts[i].rarity[term] = s.texts[0].rarity[term]
			sum += s.texts[0].rarity[term]
		}
		s.texts[i].cost = math.Sqrt(sum)
	}
}

// weigh gives a doc's best score for the whole text and its sentences; less than least may be any less.
func (s *speaker) weigh(n int, least float64) (t Told, err error) {
	if t.Doc, err = s.x.Doc(n); err != nil {
		return t, err
	}
	text := s.terms(t.Text)
	if t.Tier == index.TierItem {
		maps.Copy(text, s.terms(strings.ReplaceAll(t.ID, ".", " ")))
	}
	var when []map[string]bool
	for _, phrase := range t.When {
		when = append(when, s.terms(phrase))
	}
	var vector []byte
	t.Score = math.Inf(-1)
	for i := range s.texts {
		h := &s.texts[i]
		words := map[string]float64{}
		for term, rarity := range h.rarity {
			if share := shareOf(term, text, when, h.rarity); share > 0 {
				words[term] = share * rarity
			}
		}
		sum := 0.0
		for _, term := range slices.Sorted(maps.Keys(words)) { // one order of adding, one sum
			sum += words[term]
		}
		score := sum - h.cost
		if len(when) > 0 {
			score -= costOfWhen
		}
		if rough, err := s.x.Cosine(n, h.vector); err != nil {
			return t, err
		} else if sum < leastWords || score+weighMeaning*(rough+roughly) < least {
			continue
		}
		if vector == nil {
			vector = s.reader.Vector(t.Text)
		}
		if score += weighMeaning * meaning.Cosine(h.vector, vector); score > t.Score {
			t.Score = score
			t.Words = slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b)) })
		}
	}
	return t, nil
}

// shareOf is how much a term of the occasion counts for a memory: 0 where it does not have it.
func shareOf(term string, text map[string]bool, when []map[string]bool, heard map[string]float64) (share float64) {
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
		if whole {
			return weighWhen
		}
		share = weighWhen * weighPart
	}
	return share
}

// terms are the terms of a text that count.
func (s *speaker) terms(text string) map[string]bool {
	set := map[string]bool{}
	s.cutter.Analyze(text, func(t index.Token) {
		if !idle(t.Term) {
			set[strings.Clone(t.Term)] = true
		}
	})
	return set
}

// sentences are those of a text that has more than one.
func sentences(text string) (list []string) {
	for s := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".?!;\n。？！；", r) }) {
		if len(list) < mostSentences && strings.TrimSpace(s) != "" {
			list = append(list, s)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// idle reports whether a term says nothing about a topic: a number.
func idle(term string) bool {
	return !strings.ContainsFunc(term, func(r rune) bool { return r != '=' && r != '.' && !unicode.IsDigit(r) })
}

// idleWords lists words that say nothing about a topic in 14 languages beside English, in the order of bytes. One with a
// question mark means something in English.
//
//go:embed idlewords.txt
var idleWords string

// withoutIdle is a text without such words, and whether it has more of them than of those of English.
func withoutIdle(text string) (rest string, foreign bool) {
	idle := 0
	rest = eachWord(text, func(word string) bool {
		english, is := find(idleWords, strings.ToLower(word))
		if is = is && english == ""; is {
			idle++
		}
		return !is
	})
	if foreign = idle > len(index.StopWords(text)); foreign {
		rest = eachWord(rest, func(word string) bool { _, is := find(idleWords, strings.ToLower(word)); return !is })
	}
	return rest, foreign
}

// eachWord is a text without the words that are not to be kept.
func eachWord(text string, keep func(word string) bool) string {
	var b strings.Builder
	start := -1
	end := func(at int) {
		if start >= 0 && keep(text[start:at]) {
			b.WriteString(text[start:at])
		}
		start = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		end(i)
		b.WriteRune(r)
	}
	end(len(text))
	return b.String()
}

// promptTerms lists the terms of 1,250 ordinary prompts of many projects, each with the number of prompts that have it, in
// the order of bytes. They are messages of people to coding agents in public repositories, and Analyzer made the terms.
//
//go:embed promptterms.txt
var promptTerms string

const prompts = 1250

// commonRarity is how rare a term is in prompts of all projects: ln(1251/(n+0.5)) where n of 1,250 have it.
func commonRarity(term string) float64 {
	return math.Log((prompts + 1) / (float64(lookUp(promptTerms, term)) + 0.5))
}

// rarityIn is how rare a term is at most that so many of a store's docs have. That one doc has it says nothing, and a few say
// little: the square of the share of the others is taken for the share of prompts.
func rarityIn(having, docs int) float64 {
	share := float64(max(having-1, 0)) / float64(max(docs, leastDocs))
	return max(0, math.Log((prompts+1)/(prompts*share*share+0.5)))
}

// lookUp is the number behind a term in a table of lines that are in the order of their bytes; 0 without one.
func lookUp(table, term string) int {
	count, _ := find(table, term)
	n, _ := strconv.Atoi(count)
	return n
}

// find is what stands behind a term in such a table; ok is false where the term is not there.
func find(table, term string) (rest string, ok bool) {
	low, high := 0, len(table)
	for low < high {
		at := low + (high-low)/2
		start := strings.LastIndexByte(table[:at], '\n') + 1
		end := start + strings.IndexByte(table[start:], '\n')
		name, rest, _ := strings.Cut(table[start:end], " ")
		switch strings.Compare(term, name) {
		case 0:
			return rest, true
		case -1:
			high = start
		default:
			low = end + 1
		}
	}
	return "", false
}
