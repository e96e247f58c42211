package view

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

// Topics lists what entries are about: the topics that they name, or where they
// name none their tags. What came up often and lately comes first. What is
// withheld counts for nothing.
func Topics(ctx context.Context, ss *store.Stores, scope string) (TopicsResult, error) {
	res := TopicsResult{Schema: memory.SchemaNumber, Topics: []TopicView{}}
	memory.WarnMissingFile(ctx, ss, scope)
	list, err := Entries(ctx, ss, scope)
	if err != nil {
		return res, err
	}
	slices.SortStableFunc(list, func(a, b LiveEntry) int { return -a.Time().Compare(b.Time()) })
	at := map[string]int{}
	for _, e := range list {
		names := e.Topics
		if len(names) == 0 {
			names = e.Tags
		}
		if e.Hidden() {
			continue
		}
		for _, name := range names {
			i, known := at[name]
			if !known {
				i, at[name] = len(res.Topics), len(res.Topics)
				res.Topics = append(res.Topics, TopicView{Name: session.Defuse(name), Last: memory.DayOf(e.Time()), Facts: []string{}})
			}
			t := &res.Topics[i]
			t.Count++
			t.Score += math.Exp(-max(ss.Now().Sub(e.Time()).Hours()/24, 0) * math.Ln2 / 30)
			if e.Tier() == entry.Fact {
				t.Facts = append(t.Facts, e.ID)
			}
		}
	}
	for i := range res.Topics {
		res.Topics[i].Score = math.Round(res.Topics[i].Score*1000) / 1000
	}
	slices.SortStableFunc(res.Topics, func(a, b TopicView) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.Name, b.Name))
	})
	return res, nil
}

// TopicsResult lists topics, the liveliest first.
type TopicsResult struct {
	Schema int         `json:"schema"`
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
