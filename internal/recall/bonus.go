package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// closely is how many of the best candidates have their texts read for phrases.
const closely = 100

// bonuses adds what a doc is, beside its words: who said it, when, and whether the
// words stand together.
func (s *search) bonuses() error {
	best := s.best()
	speakers := map[index.Name]bool{}
	when := parseWhen(s.q.Text, s.q.Now)
	for i := range s.candidates {
		c := &s.candidates[i]
		named, err := s.named(c.rec.Speaker, speakers)
		if err != nil {
			return err
		}
		if named {
			c.parts.speaker = s.r.Speaker * best
		}
		if len(when) > 0 && s.r.When > 0 && c.rec.Seconds != math.MinInt64 {
			c.parts.when = s.r.When * best * fits(when, time.Unix(c.rec.Seconds, 0).UTC())
		}
		p := &c.parts
		c.total = p.words + p.near + p.speaker + p.when
	}
	s.sortCands()
	if err := s.addPhrases(); err != nil {
		return err
	}
	if err := s.addStopWords(); err != nil {
		return err
	}
	s.addGroups()
	s.addAnswers()
	return s.addDays()
}

func (s *search) sortCands() {
	slices.SortFunc(s.candidates, func(a, b candidate) int {
		if c := cmp.Compare(b.total, a.total); c != 0 {
			return c
		}
		return tied{a.doc, a.rec}.compare(tied{b.doc, b.rec})
	})
}

// named reports whether the question names a speaker; known remembers the answers.
func (s *search) named(speaker index.Name, known map[index.Name]bool) (bool, error) {
	if s.r.Speaker == 0 {
		return false, nil
	}
	named, ok := known[speaker]
	if !ok {
		name, err := speaker.Text()
		if err != nil {
			return false, err
		}
		if !index.IsRole(name) {
			s.cutter.Analyze(name, func(t index.Token) {
				named = named || slices.ContainsFunc(s.terms[:s.asked], func(q term) bool { return q.text == t.Term })
			})
		}
		known[speaker] = named
	}
	return named, nil
}

// addPhrases reads the best candidates for pairs of words that stand together in
// the question.
func (s *search) addPhrases() error {
	if s.r.Phrase == 0 || len(s.phrases) == 0 {
		return nil
	}
	weight, bit := map[string]float64{}, map[string]uint64{}
	for i, t := range s.terms[:s.asked] {
		weight[t.text], bit[t.text] = t.idf, 1<<i
	}
	for i := range s.candidates[:min(len(s.candidates), closely)] {
		c := &s.candidates[i]
		has := s.has[c.doc]
		if bits.OnesCount64(has) < 2 || !slices.ContainsFunc(s.phrases, func(pair [2]string) bool {
			both := bit[pair[0]] | bit[pair[1]]
			return has&both == both
		}) {
			continue
		}
		d, err := s.x.Doc(c.doc)
		if err != nil {
			return err
		}
		last := index.Token{Pos: -2}
		found := map[[2]string]bool{}
		s.cutter.Analyze(d.Text, func(t index.Token) {
			if pair := [2]string{last.Term, t.Term}; t.Pos == last.Pos+1 && slices.Contains(s.phrases, pair) {
				found[pair] = true
			}
			last = t
		})
		for _, pair := range s.phrases {
			if found[pair] {
				c.parts.phrase += s.r.Phrase * (weight[pair[0]] + weight[pair[1]])
			}
		}
		c.total += c.parts.phrase
	}
	s.sortCands()
	return nil
}

// span is a time that a question names: a day, a month, a year; or a month of
// whatever year.
type span struct {
	from, to time.Time
	month    time.Month // of any year; 0 where from and to are set
}

// fits says how well a doc of that time answers to the spans: 1 within one, less
// the farther it is.
func fits(spans []span, at time.Time) float64 {
	best := 0.0
	for _, s := range spans {
		if s.month != 0 {
			if at.Month() == s.month {
				best = 1
			}
			continue
		}
		off := max(s.from.Sub(at), at.Sub(s.to), 0).Hours() / 24
		best = max(best, math.Exp(-off/7))
	}
	return best
}

// parseWhen finds the times that a question names: "7 May 2023", "in May", "2022",
// "2023-05-07", "last week" (from now).
func parseWhen(text string, now time.Time) []span {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.?!;:'’\"()\t\n", r) })
	spans := relative(words, now)
	for i := 0; i < len(words); i++ {
		if day, err := time.Parse(time.DateOnly, words[i]); err == nil {
			spans = append(spans, span{from: day, to: day.AddDate(0, 0, 1)})
			continue
		}
		month := monthOf(words[i])
		if month == 0 {
			if y := number(words[i], 1900, 2200); y != 0 {
				spans = append(spans, span{from: time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC), to: time.Date(y+1, 1, 1, 0, 0, 0, 0, time.UTC)})
			}
			continue
		}
		found, last := monthSpan(words, i, month)
		if last == i && !asMonth(words, i) {
			continue
		}
		spans, i = append(spans, found), last
	}
	return spans
}

// asMonth reports whether a word that is a month's name means one: "may" and "march"
// do after a word like "in" only, or with a number.
func asMonth(words []string, i int) bool {
	if words[i] != "may" && words[i] != "march" {
		return true
	}
	if i == 0 {
		return false
	}
	switch words[i-1] {
	case "in", "of", "on", "since", "during", "until", "by", "last", "this", "early", "late", "mid":
		return true
	}
	return number(words[i-1], 1, 31) != 0
}

// monthSpan reads the day and the year around a month, and tells which word was the
// last one.
func monthSpan(words []string, i int, month time.Month) (found span, last int) {
	day, year := 0, 0
	at := func(j int) string {
		if j < 0 || j >= len(words) {
			return ""
		}
		return words[j]
	}
	if day = number(at(i-1), 1, 31); day == 0 && at(i-1) == "of" {
		day = number(at(i-2), 1, 31)
	}
	next := i + 1
	if day == 0 {
		if day = number(at(next), 1, 31); day != 0 {
			next++
		}
	}
	if at(next) == "of" && number(at(next+1), 1900, 2200) != 0 {
		next++
	}
	if year = number(at(next), 1900, 2200); year == 0 {
		return span{month: month}, next - 1
	}
	if day == 0 {
		from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		return span{from: from, to: from.AddDate(0, 1, 0)}, next
	}
	from := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return span{from: from, to: from.AddDate(0, 0, 1)}, next
}

// relative reads "today", "yesterday", "last week", "last month", "last year".
func relative(words []string, now time.Time) []span {
	if now.IsZero() {
		return nil
	}
	now = now.UTC()
	var spans []span
	for i, w := range words {
		back := 0
		switch {
		case w == "today":
			back = 1
		case w == "yesterday":
			back = 2
		case i == 0 || words[i-1] != "last" && words[i-1] != "past" && words[i-1] != "this":
			continue
		case w == "week":
			back = 7
		case w == "month":
			back = 31
		case w == "year":
			back = 366
		default:
			continue
		}
		if back > 2 && words[i-1] == "last" {
			back *= 2
		}
		spans = append(spans, span{from: now.AddDate(0, 0, -back), to: now})
	}
	return spans
}

func monthOf(word string) time.Month {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if word == name || len(word) == 3 && word == name[:3] && word != "may" && word != "mar" {
			return m
		}
	}
	return 0
}

// number is the whole number that a word is ("7", "7th"), or 0 out of bounds.
func number(word string, low, high int) int {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, end)
	}
	n := 0
	for _, r := range word {
		if r < '0' || r > '9' || n > high {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	if n < low || n > high {
		return 0
	}
	return n
}
