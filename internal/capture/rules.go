package capture

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// sure and likely are the points from which a sentence states something, and from which it may.
	sure   = 21
	likely = 12
	// questioned and longWinded are the points of a question mark, and of a sentence that is longer than a rule is.
	questioned = -18
	longWinded = -17
	// onlyOrder are the points of a message that is one order on how to work: "avoid default exports".
	onlyOrder = 10
	// tongued are the points of a language, which count once with those of style.
	tongued = 6
	// maxShort is the length in bytes up to which a sentence is no longer than a rule is.
	maxShort = 300
	// maxStatements is how many statements of one message are kept.
	maxStatements = 8
)

// Statement is something lasting that a person said.
type Statement struct {
	Text     string // the person's words without address and politeness
	Key      string // an area and one to three words
	Explicit bool   // asks to remember it
	Person   bool   // about the person or how the agent talks, and not about a project
	From, To int    // the sentence in the message, in bytes
}

// Found is what a message states.
type Found struct {
	Statements []Statement // as they stand in the message
	Suspected  string      // a sentence outside them that may state something lasting; "" for none
}

// Find looks for statements in a person's own words. previous is the end of what the agent said before, or "".
func Find(text, previous string) Found {
	var found Found
	best, before := 0, question(previous)
	all, cues := sentences(text), cuesOf(text)
	for i, s := range all {
		sentence := text[s.from:s.to]
		j := cues.judge(sentence)
		if len(all) == 1 && j.has("ban") && j.has("repo") && !j.has("product") {
			j.points += onlyOrder
		}
		said := trimCourtesies(cues.asked(sentence), cues)
		if i+1 < len(all) && j.points > never {
			next := text[all[i+1].from:all[i+1].to]
			if after := cues.judge(next); after.has("ask") && !after.has("quoted") && cues.words(trimCourtesies(next, cues)) == 0 { // "Remember that."
				j.classes, j.points = append(j.classes, "ask"), j.points+sure
			}
		}
		if n := cues.words(said); n == 0 || pointsBack(said) { // "yes, always" means nothing alone
			wish := i == 0 && j.has("ask") && j.points > never // "yes, please remember that": of what the agent said
			if wish && before == "" {
				before = lastSentence(previous)
			}
			if wish && n == 0 {
				said = strings.TrimSpace(sentence)
			}
			if !wish && (before == "" || n == 0 && !j.has("standing")) {
				before = said
				continue
			}
			if i == 0 {
				j.points += sure // it answers the agent's question
			}
			said = strings.TrimPrefix(before+" – "+said, " – ")
		}
		before = said
		st := Statement{Text: said, Person: j.ofPerson(sentence), From: s.from, To: s.to}
		st.Explicit = j.has("ask") || st.Person && j.has("standing") && (j.has("style") || j.has("tongue")) // "always answer in German"
		st.Key = keyOf(said, sentence, st.Person, cues)
		switch {
		case j.points >= sure && len(found.Statements) < maxStatements:
			if !slices.ContainsFunc(found.Statements, func(was Statement) bool { return sameWords(was.Text, said) }) {
				found.Statements = append(found.Statements, st)
			}
		case j.points >= max(likely, best+1):
			found.Suspected, best = said, j.points
		}
	}
	return found
}

// hasRequest reports whether a text has a request to remember something, whatever it is.
func hasRequest(text string) bool {
	cues := cuesOf(text)
	return slices.ContainsFunc(sentences(text), func(s span) bool {
		j := cues.judge(text[s.from:s.to])
		return j.has("ask") && j.points > never
	})
}

// words counts the content words of a text, without those that only say where something holds: "for all my projects".
func (list cueList) words(text string) int {
	text = normal(text)
	for _, c := range list {
		if c.class == "reach" {
			text = strings.ReplaceAll(text, " "+c.phrase+" ", " ")
		}
	}
	return len(words(text))
}

// aboutPerson reports whether a text is about the person or how agents talk to them, and not about a project. key is the
// one that an agent chose for it, "" for none.
func aboutPerson(key, text string) bool {
	area, _, _ := strings.Cut(key, ".")
	fact := strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(strings.TrimPrefix(key, "user-"))
	return slices.Contains([]string{"user", "person", "personal", "me", "about-me"}, area) || personKey("my "+fact+" is ") != "" ||
		cuesOf(text).judge(text).ofPerson(text)
}

// sameWords reports whether two texts state one rule: all their words but those that change nothing are equal, in the same
// order. A number, a "before" or a "stop" makes another rule.
func sameWords(a, b string) bool {
	said := func(text string) []string {
		text = strings.ReplaceAll(normal(text), " from now on ", " ")
		return slices.DeleteFunc(strings.Fields(text), func(w string) bool {
			return slices.Contains([]string{"a", "an", "the", "always", "please", "all", "and", "to", "that", "remember"}, w)
		})
	}
	words := said(a)
	return len(words) > 0 && slices.Equal(words, said(b))
}

