package instructions

import (
	_ "embed" // the table of orders
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

//go:embed orders.txt
var orderText string

// concepts is a set of them, a bit for each; the words that forbid have none.
type concepts [2]uint64

func (c concepts) has(all concepts) bool       { return all[0]&^c[0] == 0 && all[1]&^c[1] == 0 }
func (c concepts) some(one concepts) bool      { return one[0]&c[0] != 0 || one[1]&c[1] != 0 }
func (c concepts) with(more concepts) concepts { return concepts{c[0] | more[0], c[1] | more[1]} }

// orders is the table of orders.txt, made ready.
type orders struct {
	rules           []orderRule
	all             []opening   // of phrases; the first stands for none
	openings, short [1024]chain // by their first three letters; those that have only two
	topDomains      []string
	sensitive       concepts // the concept that the name of a secret stands for
	host            concepts // the concept that an address stands for
}

type orderRule struct {
	kind   string
	needs  concepts
	level  Level
	window int
}

// chain is the first and the last of the openings of one bucket, in the order of the table.
type chain struct{ first, last int32 }

// opening is a word that a phrase begins with.
type opening struct {
	next   int32 // of its bucket, 0 for none
	word   stem
	bits   concepts // those of the phrase
	phrase *conceptPhrase
}

// stem is what a word of a text has to begin with, or to be where whole is set. Its first bytes are also
// a number, because a text is compared with hundreds.
type stem struct {
	key, mask uint64
	text      string
	whole     bool
}

func newStem(word string) stem {
	text, whole := strings.CutSuffix(word, ".")
	// Longer words begin with three letters by chance.
	const short = 3
	whole = whole || len(text) <= short && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
	s := stem{text: text, whole: whole, key: keyOf(text), mask: ^uint64(0)}
	if len(text) < 8 {
		s.mask >>= 8 * (8 - len(text))
	}
	return s
}

func keyOf(s string) (key uint64) {
	if len(s) >= 8 {
		return binary.LittleEndian.Uint64([]byte(s[:8]))
	}
	for i := range len(s) {
		key |= uint64(s[i]) << (8 * i)
	}
	return key
}

// fits reports whether the word begins with the stem. A stem that ends in "," or ":" has that mark after it.
func (s *stem) fits(lower string, w *orderWord) bool {
	return (w.key^s.key)&s.mask == 0 && (len(s.text) <= 8 || strings.HasPrefix(lower[w.from:], s.text)) && (!s.whole || w.from+len(s.text) == w.to)
}

// conceptPhrase is one way of saying a concept.
type conceptPhrase struct {
	text      string // as the table has it
	made      atomic.Pointer[[]phrasePart]
	bits      concepts
	negatable bool // a word that forbids before it says the contrary
}

// phrasePart is one word of a phrase: its alternatives, of which the text's word has to begin with one.
type phrasePart struct {
	words []stem
	gap   int // words of any kind that may stand before it
}

func bucket(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 54 }

// The windows of the rules: as many words may stand between the first and the last concept.
const (
	orderWindow   = 16 * wordWeight
	riskWindow    = 60 * wordWeight
	privateWindow = 6 * wordWeight
)

var orderTable = sync.OnceValue(func() *orders {
	t := &orders{all: make([]opening, 1, 1<<13)}
	bits := map[string]concepts{}
	bit := func(name string) concepts {
		if _, known := bits[name]; !known {
			var c concepts
			c[len(bits)/64] = 1 << (len(bits) % 64)
			bits[name] = c
		}
		return bits[name]
	}
	var name string
	for line := range strings.Lines(orderText) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[0] == "rule":
			r := orderRule{kind: f[1], window: orderWindow}
			switch f[2] {
			case "risk":
				r.level, r.window = Risk, riskWindow
			case "private":
				r.level, r.window = Private, privateWindow
			}
			for _, need := range f[3:] {
				r.needs = r.needs.with(bit(need))
			}
			t.rules = append(t.rules, r)
		case line[0] != ' ':
			name = strings.TrimSuffix(f[0], ":")
		case name == "topDomains":
			t.topDomains = append(t.topDomains, f...)
		default:
			concept, negatable := strings.CutSuffix(name, "!")
			var bits concepts
			if name != "forbidding" {
				bits = bit(concept)
			}
			for _, text := range f {
				t.add(text, bits, negatable)
			}
		}
	}
	t.host, t.sensitive = bit("otherPlace"), bit("sensitive")
	return t
})

func (t *orders) add(text string, bits concepts, negatable bool) {
	ph := &conceptPhrase{text: text, bits: bits, negatable: negatable}
	first, _, _ := strings.Cut(text, "+")
	for word := range strings.SplitSeq(first, "|") {
		o := opening{word: newStem(word), bits: bits, phrase: ph}
		list := &t.openings[bucket(o.word.key&0xffffff)]
		if len(o.word.text) < 3 {
			list = &t.short[bucket(o.word.key&0xffff)]
		}
		n := int32(len(t.all))
		t.all = append(t.all, o)
		if list.first == 0 {
			list.first = n
		} else {
			t.all[list.last].next = n
		}
		list.last = n
	}
}

// parts are the words of the phrase. They are read from the table when the first one is in a text: of the thousands, few are.
func (ph *conceptPhrase) parts() []phrasePart {
	if known := ph.made.Load(); known != nil {
		return *known
	}
	var list []phrasePart
	gap := 0
	for part := range strings.SplitSeq(ph.text, "+") {
		if words, err := strconv.Atoi(strings.TrimPrefix(part, "*")); err == nil && part[0] == '*' {
			gap = words
			continue
		}
		p := phrasePart{gap: gap}
		for word := range strings.SplitSeq(part, "|") {
			p.words = append(p.words, newStem(word))
		}
		list, gap = append(list, p), 0
	}
	ph.made.Store(&list)
	return list
}
