package view

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

// Topics lists what entries are about: the topics that they name, or where they
// name none their tags. What came up often and lately comes first. What is
// withheld counts for nothing.
func Topics(ctx context.Context, ss *store.Stores, scope string) (TopicsResult, error) {
	res := TopicsResult{Topics: []TopicView{}}
	list, err := List(ctx, ss, contents.Person, Query{Scope: scope})
	slices.SortStableFunc(list.Records, func(a, b Record) int { return -cmp.Compare(a.Created, b.Created) })
	at := map[string]int{}
	for _, r := range list.Records {
		names := r.Topics
		if len(names) == 0 {
			names = r.Tags
		}
		if r.Tier == Item || r.Hidden() {
			continue
		}
		made, _ := entry.ParseTime(r.Created)
		for _, name := range names {
			i, known := at[name]
			if !known {
				i, at[name] = len(res.Topics), len(res.Topics)
				res.Topics = append(res.Topics, TopicView{Name: session.Defuse(name), Last: memory.UTCDay(made), Facts: []string{}})
			}
			t := &res.Topics[i]
			t.Count++
			t.Score += math.Exp(-max(ss.Now().Sub(made).Hours()/24, 0) * math.Ln2 / 30)
			if r.Tier == entry.Fact {
				t.Facts = append(t.Facts, r.ID)
			}
		}
	}
	for i := range res.Topics {
		res.Topics[i].Score = math.Round(res.Topics[i].Score*1000) / 1000
	}
	slices.SortStableFunc(res.Topics, func(a, b TopicView) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Name, b.Name))
	})
	return res, err
}

// TopicsResult lists topics, the liveliest first.
type TopicsResult struct {
	Topics []TopicView `json:"topics"`
}

// TopicView is one topic: how often it came up, when last, and in what.
type TopicView struct {
	Name  string   `json:"name"`
	Count int      `json:"entry_count"`
	Last  string   `json:"last"` // day
	Score float64  `json:"score"`
	Facts []string `json:"facts"` // ids of facts, newest first
}
