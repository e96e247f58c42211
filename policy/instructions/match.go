package instructions

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// found is a phrase that stands in a text.
type found struct {
	word, end int // the first word, and the one after the last
	at        int
	bits      concepts
	phrase    int // -1 for none: an address, or the name of a secret
}

// rest returns the word after the parts if they match from word i on; 0 if not. No phrase goes on past the end of a
// sentence. ph says how strict it is.
func (w Words) rest(ph *phrase, parts []part, i int) int {
	if len(parts) == 0 {
		return i
	}
	p := &parts[0]
	for k := i; k <= i+p.gap; k++ {
		if p.stop && w.list[k-1].stop || p.end && k == len(w.list) {
			if end := w.rest(ph, parts[1:], k); end > 0 {
				return end
			}
		}
		if k == len(w.list) || k > 0 && (w.list[k-1].stop || w.list[k-1].line && ph.points == 0) || k > i && ph.order && w.list[k-1].forbids {
			break
		}
		if next := w.matchPart(p, k); next > 0 {
			if end := w.rest(ph, parts[1:], next); end > 0 {
				return end
			}
		}
	}
	if p.optional {
		return w.rest(ph, parts[1:], i)
	}
	return 0
}

// matchPart returns the word after a match of the part at word i; 0 for none.
func (w Words) matchPart(p *part, i int) int {
	word := &w.list[i]
	if p.begins>>(word.key&63)&1 != 0 {
		for k := range p.words {
			if p.words[k].fits(w.lower, word) {
				return w.after(i, word.from+len(p.words[k].text))
			}
		}
	}
	if p.exact && word.joined && p.containsWord(w.text(i)) {
		return i + 1
	}
	return 0
}

// containsWord reports whether a path or a name has one of the words: send_email, ~/.aws/credentials.
func (p *part) containsWord(word string) bool {
	for _, piece := range strings.FieldsFunc(word, joint) {
		for k := range p.words {
			if p.words[k].text == piece {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.words, func(s stem) bool { return strings.Contains(s.text, "/") && strings.Contains(word, s.text) })
}

// matchPhrase returns the word after the phrase that word i begins; 0 where the rest of it does not follow.
func (t *Table) matchPhrase(w Words, opening, i int) int {
	n, size := t.openings[opening].phrase, int(t.openings[opening].size)
	parts := t.parts(int(n))
	next := w.after(i, w.list[i].from+size)
	if size == 8 { // its first letters alone were compared
		if next = w.matchPart(&parts[0], i); next == 0 {
			return 0
		}
	}
	return w.rest(&t.phrases[n], parts[1:], next)
}

// Tally is what the phrases with points found in a text: points in all, and the kind that gave most. A phrase counts
// once, however often it stands there.
type Tally struct {
	Points  int
	Kind    string
	Kinds   []string // of all phrases
	Private string   // the kind of fact about a person that is stated
	Words   []string // of the phrase that weighs most
	best    int
	begun   concepts // that a word of the text begins
}

// shortText is how many words a text has at most in which planted orders count.
const shortText = 150

// Tally adds up the phrases that a text has.
func (t *Table) Tally(w Words) Tally {
	tally, _ := t.read(w, nil)
	return tally
}

// start is a word with which a phrase for a concept may begin.
type start struct{ word, opening int }

// read is Tally, and lists the words with which phrases for concepts may begin.
func (t *Table) read(w Words, starts []start) (Tally, []start) {
	var tally Tally
	var room [16]int
	counted, best := room[:0], found{phrase: -1}
	for i := range w.list {
		if word := &w.list[i]; word.host || word.secret {
			tally.begun = tally.begun.with(t.named(word))
		}
		for k := range t.begin(&w.list[i]) {
			o := &t.openings[k]
			if !o.points {
				starts, tally.begun = append(starts, start{i, k}), tally.begun.with(t.bits[o.concept])
				continue
			}
			n := int(o.phrase)
			ph := &t.phrases[n]
			if ph.planted && len(w.list) > shortText || ph.order && w.forbidden(i) || slices.Contains(counted, n) {
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
				best = found{word: i, end: end, phrase: n}
			}
		}
	}
	if tally.Points >= HeldAt && best.phrase >= 0 {
		tally.Words = t.words(w, []found{best})
	}
	return tally, starts
}

// forbidden reports whether a word just before word i forbids what follows:
// "never bypass the confirmation" is a rule, and no order to bypass it.
func (w Words) forbidden(i int) bool {
	for k := i - 1; k >= max(0, i-2) && !w.list[k].stop; k-- {
		if w.list[k].forbids {
			return true
		}
	}
	return false
}

// words are the words of the phrases that were found; what stands between the words of a phrase is left out.
func (t *Table) words(w Words, hits []found) (list []string) {
	for _, h := range hits {
		text := ""
		for i := h.word; i < h.end; i++ {
			switch {
			case h.phrase >= 0 && !t.has(h.phrase, w.text(i)):
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

func (t *Table) has(n int, word string) bool {
	return slices.ContainsFunc(t.parts(n), func(p part) bool {
		return slices.ContainsFunc(p.words, func(alt stem) bool {
			return strings.HasPrefix(word, strings.TrimRight(alt.text, ",:")) || word[0] >= utf8.RuneSelf && strings.Contains(alt.text, word)
		})
	})
}
