package index

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Count names what is counted: a topic, a kind of doc, or the unconfirmed docs of a scope.
type Count struct {
	Scope       string
	Tier        Tier   // of a kind
	Name        string // the topic's, or the category of the kind
	Topic       bool
	Unconfirmed bool
}

// countRow is a row of a segment's counts, which are JSON.
type countRow struct {
	Count
	Docs int
}

// Counts are how many docs there are of each kind and topic, and how many are unconfirmed.
type Counts map[Count]int

func (c Counts) add(d *Doc, n int) {
	if d.Unconfirmed {
		c.addTo(Count{Scope: d.Scope, Unconfirmed: true}, n)
	}
	if !d.Counted {
		return
	}
	c.addTo(Count{Scope: d.Scope, Tier: d.Tier, Name: d.Category}, n)
	for i, topic := range d.Topics {
		if !slices.Contains(d.Topics[:i], topic) {
			c.addTo(Count{Scope: d.Scope, Name: topic, Topic: true}, n)
		}
	}
}

// Without removes a doc that was counted.
func (c Counts) Without(d *Doc) { c.add(d, -1) }

func (c Counts) addTo(what Count, n int) {
	if c[what] += n; c[what] <= 0 {
		delete(c, what)
	}
}

func (c Counts) encode() ([]byte, error) {
	list := make([]countRow, 0, len(c))
	for what, docs := range c {
		list = append(list, countRow{what, docs})
	}
	slices.SortFunc(list, func(a, b countRow) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return json.Marshal(list)
}

// addCountsTo reads what a segment counts.
func (s *segment) addCountsTo(into Counts) error {
	data, err := s.file.readSection(secCounts)
	if err != nil {
		return err
	}
	var list []countRow
	if json.Unmarshal(data, &list) != nil {
		return corruptError("counts")
	}
	for _, row := range list {
		if row.Tier >= tierCount || row.Docs < 0 {
			return corruptError("counts")
		}
		into[row.Count] += min(row.Docs, s.docCount)
	}
	return nil
}

// Counts says how many docs with Counted set can be found, of each kind and topic, and
// how many with Unconfirmed set, without reading them.
func (x *Index) Counts() (Counts, error) {
	all := Counts{}
	for _, s := range x.segments {
		if err := s.addCountsTo(all); err != nil {
			return nil, err
		}
	}
	for n := range x.docCount {
		if !x.IsDropped(n) {
			continue
		}
		d, err := x.Doc(n)
		if err != nil {
			return nil, err
		}
		all.add(&d, -1)
	}
	return all, nil
}

// MemoriesOf gives the docs of facts, notes and summaries of the scopes, in no order; ok is
// false, and the list empty, where there are more of them than max.
func (x *Index) MemoriesOf(max int, scopes ...string) (docs []Doc, ok bool, err error) {
	for _, s := range x.segments {
		for n := range s.docCount {
			r, err := s.readRecord(n)
			if err != nil {
				return nil, false, err
			}
			if r.Tier != TierFact && r.Tier != TierNote && r.Tier != TierSummary || x.IsDropped(s.firstNumber+n) {
				continue
			}
			if scope, err := r.Scope.Text(); err != nil {
				return nil, false, err
			} else if !slices.Contains(scopes, scope) {
				continue
			}
			if len(docs) == max {
				return nil, false, nil
			}
			d, err := s.readDoc(n)
			if err != nil {
				return nil, false, err
			}
			docs = append(docs, d)
		}
	}
	return docs, true, nil
}

// StartDocs gives the docs with Marked set, the newest first, without reading the
// others.
func (x *Index) StartDocs() ([]Doc, error) {
	return x.selectDocs(0, func(r *Record) bool { return r.marked })
}

// CommandDocs gives the docs that agents get before a command.
func (x *Index) CommandDocs() ([]Doc, error) {
	return x.selectDocs(0, func(r *Record) bool { return r.atCommand })
}

// Newest gives at most max of each scope's newest docs of a tier that are counted; 0 for all docs of the tier.
func (x *Index) Newest(tier Tier, max int) ([]Doc, error) {
	return x.selectDocs(max, func(r *Record) bool { return r.Tier == tier && (max == 0 || r.isCounted()) })
}

// isCounted reports whether Index.Counts has the doc. Of a long entry it has the first.
func (r *Record) isCounted() bool { return r.counted || r.Unconfirmed }

// Latest gives the newest docs of a tier, the newest first: at most max of each
// scope's; of one day, where that is not zero, all.
func (x *Index) Latest(tier Tier, day time.Time, max int) ([]Doc, error) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if !day.IsZero() {
		from, to, max = day.Unix(), day.AddDate(0, 0, 1).Unix(), 0
	}
	return x.selectDocs(max, func(r *Record) bool { return r.Tier == tier && from <= r.Seconds && r.Seconds < to })
}

// selectDocs reads the docs whose records the function picks: at most max of a segment
// where that is not 0.
func (x *Index) selectDocs(max int, pick func(*Record) bool) ([]Doc, error) {
	var docs []Doc
	for _, s := range x.segments {
		type row struct {
			n       int
			seconds int64
			ms      uint32
		}
		var rows []row
		for n := range s.docCount {
			r, err := s.readRecord(n)
			if err != nil {
				return nil, err
			}
			if pick(&r) && !x.IsDropped(s.firstNumber+n) {
				rows = append(rows, row{n, r.Seconds, r.Seq / maxChunks})
			}
		}
		if max > 0 && len(rows) > max {
			slices.SortStableFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(b.ms, a.ms)) })
			rows = rows[:max]
		}
		for _, r := range rows {
			d, err := s.readDoc(r.n)
			if err != nil {
				return nil, err
			}
			docs = append(docs, d)
		}
	}
	slices.SortStableFunc(docs, func(a, b Doc) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Source, b.Source))
	})
	return docs, nil
}