// pointsBack reports whether a short text only names what was said before it.
func pointsBack(text string) bool {
	words := strings.Fields(normal(text))
	return len(words) <= 5 && slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"it", "that", "this", "so", "them"}, w) })
}

// lastSentence is the last sentence of what the agent said before, if it is short; "" for none.
func lastSentence(previous string) string {
	all := sentences(previous)
	if len(all) == 0 {
		return ""
	}
	if s := previous[all[len(all)-1].from:all[len(all)-1].to]; len(s) <= maxShort {
		return s
	}
	return ""
}

// question is the question that the agent ended with, or "".
func question(previous string) string {
	for _, s := range slices.Backward(sentences(previous)) {
		if q := previous[s.from:s.to]; len(q) <= maxShort && (strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？")) {
			return q
		}
	}
	return ""
}

// table has the cues. A line is "class points: phrase, phrase".
//
//go:embed cues.txt
var table string

// never is the score up to which a sentence cannot state anything.
const never = -50

// cue is a phrase of the table.
type cue struct {
	class, phrase string
	points        int
	first, prefix bool // it begins the sentence; any ending may follow it
}

// cueList is a list of cues in the order of the table.
type cueList []cue

// cuesOf are the cues that a text may have.
func cuesOf(text string) (list cueList) {
	text = normal(text)
	words, unspaced := map[string]bool{}, false
	for w := range strings.FieldsSeq(text) {
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		words[w], words[bare], unspaced = true, true, unspaced || strings.ContainsFunc(w, func(r rune) bool { return r >= firstUnspacedRune })
	}
	for line := range strings.Lines(table) {
		head, phrases, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		class, points, _ := strings.Cut(head, " ")
		if n, err := strconv.Atoi(points); ok && err == nil {
			for phrase := range strings.SplitSeq(phrases, ", ") {
				c := cue{class: class, points: n}
				phrase, c.first = strings.CutPrefix(phrase, "^")
				c.phrase, c.prefix = strings.CutSuffix(phrase, "*")
				if c.phrase[0] >= firstUnspaced && !unspaced {
					continue
				}
				first, more, _ := strings.Cut(c.phrase, " ") // a look at its first word is much cheaper than a search
				if words[first] && more == "" || (words[first] || c.phrase[0] >= firstUnspaced || c.prefix && more == "") && strings.Contains(text, c.phrase) {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// judgement is what the cues of a sentence tell.
type judgement struct {
	classes []string
	points  int
}

func (j judgement) has(class string) bool { return slices.Contains(j.classes, class) }

// ofPerson reports whether a sentence is about the person or how agents talk to them.
func (j judgement) ofPerson(sentence string) bool {
	talks := j.has("style") || j.has("tongue") && slices.ContainsFunc(strings.Fields(normal(sentence)), func(w string) bool {
		return strings.Contains(" i me my ich mir mich je me moi yo mi eu mim io mij ", " "+w+" ")
	})
	return personKey(sentence) != "" || talks && !j.has("repo") && !j.has("tool") || j.has("self") && !j.has("repo")
}

// judge adds up the points of a sentence. A class counts once.
func (list cueList) judge(sentence string) (j judgement) {
	text := normal(unquoted(sentence))
	at := map[string]int{}
	for _, c := range list {
		if _, seen := at[c.class]; seen {
			continue
		}
		if i := c.indexIn(text); i >= 0 {
			at[c.class], j.classes, j.points = i, append(j.classes, c.class), j.points+c.points
		}
	}
	ask, asks := at["ask"]
	if quoted, ok := at["quoted"]; ok && (asks && ask < quoted || j.has("own")) {
		j.points -= 2 * never // the person's own words: "remember that the docs say …"
	}
	if j.has("style") && j.has("tongue") {
		j.points -= tongued
	}
	if strings.ContainsAny(sentence, "?？؟") {
		j.points += questioned
	}
	if len(sentence) > maxShort {
		j.points += longWinded
	}
	if (asks || personKey(sentence) != "") && j.points > never && !strings.ContainsAny(sentence, "?？؟") {
		j.points = max(j.points, sure)
	}
	return j
}

// asked is the part of a sentence from the request to remember on, where a task stands before it: "fix it, and from now on …".
func (list cueList) asked(sentence string) string {
	for _, c := range list {
		i := strings.Index(strings.ToLower(sentence), c.phrase)
		if c.class != "ask" || i <= 0 || i > len(sentence) {
			continue
		}
		before := strings.TrimSuffix(strings.TrimSpace(sentence[:i]), "and")
		if before = strings.TrimSuffix(strings.TrimSpace(before), "so"); strings.TrimRight(before, ",; ") != before && len(words(sentence[i:])) > 3 {
			return sentence[i:]
		}
	}
	return sentence
}

// indexIn is where a normal text has the cue as whole words, -1 where it does not.
func (c cue) indexIn(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], c.phrase)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(c.phrase)
		switch {
		case c.first && i > 1:
			return -1
		case !isInsideWord(text[:i], c.phrase) && (c.prefix || !isInsideWord(text[:end], text[end:])):
			return i
		}
		from = i + 1
	}
}
