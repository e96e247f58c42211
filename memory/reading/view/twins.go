package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

const (
	// twinShare is the share of content words that two memories have in common from which they are shown as near duplicates.
	twinShare = 0.6
	// mostCommon is in how many memories a word may be: one in more says too little.
	mostCommon = 40
)

// Pair is two memories that say nearly the same.
type Pair struct {
	Records [2]Record
	Share   float64 // of their content words; 1 for texts that differ in nothing that counts
}

// Twins lists the pairs of items and facts that say nearly the same, as their reader may have them, the closest first. Errors:
// those of List.
func Twins(ctx context.Context, ss *store.Stores, who contents.Reader, scope string) (pairs []Pair, err error) {
	found, err := List(ctx, ss, who, Query{Scope: scope})
	list := slices.DeleteFunc(found.Records, func(r Record) bool { return r.Secret() || r.Tier != Item && r.Tier != entry.Fact })
	topics, texts, with := make([]memory.Topic, len(list)), make([]spelling.Text, len(list)), map[string][]int{}
	for i, r := range list {
		text := r.Text
		if r.Value != nil {
			text = r.Value.Plain()
		}
		if at := strings.LastIndex(text, ": ") + 2; at > 1 && spelling.NewText(text[at:]).Words() > 2 {
			text = text[at:] // what was imported begins with its headings, which many have
		}
		topics[i], texts[i] = memory.NewTopic(r.Key, text), spelling.NewText(text)
		met := map[int]bool{}
		for _, word := range topics[i].Words() {
			for _, j := range with[word] {
				met[j] = true
			}
			if with[word] = append(with[word], i); len(with[word]) > mostCommon {
				with[word] = with[word][1:]
			}
		}
		for j := range met {
			share := max(topics[i].Concerns(topics[j]), topics[j].Concerns(topics[i]))
			if texts[i] == texts[j] {
				share = 1
			}
			if share >= twinShare {
				pairs = append(pairs, Pair{[2]Record{list[j], r}, share})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(-cmp.Compare(a.Share, b.Share), cmp.Compare(a.name(), b.name()))
	})
	return pairs, err
}

func (p Pair) name() string {
	a, b := p.Records[0], p.Records[1]
	return a.Key + a.ID + " " + b.Key + b.ID
}
