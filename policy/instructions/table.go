package instructions

import (
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

//go:embed phrases.txt
var phraseText string

//go:embed orders.txt
var orderText string

// Table is a list of phrases, made ready: each is a few words in order. It is read once, so the parts of a
// phrase are read only when a text has its first word.
type Table struct {
	phrases      []phrase
	readParts    []atomic.Pointer[[]part] // their parts
	openings     []opening                // in the order of their buckets
	bucketStarts [bucketCount + 1]uint16  // where each bucket begins
	classes      map[string]string
	rules        []orderRule
	topDomains   []string
	bits         []conceptSet // by concept
	sensitive    conceptSet   // the concept that the name of a secret stands for
	host         conceptSet   // the concept that an address stands for
}

// phrase is one way of saying something. Either it has points, and adds them to the score of its text, or it says a
// concept of orders.txt.
type phrase struct {
	text      string // as the table has it
	kind      string
	points    int8
	concept   uint8 // 0 for none
	planted   bool  // counts in a short text only, where words don't meet by chance
	private   bool  // states a fact about a person; no part of the score
	order     bool  // says to do something, so that a word that forbids makes the contrary of it
	negatable bool  // the same of a concept
}

// part is one word of a phrase: its alternatives, of which the text's word has to be or to begin with one.
type part struct {
	words    []prefix
	begins   uint64 // a bit for each first letter of theirs
	gap      int    // words of any kind that may stand before it
	exact    bool   // no word that only begins so
	optional bool
	stop     bool // or a sentence ends here
	end      bool // or the text
}

// opening is a word that a phrase begins with.
type opening struct {
	key     uint64
	phrase  uint16
	bucket  uint16
	size    uint8
	whole   bool
	points  bool // of the phrase
	concept uint8
}

// conceptSet is a set of concepts, a bit for each; the words that forbid have none.
type conceptSet struct{ a, b uint64 }

func (c conceptSet) hasAll(all conceptSet) bool      { return all.a&^c.a == 0 && all.b&^c.b == 0 }
func (c conceptSet) hasAny(one conceptSet) bool      { return one.a&c.a != 0 || one.b&c.b != 0 }
func (c conceptSet) with(more conceptSet) conceptSet { return conceptSet{c.a | more.a, c.b | more.b} }

type orderRule struct {
	kind   string
	needs  conceptSet
	unless conceptSet // what lifts the rule, if it stands near
	level  Level
	window int
}

// The windows of the rules: as many words may stand between the first and the last concept.
const (
	orderWindow   = 16 * wordWeight
	nearWindow    = 8 * wordWeight
	riskWindow    = 60 * wordWeight
	privateWindow = 6 * wordWeight
)

// NewTable reads phrases, one a line: points, a kind, and the words in order. A word may be several joined by "|", a
// class ("@name", given by a line that begins so), a gap ("*3": up to three words of any kind, none of which ends a sentence), the end of
// a sentence (".") or of the text ("$"), or may be left out ("?" after it).
func NewTable(text string) *Table {
	t := &Table{}
	t.readPhrases(text)
	t.sortOpenings()
	return t
}

// orderTable has phrases.txt and orders.txt.
var orderTable = sync.OnceValue(func() *Table {
	t := &Table{openings: make([]opening, 0, 8<<10), phrases: make([]phrase, 0, 5<<10)}
	t.readPhrases(phraseText)
	t.readOrders()
	t.sortOpenings()
	return t
})

func (t *Table) readPhrases(text string) {
	t.classes = map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		points, err := strconv.Atoi(first)
		switch {
		case first == "" || first[0] == '#':
		case first[0] == '@':
			t.classes[first[1:]] = rest
		case err != nil:
			section = first
		default:
			kind, text, _ := strings.Cut(rest, " ")
			p := phrase{text: text, kind: kind, points: int8(points), planted: section == "planted:", private: section == "private:"}
			switch kind {
			case "override", "command", "prompt", "send":
				p.order = !strings.HasPrefix(text, "do not|") && !strings.HasPrefix(text, "never|")
			}
			t.addPhrase(p)
		}
	}
}

