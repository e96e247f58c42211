package briefing

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// ListEntries lists the facts, notes and summaries of the scopes, in the order of scopes; all is how many there are. It reads the
// files only of those that the index does not count, such as what is withheld or expires. The others are listed as the index has
// them, see view.Record.Indexed: of each kind, at most the newest max of a scope, 0 for all of them. Errors: a scope that the
// session does not have; a store or an index that cannot be read.
func ListEntries(ctx context.Context, ss *store.Stores, opt RecallOptions, max int) (list []*view.Record, all int, err error) {
	r, err := OpenRecall(ctx, ss, opt)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	indexed := map[index.Source]*view.Record{}
	for _, tier := range []index.Tier{index.TierFact, index.TierNote, index.TierSummary} {
		docs, err := r.lib.Newest(tier, max)
		if err != nil {
			return nil, 0, err
		}
		for i := range docs {
			d := &docs[i]
			source := index.Source{Scope: d.Scope, Path: d.Source}
			if rec := indexed[source]; rec != nil { // a long one is several docs
				rec.Text += "\n" + d.Text
				continue
			}
			id, _, _ := strings.Cut(d.ID, "#L")
			indexed[source] = &view.Record{Scope: d.Scope, Tier: d.Tier.String(), ID: id, Path: d.Source, Created: entry.FormatTime(d.MadeAt()), Text: d.Text, Indexed: true}
		}
	}
	stores, err := memory.StoresOf(ctx, ss, opt.Scope)
	for _, st := range stores {
		files, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return nil, 0, err
		}
		var others []string
		for _, name := range files {
			if place, _ := entry.ParsePath(name); place.Deleted || place.Tier == entry.Turn {
				continue
			}
			source := index.Source{Scope: st.Scope, Path: name}
			if !r.lib.CountsSource(source) { // it may have expired
				others = append(others, name)
				continue
			}
			if rec := indexed[source]; rec != nil {
				list = append(list, rec)
			}
			all++
		}
		read, err := view.ReadEntries(ctx, ss, opt.Reader, st.Scope, others)
		if err != nil {
			return nil, 0, err
		}
		for i := range read {
			list = append(list, &read[i])
		}
		all += len(read)
	}
	return list, all, err
}
