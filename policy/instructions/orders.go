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

// forbiddenWords is how many of the words after a word that forbids are forbidden.
const forbiddenWords = 5

// findOrder tells what a text orders an agent to do, or what it says about a person: the kind of the first rule whose
// concepts stand close together. Without risk, only the rules for everybody count. Most texts have not enough
// of the words with which phrases begin, so that nobody reads their phrases to the end.
func (t *Table) findOrder(w Words, starts []start, begun conceptSet, room []foundPhrase, risk bool) (kind string, said []string, level Level) {
	var wanted conceptSet
	for i := range t.rules {
		if r := &t.rules[i]; begun.hasAll(r.needs) && (r.level != Risk || risk) {
			wanted = wanted.with(r.needs).with(r.unless)
		}
	}
	if wanted == (conceptSet{}) {
		return "", nil, 0
	}
	hits, all := t.findConcepts(w, starts, wanted, room)
	for i := range t.rules {
		r := &t.rules[i]
		if !all.hasAll(r.needs) || r.level == Risk && !risk {
			continue
		}
		if list := r.findClose(hits); list != nil && !r.isExcused(hits, list) {
			return r.kind, t.phraseWords(w, list), r.level
		}
	}
	return "", nil, 0
}

// conceptsOfName are the concepts of a word that is a host or names a secret.
func (t *Table) conceptsOfName(w *word) (bits conceptSet) {
	if w.isOtherHost {
		bits = t.host
	}
	if w.isSecretName {
		bits = bits.with(t.sensitive)
	}
	return bits
}

// findConcepts lists where the wanted concepts stand, and which of them there are.
func (t *Table) findConcepts(w Words, starts []start, wanted conceptSet, room []foundPhrase) (findConcepts []foundPhrase, all conceptSet) {
	findConcepts = room
	last := -forbiddenWords - 1 // where the last word that forbids stands
	for i := range w.list {
		forbidden, forbidding := i-last <= forbiddenWords, w.list[i].forbids
		for ; len(starts) > 0 && starts[0].word == i; starts = starts[1:] {
			o := &t.openings[starts[0].opening]
			bits := t.bits[o.concept]
			if !wanted.hasAll(bits) || forbidden && t.phrases[o.phrase].negatable {
				continue
			}
			end := t.matchPhrase(w, starts[0].opening, i)
			switch {
			case end == 0:
			case o.concept == 0:
				forbidding = true
			default:
				findConcepts = append(findConcepts, foundPhrase{i, end, w.list[i].at, bits, int(o.phrase)})
				all = all.with(bits)
			}
		}
		if bits := t.conceptsOfName(&w.list[i]); bits != (conceptSet{}) {
			findConcepts = append(findConcepts, foundPhrase{i, i + 1, w.list[i].at, bits, -1})
			all = all.with(bits)
		}
		if forbidding {
			last = i
		}
		if w.list[i].endsSentence || w.list[i].endsLine {
			last = -forbiddenWords - 1
		}
	}
	return findConcepts, all
}

// findClose returns the hits that together have what the rule needs, close together; nil for none.
func (r *orderRule) findClose(hits []foundPhrase) []foundPhrase {
	for i := range hits {
		if !hits[i].bits.hasAny(r.needs) {
			continue
		}
		var have conceptSet
		for k := i; k < len(hits) && hits[k].at-hits[i].at <= r.window; k++ {
			if have = have.with(hits[k].bits); have.hasAll(r.needs) {
				return r.onePerConcept(hits[i : k+1])
			}
		}
	}
	return nil
}

// isExcused reports whether something near the hits of the rule says that it is about something else.
func (r *orderRule) isExcused(hits, list []foundPhrase) bool {
	from, to := list[0].at-r.window, list[len(list)-1].at+r.window
	return slices.ContainsFunc(hits, func(h foundPhrase) bool { return h.bits.hasAny(r.unless) && h.at >= from && h.at <= to })
}

// onePerConcept keeps one hit for each concept of the rule.
func (r *orderRule) onePerConcept(hits []foundPhrase) (list []foundPhrase) {
	var have conceptSet
	for _, h := range hits {
		if h.bits.hasAny(r.needs) && !have.hasAll(h.bits) {
			have = have.with(h.bits)
			list = append(list, h)
		}
	}
	return list
}