func (t *Table) readOrders() {
	names := []string{""}
	t.bits = make([]conceptSet, 1, 128)
	bit := func(name string) uint8 {
		n := slices.Index(names, name)
		if n < 0 {
			n = len(names)
			names = append(names, name)
			t.bits = append(t.bits, conceptSet{1 << n, 1 << uint(n-64)})
		}
		return uint8(n)
	}
	var p phrase
	name := ""
	for line := range strings.Lines(orderText) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case first == "" || first == "#":
		case first == "rule":
			f := strings.Fields(rest)
			r := orderRule{kind: f[0], window: orderWindow}
			switch f[1] {
			case "near":
				r.window = nearWindow
			case "risk":
				r.level, r.window = Risk, riskWindow
			case "private":
				r.level, r.window = Private, privateWindow
			}
			for _, need := range f[2:] {
				if without, ok := strings.CutPrefix(need, "-"); ok {
					r.unless = r.unless.with(t.bits[bit(without)])
					continue
				}
				r.needs = r.needs.with(t.bits[bit(need)])
			}
			t.rules = append(t.rules, r)
		case line[0] != ' ':
			p = phrase{}
			name, p.negatable = strings.CutSuffix(strings.TrimSuffix(first, ":"), "!")
			if name != "forbidding" && name != "topDomains" {
				p.concept = bit(name)
			}
		case name == "topDomains":
			t.topDomains = append(t.topDomains, strings.Fields(line)...)
		default:
			for text, rest, more := "", strings.TrimSpace(line), true; more; {
				text, rest, more = strings.Cut(rest, " ")
				t.addPhrase(phrase{text: text, concept: p.concept, negatable: p.negatable})
			}
		}
	}
	t.host, t.sensitive = t.bits[bit("otherPlace")], t.bits[bit("sensitive")]
}

func (t *Table) addPhrase(p phrase) {
	end := strings.IndexByte(p.text, '+')
	if p.points > 0 {
		end = strings.IndexByte(p.text, ' ')
	}
	if end < 0 {
		end = len(p.text)
	}
	for w, rest, more := "", p.text[:end], true; more; {
		if w, rest, more = strings.Cut(rest, "|"); w[0] != '@' {
			t.addOpening(w, &p)
			continue
		}
		for w := range strings.FieldsSeq(t.classes[w[1:]]) {
			t.addOpening(w, &p)
		}
	}
	t.phrases = append(t.phrases, p)
}

// addOpening notes that the next phrase may begin with the word.
func (t *Table) addOpening(w string, p *phrase) {
	s := newPrefix(w, p.points > 0)
	t.openings = append(t.openings, opening{s.key, uint16(len(t.phrases)), bucketOf(s.key, min(len(s.text), 3)), uint8(min(len(s.text), 8)), s.whole && len(s.text) <= 8, p.points > 0, p.concept})
}

const bucketCount = 1 << 13

// bucketOf is the place of what begins with the first n bytes of a key.
func bucketOf(key uint64, n int) uint16 {
	return uint16((key<<(64-8*n) + uint64(n)) * 0x9e3779b97f4a7c15 >> (64 - 13))
}

// sortOpenings puts the openings into buckets, in their order.
func (t *Table) sortOpenings() {
	t.readParts = make([]atomic.Pointer[[]part], len(t.phrases))
	for i := range t.openings {
		t.bucketStarts[t.openings[i].bucket+1]++
	}
	for b := range bucketCount {
		t.bucketStarts[b+1] += t.bucketStarts[b]
	}
	sorted, next := make([]opening, len(t.openings)), t.bucketStarts
	for _, o := range t.openings {
		sorted[next[o.bucket]] = o
		next[o.bucket]++
	}
	t.openings = sorted
}

// openingsFor gives the openings of the phrases that a word may begin. Of a long word only the first letters are compared.
func (t *Table) openingsFor(w *word) iter.Seq[int] {
	return func(yield func(int) bool) {
		size := w.to - w.from
		for n := 3; n > 1 || n == 1 && size == 1; n-- {
			b := bucketOf(w.key, n)
			for k := int(t.bucketStarts[b]); k < int(t.bucketStarts[b+1]); k++ {
				if o := &t.openings[k]; haveSamePrefix(w.key, o.key, int(o.size)) && (!o.whole || size == int(o.size)) && !yield(k) {
					return
				}
			}
		}
	}
}

// partsOf are the words of the phrase.
func (t *Table) partsOf(n int) []part {
	if known := t.readParts[n].Load(); known != nil {
		return *known
	}
	ph := &t.phrases[n]
	var list []part
	gap := 0
	for f := range strings.FieldsFuncSeq(ph.text, func(r rune) bool { return r == '+' || r == ' ' }) {
		if f[0] == '*' {
			if words, err := strconv.Atoi(f[1:]); err == nil {
				gap = words
				continue
			}
		}
		p := part{gap: gap, exact: ph.points > 0}
		if ph.points > 0 {
			f, p.optional = strings.CutSuffix(f, "?")
		}
		for w := range strings.SplitSeq(f, "|") {
			switch {
			case w == "." && ph.points > 0:
				p.stop = true
			case w == "$":
				p.end = true
			case w[0] == '@':
				for w := range strings.FieldsSeq(t.classes[w[1:]]) {
					p.words = append(p.words, newPrefix(w, true))
				}
			default:
				p.words = append(p.words, newPrefix(w, ph.points > 0))
			}
		}
		for _, s := range p.words {
			p.begins |= 1 << (s.key & 63)
		}
		list, gap = append(list, p), 0
	}
	t.readParts[n].Store(&list)
	return list
}
