package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
)

// Summarize updates a rolling summary without a model: the lines of the previous one and one line
// for each statement. A statement replaces the lines that it repeats. Questions and
// texts without distinctive words are left out, and the oldest lines where it gets too long.
func Summarize(previous string, statements []string) string {
	var lines []string
	for line := range strings.Lines(previous) {
		lines = append(lines, strings.TrimSpace(line))
	}
	for _, s := range statements {
		s = strings.Join(strings.Fields(s), " ")
		if s == "" || strings.HasSuffix(s, "?") || spelling.NewText(s).Words() < 2 {
			continue
		}
		text := spelling.NewText(s)
		lines = slices.DeleteFunc(lines, func(line string) bool { return text.Same(strings.TrimPrefix(line, "- ")) })
		lines = append(lines, "- "+s)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return Shorten(strings.Join(lines, "\n"))
}

// Shorten cuts a summary to MaxSummary characters: its first lines go.
func Shorten(summary string) string {
	summary = strings.TrimSpace(summary)
	for utf8.RuneCountInString(summary) > MaxSummary {
		_, rest, ok := strings.Cut(summary, "\n")
		if !ok {
			letters := []rune(summary)
			return string(letters[len(letters)-MaxSummary:])
		}
		summary = rest
	}
	return summary
}
