package instructions

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// foundPhrase is a phrase that stands in a text.
type foundPhrase struct {
	word, end int // the first word, and the one after the last
	at        int
	bits      conceptSet
	phrase    int // -1 for none: an address, or the name of a secret
}

// matchParts returns the word after the parts if they match from word i on; 0 if not. No phrase goes on past the end of a
// sentence. ph says how strict it is.
func (w Words) matchParts(ph *phrase, parts []part, i int) int {
	if len(parts) == 0 {
		return i
	}
	p := &parts[0]
	for k := i; k <= i+p.gap; k++ {
		if p.stop && w.list[k-1].endsSentence || p.end && k == len(w.list) {
			if end := w.matchParts(ph, parts[1:], k); end > 0 {
				return end
			}
		}
		if k == len(w.list) || k > 0 && (w.list[k-1].endsSentence || w.list[k-1].endsLine && ph.points == 0) || k > i && ph.order && w.list[k-1].forbids {
			break
		}
		if next := w.matchPart(p, k); next > 0 {
			if end := w.matchParts(ph, parts[1:], next); end > 0 {
				return end
			}
		}
	}
	if p.optional {
		return w.matchParts(ph, parts[1:], i)
	}
	return 0
}

// matchPart returns the word after a match of the part at word i; 0 for none.
func (w Words) matchPart(p *part, i int) int {
	word := &w.list[i]
	if p.begins>>(word.key&63)&1 != 0 {
		for k := range p.words {
			if p.words[k].matches(w.lower, word) {
				return w.firstFrom(i, word.from+len(p.words[k].text))
			}
		}
	}
	if p.exact && word.hasJoint && p.containsWord(w.text(i)) {
		return i + 1
	}
	return 0
}

// containsWord reports whether a path or a name has one of the words: send_email, ~/.aws/credentials.
func (p *part) containsWord(word string) bool {
	for _, piece := range strings.FieldsFunc(word, isJoint) {
		for k := range p.words {
			if p.words[k].text == piece {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.words, func(s prefix) bool { return strings.Contains(s.text, "/") && strings.Contains(word, s.text) })
}

// matchPhrase returns the word after the phrase that word i begins; 0 where the rest of it does not follow.
func (t *Table) matchPhrase(w Words, opening, i int) int {
	n, size := t.openings[opening].phrase, int(t.openings[opening].size)
	parts := t.partsOf(int(n))
	next := w.firstFrom(i, w.list[i].from+size)
	if size == 8 { // its first letters alone were compared
		if next = w.matchPart(&parts[0], i); next == 0 {
			return 0
		}
	}
	return w.matchParts(&t.phrases[n], parts[1:], next)
}

// Score is what the phrases with points found in a text: points in all, and the kind that gave most. A phrase counts
// once, however often it stands there.
type Score struct {
	Points        int
	Kind          string
	Kinds         []string // of all phrases
	Private       string   // the kind of fact about a person that is stated
	Words         []string // of the phrase that weighs most
	best          int
	begunConcepts conceptSet // that a word of the text begins
}

// maxShortText is how many words a text has at most in which planted orders count.
const maxShortText = 150

// ScoreText adds up the phrases that a text has.
func (t *Table) ScoreText(w Words) Score {
	tally, _ := t.findPhrases(w, nil)
	return tally
}

// start is a word with which a phrase for a concept may begin.
type start struct{ word, opening int }

// findPhrases makes the Score of a text, and lists the words with which phrases for concepts may begin.
func (t *Table) findPhrases(w Words, starts []start) (Score, []start) {
	var tally Score
	var room [16]int
	counted, best := room[:0], foundPhrase{phrase: -1}
	for i := range w.list {
		if word := &w.list[i]; word.isOtherHost || word.isSecretName {
			tally.begunConcepts = tally.begunConcepts.with(t.conceptsOfName(word))
		}
		for k := range t.openingsFor(&w.list[i]) {
			o := &t.openings[k]
			if !o.points {
				starts, tally.begunConcepts = append(starts, start{i, k}), tally.begunConcepts.with(t.bits[o.concept])
				continue
			}
			n := int(o.phrase)
			ph := &t.phrases[n]
			if ph.planted && len(w.list) > maxShortText || ph.order && w.isForbidden(i) || slices.Contains(counted, n) {
				continue
			}
			end := t.matchPhrase(w, k, i)
			if end == 0 {
				continue
			}
			counted = append(counted, n)
			if ph.private {
				tally.Private = ph.kind
				continue
			}
			points := int(ph.points)
			tally.Points += points
			tally.Kinds = append(tally.Kinds, ph.kind)
			if points > tally.best {
				tally.best, tally.Kind = points, ph.kind
				best = foundPhrase{word: i, end: end, phrase: n}
			}
		}
	}
	if tally.Points >= HoldScore && best.phrase >= 0 {
		tally.Words = t.phraseWords(w, []foundPhrase{best})
	}
	return tally, starts
}

// isForbidden reports whether a word just before word i forbids what follows:
// "never bypass the confirmation" is a rule, and no order to bypass it.
func (w Words) isForbidden(i int) bool {
	for k := i - 1; k >= max(0, i-2) && !w.list[k].endsSentence; k-- {
		if w.list[k].forbids {
			return true
		}
	}
	return false
}

// phraseWords returns the words of the phrases that were found; what stands between the words of a phrase is left out.
func (t *Table) phraseWords(w Words, hits []foundPhrase) (list []string) {
	for _, h := range hits {
		text := ""
		for i := h.word; i < h.end; i++ {
			switch {
			case h.phrase >= 0 && !t.phraseHasWord(h.phrase, w.text(i)):
				if !strings.HasSuffix(text, "…") {
					text += " …"
				}
				continue
			case text != "" && (w.list[i].from > w.list[i-1].to || strings.HasSuffix(text, "…")):
				text += " "
			}
			text += w.text(i)
		}
		if text = strings.TrimSpace(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func (t *Table) phraseHasWord(n int, word string) bool {
	return slices.ContainsFunc(t.partsOf(n), func(p part) bool {
		return slices.ContainsFunc(p.words, func(alt prefix) bool {
			return strings.HasPrefix(word, strings.TrimRight(alt.text, ",:")) || word[0] >= utf8.RuneSelf && strings.Contains(alt.text, word)
		})
	})
}
