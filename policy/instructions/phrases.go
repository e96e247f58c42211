package instructions

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// phrase is one way of saying something, as words in order. In its text, a
// word may be several joined by |, a class (@name, defined by a line of phrases.txt), a gap (*3: up
// to three words of any kind, none of which ends a sentence), the end of the text ($),
// or may be left out (a ? after it).
type Phrase struct {
	Points int // what it adds to the score of its text
	Kind   string
	Text   string
}

// step is one word of a compiled phrase.
type step struct {
	words    []token
	gap      int // words that may stand before it
	optional bool
}

type compiled struct {
	points  int
	Kind    string
	Steps   []step
	private bool // states a fact about a person; no part of the score
	short   bool // counts in a short text only, where words don't meet by chance
	order   bool // says to do something, so that a not before it says the contrary
}

// vocabulary is the phrases made ready: words as numbers, phrases by the number
// that they begin with.
type Vocabulary struct {
	slots []token       // the words by their hash, open addressing
	names []string      // by token
	First [][]*compiled // by token
	stop  token
	end   token   // the end of the text, for phrases alone
	nots  []token // words that forbid

	tokens []token // where the steps' words stand
	steps  []step  // where the phrases' steps stand
	all    []compiled
}

// newVocabulary compiles tables. It is called once, when the first text that
// needs it comes; its lists are cut from a few large ones, because that once
// still counts in a start of a few milliseconds.
func NewVocabulary(table, private []Phrase) *Vocabulary {
	n := len(table) + len(private)
	v := &Vocabulary{
		slots:  make([]token, wordSlots),
		names:  make([]string, 1, wordSlots/2),
		all:    make([]compiled, 0, n),
		tokens: make([]token, 0, 64*n),
		steps:  make([]step, 0, 6*n),
	}
	v.stop, v.end = v.word("."), v.word("$")
	seen := map[string][]token{}
	v.nots = v.class("not", seen)
	for i := range table {
		v.all = append(v.all, v.compile(&table[i], seen))
	}
	for i := range private {
		c := v.compile(&private[i], seen)
		c.private = true
		v.all = append(v.all, c)
	}
	v.order()
	return v
}

// order lists the phrases by the words that they begin with.
func (v *Vocabulary) order() {
	counts := make([]int, len(v.names))
	total := 0
	begin := func(do func(token, *compiled)) {
		for i := range v.all {
			c := &v.all[i]
			for k := range c.Steps {
				for _, t := range c.Steps[k].words {
					do(t, c)
				}
				if !c.Steps[k].optional {
					break
				}
			}
		}
	}
	begin(func(t token, _ *compiled) {
		counts[t]++
		total++
	})
	v.First = make([][]*compiled, len(counts))
	room := make([]*compiled, total)
	for t, n := range counts {
		v.First[t], room = room[:0:n], room[n:]
	}
	begin(func(t token, c *compiled) { v.First[t] = append(v.First[t], c) })
}

// wordSlots is four times the words that the tables have, and a power of two.
const wordSlots = 8192

// word is the number of a word, a new one where it has none.
func (v *Vocabulary) word(s string) token {
	h := wordHash(s) % wordSlots
	for v.slots[h] != 0 {
		if v.names[v.slots[h]] == s {
			return v.slots[h]
		}
		h = (h + 1) % wordSlots
	}
	if len(v.names) > wordSlots/2 {
		panic("policy: the vocabulary is larger than its table")
	}
	v.slots[h] = token(len(v.names))
	v.names = append(v.names, s)
	return v.slots[h]
}

// find is the number of a word, 0 where it has none.
func (v *Vocabulary) find(s string) token {
	h := wordHash(s) % wordSlots
	for v.slots[h] != 0 {
		if t := v.slots[h]; v.names[t] == s {
			return t
		}
		h = (h + 1) % wordSlots
	}
	return 0
}

