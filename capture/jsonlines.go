package capture

import (
	"bytes"
	"encoding/json"
	"strings"

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

// jsonLines reads one object a line, an array of them, or the object that
// `memctl export --format json` prints: {"key", "value"} or {"text"}, with what
// else there is to say of an item or an entry.
func (r *reading) jsonLines(f File) error {
	entries, err := r.jsonEntries(f, "items", "entries")
	if err != nil {
		return err
	}
	for _, e := range entries {
		var rec jsonLine
		if json.Unmarshal(e.raw, &rec) != nil {
			r.skip(e.line, ruleLineForm, "is not an entry with key and value, or text")
			continue
		}
		r.jsonLine(e.line, rec)
	}
	return nil
}

func (r *reading) jsonLine(line int, rec jsonLine) {
	if rec.Key == "" && rec.Value == nil && rec.Text != nil {
		r.entryLine(line, rec)
		return
	}
	c := Candidate{Line: line, Key: rec.Key, Labels: rec.Only(labels.Exported)}
	c.Tags, c.Confidence = tagged(rec.Tags...), rec.confidence()
	switch {
	case rec.Key == "" && rec.Value != nil:
		r.skip(line, ruleLineForm, "has a value and no key")
		return
	case rec.Key == "":
		r.skip(line, ruleLineForm, "has neither a key nor a text")
		return
	case rec.Value != nil:
		v, ok := rec.value()
		if !ok {
			r.skip(line, ruleLineForm, "has a value that is nested too deep")
			return
		}
		c.Value = v
	case rec.Text != nil:
		c.Value = memfile.Str(strings.TrimSpace(*rec.Text))
	default:
		r.skip(line, ruleLineForm, "has neither value nor text")
		return
	}
	r.add(c)
}

// confidence is what the line says, medium at most; nothing said counts as
// medium, a word that is none of ours as low.
func (rec jsonLine) confidence() string {
	for _, t := range rec.Tags {
		if t == memfile.TagNeedsConfirmation {
			return memfile.Low
		}
	}
	switch rec.Confidence {
	case "", memfile.Medium, memfile.High:
		return memfile.Medium
	}
	return memfile.Low
}

// value is the value, from its YAML where that says the same as the JSON.
func (rec jsonLine) value() (v memfile.Value, ok bool) {
	if rec.YAML != "" && len(rec.YAML) <= maxText {
		if v, err := memfile.ParseValue(rec.YAML); err == nil {
			if again, err := json.Marshal(v); err == nil && sameJSON(again, rec.Value) {
				return v, true
			}
		}
	}
	if json.Unmarshal(rec.Value, &v) != nil {
		return v, false
	}
	return v, true
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
