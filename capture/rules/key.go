package rules

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

const (
	// maxKeyWords is how many words of a key stand behind the namespace.
	maxKeyWords = 2
	// minContent is the length in bytes from which a word that is in no table says something.
	minContent = 3
	// maxKeyWord is the length in letters of a word that can be a part of a key.
	maxKeyWord = 20
)

// namespaces are the first parts of keys. Where a statement has words of several, the one that
// stands first here wins.
var namespaces = [...]string{
	"commits", "testing", "git", "review", "deploy", "database", "security", "language", "communication", "docs", "naming", "style",
	"dependencies", "architecture", "environment", "tooling", "profile", "workflow",
}

// A name is a word as it is written, beside the word as it is compared.
type name struct {
	word
	written string
}

func wordsIn(text string, words []word) (names []name) {
	for _, w := range words {
		names = append(names, name{w, strings.ToLower(text[w.from:w.to])})
	}
	return names
}

// KeyOf makes a key of a text, whatever it states.
func KeyOf(text string) string {
	words := wordsOf(text, 0)
	return keyOf(wordsIn(text, words), classify(words))
}

// keyOf makes a key of the words that distinguish a statement.
func keyOf(words []name, c classes) string {
	space, at := "", len(namespaces)
	for _, w := range words {
		if n, ok := w.marked(namespaceOf); ok {
			if i := slices.Index(namespaces[:], n); i < at {
				space, at = n, i
			}
		}
	}
	if space == "" {
		space = spaceOf(c)
	}
	if space == "language" && c.ofPerson() {
		return "language.answers" // one key for all languages: a later wish replaces an earlier one
	}
	var picked []string
	words = subjectFirst(joinSpaceless(words))
	for _, least := range []int{2, 1, 0} {
		if least == 0 && len(picked) > 0 {
			break
		}
		for _, w := range words {
			form := keyWord(w.written)
			if len(picked) < maxKeyWords && form != "" && weight(w.word) >= least && !strings.HasPrefix(space, stem(form)) && !picks(picked, w.form) {
				picked = append(picked, form)
			}
		}
	}
	if len(picked) == 0 {
		h := fnv.New32a()
		for _, w := range words {
			h.Write([]byte(w.form))
		}
		picked = []string{"said-" + strconv.FormatUint(uint64(h.Sum32()%46656), 36)}
	}
	return space + "." + strings.Join(picked, "-")
}

// particles are Chinese characters that only hold a sentence together.
const particles = "请用的了都在和要把被是与或及不以后所有应须必到"

// joinSpaceless joins the characters of a script without spaces to words, as far as that goes
// without a dictionary: a word ends at a particle, and in Japanese at hiragana.
func joinSpaceless(words []name) (joined []name) {
	end := -1 // of the word that the next character may continue
	for _, w := range words {
		r, size := utf8.DecodeRuneInString(w.written)
		if size < len(w.written) || !spaceless(r) {
			joined, end = append(joined, w), -1
			continue
		}
		if unicode.Is(unicode.Hiragana, r) || strings.ContainsRune(particles, r) {
			end = -1
			continue
		}
		if w.from == end {
			last := &joined[len(joined)-1]
			last.written += w.written
			last.form, last.entries = last.written, entriesOf(last.written)
		} else {
			joined = append(joined, w)
		}
		end = w.to
	}
	return joined
}

// subjectFirst moves the words after "ask about" to the front: "confirm dates when I ask about
// travel" is about travel.
func subjectFirst(words []name) []name {
	for i, w := range words {
		if w.form == "about" && i > 0 && words[i-1].form == "ask" {
			return append(slices.Clone(words[i+1:]), words[:i]...)
		}
	}
	return words
}

// picks reports whether a word is picked already in another form.
func picks(picked []string, form string) bool {
	return slices.ContainsFunc(picked, func(p string) bool { return stem(p) == form })
}

// weight is how well a word describes a rule in a key: 2 for words of the tables, 1 for other words, 0 for common verbs, and
// -1 for filler.
func weight(w word) int {
	space, known := w.marked(namespaceOf)
	switch {
	case w.is(filler):
		return -1
	case w.is(weak) && !known:
		return 0
	case known && space != "workflow", w.is("tool"), w.is("repo"), w.is("style"):
		return 2
	case len(w.form) < minContent:
		return -1
	}
	return 1
}

