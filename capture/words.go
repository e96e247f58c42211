package capture

import (
	"slices"
	"strings"
)

// labelled takes a text apart at the mark after its label, of at most four words. label is "" where it has none.
func labelled(text string) (label, rest string) {
	for i := range text {
		for _, mark := range [...]string{": ", " – ", " — ", " - "} {
			if i > 0 && strings.HasPrefix(text[i:], mark) && strings.Count(text[:i], "`")%2 == 0 {
				if len(strings.Fields(text[:i])) > 4 {
					return "", ""
				}
				return text[:i], text[i+len(mark):]
			}
		}
	}
	return "", ""
}

// denies reports whether a heading or a label turns what follows round.
func denies(text string) bool {
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return slices.ContainsFunc(strings.FieldsFunc(lower, func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }), func(w string) bool {
		return slices.Contains([]string{"not", "don't", "dont", "don'ts", "never", "avoid", "no", "without", "forbidden", "prohibited", "bad", "wrong", "mistakes", "pitfalls"}, w)
	})
}

// commanding reports whether a text says must, never and the like anywhere.
func commanding(text string) bool {
	return containsAny(" "+strings.ReplaceAll(text, "’", "'")+" ", " always ", " never ", " must ", " mustn't ", " do not ", " don't ", " should ", " shouldn't ", " will not ", " prefer ", " avoid ", " ensure ", " not allowed", " forbidden", " instead of ")
}

// containsAny reports whether a text contains one of the parts, in upper or lower case.
func containsAny(text string, parts ...string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(lower, part) })
}

// doubtful reports whether a text itself says that it is not sure.
func doubtful(text string) bool {
	return containsAny(text, "maybe", "perhaps", "probably", "i'm not sure", "i am not sure", "not sure if", "might ", "seems", "i think", "todo:") ||
		strings.HasSuffix(text, "?")
}
