package capture

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// jsonLine is one line of JSON Lines, as `memctl export` prints it: an item, or
// where it has a text and no key, an entry. An item's value may also stand as
// YAML, which alone keeps a number such as 1.10 as it was.
type jsonLine struct {
	Key           string          `json:"key"`
	Value         json.RawMessage `json:"value"`
	YAML          string          `json:"yaml"`
	Text          *string         `json:"text"`
	Category      string          `json:"category"`
	labels.Labels                 // of which those of an export count

	// Of an entry alone.
	ID           loose    `json:"id"`
	Role         string   `json:"role"`
	Conversation loose    `json:"conversation"`
	Session      loose    `json:"session"`
	Created      loose    `json:"created_at"`
	Topics       []string `json:"topics"`
	Weight       float64  `json:"weight"`
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

// jsonLines reads one object a line, an array of them, or the object that
// `memctl export --format json` prints: {"key", "value"} or {"text"}, with what
// else there is to say of an item or an entry.
func (r *reading) jsonLines(f File) error {
	list, err := jsonRecords(f, "items", "entries")
	for _, at := range list {
		var rec jsonLine
		switch {
		case at.Left != "":
		case json.Unmarshal(at.raw, &rec) != nil:
			at.Row = at.refused(ruleLineForm, "is not an entry with key and value, or text")
		default:
			at.Row = rec.row(at.Row)
		}
		r.add(at.Row)
	}
	return err
}

// row is the item or the entry of the line.
func (rec jsonLine) row(row Row) Row {
	wrong := ""
	switch v, ok := rec.value(); {
	case rec.Key == "" && rec.Value != nil:
		wrong = "has a value and no key"
	case rec.Key == "" && (rec.Text == nil || strings.TrimSpace(*rec.Text) == ""):
		wrong = "has neither a key nor a text"
	case rec.Key == "":
		return rec.entry(row)
	case rec.Value == nil && rec.Text == nil:
		wrong = "has neither value nor text"
	case rec.Value != nil && !ok:
		wrong = "has a value that is nested too deep"
	default:
		row.Key, row.Value, row.Labels = rec.Key, v, rec.WithUse(labels.Exported)
		row.Tags, row.Confidence = tagged(rec.Tags...), rec.confidence()
		return row
	}
	return row.refused(ruleLineForm, wrong)
}

// entry is the entry of a line that has a text and no key.
func (rec jsonLine) entry(row Row) Row {
	e := entry.Entry{
		ID: string(rec.ID), Role: rec.Role, Conversation: string(rec.Conversation), Session: string(rec.Session), Category: rec.Category,
		Labels: rec.WithUse(labels.Exported).WithUse(labels.Entries), Topics: rec.Topics, Weight: rec.Weight, Text: *rec.Text,
	}
	if e.Role == "" {
		e.Role = entry.RoleFact
	}
	if e.Role != entry.RoleFact && e.Tier() == entry.Fact {
		return row.refused(ruleLineForm, "has a role that is not memory, user, assistant, note or summary")
	}
	row.Entry = e
	return row.dated(string(rec.Created))
}

// confidence is what the line says, medium at most; nothing said counts as
// medium, a word that is none of ours as low.
func (rec jsonLine) confidence() string {
	known := rec.Confidence == "" || rec.Confidence == memfile.Medium || rec.Confidence == memfile.High
	if known && !slices.Contains(rec.Tags, memfile.TagNeedsConfirmation) {
		return memfile.Medium
	}
	return memfile.Low
}

// value is the value, from its YAML where that says the same as the JSON.
func (rec jsonLine) value() (v memfile.Value, ok bool) {
	if rec.Value == nil && rec.Text != nil {
		return memfile.Str(strings.TrimSpace(*rec.Text)), true
	}
	if rec.YAML != "" && len(rec.YAML) <= maxText {
		if v, err := memfile.ParseValue(rec.YAML); err == nil {
			if again, err := json.Marshal(v); err == nil && sameJSON(again, rec.Value) {
				return v, true
			}
		}
	}
	return v, json.Unmarshal(rec.Value, &v) == nil
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// dated is a row with the time at which its entry was made, or refused where that is no time. "" is not said.
func (row Row) dated(created string) Row {
	made, ok := timeOf(created)
	switch {
	case created == "":
		return row
	case !ok:
		return row.refused(ruleLineForm, "has a created_at that is not a time such as 2026-11-21T09:03:00Z")
	}
	row.Created = entry.FormatTime(made)
	return row
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
