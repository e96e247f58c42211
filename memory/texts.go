package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
)

// MatchesID reports whether what a person gave is an id, or the beginning of one.
func MatchesID(id, given string) bool {
	const least = 6
	return id == given || len(given) >= least && strings.HasPrefix(id, strings.ToLower(given)) && strings.Trim(strings.ToLower(given), "0123456789abcdef-") == ""
}

// UTCDay is the day of a time in UTC, "" for none.
func UTCDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Union are both lists, each word once.
func Union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// LosesLines reports whether an entry is of the kind that loses lines: a summary or a
// note.
func LosesLines(e entry.Entry) bool { return e.Tier() == entry.Summary || e.Tier() == entry.Note }

// ShortID is the beginning of an id, as it is printed and can be given back.
func ShortID(id string) string {
	return entry.ShortID(Redacted(entry.FormedID(id)))
}
