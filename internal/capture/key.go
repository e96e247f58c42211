package capture

import (
	_ "embed"
	"slices"
	"strings"
)

// areas has lines "area: word, word". Where a statement has words of several, the first line wins.
//
//go:embed areas.txt
var areas string

// keyOf makes a key of a text that a sentence states: the area that the words mean, and the first words of the text.
func keyOf(text, sentence string, person bool, cues cueList) string {
	if key := personKey(sentence); key != "" {
		return key
	}
	for _, c := range cues {
		if before, after, ok := strings.Cut(text, " "+c.phrase); c.class == "ask" && ok {
			text = before + after // "from now on" is no part of a name
		}
	}
	words := strings.Fields(normal(text))
	for line := range strings.Lines(areas) {
		area, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for word := range strings.SplitSeq(list, ", ") {
			if slices.Contains(words, word) || word[0] >= firstUnspaced && strings.Contains(text, word) {
				if area == "language" && person {
					return "language.answers" // one key for all languages: a later wish replaces an earlier one
				}
				return areaKey(area, text)
			}
		}
	}
	if person {
		return areaKey("preferences", text)
	}
	return areaKey("conventions", text)
}

// firstUnspaced is the first byte of Chinese, Japanese and Korean in UTF-8, and firstUnspacedRune their first character.
const (
	firstUnspaced     = 0xe3
	firstUnspacedRune = '\u3000'
)

// sameRule reports whether two keys that the rules made name one rule: one area, and a word in common that says more than the
// area.
func sameRule(a, b string) bool {
	areaA, restA, _ := strings.Cut(a, ".")
	areaB, restB, _ := strings.Cut(b, ".")
	other := strings.Split(restB, "-")
	return areaA == areaB && slices.ContainsFunc(strings.Split(restA, "-"), func(w string) bool {
		return slices.Contains(other, w) && !strings.HasPrefix(areaA, strings.TrimSuffix(w, "s"))
	})
}

// ofPerson are the beginnings of sentences about the person, with the keys that they get.
const ofPerson = "my name is=user.name|i'm called=user.name|ich heiße=user.name|me llamo=user.name|the user is called=user.name|call me=user.address|call the user=user.address|address the user as=user.address|nenn mich=user.address|my time zone is=user.time-zone|my timezone is=user.time-zone|meine zeitzone ist=user.time-zone|mi zona horaria es=user.time-zone|my home is=user.home|i live in=user.home|i'm based in=user.home|the user lives in=user.home|the user is based in=user.home|ich wohne in=user.home|vivo en=user.home|my work is=user.work|i work as=user.work|i work at=user.work|the user works as=user.work|the user works at=user.work|ich arbeite als=user.work|trabajo como=user.work"

// personKey is the key of a sentence about the person, "" where its first words say nothing of that.
func personKey(sentence string) string {
	text := strings.TrimSpace(normal(sentence)) + " "
	if rest, ok := strings.CutPrefix(text, "the user's "); ok {
		text = "my " + rest
	} else if rest, ok := strings.CutPrefix(text, "user's "); ok {
		text = "my " + rest
	}
	for entry := range strings.SplitSeq(ofPerson, "|") {
		phrase, key, _ := strings.Cut(entry, "=")
		rest, ok := strings.CutPrefix(text, phrase+" ")
		next, _, _ := strings.Cut(rest, " ")
		if ok && !slices.Contains([]string{"when", "if", "once", "after", "back", "later", "as", "again", "before"}, next) {
			return key
		}
	}
	return ""
}
