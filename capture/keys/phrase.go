package keys

import (
	"slices"
	"strings"
)

// subject returns the words that name the subject of a text: its label, the condition that it begins with, or the
// first phrase of its first sentence. The words in more make the key unique. denied: what stands above the
// text reverses it.
func subject(text string, denied bool) (name, more []word) {
	if label, rest := Label(text); label != "" {
		name, more = wordsOf(label), wordsOf(rest)
		denies := name[0].text == "not" && is(name[len(name)-1].text, "imperative")                                          // "Never commit: secrets"
		if len(more) > 0 && Count(label) < 2 && name[0].link == denies && more[0].link != denies && more[0].text != "only" { // "Git: never force-push"
			said, left := phrase(more)
			return append(name, said...), left
		}
		return deny(name, denied), more
	}
	condition, main := Condition(text)
	if first, _, _ := strings.Cut(strings.ToLower(text), " "); main == "" && is(first, "trigger") {
		condition, main, _ = strings.Cut(text, ", ")
	}
	if name, more = conditional(condition, main); len(name) > 0 {
		return deny(name, denied), more
	}
	return phrase(deny(wordsOf(text), denied))
}

// deny puts a "no" before words that deny nothing themselves: "secrets are never logged" stays.
func deny(words []word, denied bool) []word {
	if !denied || len(words) == 0 || words[0].link || !is(words[0].text, "imperative") && slices.ContainsFunc(words, func(w word) bool { return w.text == "not" && w.link && w.sentence == 0 }) {
		return words
	}
	return slices.Insert(slices.Clone(words), 0, word{text: "no", link: true})
}

