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

const (
	maxField    = 2 * maxText // bytes of a field that each text of a record gets
	maxJSONLine = 1 << 20     // bytes of one line of JSON
)

// readForeign reads a file of another tool's memory by its forms.
func (r *reading) readForeign(f File, list []form) error {
	switch {
	case len(list) == 0:
		r.notRead(whyNone)
	case list[0].leave != "":
		r.notRead(list[0].leave)
	case list[0].by == asEntries:
		r.entryFile(f)
	case list[0].by != byRecord:
		r.markdown(f, &list[0])
	default:
		return r.records(f, list)
	}
	return nil
}

// object is one record of JSON, with its fields. @name is its name as a member of an object, @value all of it.
type object map[string]json.RawMessage

// text reads a field as a text; a list and a map are as memory shows them.
func (r object) text(field string) string {
	name, want, only := strings.Cut(field, "=")
	raw := r[name]
	var v memfile.Value
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	text := string(raw)
	if json.Unmarshal(raw, &v) == nil {
		text = strings.TrimSpace(v.Plain())
	}
	if only && text != want {
		return ""
	}
	return text
}

// number reads a field that is a number, else 0.
func (r object) number(field string) (n float64) {
	if json.Unmarshal(r[field], &n) != nil {
		return 0
	}
	return n
}

// list reads fields that are a text or a list of texts.
func (r object) list(fields ...string) (list []string) {
	for _, field := range fields {
		var some []string
		if json.Unmarshal(r[field], &some) != nil {
			some = []string{r.text(field)}
		}
		list = append(list, some...)
	}
	return tagged(list...)
}

// records reads the records of a JSON file. Each is a fact, or as many as it has texts.
func (r *reading) records(f File, list []form) error {
	var members []string
	for _, x := range list {
		members = append(members, x.in)
	}
	found, err := jsonRecords(f, members...)
	for _, at := range found {
		rec := object{}
		_ = json.Unmarshal(at.raw, &rec) // a record that is no object has only a value
		rec["@name"], _ = json.Marshal(at.name)
		rec["@value"] = at.raw
		at.Last += strings.Count(strings.TrimSpace(string(at.raw)), "\n")
		if at.Left == "" && !slices.ContainsFunc(list, func(x form) bool { return r.record(x, rec, at.Row) }) {
			at.Left = whyText
		}
		if at.Left != "" {
			r.add(at.Row)
		}
	}
	return err
}

// record makes the facts of a record, and reports whether the record has the form.
func (r *reading) record(x form, rec object, row Row) bool {
	if slices.Contains(x.skip, rec.text("@name")) {
		row.Left = whyNone
		r.add(row)
		return true
	}
	for name, raw := range rec {
		if x.each != "" && name != x.each && len(raw) > maxField && (strings.Contains(x.text, name) || slices.Contains(x.tags, name)) { // each text would have it
			r.add(row.refused(ruleTooLong, "has a field that is a document"))
			return true
		}
	}
	said := []json.RawMessage{nil}
	if x.each != "" && json.Unmarshal(rec[x.each], &said) != nil {
		return false
	}
	found := false
	for _, one := range said {
		if x.each != "" {
			rec[x.each] = one
		}
		if text := x.textOf(rec); text != "" && r.over == nil {
			found = true
			row.Entry, row.Scope = x.entry(rec, text), x.scope(rec)
			r.add(row.dated(rec.text(x.created)))
		}
	}
	return found
}

// textOf is the text of a record, "" where it has none.
func (x form) textOf(rec object) string {
	var text strings.Builder
	for rest := x.text; rest != ""; {
		before, after, _ := strings.Cut(rest, "{")
		field, next, found := strings.Cut(after, "}")
		value := rec.text(field)
		if found && value == "" {
			return ""
		}
		text.WriteString(before + value)
		rest = next
	}
	between := ": "
	for _, field := range x.more {
		if value := rec.text(field); value != "" {
			text.WriteString(between + field + " " + value)
			between = "; "
		}
	}
	return text.String()
}

// entry is the fact of a record, but for its time.
func (x form) entry(rec object, text string) entry.Entry {
	e := entry.Entry{Role: entry.RoleFact, Text: text, Category: rec.text(x.category), Topics: rec.list(x.topic), Weight: rec.number(x.weight)}
	e.Labels = labels.Labels{Tags: rec.list(x.tags...)}
	if slices.ContainsFunc(x.start, func(field string) bool { return rec.text(field) != "" }) {
		e.Tags = append(e.Tags, entry.TagBootstrap)
	}
	if at, err := time.Parse(time.RFC3339, rec.text(x.expires)); err == nil {
		e.Expires = at.UTC().Format(time.DateOnly)
	}
	if sure := rec.number(x.confidence); sure > 0 && sure < 0.5 || x.low && rec.text(x.sure) == "" {
		e.Confidence = memfile.Low
	}
	return e
}

