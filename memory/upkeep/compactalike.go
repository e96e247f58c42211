package upkeep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// fillers are words that change nothing about what a fact says.
func fillers() []string {
	return []string{"a", "an", "the", "is", "are", "be", "we", "our", "i", "my", "this", "that", "please", "it", "its", "there"}
}

// limiting are words that turn a fact round or narrow it: a fact with one of them
// does not say the same as the one without.
func limiting() []string {
	return []string{"not", "no", "never", "none", "nor", "or", "without", "except", "unless", "only", "if", "but", "when", "while", "until", "before",
		"after", "instead", "rather", "than", "cannot", "can", "don", "doesn", "didn", "isn", "aren", "won", "wasn", "shouldn", "mustn", "was", "were",
		"formerly", "maybe", "sometimes", "rarely", "avoid", "stop", "old", "new",
		"nicht", "kein", "keine", "nie", "pas", "jamais", "sans", "nunca", "sin", "non", "não",
		"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "once", "twice", "half", "double",
		"first", "second", "third", "last", "next", "yesterday", "today", "tomorrow",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
}

// figures are the numbers, dates and versions of a text and the signs that compare
// them, each as it is written: "-5" and "5" have the same words.
func figures(text string) []string {
	var list []string
	for w := range strings.FieldsSeq(memfile.NormalText(text)) {
		if strings.ContainsAny(w, "0123456789<>=≤≥≠") {
			list = append(list, strings.Trim(w, `.,;:!?()[]"'`))
		}
	}
	return list
}

// tellingWords are the words of a text that say something, in their order.
func tellingWords(text string) []string {
	empty := fillers()
	return slices.DeleteFunc(memory.Words(text), func(w string) bool { return slices.Contains(empty, w) })
}

func uniqueWords(words []string) []string {
	out := slices.Clone(words)
	slices.Sort(out)
	return slices.Compact(out)
}

func category(p *planned) string { return cmp.Or(p.Category, entry.Fact) }

// mayGo reports whether one fact can stand for another: of the same conversation, and not one of an
// agent for one of a person.
func mayGo(old, stays *planned) bool {
	return !old.fixed && !old.gone() && !old.stays && old.Conversation == stays.Conversation && memory.Rank(old.Confidence) <= memory.Rank(stays.Confidence) &&
		(old.By != "" || stays.By == "") && (old.Expires == stays.Expires)
}

// better is the order in which of two facts that say the same the first stays.
func better(a, b *planned) int {
	rank := func(p *planned) int {
		n := memory.Rank(p.Confidence) * 2
		if p.fixed {
			n += 100
		}
		if p.By == "" {
			n++
		}
		return n
	}
	return cmp.Or(rank(b)-rank(a), cmp.Compare(b.Standing, a.Standing), cmp.Compare(a.Created, b.Created), cmp.Compare(a.Path, b.Path))
}

// exactDuplicates keeps the best of the facts with one text in one conversation.
func (p *compactPlan) exactDuplicates(facts []*planned) {
	groups, order := map[string][]*planned{}, []string{}
	for _, f := range facts {
		key := f.Conversation + "\x00" + entry.NormalText(f.Text)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], f)
	}
	for _, key := range order {
		group := groups[key]
		slices.SortFunc(group, better)
		for i, f := range group {
			for _, stays := range group[:i] {
				if !f.gone() && !stays.gone() && mayGo(f, stays) && (category(f) == category(stays) || category(f) == entry.Fact) {
					p.replace(f, stays, kindDuplicate)
				}
			}
		}
	}
}
