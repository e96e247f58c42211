package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// meeting is what becomes of a new record where one of its key, or of its text, is there already.
type meeting int

// The meetings.
const (
	repeats  meeting = iota // the record says it already; its confidence may rise
	replaces                // the new value is the record's now
	waits                   // the new value is in the item's conflict, beside its own
)

// news is a new record, as it is stored where there is none of its key or text.
type news struct {
	*txn.Record
	ruling   memory.Ruling // what the writer may do to the record that is there
	origin   string
	scope    string
	today    string
	doubt    bool // its text sounds temporary, so no signal raises it
	sourced  bool // the person gave a source
	imported bool // it replaces nothing that is surer
}

// maxRivals is up to how many other values of an item agents add.
const maxRivals = 8

// meet changes the record that is there. It decides between two values of a key in an act, except for a hand edit of a stated one
// (besideStated of internal/store/txn); docs/acts.md has the rules. Errors: a *memory.Refusal of one value too many.
func (n news) meet(there *txn.Record) (meeting, error) {
	same := sameValue(there.Value(), n.Value())
	weaker := n.imported && memory.Rank(n.Confidence) < memory.Rank(there.Confidence)
	switch {
	case there.Entry != nil && there.Entry.Role == entry.RoleSummary:
		n.replace(there)
		return replaces, nil
	case n.origin == memory.Explicit:
		n.restate(there, same)
		return replaces, nil
	case same:
		n.addSignal(there)
		return repeats, nil
	case n.ruling == memory.Allowed && !weaker:
		n.replace(there)
		return replaces, nil
	}
	return n.addRival(there.Item)
}

// stateValue gives an item a value that a person chose.
func stateValue(r *txn.Record, v memfile.Value, source, today string) error {
	chosen := txn.NewRecord(memfile.Item{Key: r.Item.Key, Value: v, Labels: labels.Labels{Source: source, Confidence: memfile.High}})
	_, err := news{Record: chosen, ruling: memory.Allowed, origin: memory.Explicit, today: today, sourced: true}.meet(r)
	return err
}

// sameValue reports whether two values say the same, be it with other filler words.
func sameValue(a, b memfile.Value) bool {
	return memfile.Same(a, b) || words(a) != "" && spelling.SameText(words(a), words(b))
}

// restate is a person's write: their value is the record's, whatever was there.
func (n news) restate(there *txn.Record, same bool) {
	l, it := there.Labels, there.Item
	if ofOthers(*l) || it != nil && (n.sourced || l.Source == "" || !memfile.Same(it.Value, n.Item.Value)) {
		l.Source = n.Source
	}
	l.By = ""
	setLevel(there, n.Confidence)
	if it == nil {
		return
	}
	if !memfile.Equal(it.Value, n.Item.Value) {
		it.Value, it.Updated = n.Item.Value, n.today
	}
	if it.Conflict = nil; !same {
		it.Signals, it.Seen = 0, ""
	}
}

// addSignal is an agent's write of what the record says.
func (n news) addSignal(there *txn.Record) {
	l, it := there.Labels, there.Item
	switch {
	case it == nil && there.Entry.Role != entry.RoleFact: // has no confidence
	case n.origin != memory.Relayed:
		n.signalFor(there)
	case l.IsStated():
	default:
		if memory.Rank(l.Confidence) < memory.Rank(n.Confidence) && !n.doubt {
			setLevel(there, n.Confidence)
			l.By, l.Source = memfile.ByRelayed, n.Source
		}
		if it != nil && !memfile.Same(it.Value, n.Item.Value) { // the person's latest words
			it.Value, it.Updated = n.Item.Value, n.today
		}
	}
}

// signalFor counts a signal for a record: the second makes it medium, the third high. It never lowers, and never lifts a
// person's doubt.
func (n news) signalFor(there *txn.Record) {
	l := there.Labels
	inDoubt := l.IsStated() && unconfirmed(there) // a person marked it, so only a person can confirm it
	if !signal(l, dayOf(there), n.today) || n.doubt || inDoubt {
		return
	}
	if reached := labels.ConfidenceAt(l.Signals); memory.Rank(reached) > memory.Rank(l.Confidence) {
		setLevel(there, reached)
	}
}