// scope is where a record goes; "" lets the act choose.
func (x form) scope(rec object) string {
	if x.user == "*" || rec.text(x.user) != "" {
		return userScope
	}
	return ""
}

// entryFile reads an entry in memctl's own form: what agent-cli keeps, whose folders have the same names. It is
// about the person and not about one project.
func (r *reading) entryFile(f File) {
	name := entry.Root + "/" + f.Name
	place, ok := entry.ParsePath(name)
	file, _ := entry.Parse(name, f.Data)
	switch {
	case place.Deleted:
		r.notRead(whyDeleted)
	case !ok || place.Tier == "":
		r.notRead(whyNone)
	case file == nil:
		r.notRead(whyBroken)
	default:
		e := file.Entry()
		e.ReplacedBy, e.Deleted, e.By, e.Locked, e.Pinned, e.Anchors = "", "", "", false, false, nil
		if e.Tier() == entry.Summary {
			e.ID = "" // a conversation has one
		}
		r.add(Row{Entry: e, Line: 1, Last: 1 + strings.Count(strings.TrimRight(string(f.Data), "\n"), "\n"), Kind: e.Tier(), Scope: userScope})
	}
}

// jsonRecord is one record of a JSON input, or a row that says why it cannot be read.
type jsonRecord struct {
	Row
	raw  json.RawMessage
	name string // the member's name, where the records are in an object
}

// jsonRecords finds the records of a JSON input: of an array, of the array or object that is the named member of an object ("*":
// of the object itself), or one a line. Only where nothing at all can be read there is an error.
func jsonRecords(f File, members ...string) (list []jsonRecord, err error) {
	data := bytes.TrimSpace(f.Data)
	if len(data) > 0 && (data[0] == '[' || data[0] == '{' && slices.Contains(members, "*")) {
		return container(f, data)
	}
	var whole map[string]json.RawMessage
	_ = json.Unmarshal(data, &whole) // else it has no members
	found := false
	for _, m := range members {
		if inner := whole[m]; len(inner) > 0 && (inner[0] == '[' || inner[0] == '{') {
			more, err := container(f, inner)
			if err != nil {
				return nil, err
			}
			list, found = append(list, more...), true
		}
	}
	if found {
		return list, nil
	}
	n := 0
	for line := range bytes.Lines(f.Data) {
		n++
		at := jsonRecord{Row: Row{Line: n, Last: n, Kind: partRecord}, raw: bytes.TrimSpace(line)}
		switch {
		case len(at.raw) == 0:
			continue
		case len(at.raw) > maxJSONLine:
			at.Row = at.refused(ruleTooLong, "is a line of more than 1 MB")
		case at.raw[0] != '{' || !json.Valid(at.raw):
			at.Row = at.refused(ruleLineForm, "is not a JSON object")
		}
		list = append(list, at)
	}
	return list, nil
}

// container reads the elements of an array, or the members of an object. data is a part of the file.
func container(f File, data []byte) (list []jsonRecord, err error) {
	line, counted := 1, 0
	lineAt := func(offset int64) int { // of growing offsets
		to := min(max(bytes.Index(f.Data, data), 0)+int(offset), len(f.Data))
		line, counted = line+bytes.Count(f.Data[counted:to], []byte("\n")), to
		return line
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	for err == nil && dec.More() {
		at := jsonRecord{Row: Row{Kind: partRecord}}
		if open == json.Delim('{') {
			name, _ := dec.Token()
			at.name, _ = name.(string)
		}
		offset := dec.InputOffset()
		for offset < int64(len(data)) && bytes.IndexByte([]byte(" \t\r\n,:"), data[offset]) >= 0 {
			offset++
		}
		at.Line = lineAt(offset)
		at.Last = at.Line
		if err = dec.Decode(&at.raw); err == nil {
			list = append(list, at)
		}
	}
	if err == nil {
		_, err = dec.Token()
	}
	if err != nil {
		return nil, unreadable(f.Name, lineAt(dec.InputOffset()), "is broken JSON, or ends too early")
	}
	return list, nil
}
