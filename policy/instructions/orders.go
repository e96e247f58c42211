package instructions

// Level says whom a rule of orders.txt is about.
type Level uint8

// The levels, in the order of the rules.
const (
	ForAll  Level = iota // an order, whoever says it
	Private              // no order: a fact about a person
	Risk                 // a person may want it so; only an agent is asked
)

// forbidsOver is how many words a word that forbids reaches over.
const forbidsOver = 5

// order tells what a text orders an agent to do, or what it says about a person: the kind of the first rule whose
// concepts stand close together. Without risk, only the rules for everybody count. begun says of which
// concepts some phrase begins in the text. Most texts have not enough for any rule, so that nobody reads their phrases to the end.
func (t *Table) order(w Words, begun concepts, risk bool) (kind string, said []string, level Level) {
	for i := range w.list {
		begun = begun.with(t.named(w, i))
	}
	wanted := concepts{}
	for i := range t.rules {
		if r := &t.rules[i]; begun.has(r.needs) && (r.level != Risk || risk) {
			wanted = wanted.with(r.needs)
		}
	}
	if wanted == (concepts{}) {
		return "", nil, 0
	}
	var room [32]found
	hits, all := t.hits(w, wanted, room[:0])
	for i := range t.rules {
		r := &t.rules[i]
		if !all.has(r.needs) || r.level == Risk && !risk {
			continue
		}
		if list := r.within(hits); list != nil {
			return r.kind, t.words(w, list), r.level
		}
	}
	return "", nil, 0
}

// named are the concepts that a word stands for without any table: an address, the name of a secret.
func (t *Table) named(w Words, i int) (bits concepts) {
	if w.list[i].host {
		bits = t.host
	}
	if secretName(w.text(i)) {
		bits = bits.with(t.sensitive)
	}
	return bits
}

// hits lists where the wanted concepts stand, and which of them there are.
func (t *Table) hits(w Words, wanted concepts, room []found) (hits []found, all concepts) {
	hits = room
	last := -forbidsOver - 1 // where the last word that forbids stands
	for i := range w.list {
		forbidden, forbidding := i-last <= forbidsOver, false
		for c := t.begin(&w.list[i]); c.next(); {
			n := int(c.opening().phrase)
			ph := &t.phrases[n]
			if ph.points > 0 || forbidden && ph.negatable || !wanted.has(ph.bits) {
				continue
			}
			end := t.whole(w, &c, i)
			switch {
			case end == 0:
			case ph.bits == (concepts{}):
				forbidding = true
			default:
				hits = append(hits, found{i, end, w.list[i].at, ph.bits, n})
				all = all.with(ph.bits)
			}
		}
		if bits := t.named(w, i); bits != (concepts{}) {
			hits = append(hits, found{i, i + 1, w.list[i].at, bits, -1})
			all = all.with(bits)
		}
		if forbidding {
			last = i
		}
		if w.list[i].stop || w.list[i].line {
			last = -forbidsOver - 1
		}
	}
	return hits, all
}

// within returns the hits that together have what the rule needs, close together; nil for none.
func (r *orderRule) within(hits []found) []found {
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
func (r *orderRule) chosen(hits []found) (list []found) {
	var have concepts
	for _, h := range hits {
		if h.bits.some(r.needs) && !have.has(h.bits) {
			have = have.with(h.bits)
			list = append(list, h)
		}
	}
	return list
}
