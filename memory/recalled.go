package memory

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/session"
)

const (
	// recallFloor is what an item's matching words must weigh together: one that
	// names it (a part of its key, or a tag), or two that stand in its text.
	recallFloor = weightTag
	// weightRecent is times the weight of a word that the last messages have and
	// the prompt has not.
	weightRecent = 0.5
	// commonOf says which words tell nothing: those that more than one of so many
	// items have, where there are at least twice as many items.
	commonOf = 4
)

// recallFor finds what fits a session, best first: the prompt, and the last
// messages beside it. Most prompts have nothing to do with most memory, so
// what matches weakly is not found.
func recallFor(offers []session.Offer, prompt string, recent []string) []session.Offer {
	words := tellingWords(prompt)
	own := len(words)
	for _, message := range slices.Backward(recent) {
		for _, w := range tellingWords(message) {
			if !slices.Contains(words, w) && len(words) < own+maxQueryWords {
				words = append(words, w)
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	weights := make([][]float64, len(offers))
	having := make([]int, len(words))
	for i, o := range offers {
		f := found(o.Item, o.Scope)
		weights[i] = weigh(&f, words)
		for k := range weights[i] {
			if weights[i][k] > 0 {
				having[k]++
			}
			if k >= own {
				weights[i][k] *= weightRecent
			}
		}
	}
	type hit struct {
		session.Offer
		score float64
	}
	var hits []hit
	for i, o := range offers {
		sum, score := 0.0, 0.0
		for k, w := range weights[i] {
			if w == 0 || len(offers) >= 2*commonOf && having[k]*commonOf > len(offers) {
				continue
			}
			sum += w
			score += w * math.Log(1+float64(len(offers))/float64(having[k]))
		}
		if sum >= recallFloor {
			hits = append(hits, hit{o, score})
		}
	}
	// Offers of one score keep their order, which is the profile's.
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	found := make([]session.Offer, len(hits))
	for i, h := range hits {
		found[i] = h.Offer
	}
	return found
}

// tellingWords are the words of a text that say what it is about.
func tellingWords(text string) []string {
	var words []string
	for _, w := range fields(text) {
		if len(w) > 1 && !idleWords()[w] && !slices.Contains(words, w) && len(words) < maxQueryWords {
			words = append(words, w)
		}
	}
	return words
}

// idleWords stand in prompts of every kind, and say nothing about what they
// are about.
var idleWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		about after again all also am an and any are as at back be because been before being both but by
		can could did do does doing done don else every few for from get give go going good got had has
		have he help her here him his how if in into is it its just know let like ll look make many may me
		more most much must my need new no nor not now of off ok okay on once one only or other our out
		over own please re really right same see she should show so some still such sure take tell than
		thank thanks that the their them then there these they thing things think this those through to
		too try two under until up us use using ve very want was way we well were what when where which
		while who why will with without work would yes yet you your`) {
		set[w] = true
	}
	return set
})
