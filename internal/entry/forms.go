package entry

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/memfile"
)

// Sanitized is the entry as readers see it: a field of a fixed form never hands out another
// text. A time that is none is empty, a confidence counts as low, the word of somebody
// unknown as automatic, a role as a fact's, and an id is one word. The file keeps what it
// says, and Parse reports it.
func (e Entry) Sanitized() Entry {
	for _, t := range []*string{&e.Created, &e.Deleted} {
		if _, ok := ParseTime(*t); !ok {
			*t = ""
		}
	}
	e.Confidence, e.By = memfile.FormedConfidence(e.Confidence), memfile.FormedBy(e.By)
	e.Seen, e.Expires = memfile.FormedDay(e.Seen), memfile.FormedDay(e.Expires)
	if !isRole(e.Role) {
		e.Role = RoleFact
	}
	e.ID, e.ReplacedBy = SanitizedID(e.ID), SanitizedID(e.ReplacedBy)
	for i, a := range e.Anchors {
		if strings.Trim(a.Commit+a.Hash, "0123456789abcdefABCDEF") != "" {
			e.Anchors = slices.Clone(e.Anchors)
			e.Anchors[i].Commit, e.Anchors[i].Hash = "", ""
		}
	}
	return e
}

func isRole(s string) bool {
	return s == "" || slices.Contains([]string{RoleFact, RoleUser, RoleAssistant, RoleSummary, RoleNote}, s)
}

func isTime(s string) bool {
	_, ok := ParseTime(s)
	return s == "" || ok
}

// SanitizedID is the id itself where it is one word, else the name of the file that it
// would have.
func SanitizedID(id string) string {
	const most = 100
	if len(id) <= most && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-") == "" {
		return id
	}
	return Slug(id)
}

// FormatTime returns a time as memctl writes it into front matter.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// fileTimeLayout is the layout of times in file names. It has no colons, which Windows does not allow there.
const fileTimeLayout = "20060102T150405.000Z"

// ParseTime reads a time as memctl, agent-cli and people write it; one without
// a zone counts as UTC. ok is false for anything else.
func ParseTime(s string) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < len(time.DateOnly) || strings.Trim(s[:4], "0123456789") != "" {
		return time.Time{}, false // no form begins otherwise, and each costs a look
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly, fileTimeLayout} {
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
