package term

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many columns of a terminal the text takes: two for a wide character of East
// Asia or an emoji, none for a mark that joins the character before it.
func Width(text string) int {
	columns := 0
	for _, r := range text {
		switch {
		case r < 0x300:
			columns++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case isWide(r):
			columns += 2
		default:
			columns++
		}
	}
	return columns
}

func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}
