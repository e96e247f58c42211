package upkeep

import (
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/similar"
)

const (
	// maxJudged is how many facts of a store a model compares at once.
	maxJudged = 200
	// sharedByModel is the share of a redundant fact's words that the other fact has.
	sharedByModel = 0.5
)

// byModel lets a model name facts that another one makes redundant. A fact gives way only as it
// would to a near duplicate, and only to a fact with half of its words, or to a newer one that
// contradicts it.
func (p *compactPlan) byModel(facts []*planned, judge func(texts []string) (pairs [][2]int, err error)) error {
	facts = slices.DeleteFunc(slices.Clone(facts), (*planned).gone)
	slices.SortStableFunc(facts, func(a, b *planned) int { return a.Time().Compare(b.Time()) })
	facts = facts[max(0, len(facts)-maxJudged):]
	if judge == nil || len(facts) < 2 {
		return nil
	}
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
	}
	pairs, err := judge(texts)
	for _, pair := range pairs {
		if min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= len(facts) || pair[0] == pair[1] {
			continue
		}
		old, stays := facts[pair[0]], facts[pair[1]]
		if !stays.gone() && mayGo(old, stays) && makesRedundant(old, stays) {
			p.replace(old, stays, kindRedundant)
		}
	}
	return err
}

func makesRedundant(old, stays *planned) bool {
	words := uniqueWords(wordingOf(old.Text).words)
	has := wordingOf(stays.Text).words
	n := 0
	for _, w := range words {
		if slices.Contains(has, w) {
			n++
		}
	}
	if len(words) >= memory.FewWords && float64(n) >= sharedByModel*float64(len(words)) {
		return true
	}
	return !stays.Time().Before(old.Time()) && similar.NewRule("", stays.Text).TakesBack("", old.Text)
}
