package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/instructions"
)

// worth rules on what an agent wants to keep of its own accord: is it durable,
// useful, specific. Whether it is safe the other rules say.
func (j *judge) worth() {
	text := valueText(j.texts)
	lower := chars.LowerASCII(text)
	passing, durable := howLong(text)
	if passing {
		j.add(Finding{Rule: RuleNotDurable, Where: "value", Verdict: Accept,
			Message: "sounds temporary, so it waits for confirmation"})
	}
	if kind := useless(text, lower); kind != "" {
		j.add(Finding{Rule: RuleNotUseful, Kind: kind, Where: "value", Verdict: Refuse,
			Message: "would change nothing in a later session"})
		return
	}
	if kind := vague(lower); kind != "" && !durable {
		j.add(Finding{Rule: RuleNotSpecific, Kind: kind, Where: "value", Verdict: Hold,
			Message: "does not say exactly what to do or to know",
			Hint:    "name the tool, the file, the style or the value that it is about"})
	}
}

// Passing reports whether a text sounds like it holds for a while only, such as "use port
// 8081 for now".
func Passing(text string) bool {
	passing, _ := howLong(text)
	return passing
}

// howLong looks for words that say that a text holds for a while, and for those that say
// that it lasts.
func howLong(text string) (passing, durable bool) {
	p := chars.NewPart("", text)
	kinds := lasting().Tally(instructions.Cut(&p)).Kinds
	return slices.Contains(kinds, "passing"), slices.Contains(kinds, "durable")
}

// valueText is the value's strings as one text.
func valueText(texts []chars.Part) string {
	var b strings.Builder
	for i := range texts {
		if texts[i].InValue() {
			if b.Len() > 0 {
				b.WriteString(". ")
			}
			b.WriteString(texts[i].Text)
		}
	}
	return b.String()
}

// lasting are words for how long something holds.
var lasting = sync.OnceValue(func() *instructions.Table { return instructions.NewTable(lastingPhrases) })

const lastingPhrases = `
1 passing for now
1 passing for the moment|time|meantime being?
1 passing today|tonight|tomorrow|yesterday|temporarily|currently|temporary|tentatively|provisionally
1 passing this|current branch|session|pr|task|week|sprint|commit|ticket|morning|afternoon|conversation|chat|time|turn|month|release|run
1 passing not|don't|doesn't|isn't|aren't|can't|haven't|hasn't *5 yet
1 passing just|only this|for once|now
1 passing right now
1 passing at the moment
1 passing until *6 is|are|merged|fixed|done|released|lands|tomorrow|friday|monday|then|next|we|i|further
1 passing next week|sprint|month|friday|monday|tuesday|wednesday|thursday
1 passing as a workaround|stopgap
1 passing wip
1 durable always|never|prefer|prefers|avoid|avoids|must|usually|every|all|no|only|favorite|favourite|default|convention|use|uses|don't|dislike|like|likes|dislikes|hate|hates|not|named|written|style
1 durable from now on
`

// useless is why a text is of no use to a later session, "" where it is.
func useless(text, lower string) string {
	t := strings.Trim(lower, " \t\n.!,;:-*")
	if t == "" {
		return "empty"
	}
	if !hasLetterOrDigit(t) {
		return "empty"
	}
	switch t {
	case "ok", "okay", "yes", "no problem", "thanks", "thank you", "hello", "hi", "hey", "done", "sure", "great", "good", "fine", "nice", "cool",
		"got it", "sounds good", "n/a", "na", "none", "null", "tbd", "todo", "unknown", "test", "testing", "asdf", "foo", "bar", "lorem ipsum":
		return "small-talk"
	}
	if strings.HasSuffix(strings.TrimSpace(text), "?") && strings.Count(text, ".") == 0 && strings.Count(text, "?") == 1 {
		return "question"
	}
	for _, w := range [...]string{"i will now ", "i'll now ", "let me ", "i have now ", "i've updated ", "i have updated ", "i just ", "here is the ", "here's the ", "sure, ", "great question", "now i ", "next, i "} {
		if strings.HasPrefix(t, w) {
			return "narration"
		}
	}
	return ""
}

func hasLetterOrDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if chars.IsAlnum(s[i]) || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// vague is why a text says nothing exact, "" where it does.
func vague(lower string) string {
	words := strings.Fields(lower)
	for _, w := range [...]string{"it depends", "be good", "be better", "be careful", "do it right", "do better", "do your best", "write good code", "write clean code", "as usual", "the usual", "same as before",
		"best practices", "high quality", "like last time", "as discussed", "as above", "see above", "stuff", "things work", "some things", "something", "various things", "etc etc", "whatever works"} {
		if strings.Contains(lower, w) && len(words) <= 8 {
			return "vague"
		}
	}
	if len(words) > 0 && len(words) <= 4 {
		switch words[0] {
		case "it", "this", "that", "they", "these", "those", "he", "she":
			return "no-subject"
		}
	}
	return ""
}
