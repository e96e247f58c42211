package policy

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/instructions"
)

// checkWorth rules on what an agent wants to keep of its own accord: is it durable,
// useful, specific. Whether it is safe the other rules say.
func (j *judge) checkWorth() {
	text := valueText(j.texts)
	lower := chars.LowerASCII(text)
	passing, durable := findDuration(text)
	if passing {
		j.addFinding(Finding{Rule: RuleNotDurable, Where: "value", Verdict: Accept,
			Message: "sounds temporary, so it waits for confirmation"})
	}
	if kind := whyUseless(text, lower); kind != "" {
		j.addFinding(Finding{Rule: RuleNotUseful, Kind: kind, Where: "value", Verdict: Refuse,
			Message: "would change nothing in a later session"})
		return
	}
	if kind := whyVague(lower); kind != "" && !durable {
		j.addFinding(Finding{Rule: RuleNotSpecific, Kind: kind, Where: "value", Verdict: Hold,
			Message: "does not say exactly what to do or to know",
			Hint:    "name the tool, the file, the style or the value that it is about"})
	}
}

// IsTemporary reports whether a text sounds like it holds for a while only, such as "use port
// 8081 for now".
func IsTemporary(text string) bool {
	passing, _ := findDuration(text)
	return passing
}

// findDuration looks for words that say that a text holds for a while, and for those that say
// that it lasts.
func findDuration(text string) (passing, durable bool) {
	p := chars.NewPart("", text)
	kinds := durationTable().ScoreText(instructions.Cut(&p)).Kinds
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

//go:embed worth.txt
var worthText string

// durationTable are words for how long something holds.
var durationTable = sync.OnceValue(func() *instructions.Table { return instructions.NewTable(worthText) })

var worthLists = sync.OnceValue(func() map[string][]string { return chars.ParseLists(worthText) })

// isRelatedToList reports whether a text is related to a text of a list.
func isRelatedToList(list, text string, related func(text, one string) bool) bool {
	return slices.ContainsFunc(worthLists()[list], func(one string) bool { return related(text, strings.ReplaceAll(one, "_", " ")) })
}

func equalTexts(a, b string) bool { return a == b }

// whyUseless is why a text is of no use to a later session, "" where it is.
func whyUseless(text, lower string) string {
	t := strings.Trim(lower, " \t\n.!,;:-*")
	switch {
	case !strings.ContainsFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r >= utf8.RuneSelf }):
		return "empty"
	case isRelatedToList("small-talk", t, equalTexts):
		return "small-talk"
	case strings.HasSuffix(strings.TrimSpace(text), "?") && strings.Count(text, ".") == 0 && strings.Count(text, "?") == 1:
		return "question"
	case isRelatedToList("narration", t, strings.HasPrefix):
		return "narration"
	}
	return ""
}

// whyVague is why a text says nothing exact, "" where it does.
func whyVague(lower string) string {
	words := strings.Fields(lower)
	switch {
	case len(words) <= 8 && isRelatedToList("vague", lower, strings.Contains):
		return "vague"
	case len(words) > 0 && len(words) <= 4 && isRelatedToList("no-subject", words[0], equalTexts):
		return "no-subject"
	}
	return ""
}
