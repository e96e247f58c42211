package undo

import (
	"context"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// findLostText looks in HEAD's history, or in the journal, for the entry of that text
// whose file does not stand any more: of exactly that text, else the only one that contains it as
// whole words; nil where there is none. Errors: *memory.Refusal, where several fit.
func findLostText(ctx context.Context, stores []*store.Store, text string, journal bool) (*view.LostEntry, error) {
	want := memfile.NormalText(text)
	if want == "" || memfile.KeyForm(text) {
		return nil, nil
	}
	var same, contain []*view.LostEntry
	for _, st := range stores {
		err := view.EachLost(ctx, st, journal, func(p entry.Place) bool { return p.Tier != entry.Turn }, func(l *view.LostEntry, e entry.Entry) bool {
			switch is := memfile.NormalText(e.Text); {
			case is == want:
				same = append(same, l)
			case len(want) >= edit.ContainedBytes && edit.ContainsWords(is, want):
				contain = append(contain, l)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	found := same
	if len(found) == 0 {
		found = contain
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, severalLost(found, journal)
}

// severalLost is the refusal that names what a text could mean.
func severalLost(found []*view.LostEntry, journal bool) *memory.Refusal {
	const most = 10
	place, from := "that were removed", ""
	if journal {
		place, from = "of the journal", " --from journal"
	}
	r := memory.Refuse(memory.RuleAmbiguous, "several entries "+place+" match, so none is restored")
	for _, l := range found[:min(len(found), most)] {
		e := entry.In(l.Path, l.Src)
		withheld := contents.Refused(contents.RuleEntry(l.Store, *e, "", false, true))
		r.Notes = append(r.Notes, l.Store.Scope+": "+memory.ShortID(e.ID)+" = "+memory.ShownText(withheld, e.Text))
		r.Hints = append(r.Hints, "memctl restore "+memory.ShortID(e.ID)+from)
	}
	return r
}
