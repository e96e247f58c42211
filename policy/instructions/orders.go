package instructions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
)

// Order is what a text tells an agent to do, as a rule of orders.txt recognised it.
type Order struct {
	Kind  string   // of the rule: hide, override, send, …; "" where no rule fits
	Words []string // that the rule found
	Level Level
}

// Level says whom a rule of orders.txt is about.
type Level uint8

// The levels, in the order of the rules.
const (
	ForAll  Level = iota // an order, whoever says it
	Private              // no order: a fact about a person
	Risk                 // a person may want it so; only an agent is asked
)

// FindOrder tells what a text orders an agent to do, or what it says about a person. Without risk, only the rules
// for everybody count.
func FindOrder(p *chars.Part, risk bool) Order {
	t := orderTable()
	if p.ASCII && strings.IndexByte(p.Text, ' ') < 0 {
		return Order{}
	}
	lower := p.Lower
	if !p.ASCII {
		lower = plainForm(p.Text)
	}
	var room [64]orderWord
	words := orderWords(lower, room[:0])
	wanted := t.wanted(lower, words, risk)
	if wanted == (concepts{}) {
		return Order{}
	}
	var hitRoom [32]conceptHit
	hits, all := t.hits(lower, words, wanted, hitRoom[:0])
	for i := range t.rules {
		r := &t.rules[i]
		if !all.has(r.needs) || r.level == Risk && !risk {
			continue
		}
		if found := r.within(hits); found != nil {
			return Order{Kind: r.kind, Words: orderWordsOf(lower, words, found), Level: r.level}
		}
	}
	return Order{}
}

// orderWord is a word of a text: a range in it. at counts in thirds of a word, so that a
// character of a script without spaces is one third, and grows at the end of a sentence.
type orderWord struct {
	from, to int
	at       int
	key      uint64 // the first eight bytes from here
	host     bool
	stop     bool // a sentence ends after it
}

const (
	wordWeight     = 3
	sentenceWeight = 6 * wordWeight
)

