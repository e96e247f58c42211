package keys

import (
	"slices"
	"strings"
)

// maxLabelWords is how many words a label has that names what its text is about.
const maxLabelWords = 4

// subject returns the words that name the subject of a text: its label, the condition that it begins with, or the
// first phrase of its first sentence. more are words that make the key unique.
func subject(text string) (name, more []word) {
	if label, rest := Label(text); label != "" {
		name, more = wordsOf(label), wordsOf(rest)
		if len(more) > 0 && count(name) < 2 && (name[0].link || more[0].link && more[0].text != "only") { // "Git: never force-push"
			denied, left := phrase(more)
			return append(name, denied...), left
		}
		return name, more
	}
	if condition, main := Condition(text); main != "" {
		name, more = conditional(condition, main)
		if len(name) > 0 {
			return name, more
		}
	}
	words := wordsOf(text)
	end := slices.IndexFunc(words, func(w word) bool { return w.sentence > words[0].sentence })
	if end < 0 {
		end = len(words)
	}
	name, more = phrase(words[:end:end])
	return name, append(more, words[end:]...)
}

// conditional names a text that begins with a condition: by the condition, or by the main clause where the condition
// only says a place or the main clause denies something.
func conditional(condition, main string) (name, more []word) {
	first, rest, _ := strings.Cut(strings.ToLower(condition), " ")
	words, after := wordsOf(condition), wordsOf(main)
	switch {
	case first == "in" || first == "on" || first == "for" && len(after) > 0 && after[0].link:
		name, more = phrase(after)
		return name, append(more, words...)
	case first != "to" && first != "for" && len(words) > 0 && !words[0].link:
		trigger := []word{{text: first, link: true}}
		if len(words) == 1 && strings.HasPrefix(rest, "you ") && first != "before" && first != "after" {
			trigger = append(trigger, word{text: "you", link: true}) // "when-you-finish"
		}
		words = append(trigger, words...)
	}
	name = upTo(words, fewWords)
	return name, append(slices.Clone(words[len(name):]), after...)
}

// phrase returns the first phrase of a sentence: a noun with its adjectives, or a verb with its object. A phrase that
// denies keeps its exception and what it is limited to: "no-push-to-main-without-review".
func phrase(words []word) (name, left []word) {
	if len(words) == 0 {
		return nil, nil
	}
	end, least := 0, 1
	denies := words[0].link && words[0].text != "only"
	if words[0].link {
		end++
	}
	switch {
	case end < len(words) && words[end].text == "keep":
		least = 3 // "keep-pipeline-under-8-minutes"
	case denies || end < len(words) && isImperative(words[end].text):
		least = 2
	}
	counted, size := 0, 0
	if least == 3 {
		size = -len("keep-")
	}
	for ; end < len(words); end++ {
		w := words[end]
		size += len(w.joint) + len(w.text) + 1
		switch {
		case counted == 0, counted < least && !denies && !w.link && w.joint == "":
		case w.mark || w.link || w.verb,
			w.joint != "" && (counted > 1 && counted >= least || means(w.joint) && (w.code || least == 1)),
			counted >= fewWords && size > shortName && (size > longName || end+1 < len(words) && !words[end+1].begins()):
			return finish(words, end, denies)
		}
		if !w.link && !isNumber(w.text) {
			counted++
		}
	}
	return finish(words, end, denies)
}

// begins reports whether a word begins another phrase.
func (w word) begins() bool { return w.mark || w.link || w.verb || w.joint != "" }

// means reports whether a preposition says by what means something is done.
func means(joint string) bool {
	return joint == "with" || joint == "using" || joint == "via" || joint == "by"
}

// finish completes the phrase that ends before words[end].
func finish(words []word, end int, denies bool) (name, left []word) {
	name, left = slices.Clone(words[:end]), slices.Clone(words[end:])
	at := slices.IndexFunc(left, excepts)
	switch {
	case (denies || at == 0) && at >= 0 && at+1 < len(left):
		name = append(name, left[at:at+2]...)
		left = slices.Delete(left, at, at+2)
	case denies && len(left) > 0 && !left[0].mark && !left[0].link && left[0].sentence == words[0].sentence:
		size, n := len(render(name, "")), 0
		for n < len(left) && n < fewWords && (n == 0 || !left[n].begins()) {
			size += len(left[n].joint) + len(left[n].text) + 2
			n++
		}
		if whole := left[0].joint == "or" || left[0].joint == "and"; whole && size > longName {
			n = 0
		}
		for ; n > 0 && size > longName; n-- {
			size -= len(left[n-1].joint) + len(left[n-1].text) + 2
		}
		name, left = append(name, left[:n]...), left[n:]
	}
	verb := slices.IndexFunc(name, func(w word) bool { return !w.link })
	if verb >= 0 && verb+1 < len(name) && name[verb+1].joint == "" && droppable(name[verb:]) {
		name = slices.Delete(name, verb, verb+1)
	}
	return name, left
}

// droppable reports whether a name is as clear without its verb.
func droppable(words []word) bool {
	switch words[0].text {
	case "use", "using", "follow":
		return !words[1].link
	case "keep":
		return len(words) > 2
	case "run":
		return words[1].code
	}
	return false
}

// excepts reports whether an exception begins with this word.
func excepts(w word) bool {
	return w.link && (w.text == "without" || w.text == "unless" || w.text == "until")
}

// Label takes a text apart at the mark after its label. label is "" where it has none.
func Label(text string) (label, rest string) {
	code := false
	for i := range text {
		if text[i] == '`' {
			code = !code
		}
		for _, mark := range [...]string{": ", " – ", " — ", " - ", " -- "} {
			if code || i == 0 || !strings.HasPrefix(text[i:], mark) {
				continue
			}
			label, rest = text[:i], text[i+len(mark):]
			if n := Count(label); n == 0 || n > maxLabelWords {
				return "", ""
			}
			return label, rest
		}
	}
	return "", ""
}

// Condition takes a text that begins with a condition apart: "Before you push, run the tests". main is "" for any
// other text.
func Condition(text string) (condition, main string) {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	if !slices.Contains([]string{"if", "when", "whenever", "before", "after", "for", "once", "while", "unless", "to", "in", "on"}, first) {
		return "", ""
	}
	for at := range text {
		if !strings.HasPrefix(text[at:], ", ") {
			continue
		}
		words := wordsOf(text[at:])
		if len(words) > 0 && (isImperative(words[0].text) || words[0].link) {
			condition, main = text[:at], text[at+2:]
			main, _, _ = strings.Cut(main, ". ")
			return condition, main
		}
	}
	return "", ""
}

// upTo returns the first words, of which n are counted, and those after them that belong to them and are short.
func upTo(words []word, n int) []word {
	counted, size := 0, 0
	for i, w := range words {
		size += len(w.text) + len(w.joint) + 1
		if counted >= n && (w.begins() || size > shortName) {
			return withoutLastLinks(words[:i:i])
		}
		if !w.link {
			counted++
		}
	}
	return withoutLastLinks(words)
}

// withoutLastLinks returns the words without those at the end that would negate nothing.
func withoutLastLinks(words []word) []word {
	for len(words) > 0 && words[len(words)-1].link {
		words = words[:len(words)-1]
	}
	return words[:len(words):len(words)]
}

// count counts the words without those that negate.
func count(words []word) (n int) {
	for _, w := range words {
		if !w.link {
			n++
		}
	}
	return n
}
