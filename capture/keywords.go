package capture

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
)

// keyWord is a word of a key.
type keyWord struct {
	text  string
	link  bool // it negates or limits the word after it: it is not counted, and never stands last
	apart bool // it begins another phrase: a preposition, a verb or a mark stands before it
	bound bool // it does so after a preposition: one word before it may be a verb
}

// maxLabelWords is how many words a label has that names what its text is about.
const maxLabelWords = 4

// subjectWords returns the words that name the subject of a text: its label, or the first phrase of the main
// clause before the condition, or of the first sentence. more are words that make the key unique.
func subjectWords(text string) (words, more []keyWord) {
	if label, rest := labelOf(text); label != "" {
		words, more = keyWords(label), keyWords(rest)
		switch {
		case len(words) == 1 && kindLabels()[words[0].text]:
			return subjectWords(rest)
		case len(more) > 0 && countWords(words) < 2 && (words[0].link || more[0].link && more[0].text != "only"): // "Git: never force-push"
			phrase, left := firstPhrase(more)
			return append(words, phrase...), left
		}
		return words, more
	}
	first, rest, _ := strings.Cut(text, ". ")
	if condition, main := mainClause(text); main != "" {
		first, rest = main, condition
	}
	words, left := firstPhrase(keyWords(first))
	return words, append(left, keyWords(rest)...)
}

// firstPhrase is the first phrase of a sentence: a noun with its adjectives, or a verb with its object. A phrase
// that denies keeps its exception: "no-push-main-without-review".
func firstPhrase(words []keyWord) (phrase, left []keyWord) {
	if len(words) == 0 {
		return nil, nil
	}
	denies, least, counted, end := words[0].link, 1, 0, 0
	if denies || imperatives()[words[0].text] {
		least = 2
	}
	for end < len(words) && counted < textWords {
		w := words[end]
		if counted >= least && (w.apart || w.link) && (counted > 1 || !w.bound) || end > 0 && w.link && excepts(w) {
			break
		}
		if !w.link {
			counted++
		}
		if counted == least && w.apart && imperatives()[w.text] {
			least++ // "Ask before you add a dependency"
		}
		end++
	}
	phrase, left = slices.Clone(words[:end]), slices.Clone(words[end:])
	for i, w := range left {
		if (denies || i == 0) && excepts(w) && i+1 < len(left) {
			phrase = append(phrase, left[i:i+2]...)
			left = slices.Delete(left, i, i+2)
			break
		}
	}
	verb := slices.IndexFunc(phrase, func(w keyWord) bool { return !w.link })
	if verb >= 0 && counted > 2-verb && slices.Contains([]string{"use", "follow", "prefer"}, phrase[verb].text) {
		phrase = slices.Delete(phrase, verb, verb+1)
	}
	return phrase, left
}

// excepts reports whether an exception begins with this word.
func excepts(w keyWord) bool {
	return w.link && (w.text == "without" || w.text == "unless" || w.text == "until")
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
	seen, prefers, apart, bound, last := map[string]bool{}, false, false, false, ""
	add := func(w keyWord) {
		w.apart, w.bound = apart || bound, bound && !apart
		words, apart, bound = append(words, w), false, false
	}
	for _, w := range strings.FieldsFunc(marked.Replace(spelled.Replace(strings.ToLower(text))), notWord) {
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
			add(keyWord{text: link, link: true})
			continue
		}
		switch {
		case w == "go" && fillers()[before]: // "written in Go"
		case w == mark, len(words) > 0 && !words[0].link && !imperatives()[words[0].text] && statementVerbs()[w]:
			apart = apart || len(words) > 0
			continue
		case fillers()[w]:
			bound = bound || len(words) > 0 && !determiners()[w]
			continue
		}
		w = memfile.CutKey(memfile.KeyWord(w), partBytes-1) // a sentence of a script without spaces is one word
		stem := strings.TrimSuffix(w, "s")
		if w == "" || seen[stem] {
			continue
		}
		seen[stem] = true
		add(keyWord{text: w})
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

// mark stands for the marks between the phrases of a sentence.
const mark = "\ue000"

var marked = strings.NewReplacer(", ", " "+mark+" ", "; ", " "+mark+" ", ": ", " "+mark+" ", ". ", " "+mark+" ", "(", " "+mark+" ", " – ", " "+mark+" ", " — ", " "+mark+" ", " - ", " "+mark+" ")

func notWord(r rune) bool { return !memfile.KeyLetter(r) && string(r) != mark }

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
	return wordSet("note notes important warning caution tip hint example rule critical reminder attention")
})

// fillers are common words. Keys do not contain them.
var fillers = sync.OnceValue(func() map[string]bool {
	return wordSet(`a an and are as at be been but by can could did do does doing for from had has have he her here his how i if in
into is it its just let lets may me might must my of off on once or our ours out over own shall she should so
some such than that the their them then there these they this those to too up us very was we were what when where
which while who whom why will with would you your yours please all any each every both always ever also
ensure remember instead rather before after about under through behind within between during against per etc
youre theyre thats whats heres theres weve youve itself`)
})

// determiners are the fillers that stand within a phrase.
var determiners = sync.OnceValue(func() map[string]bool {
	return wordSet("a an the his her their your our my its this that these those some such any all each every both please just")
})

// statementVerbs are verbs of a statement, after its subject. Words that are nouns as often are not among them.
var statementVerbs = sync.OnceValue(func() map[string]bool {
	return wordSet(`is are was were has have had must may should will can could go goes live lives sit sits runs uses get gets provide provides enable enables extend extends implement implements
contain contains require requires need needs belong belongs counts stay stays happen happens come comes become becomes
apply applies mean means follow follows include includes allow allows take takes keep keeps give gives make makes
exist exists handle handles define defines depend depends`)
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
