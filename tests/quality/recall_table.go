package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/memctl/memctl/internal/recall"
)

// figureRows names the figures and their aims.
var figureRows = [figures][2]string{
	sessionFirst:    {"turns: right session first", "80"},
	sessionIn5:      {"turns: right session in the first 5", "95"},
	evidenceIn5:     {"turns: share of evidence in 5", "72"},
	evidenceIn10:    {"turns: share of evidence in 10", "81"},
	factsIn5:        {"observations: share of evidence in 5", "64"},
	factsIn10:       {"observations: share of evidence in 10", "70"},
	daysIn5:         {"observations by their day alone: share of evidence in 5", ""},
	daysIn10:        {"observations by their day alone: share of evidence in 10", ""},
	jointFirst:      {"all in one store: right session first", "within 5 of separate"},
	jointIn5:        {"all in one store: right session in the first 5", ""},
	topicIn5:        {"preferences: share of the first 5 of the topic", "60"},
	chatIn5:         {"chats with an assistant: share of evidence in 5", "44"},
	chatIn10:        {"chats with an assistant: share of evidence in 10", "55"},
	ownIn5:          {"the same, the person's messages alone: in 5", "62"},
	ownIn10:         {"the same, the person's messages alone: in 10", "70"},
	paraphraseFirst: {"questions in other words: right fact first", "20"},
	paraphraseIn5:   {"questions in other words: right fact in 5", "55"},
	paraphraseIn10:  {"questions in other words: right fact in 10", ""},
	sameHits:        {"turns: the first 1, 5 and 10 hits are those of 50", "100"},
	emptyElsewhere:  {"empty or weak: asked of another conversation", "50"},
	emptyRenamed:    {"empty or weak: the same with its speakers' names", ""},
	emptyTopic:      {"empty or weak: preferences without the topic", ""},
	emptyWrongly:    {"empty or weak, though the answer is there", "≤ 2"},
}

// plainBM25 is what recall is compared with: BM25 as in any textbook.
func plainBM25() recall.Ranking { return recall.Ranking{K1: 1.2, B: 0.75, Label: 1, Filler: 1} }

// replaceWord replaces a word wherever it stands alone.
func replaceWord(text, old, new string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		bare := strings.Trim(w, ",.?!'\"")
		if bare == old || strings.TrimSuffix(bare, "'s") == old {
			words[i] = strings.Replace(w, old, new, 1)
		}
	}
	return strings.Join(words, " ")
}

func always(string) bool { return true }

// printRecall prints recall's table: the ranking beside plain BM25 and SQLite's, where sqlite3 is installed.
func printRecall(data string, out io.Writer) error {
	rows, err := loadRecall(data)
	if err != nil || len(rows.questions)+len(rows.asked)+len(rows.askedReworded) == 0 {
		return err
	}
	s, err := openStores(rows)
	if err != nil {
		return err
	}
	plain, full := plainBM25(), recall.DefaultRanking()
	var columns [3][figures]score
	for i, r := range []*recall.Ranking{&plain, &full} {
		res, err := s.evaluate(r)
		if err != nil {
			return err
		}
		columns[i] = res.total(always)
	}
	if f := openFTS(); f != nil {
		defer f.close()
		s.other = f.search
		res, err := s.evaluate(&full)
		if err != nil {
			return err
		}
		columns[2] = res.total(always)
	}
	fmt.Fprintln(out, "\n| recall | aim | SQLite FTS5 | plain BM25 | memctl | questions |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|--:|")
	for i, name := range figureRows {
		if columns[0][i].n == 0 {
			continue
		}
		other := ""
		if columns[2][i].n > 0 && i < emptyElsewhere { // which marks no answer as weak
			other = fmt.Sprintf("%.1f", columns[2][i].share())
		}
		fmt.Fprintf(out, "| %s | %s | %s | %.1f | %.1f | %d |\n", name[0], name[1], other, columns[0][i].share(), columns[1][i].share(), columns[0][i].n)
	}
	return nil
}

// part is a part of the ranking that can be switched off.
type part struct {
	name string
	off  func(*recall.Ranking)
}

func rankingParts() []part {
	return []part{
		{"everything on", func(*recall.Ranking) {}},
		{"k1 and b of a textbook (1.2, 0.75)", func(r *recall.Ranking) { r.K1, r.B = 1.2, 0.75 }},
		{"without neighbours", func(r *recall.Ranking) { r.Near = 0 }},
		{"without a session's memories together", func(r *recall.Ranking) { r.Together = 0 }},
		{"without a day's memories together", func(r *recall.Ranking) { r.Day = 0 }},
		{"without speaker", func(r *recall.Ranking) { r.Speaker = 0 }},
		{"without when", func(r *recall.Ranking) { r.When = 0 }},
		{"with an agent's turns in full", func(r *recall.Ranking) { r.Agent = 0 }},
		{"without phrases", func(r *recall.Ranking) { r.Phrase = 0 }},
		{"without filler words", func(r *recall.Ranking) { r.Filler = 1 }},
		{"without how common a word is", func(r *recall.Ranking) { r.Common = 0 }},
		{"without meaning", func(r *recall.Ranking) { r.Meaning = 0 }},
		{"without stop words", func(r *recall.Ranking) { r.StopWords = 0 }},
		{"without thesaurus", func(r *recall.Ranking) { r.Bridge = 0 }},
		{"without weak hits", func(r *recall.Ranking) { r.Support, r.Unknown = 0, 0 }},
	}
}

// printParts prints the figures with each part switched off.
func printParts(data string, out io.Writer) error {
	rows, err := loadRecall(data)
	if err != nil {
		return err
	}
	s, err := openStores(rows)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| | turns: session first / in 5 | evidence in 5 / 10 | observations 5 / 10 | by their day 5 / 10 | one store first | chats 5 / 10 | own messages 5 / 10 | preferences | other words 1 / 5 / 10 | empty elsewhere / topic / wrongly |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, p := range rankingParts() {
		r := recall.DefaultRanking()
		p.off(&r)
		res, err := s.evaluate(&r)
		if err != nil {
			return err
		}
		f := res.total(always)
		fmt.Fprintf(out, "| %s | %.1f / %.1f | %.1f / %.1f | %.1f / %.1f | %.1f / %.1f | %.1f | %.1f / %.1f | %.1f / %.1f | %.1f | %.1f / %.1f / %.1f | %.1f / %.1f / %.1f |\n", p.name,
			f[sessionFirst].share(), f[sessionIn5].share(), f[evidenceIn5].share(), f[evidenceIn10].share(),
			f[factsIn5].share(), f[factsIn10].share(), f[daysIn5].share(), f[daysIn10].share(), f[jointFirst].share(), f[chatIn5].share(), f[chatIn10].share(), f[ownIn5].share(), f[ownIn10].share(), f[topicIn5].share(), f[paraphraseFirst].share(), f[paraphraseIn5].share(), f[paraphraseIn10].share(), f[emptyElsewhere].share(), f[emptyTopic].share(), f[emptyWrongly].share())
	}
	return nil
}
