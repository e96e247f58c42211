package rules

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/capture/keys"
)

// minContent is the length in bytes from which a word that is in no table says something.
const minContent = 3

// namespaces are the first parts of keys. Where a statement has words of several, the one that
// stands first here wins.
var namespaces = [...]string{
	"commits", "testing", "git", "review", "deploy", "database", "security", "language", "communication", "docs", "naming", "style",
	"dependencies", "architecture", "environment", "tooling", "profile", "workflow",
}

// KeyOf makes a key of a text, whatever it states.
func KeyOf(text string) string {
	words := wordsOf(text, 0)
	return keyOf(text, words, classify(words))
}

// keyOf makes a key of a text with its words: the namespace that the words mean, and what the text is about.
func keyOf(text string, words []word, c classes) string {
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
	return space + "." + keys.Name(space, text)
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

// content is how many words say something.
func content(words []word) (n int) {
	for _, w := range words {
		if of := weight(w); of > 1 || of > 0 && len(w.form) > 3 {
			n++
		}
	}
	return n
}

// Meet reports whether two keys that the rules made name one rule: one namespace, and a word in common that says more
// than the namespace.
func Meet(a, b string) bool {
	spaceA, restA, _ := strings.Cut(a, ".")
	spaceB, restB, _ := strings.Cut(b, ".")
	if spaceA != spaceB {
		return false
	}
	var other []string
	for w := range strings.SplitSeq(restB, "-") {
		other = append(other, stem(w))
	}
	return slices.ContainsFunc(strings.Split(restA, "-"), func(w string) bool {
		form := stem(w)
		return slices.Contains(other, form) && weight(newWord(form, 0, 0)) > 0 && !strings.HasPrefix(spaceA, form)
	})
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
