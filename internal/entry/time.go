package entry

import (
	"strings"
	"time"
)

// Stamp is a time as memctl writes it into front matter.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// fileTime is a time as it stands in file names, which carry no colon.
const fileTime = "20060102T150405.000Z"

// ParseTime reads a time as memctl, agent-cli and people write it; one without
// a zone counts as UTC. ok is false for anything else.
func ParseTime(s string) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < len(time.DateOnly) || strings.Trim(s[:4], "0123456789") != "" {
		return time.Time{}, false // no form begins otherwise, and each costs a look
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly, fileTime} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// Time is when the entry was made; zero where it does not say.
func (e Entry) Time() time.Time {
	t, _ := ParseTime(e.Created)
	return t
}

// isDay reports whether s is a day of the calendar.
func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
