package instructions

import (
	"slices"
)

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
// concepts stand close together. Without risk, only the rules for everybody count. Most texts have not enough
// of the words with which phrases begin, so that nobody reads their phrases to the end.
func (t *Table) order(w Words, starts []start, begun concepts, room []found, risk bool) (kind string, said []string, level Level) {
	var wanted concepts
	for i := range t.rules {
		if r := &t.rules[i]; begun.has(r.needs) && (r.level != Risk || risk) {
			wanted = wanted.with(r.needs).with(r.unless)
		}
	}
	if wanted == (concepts{}) {
		return "", nil, 0
	}
	hits, all := t.hits(w, starts, wanted, room)
	for i := range t.rules {
		r := &t.rules[i]
		if !all.has(r.needs) || r.level == Risk && !risk {
			continue
		}
		if list := r.findClose(hits); list != nil && !r.isExcused(hits, list) {
			return r.kind, t.words(w, list), r.level
		}
	}
	return "", nil, 0
}

// named are the concepts of a word that is a host or names a secret.
func (t *Table) named(w *word) (bits concepts) {
	if w.host {
		bits = t.host
	}
	if w.secret {
		bits = bits.with(t.sensitive)
	}
	return bits
}

// hits lists where the wanted concepts stand, and which of them there are.
func (t *Table) hits(w Words, starts []start, wanted concepts, room []found) (hits []found, all concepts) {
	hits = room
	last := -forbidsOver - 1 // where the last word that forbids stands
	for i := range w.list {
		forbidden, forbidding := i-last <= forbidsOver, w.list[i].forbids
		for ; len(starts) > 0 && starts[0].word == i; starts = starts[1:] {
			o := &t.openings[starts[0].opening]
			bits := t.bits[o.concept]
			if !wanted.has(bits) || forbidden && t.phrases[o.phrase].negatable {
				continue
			}
			end := t.matchPhrase(w, starts[0].opening, i)
			switch {
			case end == 0:
			case o.concept == 0:
				forbidding = true
			default:
				hits = append(hits, found{i, end, w.list[i].at, bits, int(o.phrase)})
				all = all.with(bits)
			}
		}
		if bits := t.named(&w.list[i]); bits != (concepts{}) {
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

// findClose returns the hits that together have what the rule needs, close together; nil for none.
func (r *orderRule) findClose(hits []found) []found {
	for i := range hits {
		if !hits[i].bits.some(r.needs) {
			continue
		}
		var have concepts
		for k := i; k < len(hits) && hits[k].at-hits[i].at <= r.window; k++ {
			if have = have.with(hits[k].bits); have.has(r.needs) {
				return r.onePerConcept(hits[i : k+1])
			}
		}
	}
	return nil
}

// isExcused reports whether something near the hits of the rule says that it is about something else.
func (r *orderRule) isExcused(hits, list []found) bool {
	from, to := list[0].at-r.window, list[len(list)-1].at+r.window
	return slices.ContainsFunc(hits, func(h found) bool { return h.bits.some(r.unless) && h.at >= from && h.at <= to })
}

// onePerConcept keeps one hit for each concept of the rule.
func (r *orderRule) onePerConcept(hits []found) (list []found) {
	var have concepts
	for _, h := range hits {
		if h.bits.some(r.needs) && !have.has(h.bits) {
			have = have.with(h.bits)
			list = append(list, h)
		}
	}
	return list
}