// conditional names a text that begins with a condition: by the condition, or by the main clause where the condition
// only says a place or the main clause denies something.
func conditional(condition, main string) (name, more []word) {
	first, _, _ := strings.Cut(strings.ToLower(condition), " ")
	words, after := wordsOf(condition), wordsOf(main)
	name, more = phrase(after)
	switch {
	case first == "in", first == "on", (first == "for" || first == "during") && len(after) > 0 && after[0].link,
		len(words) >= fewWords && len(name) > 1 && (after[0].text == "run" || strings.HasPrefix(main, "use ")): // the rule is about a tool
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
	case denies || end < len(words) && is(words[end].text, "imperative") && !words[end].code:
		least = 2
	}
	counted, size := 0, 3*end
	for ; end < len(words) && words[end].sentence == words[0].sentence; end++ {
		w := words[end]
		size += len(w.joint) + len(w.text) + 1
		switch {
		case counted == 0, denies && w.mark && w.joint != "" && (counted < least || is(w.text, "imperative")), counted < least && !denies && (!w.link || w.text == "only") && w.joint == "":
		case w.link || w.verb,
			w.mark && (counted != least || w.joint == "" || isVersion(words[end-1].text) || !binds(words[end:], size)),
			w.joint != "" && (counted > 1 && counted >= least && !binds(words[end:], size) && (w.joint != "to" || !strings.HasSuffix(words[end-1].text, "ed")) && !(end == 2 && words[1].joint == "" && is(words[1].text, "imperative") && strings.HasSuffix(words[0].text, "s")) || is(w.joint, "means") && (w.code || least == 1) && words[0].text != "only" && (end > 1 || !strings.HasSuffix(words[0].text, "ed"))),
			counted >= fewWords && size > MaxPart, counted >= least && predicate(words, end):
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
	w, n := words[0], run(words)
	noun := n > 1 && !is(w.text, "imperative") && !strings.HasSuffix(w.text, "s")
	return size+len(render(words[1:n], "")) < MaxPart && (w.joint == "of" || w.joint == "as" || noun && (w.joint == "and" || w.joint == "or"))
}

// predicate reports whether a word is the verb after a subject that shows it: after code, or after a plural.
func predicate(words []word, at int) bool {
	before, w := words[at-1], words[at]
	if w.begins() || w.code || at+1 == len(words) || words[at+1].begins() && !words[at+1].mark && !is(words[at+1].joint, "means") {
		return false
	}
	if before.code {
		return !is(words[0].text, "imperative") && strings.HasSuffix(w.text, "s")
	}
	return strings.HasSuffix(before.text, "s") && !strings.HasSuffix(before.text, "ss") && (is(w.text, "imperative") || at > 1 && strings.HasSuffix(w.text, "ing"))
}

// finish completes the phrase that ends before words[end]. It adds the words that limit the statement.
func finish(words []word, end int, denies bool) (name, left []word) {
	name, left = slices.Clone(words[:end]), slices.Clone(words[end:])
	same := len(left) > 0 && !left[0].mark && left[0].sentence == words[0].sentence
	at := limit(left, words[0], end == 1 || end == 2 && !words[0].code && !is(words[0].text, "imperative"))
	verb := slices.IndexFunc(name, func(w word) bool { return !w.link })
	if verb >= 0 && verb+1 < len(name) && name[verb+1].joint == "" && droppable(name[verb:], at >= 0 || denies && same && !left[0].link) {
		name = slices.Delete(name, verb, verb+1)
	}
	switch {
	case at >= 0:
		n := min(run(left[at:]), fewWords+1)
		limit := slices.Clone(left[at : at+n])
		for cut := len(name) - 1; size(name)+size(limit) >= MaxPart && cut > verb; cut-- {
			if name[cut].begins() {
				name = name[:cut]
			}
		}
		for len(limit) > 2 && size(name)+size(limit) >= MaxPart {
			limit = slices.Delete(limit, 1, 2) // "without explicit written approval"
		}
		return append(name, limit...), slices.Delete(left, at, at+n)
	case same && ((denies || words[0].link && left[0].joint != "") && !left[0].link || left[0].verb && left[0].link && is(left[0].text, "negative")):
		n := run(left)
		more := n
		if n < len(left) && (left[n].joint == "of" || left[0].verb && n == 1 && left[n].joint != "") { // "not part of the task"
			more += run(left[n:])
		}
		for _, n := range []int{more, n, min(n, fewWords)} {
			if size(name)+len(left[0].joint)+size(left[:n])+2 <= MaxPart {
				return append(name, left[:n]...), left[n:]
			}
		}
	}
	return name, left
}

// limit returns where the words begin that a statement is limited to, -1 for none. A denial keeps each limit, another
// statement one that directly follows its first phrase, and "only".
func limit(left []word, first word, short bool) int {
	for i := 0; i+1 < len(left) && left[i].sentence == first.sentence; i++ {
		w := left[i]
		switch {
		case w.link && is(w.text, "exception") && (first.link || i == 0), is(w.text, "condition") && !w.mark && (first.link || i == 0 && short):
			return i
		case w.mark && (w.link || !first.link):
			return -1
		case w.text == "only" && left[i+1].joint != "" && !left[i+1].mark:
			return i // "releases only with an approval"
		}
	}
	return -1
}

// size returns the length of words as a part of a key, in bytes.
func size(words []word) int { return len(render(words, "")) }

// droppable reports whether a name is as clear without its verb.
func droppable(words []word, limited bool) bool {
	switch words[0].text {
	case "use", "using", "follow":
		return !words[1].link
	case "keep":
		return len(words) > 2
	case "run":
		return words[1].code
	case "add", "adding", "create", "creating", "introduce", "introducing", "open", "opening":
		return limited // "no-branch-without-ticket"
	}
	return false
}

// Label takes a text apart at the mark after its label, of at most four words. label is "" where it has none.
func Label(text string) (label, rest string) {
	code := false
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	for i := range text {
		code = code != (text[i] == '`')
		for _, mark := range [...]string{": ", " – ", " — ", " - ", " -- "} {
			if !code && i > 0 && strings.HasPrefix(text[i:], mark) {
				if n := Count(text[:i]); n == 0 || n > 4 || is(first, "trigger") && strings.Contains(text[:i], ", ") {
					return "", ""
				}
				return text[:i], text[i+len(mark):]
			}
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
			main, _, _ = strings.Cut(text[at+2:], ". ")
			return text[:at], main
		}
	}
	return "", ""
}

// upTo returns the first words, of which n are counted, and those after them that belong to them, as far as there is room.
func upTo(words []word, n int) []word {
	counted, size := 0, 0
	for i, w := range words {
		size += len(w.text) + len(w.joint) + 1
		if counted >= n && (w.begins() || size > MaxPart) {
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
