package keys

import (
	"slices"
	"strings"
)

// subject returns the words that name the subject of a text: its label, the condition that it begins with, or the
// first phrase of its first sentence. more are words that make the key unique.
func subject(text string) (name, more []word) {
	if label, rest := Label(text); label != "" {
		name, more = wordsOf(label), wordsOf(rest)
		if len(more) > 0 && Count(label) < 2 && (name[0].link || more[0].link && more[0].text != "only") { // "Git: never force-push"
			denied, left := phrase(more)
			return append(name, denied...), left
		}
		return name, more
	}
	condition, main := Condition(text)
	if first, _, _ := strings.Cut(strings.ToLower(text), " "); main == "" && is(first, "trigger") {
		condition, main, _ = strings.Cut(text, ", ")
	}
	if condition != "" {
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
	first, _, _ := strings.Cut(strings.ToLower(condition), " ")
	words, after := wordsOf(condition), wordsOf(main)
	if first == "in" || first == "on" || (first == "for" || first == "during") && len(after) > 0 && after[0].link {
		name, more = phrase(after)
		return name, append(more, words...)
	}
	if is(first, "trigger") && len(words) > 0 && !words[0].link {
		words = append([]word{{text: first, link: true}}, words...)
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
	case denies || end < len(words) && is(words[end].text, "imperative"):
		least = 2
	}
	counted, size := 0, 0
	for ; end < len(words); end++ {
		w := words[end]
		size += len(w.joint) + len(w.text) + 1
		switch {
		case counted == 0, counted < least && !denies && (!w.link || w.text == "only") && w.joint == "":
		case w.link || w.verb,
			w.mark && (counted != least || w.joint == "" || isVersion(words[end-1].text) || !binds(words[end:], size)),
			w.joint != "" && (counted > 1 && counted >= least && !binds(words[end:], size) || is(w.joint, "means") && (w.code || least == 1)),
			counted >= fewWords && size > MaxPart, counted > 0 && least == 1 && predicate(words, end):
			return finish(words, end, denies)
		}
		if !w.link && !isVersion(w.text) {
			counted++
		}
	}
	return finish(words, end, denies)
}

// begins reports whether a word begins another phrase.
func (w word) begins() bool { return w.mark || w.link || w.verb || w.joint != "" }

// run returns the length of the first phrase, in words. A link, such as "no", and the word after it are always part of it.
func run(words []word) int {
	n := 1
	if words[0].link && len(words) > 1 {
		n = 2
	}
	for n < len(words) && !words[n].begins() {
		n++
	}
	return n
}

// binds reports whether the first words belong to those before them, which have a size: "of failed tests", "and
// documentation standards".
func binds(words []word, size int) bool {
	if w := words[0]; w.joint != "of" && w.joint != "as" && w.joint != "and" && w.joint != "or" {
		return false
	}
	n := run(words)
	return size+len(render(words[1:n], "")) < MaxPart && (words[0].joint == "of" || words[0].joint == "as" || n > 1 && !is(words[0].text, "imperative") && !strings.HasSuffix(words[0].text, "s"))
}

// predicate reports whether a word is the verb after a subject that shows it: after code, or after a plural.
func predicate(words []word, at int) bool {
	before, w := words[at-1], words[at]
	if w.begins() || w.code || at+1 == len(words) || words[at+1].begins() && !is(words[at+1].joint, "means") {
		return false
	}
	if before.code {
		return strings.HasSuffix(w.text, "s")
	}
	return strings.HasSuffix(before.text, "s") && (is(w.text, "imperative") || at > 1 && strings.HasSuffix(w.text, "ing"))
}

// finish completes the phrase that ends before words[end].
func finish(words []word, end int, denies bool) (name, left []word) {
	name, left = slices.Clone(words[:end]), slices.Clone(words[end:])
	at := slices.IndexFunc(left, func(w word) bool {
		return w.link && is(w.text, "exception") || words[0].link && (w.text == "if" || w.text == "when") && !w.mark
	})
	switch {
	case (words[0].link || at == 0) && at >= 0 && at+1 < len(left):
		n := min(run(left[at:]), fewWords+1)
		name = append(name, left[at:at+n]...)
		left = slices.Delete(left, at, at+n)
	case len(left) > 0 && (denies && !left[0].link || left[0].verb && left[0].link && is(left[0].text, "negative")) && !left[0].mark && left[0].sentence == words[0].sentence:
		n := min(run(left), fewWords)
		if len(render(name, ""))+len(left[0].joint)+len(render(left[:n], ""))+2 <= MaxPart {
			name, left = append(name, left[:n]...), left[n:]
		}
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

// Label takes a text apart at the mark after its label, of at most four words. label is "" where it has none.
func Label(text string) (label, rest string) {
	code := false
	for i := range text {
		code = code != (text[i] == '`')
		for _, mark := range [...]string{": ", " – ", " — ", " - ", " -- "} {
			if code || i == 0 || !strings.HasPrefix(text[i:], mark) {
				continue
			}
			if n := Count(text[:i]); n == 0 || n > 4 {
				return "", ""
			}
			return text[:i], text[i+len(mark):]
		}
	}
	return "", ""
}

// Condition takes a text that begins with a condition apart: "Before you push, run the tests". main is "" for any
// other text.
func Condition(text string) (condition, main string) {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	if !slices.Contains([]string{"if", "when", "whenever", "before", "after", "for", "once", "while", "unless", "to", "in", "on", "during"}, first) {
		return "", ""
	}
	for at := range text {
		if !strings.HasPrefix(text[at:], ", ") {
			continue
		}
		words := wordsOf(text[at:])
		if len(words) > 0 && (is(words[0].text, "imperative") || words[0].link) {
			condition, main = text[:at], text[at+2:]
			main, _, _ = strings.Cut(main, ". ")
			return condition, main
		}
	}
	return "", ""
}

// upTo returns the first words, of which n are counted, and those after them that belong to them, as far as there is room.
func upTo(words []word, n int) []word {
	counted, size, whole := 0, 0, 0
	for i, w := range words {
		size += len(w.text) + len(w.joint) + 1
		if w.begins() && counted > 1 {
			whole = i
		}
		if counted >= n && (w.begins() || size > MaxPart) {
			if whole == 0 {
				whole = i
			}
			return withoutLastLinks(words[:whole:whole])
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