// wordHash mixes length, first and last bytes: enough to tell words apart, in
// less time than reading all of them takes.
func wordHash(s string) uint64 {
	n := len(s)
	h := uint64(n)
	switch {
	case n >= 8:
		h += binary.LittleEndian.Uint64([]byte(s[:8]))*0x9e3779b97f4a7c15 + binary.LittleEndian.Uint64([]byte(s[n-8:]))*31
	case n >= 4:
		h += uint64(binary.LittleEndian.Uint32([]byte(s[:4])))<<32 | uint64(binary.LittleEndian.Uint32([]byte(s[n-4:])))
	case n > 0:
		h += uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	h *= 0x9e3779b97f4a7c15
	return h >> 40
}

func (v *Vocabulary) compile(p *Phrase, seen map[string][]token) compiled {
	c := compiled{points: p.Points, Kind: p.Kind}
	switch p.Kind {
	case "override", "command", "prompt", "send":
		c.order = !strings.HasPrefix(p.Text, "do not|") && !strings.HasPrefix(p.Text, "never|")
	}
	gap, from := 0, len(v.steps)
	for f := range strings.FieldsSeq(p.Text) {
		if f[0] == '*' {
			gap = int(f[1] - '0')
			continue
		}
		s := step{gap: gap}
		gap = 0
		if f[len(f)-1] == '?' {
			s.optional = true
			f = f[:len(f)-1]
		}
		begin := len(v.tokens)
		for w := range strings.SplitSeq(f, "|") {
			if w[0] == '@' {
				v.tokens = append(v.tokens, v.class(w[1:], seen)...)
				continue
			}
			v.tokens = append(v.tokens, v.word(w))
		}
		s.words = v.tokens[begin:len(v.tokens):len(v.tokens)]
		v.steps = append(v.steps, s)
	}
	c.Steps = v.steps[from:len(v.steps):len(v.steps)]
	return c
}

func (v *Vocabulary) class(name string, seen map[string][]token) []token {
	if list, ok := seen[name]; ok {
		return list
	}
	list := make([]token, 0, 64)
	for w := range strings.FieldsSeq(phraseTables().classes[name]) {
		list = append(list, v.word(w))
	}
	seen[name] = list
	return list
}

// match reports whether the phrase stands at this place.
func (v *Vocabulary) Match(steps []step, text []token) bool {
	return v.match(steps, text, false)
}

// match is Match. In an order, a word that forbids may stand in no gap: "agents must never
// send keys" is no order to send them.
func (v *Vocabulary) match(steps []step, text []token, order bool) bool {
	if len(steps) == 0 {
		return true
	}
	s := &steps[0]
	if len(text) == 0 && oneOf(s.words, v.end) {
		return v.match(steps[1:], nil, order)
	}
	for skip := 0; skip <= s.gap && skip < len(text); skip++ {
		if oneOf(s.words, text[skip]) && v.match(steps[1:], text[skip+1:], order) {
			return true
		}
		if text[skip] == v.stop || order && oneOf(v.nots, text[skip]) {
			break
		}
	}
	return s.optional && v.match(steps[1:], text, order)
}

// forbidden reports whether a word just before this place forbids what follows:
// "never bypass the confirmation" is a rule, and no order to bypass it.
func (v *Vocabulary) forbidden(text []token, i int) bool {
	for k := max(0, i-2); k < i; k++ {
		if oneOf(v.nots, text[k]) {
			return true
		}
	}
	return false
}

func oneOf(list []token, t token) bool {
	if t == 0 {
		return false
	}
	for _, w := range list {
		if w == t {
			return true
		}
	}
	return false
}

// tally is what the phrases found in a text: points in all, and the kind that
// gave most. A phrase counts once, however often it stands there.
type Tally struct {
	Points  int
	Kind    string
	best    int
	Private string // the kind of fact about a person that is stated
	Mark    string // the markup that weighs most, "" where something else does
	Words   string // of the phrase that weighs most
}

// shortText is how many words a text has at most in which planted orders count.
const shortText = 150

// Tally adds up the phrases that a text has.
func (v *Vocabulary) Tally(text []token) Tally {
	var t Tally
	var best *compiled
	at := 0
	var room [16]*compiled
	hit := room[:0]
	for i, w := range text {
		if w == 0 {
			continue
		}
		for _, c := range v.First[w] {
			if c.short && len(text) > shortText || hasPhrase(hit, c) || c.order && v.forbidden(text, i) || !v.match(c.Steps, text[i:], c.order) {
				continue
			}
			hit = append(hit, c)
			if c.private {
				t.Private = c.Kind
				continue
			}
			t.Points += c.points
			if c.points > t.best {
				t.best, t.Kind = c.points, c.Kind
				best, at = c, i
			}
		}
	}
	if t.Points >= HeldAt && best != nil {
		t.Words = strings.Join(v.said(best.Steps, text[at:]), " … ")
	}
	return t
}

// said are the words of a phrase that stands at the beginning of a text.
func (v *Vocabulary) said(steps []step, text []token) []string {
	if len(steps) == 0 || len(text) == 0 {
		return nil
	}
	for skip := 0; skip <= steps[0].gap && skip < len(text); skip++ {
		if oneOf(steps[0].words, text[skip]) && v.match(steps[1:], text[skip+1:], false) {
			rest := v.said(steps[1:], text[skip+1:])
			if text[skip] == v.stop {
				return rest
			}
			return append([]string{v.names[text[skip]]}, rest...)
		}
	}
	return v.said(steps[1:], text)
}

func hasPhrase(list []*compiled, c *compiled) bool {
	for _, o := range list {
		if o == c {
			return true
		}
	}
	return false
}

// phrasebook is the vocabulary of the rules instruction-like and personal-data:
// one, so that a text is cut into words once.
var phrasebook = sync.OnceValue(func() *Vocabulary {
	t := phraseTables()
	v := NewVocabulary(slices.Concat(t.steering, t.planted), t.private)
	for i := range t.planted {
		v.all[len(t.steering)+i].short = true
	}
	return v
})

//go:embed phrases.txt
var phraseText string

// tables are what phrases.txt says.
type tables struct {
	classes                    map[string]string // words by the name of their class
	steering, planted, private []Phrase
}

var phraseTables = sync.OnceValue(func() tables {
	t := tables{classes: map[string]string{}}
	sections := map[string]*[]Phrase{"steering:": &t.steering, "planted:": &t.planted, "private:": &t.private}
	var section *[]Phrase
	for line := range strings.Lines(phraseText) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case first == "" || first[0] == '#':
		case first[0] == '@':
			t.classes[first[1:]] = rest
		case sections[first] != nil:
			section = sections[first]
		default:
			points, _ := strconv.Atoi(first)
			kind, text, _ := strings.Cut(rest, " ")
			*section = append(*section, Phrase{points, kind, text})
		}
	}
	return t
})
