package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/recall"
)

// knob is one number of the ranking and what it may be.
type knob struct {
	name   string
	of     func(*recall.Ranking) *float64
	values []float64
}

func knobs() []knob {
	return []knob{
		{"Together", func(r *recall.Ranking) *float64 { return &r.Together }, []float64{0.3, 0.5, 0.7}},
		{"Day", func(r *recall.Ranking) *float64 { return &r.Day }, []float64{0, 0.5}},
		{"Near", func(r *recall.Ranking) *float64 { return &r.Near }, []float64{0.25, 0.35, 0.45}},
		{"Agent", func(r *recall.Ranking) *float64 { return &r.Agent }, []float64{0, 0.5, 0.7}},
		{"K1", func(r *recall.Ranking) *float64 { return &r.K1 }, []float64{0.7, 0.9, 1.2}},
		{"B", func(r *recall.Ranking) *float64 { return &r.B }, []float64{0.3, 0.4, 0.5}},
		{"Speaker", func(r *recall.Ranking) *float64 { return &r.Speaker }, []float64{0, 0.2}},
		{"When", func(r *recall.Ranking) *float64 { return &r.When }, []float64{0, 0.25}},
		{"Phrase", func(r *recall.Ranking) *float64 { return &r.Phrase }, []float64{0, 0.1, 0.2, 0.3}},
		{"Filler", func(r *recall.Ranking) *float64 { return &r.Filler }, []float64{0.4, 0.7, 1}},
		{"Common", func(r *recall.Ranking) *float64 { return &r.Common }, []float64{0, 0.5, 0.7}},
		{"Meaning", func(r *recall.Ranking) *float64 { return &r.Meaning }, []float64{0, 0.3, 0.6, 0.9}},
		{"TurnMeaning", func(r *recall.Ranking) *float64 { return &r.TurnMeaning }, []float64{0, 0.4, 1}},
		{"LeastSimilar", func(r *recall.Ranking) *float64 { return &r.LeastSimilar }, []float64{0.1, 0.2, 0.3}},
		{"StopWords", func(r *recall.Ranking) *float64 { return &r.StopWords }, []float64{0, 0.1, 0.2, 0.3}},
		{"Bridge", func(r *recall.Ranking) *float64 { return &r.Bridge }, []float64{0, 0.2}},
	}
}

// folds is in how many parts the conversations and topics are held out.
const folds = 5

// tuner evaluates each ranking once.
type tuner struct {
	stores *stores
	known  map[string]result
}

func (t *tuner) evaluate(r recall.Ranking) (result, error) {
	key := fmt.Sprint(t.stores.quick, r)
	if res, ok := t.known[key]; ok {
		return res, nil
	}
	res, err := t.stores.evaluate(&r)
	t.known[key] = res
	return res, err
}

// aim is what tuning makes high: the mean of the sets of data, each the mean of its figures. Questions in other words are
// few, so they count half.
func aim(f [figures]score) float64 {
	sum := 0.0
	for _, set := range [][]int{{sessionFirst, sessionIn5, evidenceIn5, evidenceIn10, factsIn5, factsIn10, daysIn5}, {chatIn5, chatIn10, ownIn5, ownIn10}, {topicIn5}, {paraphraseFirst, paraphraseIn5, paraphraseIn10}} {
		for _, i := range set {
			share := f[i].share() / float64(len(set))
			if i >= paraphraseFirst {
				share /= 2
			}
			sum += share
		}
	}
	return sum / 3.5
}

// floors are the numbers that only decide which hits are weak.
func floors() []knob {
	return []knob{
		{"Support", func(r *recall.Ranking) *float64 { return &r.Support }, []float64{0.75, 0.8, 0.85}},
		{"Unknown", func(r *recall.Ranking) *float64 { return &r.Unknown }, []float64{0.6, 0.8, 1}},
	}
}

// emptyAim is what tuning of the floors makes high: questions that memory cannot answer and whose answers are empty or weak,
// while at most one percent of the others are.
func emptyAim(f [figures]score) float64 {
	return f[emptyElsewhere].share() - 100*max(0, f[emptyWrongly].share()-1)
}

// choose turns one knob after the other to the value whose aim is highest on the units that keep lets through.
func (t *tuner) choose(r recall.Ranking, knobs []knob, aim func([figures]score) float64, keep func(string) bool) (recall.Ranking, error) {
	res, err := t.evaluate(r)
	if err != nil {
		return r, err
	}
	best := aim(res.total(keep))
	for _, k := range knobs {
		start := *k.of(&r)
		chosen := start
		for _, v := range k.values {
			*k.of(&r) = v
			if res, err = t.evaluate(r); err != nil {
				return r, err
			}
			if a := aim(res.total(keep)); v != start && a > best+0.02 {
				best, chosen = a, v
			}
		}
		*k.of(&r) = chosen
	}
	return r, nil
}

// start is where tuning starts: what a first prototype used, with all that came
// later off.
func start() recall.Ranking {
	r := recall.DefaultRanking()
	r.K1, r.B, r.Label, r.Near, r.Speaker, r.When, r.Phrase = 0.9, 0.4, 1, 0.3, 0.15, 0.15, 0.1
	r.Together, r.Day, r.Filler, r.Bridge, r.Common, r.Meaning, r.StopWords, r.Agent = 0, 0, 1, 0, 0, 0, 0, 0
	return r
}

// crossValidate chooses the numbers of these names, "all" being each of them, without one part of the conversations and
// topics, measures on that part, and prints the sum of the parts. The other numbers stay as they are.
func crossValidate(data, names string, out io.Writer) error {
	rows, err := loadRecall(data)
	if err != nil {
		return err
	}
	s, err := openStores(rows)
	if err != nil {
		return err
	}
	named := func(list []knob) []knob {
		return slices.DeleteFunc(list, func(k knob) bool { return names != "all" && !slices.Contains(strings.Split(names, ","), k.name) })
	}
	first, order, weak := recall.DefaultRanking(), named(knobs()), named(floors())
	if names == "all" {
		first = start()
	} else {
		for _, k := range order {
			*k.of(&first) = k.values[0]
		}
	}
	t := &tuner{stores: s, known: map[string]result{}}
	part := map[string]int{}
	for i, name := range slices.Concat(rows.convs, rows.topics, rows.chats) {
		part[name] = i % folds
	}
	for i := range folds {
		part[rewordedUnit(i)] = i
	}
	var sum [figures]score
	for fold := range folds {
		others := func(unit string) bool { return part[unit] != fold }
		s.quick = false
		r, err := t.choose(first, weak, emptyAim, others)
		if err != nil {
			return err
		}
		s.quick = true
		if r, err = t.choose(r, order, aim, others); err != nil {
			return err
		}
		s.quick = false
		res, err := t.evaluate(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "fold %d:", fold+1)
		for _, k := range slices.Concat(order, weak) {
			fmt.Fprintf(out, " %s %g", k.name, *k.of(&r))
		}
		held := res.total(func(unit string) bool { return part[unit] == fold })
		fmt.Fprintf(out, "; mean of the sets %.1f held out, %.1f on the others\n", aim(held), aim(res.total(others)))
		for i, f := range held {
			sum[i].merge(f)
		}
	}
	fmt.Fprintln(out, "\n| recall, held out | aim | memctl |\n|---|--:|--:|")
	for i, name := range figureRows {
		fmt.Fprintf(out, "| %s | %s | %.1f |\n", name[0], name[1], sum[i].share())
	}
	return nil
}