// signal counts a signal, one a day. The first was on the day on which the value was said.
func signal(l *labels.Labels, day, today string) (counted bool) {
	if cmp.Or(l.Seen, day) == today {
		return false
	}
	l.Signals, l.Seen = max(1, l.Signals)+1, today
	return true
}

// replace puts the value in the place of the record's own.
func (n news) replace(there *txn.Record) {
	if e := there.Entry; e != nil {
		e.Text, e.Created, e.Source, e.By, e.Stale = n.Entry.Text, n.Entry.Created, n.Source, n.By, false
		return
	}
	it := there.Item
	it.Value, it.Updated, it.Source, it.By = n.Item.Value, n.today, n.Source, n.By
	it.Signals, it.Seen = 0, ""
	// The item's own value is no rival.
	it.Conflict = slices.DeleteFunc(slices.Clone(it.Conflict), func(r memfile.Rival) bool { return sameValue(r.Value, n.Item.Value) })
	setLevel(there, n.Confidence)
}

// addRival puts the value into the item's conflict. An agent's own conclusion takes the place of another one when it has more
// signals.
func (n news) addRival(it *memfile.Item) (meeting, error) {
	i := slices.IndexFunc(it.Conflict, func(r memfile.Rival) bool { return sameValue(r.Value, n.Item.Value) })
	rival := memfile.Rival{Value: n.Item.Value, Added: n.today, Labels: labels.Labels{Source: n.Source, Confidence: n.Confidence, By: n.By}}
	concluded := n.origin != memory.Relayed
	switch {
	case i < 0 && len(it.Conflict) >= maxRivals:
		name := policy.Inert(memory.Redacted(it.Key)) + memory.ScopeFlag(n.scope)
		return waits, memory.Refuse(ruleTooMany, fmt.Sprintf("the item already has %d other values, and an agent may add no more than %d; the person must choose one first", len(it.Conflict), maxRivals), "memctl review", "memctl confirm "+name)
	case i >= 0 && concluded:
		rival = it.Conflict[i]
		if !signal(&rival.Labels, rival.Added, n.today) {
			return waits, nil
		}
		it.Conflict = slices.Delete(slices.Clone(it.Conflict), i, i+1)
		if it.By == memfile.ByAutomatic && rival.Signals > max(1, it.Signals) {
			it.Conflict = merge.AddRival(it.Conflict, it.Rival())
			it.Value, it.Updated, it.Source, it.By, it.Signals, it.Seen = rival.Value, n.today, rival.Source, memfile.ByAutomatic, rival.Signals, rival.Seen
			level := labels.ConfidenceAt(rival.Signals)
			if n.doubt {
				level = memfile.Low
			}
			setLevel(&txn.Record{Labels: &it.Labels, Item: it}, level)
			return replaces, nil
		}
	case i >= 0:
		rival.Value = it.Conflict[i].Value // one value stands there once, as it was said first
	}
	it.Conflict = merge.AddRival(it.Conflict, rival)
	return waits, nil
}

// setLevel sets the confidence of a record. Low items have a tag, which goes with a higher one. Only facts and items have any.
func setLevel(r *txn.Record, level string) {
	switch {
	case r.Item == nil && r.Entry.Role != entry.RoleFact:
	case level != memfile.Low:
		memory.Raise(r.Labels, level)
	case r.Item != nil:
		memfile.Lower(r.Labels)
	default:
		r.Confidence = level
	}
}

// unconfirmed reports whether a record waits for confirmation.
func unconfirmed(r *txn.Record) bool {
	if r.Item != nil {
		return memory.ItemUnconfirmed(r.Item)
	}
	return memory.InDoubt(r.Entry)
}

// dayOf is the day of an item's value, or on which an entry was written.
func dayOf(r *txn.Record) string {
	if r.Item != nil {
		return r.Item.Day()
	}
	day, _, _ := strings.Cut(r.Entry.Created, "T")
	return day
}