// orderWords cuts a text in small letters into words. Addresses, paths and settings stay whole; a
// character of a script that has no spaces is a word.
func orderWords(lower string, list []orderWord) []orderWord {
	at := 0
	for i := 0; i < len(lower) && len(list) < maxWords; {
		r, n := rune(lower[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(lower[i:])
		}
		switch {
		case breaksWord(r):
			if len(list) > 0 && (r == '\n' || r == '!' || r == '?' || r == ';' || r == '。' || r == '！' || r == '？') && !list[len(list)-1].stop {
				list[len(list)-1].stop = true
				at += sentenceWeight
			}
			i += n
			continue
		case unspaced(r):
			list = append(list, orderWord{from: i, to: i + n, at: at, key: keyOf(lower[i:])})
			at++
			i += n
			continue
		}
		end := i + n
		for end < len(lower) {
			c, k := rune(lower[end]), 1
			if c >= utf8.RuneSelf {
				c, k = utf8.DecodeRuneInString(lower[end:])
			}
			if breaksWord(c) || unspaced(c) {
				break
			}
			end += k
		}
		w := strings.TrimRight(lower[i:end], ".:'*_")
		if trimmed := strings.TrimLeft(w, "'*_"); trimmed != "" {
			from := i + len(w) - len(trimmed)
			list = append(list, orderWord{from: from, to: from + len(trimmed), at: at, key: keyOf(lower[from:]), host: otherHost(trimmed), stop: strings.HasSuffix(lower[i:end], ".")})
			at += wordWeight
			if list[len(list)-1].stop {
				at += sentenceWeight
			}
		}
		i = end
	}
	return list
}

func breaksWord(r rune) bool {
	switch r {
	case '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '!', '?', '|', 0xa0:
		return true
	}
	if r < utf8.RuneSelf {
		return r <= ' '
	}
	return strings.ContainsRune("«»“”„，。；：、（）「」『』！？…—–·", r)
}

// unspaced reports whether a script writes no spaces between its words.
func unspaced(r rune) bool {
	return r >= 0x2e80 && r < 0xac00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// otherHost reports whether a word is an address, or has one, that is not on this machine.
func otherHost(w string) bool {
	if strings.IndexByte(w, '.') < 0 {
		return false
	}
	if _, rest, ok := strings.Cut(w, "://"); ok {
		w = rest
	} else if _, rest, ok := strings.Cut(w, "git@"); ok {
		w = rest
	}
	w, _, _ = strings.Cut(w, "/")
	w, _, _ = strings.Cut(w, ":")
	if strings.ContainsAny(w, "=$@*_") {
		_, w, _ = strings.Cut(w, "@")
	}
	first, _, _ := strings.Cut(w, ".")
	last := w[strings.LastIndexByte(w, '.')+1:]
	if strings.Count(w, ".") == 3 && strings.Trim(w, "0123456789.") == "" && !strings.Contains(w, "..") && last != "" {
		return first != "" && first != "127" && first != "10" && w != "0.0.0.0" && !strings.HasPrefix(w, "192.168.")
	}
	return first != "" && first != w && slices.Contains(orderTable().topDomains, last)
}

// conceptHit is a place where the words of a concept stand.
type conceptHit struct {
	word, end int // the first word, and the one after the last
	at        int
	bits      concepts
	phrase    *conceptPhrase
}

// forbids is how many words a word that forbids reaches over.
const forbids = 5

// wanted are the concepts of the rules that can fit: for each of their concepts, some phrase begins in
// the text. Most texts have none, so that nobody reads their phrases to the end.
func (t *orders) wanted(lower string, words []orderWord, risk bool) (wanted concepts) {
	var begun concepts
	for i := range words {
		w := &words[i]
		for _, list := range [...]chain{t.openings[bucket(w.key&0xffffff)], t.short[bucket(w.key&0xffff)]} {
			for k := list.first; k != 0; k = t.all[k].next {
				if o := &t.all[k]; (w.key^o.word.key)&o.word.mask == 0 && (!o.word.whole || w.from+len(o.word.text) == w.to) {
					begun[0] |= o.bits[0]
					begun[1] |= o.bits[1]
				}
			}
		}
		if w.host {
			begun = begun.with(t.host)
		}
		if secretName(lower[w.from:w.to]) {
			begun = begun.with(t.sensitive)
		}
	}
	for i := range t.rules {
		if r := &t.rules[i]; begun.has(r.needs) && (r.level != Risk || risk) {
			wanted = wanted.with(r.needs)
		}
	}
	return wanted
}

// hits lists where the wanted concepts stand, and which of them there are.
func (t *orders) hits(lower string, words []orderWord, wanted concepts, room []conceptHit) (hits []conceptHit, all concepts) {
	hits = room
	last := -forbids - 1 // where the last word that forbids stands
	for i := range words {
		w := &words[i]
		forbidden, forbidding := i-last <= forbids, false
		for _, list := range [...]chain{t.openings[bucket(w.key&0xffffff)], t.short[bucket(w.key&0xffff)]} {
			for k := list.first; k != 0; k = t.all[k].next {
				o := &t.all[k]
				switch {
				case (w.key^o.word.key)&o.word.mask != 0 || !o.word.fits(lower, w) || forbidden && o.phrase.negatable:
				case o.bits == (concepts{}):
					forbidding = true
				case wanted.has(o.bits):
					if end := o.phrase.rest(1, lower, words, after(words, i, w.from+len(o.word.text))); end > 0 {
						hits = append(hits, conceptHit{i, end, w.at, o.phrase.bits, o.phrase})
						all = all.with(o.phrase.bits)
					}
				}
			}
		}
		if w.host {
			hits = append(hits, conceptHit{i, i + 1, w.at, t.host, nil})
			all = all.with(t.host)
		}
		if secretName(lower[w.from:w.to]) {
			hits = append(hits, conceptHit{i, i + 1, w.at, t.sensitive, nil})
			all = all.with(t.sensitive)
		}
		if forbidding {
			last = i
		}
		if w.stop {
			last = -forbids - 1
		}
	}
	return hits, all
}

// secretName reports whether a word is the name of a variable with a secret in it.
func secretName(w string) bool {
	k := strings.LastIndexByte(w, '_')
	if k < 0 {
		return false
	}
	switch w[k+1:] {
	case "key", "token", "secret", "password", "pass", "credentials":
		return true
	}
	return false
}

// within returns the hits that together have what the rule needs, close together; nil for none.
func (r *orderRule) within(hits []conceptHit) []conceptHit {
	for i := range hits {
		if !hits[i].bits.some(r.needs) {
			continue
		}
		var have concepts
		for k := i; k < len(hits) && hits[k].at-hits[i].at <= r.window; k++ {
			if have = have.with(hits[k].bits); have.has(r.needs) {
				return r.chosen(hits[i : k+1])
			}
		}
	}
	return nil
}

// chosen keeps one hit for each concept of the rule.
func (r *orderRule) chosen(hits []conceptHit) (list []conceptHit) {
	var have concepts
	for _, h := range hits {
		if h.bits.some(r.needs) && !have.has(h.bits) {
			have = have.with(h.bits)
			list = append(list, h)
		}
	}
	return list
}

// orderWordsOf are the words of the hits; what stands between the words of a phrase is left out.
func orderWordsOf(lower string, words []orderWord, hits []conceptHit) (list []string) {
	for _, h := range hits {
		text := ""
		for i := h.word; i < h.end; i++ {
			w := lower[words[i].from:words[i].to]
			switch {
			case h.phrase != nil && !h.phrase.has(w):
				if !strings.HasSuffix(text, "…") {
					text += " …"
				}
				continue
			case text != "" && (words[i].from > words[i-1].to || strings.HasSuffix(text, "…")):
				text += " "
			}
			text += w
		}
		if text = strings.TrimSpace(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// rest reports whether the parts from the nth on stand at word i, and which word follows them; 0 where
// they do not.
func (ph *conceptPhrase) rest(n int, lower string, words []orderWord, i int) int {
	parts := ph.parts()
	if n == len(parts) {
		return i
	}
	p := &parts[n]
	for skip := 0; skip <= p.gap && i+skip < len(words); skip++ {
		if next := p.at(lower, words, i+skip); next > 0 {
			if end := ph.rest(n+1, lower, words, next); end > 0 {
				return end
			}
		}
		if words[i+skip].stop || i+skip > 0 && words[i+skip-1].stop {
			break
		}
	}
	return 0
}

// at returns the word after those that the part fits at word i; 0 for none.
func (p *phrasePart) at(lower string, words []orderWord, i int) int {
	for k := range p.words {
		if p.words[k].fits(lower, &words[i]) {
			return after(words, i, words[i].from+len(p.words[k].text))
		}
	}
	return 0
}

// after is the first word after word i that begins at end or later.
func after(words []orderWord, i, end int) int {
	for i++; i < len(words) && words[i].from < end; i++ {
	}
	return i
}

func (ph *conceptPhrase) has(w string) bool {
	return slices.ContainsFunc(ph.parts(), func(p phrasePart) bool {
		return slices.ContainsFunc(p.words, func(alt stem) bool {
			return strings.HasPrefix(w, strings.TrimRight(alt.text, ",:")) || w[0] >= utf8.RuneSelf && strings.Contains(alt.text, w)
		})
	})
}