// spaceOf is the namespace of a statement none of whose words means one.
func spaceOf(c classes) string {
	switch {
	case c.has(self):
		return "profile"
	case (c.has(prefers) || c.has(likes)) && !c.has(tool) && !c.has(repo):
		return "preferences"
	case c.has(style):
		return "communication"
	case c.has(machine):
		return "environment"
	case c.has(tool):
		return "tooling"
	case c.has(workflow), c.has(agent):
		return "workflow"
	}
	return "conventions"
}

// unapostrophe keeps don't one word.
var unapostrophe = strings.NewReplacer("'", "", "’", "")

// keyWord is a word in the form of a key, or "".
func keyWord(form string) string {
	form = memfile.KeyPart(unapostrophe.Replace(form), 4*maxKeyWord)
	if utf8.RuneCountInString(form) > maxKeyWord || len(form) < 2 || form[0] <= '9' {
		return ""
	}
	return form
}

// content is how many words say something.
func content(words []word) (n int) {
	for _, w := range words {
		if of := weight(w); of > 1 || of > 0 && len(w.form) > 3 {
			n++
		}
	}
	return n
}

// Meet reports whether two keys that the rules made name one rule: one namespace, and a word in
// common behind it.
func Meet(a, b string) bool {
	spaceA, restA, _ := strings.Cut(a, ".")
	spaceB, restB, _ := strings.Cut(b, ".")
	if spaceA != spaceB {
		return false
	}
	other := strings.Split(restB, "-")
	return slices.ContainsFunc(strings.Split(restA, "-"), func(w string) bool { return picks(other, stem(w)) })
}

// Same reports whether two texts state one rule: all their words but those that change nothing are
// equal, in the same order. A number, a "before" or a "stop" makes another rule.
func Same(a, b string) bool {
	said := func(text string) (forms []string) {
		for _, w := range wordsOf(text, 0) {
			if !w.is(neutral) {
				forms = append(forms, w.form)
			}
		}
		return forms
	}
	words := said(a)
	return len(words) > 0 && slices.Equal(words, said(b))
}

// polite are words at the beginning or the end of a statement that are no part of it.
const polite = `please, also, and, but, so, ok, okay, hey, hi, thanks, thank you, claude, cursor, copilot, gemini, codex, from now on, going forward, from here on, moving forward, remember that, remember to, remember, please remember, note that, keep in mind that, keep that in mind, keep this in mind, please remember that, bear in mind that, remember this, add a rule that, add a rule, add this rule, new rule, make it a rule that, as i said, like i said, i told you, as i told you, for future reference, make sure to, make sure that, be sure to, por favor, además, recuerda que, recuerda, ten en cuenta que, recuérdalo, a partir de ahora, en adelante, bitte, und, von jetzt an, merk dir das, merke dir das, merk dir, merke dir, denk daran, dass, ab jetzt, ab sofort, s'il te plaît, désormais, à partir de maintenant, por favor, a partir de agora, per favore, d'ora in poi, пожалуйста, отныне, запомни, 请, 以后, 记住`

// separators are the signs that stand between statements.
const separators = " \t\r\n,;:!-–—*\"'“”：，。！；、"

// plain takes address and politeness off both ends of a statement.
func plain(text string) string {
	for {
		before := text
		text = strings.TrimRight(text, separators+".")
		for text = strings.TrimLeft(text, separators); strings.HasPrefix(text, ". ") || strings.HasPrefix(text, ".."); { // ".env" keeps its dot
			text = strings.TrimLeft(text, separators+".")
		}
		lower := strings.ToLower(text)
		for _, p := range []string{"yes,", "no,", "oh,", "well,", "again,", "again:"} {
			if strings.HasPrefix(lower, p) {
				text, lower = text[len(p):], lower[len(p):]
			}
		}
		for p := range strings.SplitSeq(polite, ", ") {
			if rest, ok := strings.CutPrefix(lower, p); ok && len(rest) > 0 && (p[0] >= 128 || strings.ContainsAny(rest[:1], " ,:;!")) && len(lower) == len(text) {
				text = text[len(p):]
				break
			}
			if rest, ok := strings.CutSuffix(lower, " "+p); ok && (strings.HasSuffix(rest, ",") || strings.HasSuffix(p, " on") || strings.HasSuffix(p, "forward")) && len(lower) == len(text) {
				text = text[:len(rest)]
				break
			}
		}
		if text == before {
			return strings.Join(strings.Fields(text), " ")
		}
	}
}
