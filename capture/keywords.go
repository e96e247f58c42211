package capture

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
)

// keyWord is a word of a key.
type keyWord struct {
	text string
	link bool // it negates or limits the word after it: it is not counted, and never stands last
}

// maxLabelWords is how many words a label has that names what its text is about.
const maxLabelWords = 4

// subjectWords returns the words that name the subject of a text. They come from its label, from the main
// clause before the condition, or from its first sentence. more are words that make the key unique.
func subjectWords(text string) (words, more []keyWord) {
	label, rest := labelOf(text)
	words, more = keyWords(label), keyWords(rest)
	if len(words) == 1 && kindLabels()[words[0].text] {
		return subjectWords(rest)
	}
	if label != "" {
		if len(more) == 0 || !more[0].link || countWords(words) > 1 {
			return words, more
		}
		words = append(words, more...) // "Git: never force-push"
	} else if condition, main := mainClause(text); main != "" {
		words = keyWords(main + " " + condition)
	} else {
		first, rest, _ := strings.Cut(text, ". ")
		words, more = keyWords(first), keyWords(rest)
		if countWords(words) < 2 {
			words, more = append(words, more...), nil
		}
		if at := deniedAt(first, words); at > 0 {
			return slices.Concat(firstWords(words, textWords), words[at:at+2]), append(words[at+2:], more...)
		}
	}
	first := firstWords(words, textWords)
	return first, append(words[len(first):], more...)
}

// deniedAt is where a statement is denied after its subject, as in "Pure code-agent PRs are not allowed", or 0.
func deniedAt(text string, words []keyWord) int {
	clause, _, _ := strings.Cut(text, ": ")
	clause, _, _ = strings.Cut(clause, " (")
	size := len(keyWords(clause))
	if len(words) == 0 || words[0].link || imperatives()[words[0].text] {
		return 0
	}
	for i, w := range words[:max(0, min(size, len(words))-1)] {
		if w.link && w.text == "not" && countWords(words[:i]) >= textWords {
			return i
		}
	}
	return 0
}

// labelOf takes a text apart at the mark after its label. label is "" where it has none.
func labelOf(text string) (label, rest string) {
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
			words := keyWords(label)
			if n := countWords(words); n == 0 || n > maxLabelWords {
				return "", ""
			}
			return label, rest
		}
	}
	return "", ""
}

// mainClause takes a text that begins with a condition apart: "Before you push, run the tests". main is "" for
// any other text.
func mainClause(text string) (condition, main string) {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	if !slices.Contains([]string{"if", "when", "whenever", "before", "after", "for", "once", "while", "unless", "to", "in", "on"}, first) {
		return "", ""
	}
	for at := range text {
		if !strings.HasPrefix(text[at:], ", ") {
			continue
		}
		words := keyWords(text[at:])
		if len(words) > 0 && (imperatives()[words[0].text] || words[0].link) {
			condition, main = text[:at], text[at+2:]
			main, _, _ = strings.Cut(main, ". ")
			return condition, main
		}
	}
	return "", ""
}

// keyWords returns the words of a text without fillers, in lower case. A word comes once, and its plural
// counts as the same word. A word that negates can come again.
func keyWords(text string) []keyWord {
	var words []keyWord
	seen, prefers, last := map[string]bool{}, false, ""
	for _, w := range strings.FieldsFunc(spelled.Replace(strings.ToLower(text)), notWord) {
		before := last
		last = w
		prefers = prefers || strings.HasPrefix(w, "prefer") || strings.HasPrefix(w, "favo")
		link := links()[w]
		switch {
		case w == "sure" || w == "certain":
			if n := len(words); n > 0 && words[n-1].text == "make" {
				words = words[:n-1]
			}
			continue
		case w == "over" && prefers:
			link = w
		case (w == "of" || w == "than") && (before == "instead" || before == "rather"):
			link = "not"
		}
		if link != "" {
			if len(words) == 0 && link == "not" {
				link = "no"
			}
			if n := len(words); n > 0 && words[n-1].link {
				words = words[:n-1] // "never without": the last one counts
			}
			words = append(words, keyWord{text: link, link: true})
			continue
		}
		w = memfile.CutKey(memfile.KeyWord(w), partBytes-1) // a sentence of a script without spaces is one word
		stem := strings.TrimSuffix(w, "s")
		if w == "" || fillers()[w] || seen[stem] {
			continue
		}
		seen[stem] = true
		words = append(words, keyWord{text: w})
	}
	return words
}

// countWords counts the words without those that negate.
func countWords(words []keyWord) (n int) {
	for _, w := range words {
		if !w.link {
			n++
		}
	}
	return n
}

// firstWords are the first words, of which n are counted.
func firstWords(words []keyWord, n int) []keyWord {
	for i, w := range words {
		switch {
		case n > 0 && !w.link:
			n--
		case n == 0:
			return words[:i:i]
		}
	}
	return withoutLastLinks(words)
}

// withoutLastLinks are the words without those at the end that would negate nothing.
func withoutLastLinks(words []keyWord) []keyWord {
	for len(words) > 0 && words[len(words)-1].link {
		words = words[:len(words)-1]
	}
	return words[:len(words):len(words)]
}

// spelled makes one word of "don't" and of "C++", and removes "e.g." and "i.e.".
var spelled = strings.NewReplacer("'", "", "’", "", "c++", "cpp", "c#", "csharp", "e.g.", "", "i.e.", "")

func notWord(r rune) bool { return !memfile.KeyLetter(r) }

// links maps a word that negates or limits the next one to its form in a key.
var links = sync.OnceValue(func() map[string]string {
	set := map[string]string{"avoid": "avoid", "without": "without", "unless": "unless", "until": "until", "only": "only", "no": "no"}
	for _, w := range strings.Fields("not never dont doesnt isnt arent cant cannot wont shouldnt mustnt didnt neither nor") {
		set[w] = "not"
	}
	return set
})

// kindLabels are labels such as "Note": they name the kind of a text, not its subject.
var kindLabels = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields("note notes important warning caution tip hint example rule critical reminder attention") {
		set[w] = true
	}
	return set
})

// fillers are common words. Keys do not contain them.
var fillers = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by can could did do does doing for from had has have he her here his how i if in
into is it its just let lets may me might must my of off on once or our ours out over own shall she should so
some such than that the their them then there these they this those to too up us very was we were what when where
which while who whom why will with would you your yours please all any each every both always ever also
ensure remember instead rather before after about per etc
youre theyre thats whats heres theres weve youve itself`) {
		set[w] = true
	}
	return set
})
