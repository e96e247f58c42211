package capture

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
)

// The limits of JSON Lines, whose lines may be entries: a file each, and not
// items of the one memory file.
const (
	MaxLines   = 64 << 20 // bytes of one file of JSON Lines
	MaxEntries = 200_000  // of one import
)

// EntryLine is one entry proposed for memory, as a line of JSON Lines says it.
type EntryLine struct {
	File string // the name of the file, where there are several
	Line int    // 1-based
	// Entry has what the line says; Created is "" where it says nothing, and so
	// are Conversation and Source. Text is as it stands there.
	Entry entry.Entry
	Scope string // where it goes; "" lets the act choose
	// Personal is the heading that says that it is about a person; "" for none.
	Personal string
}

// loose is a text that other programs write as a number, too.
type loose string

// UnmarshalJSON reads a string, a number or null.
func (l *loose) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9') {
		*l = loose(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// entryLine reads a line that has a text and no key: it is an entry.
func (r *reading) entryLine(line int, rec jsonLine) {
	e := entry.Entry{
		ID: string(rec.ID), Role: rec.Role, Conversation: string(rec.Conversation), Session: string(rec.Session), Category: rec.Category,
		Labels: rec.Only(labels.Exported).Only(labels.Entries), Topics: rec.Topics, Weight: rec.Weight, Text: *rec.Text,
	}
	if e.Role == "" {
		e.Role = entry.RoleFact
	}
	switch {
	case strings.TrimSpace(e.Text) == "":
		r.skip(line, ruleLineForm, "has neither a key nor a text")
		return
	case e.Role != entry.RoleFact && e.Tier() == entry.Fact:
		r.skip(line, ruleLineForm, "has a role that is not memory, user, assistant, note or summary")
		return
	}
	if !r.dated(line, &e, string(rec.Created)) {
		return
	}
	r.addEntry(EntryLine{Line: line, Entry: e})
}

// dated sets when an entry was made, and skips its line where that is no time. "" is not said.
func (r *reading) dated(line int, e *entry.Entry, created string) bool {
	if created == "" {
		return true
	}
	made, ok := timeOf(created)
	if !ok {
		r.skip(line, ruleLineForm, "has a created_at that is not a time such as 2026-11-21T09:03:00Z")
		return false
	}
	e.Created = entry.Stamp(made)
	return true
}

// addEntry takes an entry in, as far as the limits go, and reports whether it did.
func (r *reading) addEntry(l EntryLine) bool {
	if len(r.entries) == MaxEntries {
		r.tooMany(l.Line, fmt.Sprintf("more than %d entries", MaxEntries))
		return false
	}
	l.File = r.file
	r.entries = append(r.entries, l)
	return true
}

// timeOf reads a time as memory's own files have it, and as logs of
// conversations do: seconds since 1970, or spoken.
func timeOf(s string) (time.Time, bool) {
	if t, ok := entry.ParseTime(s); ok {
		return t, true
	}
	for _, form := range []string{time.RFC1123Z, time.RFC1123, "3:04 pm on 2 January, 2006", "2 January 2006", "January 2, 2006"} {
		if t, err := time.Parse(form, strings.TrimSpace(s)); err == nil {
			return t.UTC(), true
		}
	}
	if seconds, err := json.Number(s).Float64(); err == nil && seconds > 0 && seconds < 1<<33 {
		return time.UnixMilli(int64(seconds * 1000)).UTC(), true
	}
	return time.Time{}, false
}
