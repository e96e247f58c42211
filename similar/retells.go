package similar

import "slices"

// maxRetold is how many times as many words a text may have that says something again.
const maxRetold = 3

// Retells reports whether the rule and a text say one thing, one of them perhaps in more words: the
// distinctive words of the shorter are all in the longer, and none is denied in only one of them. It
// takes more for equal than Restated, and is for texts of one moment: what a person just said, and
// what an agent makes of it.
func (r Rule) Retells(text string) bool {
	short, long := r.said, read(text)
	if len(short.words) > len(long.words) {
		short, long = long, short
	}
	if len(short.words) < minShared || len(long.words) > maxRetold*len(short.words) {
		return false
	}
	mine, theirs := short.limits(), long.limits()
	return !slices.ContainsFunc(short.words, func(w string) bool {
		return !slices.Contains(long.words, w) || isDenied(mine[w]) != isDenied(theirs[w])
	})
}
