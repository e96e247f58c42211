package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/spelling"
)

// topicWords are the words that say what a text is about, and the parts of its names, each once. Of a script without spaces they
// are pairs of letters.
func topicWords(text string) []string {
	list := slices.DeleteFunc(index.Terms(string(spelling.NewText(text))), grammatical)
	slices.Sort(list)
	return slices.Compact(list)
}

// commonWords hold no topic, though names may have them.
const commonWords = " never not no don't don’t now longer project projects repo repos repository repositories remember nie niemals nicht kein keine mehr ab jetzt projekt projekte nunca jamais pas plus não proyecto proyectos projet projets projeto projetos никогда "

// contentWords are the topicWords of a text without the words that many texts have.
func contentWords(text string) []string {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(w string) bool {
		w = strings.Trim(w, ".,;:!?()\"")
		return capture.IsFunction(w) || strings.Contains(commonWords, " "+w+" ")
	})
	return topicWords(strings.Join(words, " "))
}

// Concerns says how much a statement is about the topic of an item, from 0 to 1. Above 0 it may change the item. They must
// share a third of their content words: three words, or two if the item's name has one or they are most words, or one that the
// key has, if both are short.
func Concerns(statement, key, value string) float64 {
	area, name, _ := strings.Cut(key, ".")
	said, words := contentWords(statement), contentWords(value)
	named := contentWords(strings.NewReplacer(".", " ", "-", " ", "_", " ").Replace(name))
	in := func(list []string) func(string) bool { return func(w string) bool { return slices.Contains(list, w) } }
	var shared, numbers []string
	for _, w := range said {
		switch {
		case !in(words)(w):
		case strings.ContainsFunc(w, unicode.IsLetter):
			shared = append(shared, w)
		default:
			numbers = append(numbers, w)
		}
	}
	shared = append(shared, numbers[:min(len(numbers), len(shared))]...) // texts on one version or day are not about one thing
	share := 2 * float64(len(shared)) / float64(max(1, len(said)+len(words)))
	enough := len(shared) > 2
	switch len(shared) {
	case 1:
		enough = share >= 0.5 && (slices.ContainsFunc(named, in(shared)) || slices.ContainsFunc(contentWords(area), in(shared)))
	case 2:
		enough = share >= 0.6 || slices.ContainsFunc(said, in(named))
	}
	if !enough || share < 1./3 {
		return 0
	}
	return share
}

// grammatical reports whether a pair of letters says nothing about the topic: Hiragana alone, and common Chinese words.
func grammatical(pair string) bool {
	hiragana := func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
	return strings.TrimFunc(pair, hiragana) == "" || strings.Contains(" 这个 那个 这些 我们 你们 他们 使用 一个 可以 需要 什么 怎么 请帮 帮我 ", " "+pair+" ")
}
