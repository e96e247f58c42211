package page

import (
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store/contents"
)

// largeMemory is the number of entries from which the page reads only those that it shows: reading 100,000 takes seconds.
const largeMemory = 2000

// entryTiers are the tiers of entries that the list has.
func entryTiers() []string { return []string{entry.Fact, entry.Note, entry.Summary} }

// isLarge reports whether reading every entry takes too long for each request.
func (r *request) isLarge() bool {
	recall, err := briefing.OpenRecall(r.Context(), r.ss, briefing.RecallOptions{Reader: contents.Person})
	if err != nil {
		return false
	}
	defer recall.Close()
	counts, err := recall.CountEntries()
	total := 0
	for _, tier := range entryTiers() {
		total += counts[tier]
	}
	return err == nil && total >= r.page.large
}

// listLarge lists a large memory with the entries that the index on disk names. It returns false, and lists nothing, where
// the memory is small, or where the filter or the person needs every entry.
func (r *request) listLarge(l *memoryList, most int) (large bool, err error) {
	if l.Confidence != "" || r.URL.Query().Has("all") {
		return false, nil
	}
	ctx := r.Context()
	recall, err := briefing.OpenRecall(ctx, r.ss, briefing.RecallOptions{Scope: l.Scope, Reader: r.reader()})
	if err != nil {
		return false, nil // reading every entry says what is wrong
	}
	defer recall.Close()
	counts, err := recall.CountEntries()
	if err != nil {
		return false, nil
	}
	total, shown := 0, []string(nil)
	for _, tier := range entryTiers() {
		if total += counts[tier]; l.Tier == "" || l.Tier == tier {
			shown = append(shown, tier)
			l.Matches += counts[tier]
		}
	}
	if total < r.page.large {
		l.Matches = 0
		return false, nil
	}
	items, err := r.itemRows(l.Scope)
	if err != nil {
		return false, err
	}
	l.Total = total + len(items)
	if l.Tier == "" || l.Tier == view.Item {
		l.Rows, l.Matches = items, l.Matches+len(items)
	}
	if l.Query != "" {
		return true, r.searchLarge(l)
	}
	entries, err := recall.Newest(ctx, shown, most)
	l.Rows = append(l.Rows, r.entryRows(entries)...)
	return true, err
}

// searchLarge lists the hits of recall, and the items that contain the text.
func (r *request) searchLarge(l *memoryList) error {
	hits, err := r.search(l)
	if err != nil {
		return err
	}
	paths := map[string][]string{}
	for _, h := range hits {
		if h.Tier != view.Item {
			path, _, _ := strings.Cut(h.Path, "#L")
			paths[h.Scope] = append(paths[h.Scope], path)
		}
	}
	for scope, some := range paths {
		entries, err := view.EntriesAt(r.Context(), r.ss, scope, some)
		if err != nil {
			return err
		}
		l.Rows = append(l.Rows, r.entryRows(entries)...)
	}
	l.Rows = found(l.Rows, hits, l.Query)
	l.Matches = len(l.Rows)
	return nil
}
