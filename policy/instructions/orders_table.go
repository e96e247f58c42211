package instructions

import (
	_ "embed" // the table of orders
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
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
	openings, short [1024][]opening // of phrases, by their first three letters; of those that have only two
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

// opening is a word that a phrase begins with.
type opening struct {
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
	parts     []phrasePart
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
	t := &orders{}
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
	ph := &conceptPhrase{bits: bits, negatable: negatable}
	gap := 0
	for part := range strings.SplitSeq(text, "+") {
		if words, err := strconv.Atoi(strings.TrimPrefix(part, "*")); err == nil && part[0] == '*' {
			gap = words
			continue
		}
		p := phrasePart{gap: gap}
		for word := range strings.SplitSeq(part, "|") {
			p.words = append(p.words, newStem(word))
		}
		ph.parts, gap = append(ph.parts, p), 0
	}
	for _, word := range ph.parts[0].words {
		list := &t.openings[bucket(word.key&0xffffff)]
		if len(word.text) < 3 {
			list = &t.short[bucket(word.key&0xffff)]
		}
		*list = append(*list, opening{word, bits, ph})
	}
}
