package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
)

// addAutomatic is an automatic write to a known key: one signal a day counts.
func (a *adding) addAutomatic(it *memfile.Item) {
	if a.says(it.Value) {
		a.sameSignal(it)
		if it.By != "" { // a person's own item gets no day of expiry, paths or tags from a signal
			a.extras(it)
		}
		return
	}
	a.inConflict = true
	a.rivalSignal(it)
}

// sameSignal counts a signal for the item's own value: the second makes it
// medium, the third high. It never lowers, and never lifts a person's doubt.
func (a *adding) sameSignal(it *memfile.Item) {
	if !a.signal(&it.Labels, it.Day()) {
		return
	}
	reached := labels.ConfidenceAt(it.Signals)
	inDoubt := it.Stated() && memory.ItemUnconfirmed(it) // a person marked it, so only a person can confirm it
	if a.doubt || inDoubt || memory.Rank(reached) <= memory.Rank(it.Confidence) {
		return
	}
	if it.Confidence == memfile.Low {
		memory.Raise(&it.Labels, reached)
		return
	}
	it.Confidence = reached
}

// signal counts a signal, one a day. The first was on the day on which the value was said.
func (w *writing) signal(l *labels.Labels, day string) (counted bool) {
	if cmp.Or(l.Seen, day) == w.today {
		return false
	}
	l.Signals, l.Seen = max(1, l.Signals)+1, w.today
	return true
}

// rivalSignal counts a signal for another value. What a person stated or
// confirmed is never changed by it; otherwise the first one lowers the item a
// level, and the rival replaces it once its count passes the item's.
func (a *adding) rivalSignal(it *memfile.Item) {
	i := slices.IndexFunc(it.Conflict, func(r memfile.Rival) bool { return a.says(r.Value) })
	if i < 0 {
		rival := memfile.Rival{Value: a.Value, Added: a.today, Labels: labels.Labels{Source: a.source(), Confidence: memfile.Low, By: memfile.ByAutomatic}}
		it.Conflict = merge.AddRival(it.Conflict, rival)
		switch {
		case it.By == "":
		case it.Confidence == memfile.High:
			it.Confidence = memfile.Medium
		case it.Confidence == memfile.Medium:
			memfile.Lower(&it.Labels)
		}
		return
	}
	it.Conflict = slices.Clone(it.Conflict)
	rival := &it.Conflict[i]
	if !a.signal(&rival.Labels, rival.Added) {
		return
	}
	if it.By != "" && rival.Signals > max(1, it.Signals) {
		a.replace(it, i)
	}
}

// replace makes the rival the item's value; what it replaces becomes a rival.
func (a *adding) replace(it *memfile.Item, i int) {
	rival := it.Conflict[i]
	it.Conflict = merge.AddRival(slices.Delete(it.Conflict, i, i+1), it.Rival())
	it.Value, it.Updated, it.Source, it.By = rival.Value, a.today, rival.Source, memfile.ByAutomatic
	it.Signals, it.Seen = rival.Signals, rival.Seen
	a.setConfidence(it, labels.ConfidenceAt(rival.Signals))
	a.inConflict = false
}

// unstated names the fields that the write would change and that only a person changes
// of what they stated: each of them can keep the item from every session.
func (a *adding) unstated(it *memfile.Item) string {
	after := *it
	a.extras(&after)
	var fields []string
	if memory.ItemUnconfirmed(it) {
		fields = append(fields, "confidence")
	}
	now := after.Fields()
	for i, l := range it.Fields() {
		if l.Text() != now[i].Text() {
			fields = append(fields, strings.Replace(l.Name, "expires", "day of expiry", 1))
		}
	}
	return strings.Join(fields, " and ")
}
