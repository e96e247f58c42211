package capture

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// maxField is how many bytes a field may have that each text of a record gets.
const maxField = 2 * maxText

// foreign reads a file of another tool's memory by its forms.
func (r *reading) foreign(f File, list []form) error {
	switch {
	case len(list) == 0:
		r.notRead(f, whyNone)
	case list[0].leave != "":
		r.notRead(f, list[0].leave)
	case list[0].by == asEntries:
		r.entryFile(f)
	case list[0].by != byRecord:
		r.notes(f, list[0])
	default:
		return r.records(f, list)
	}
	return nil
}

// notRead notes a file of a folder that nothing is read from.
func (r *reading) notRead(f File, why string) {
	r.parts = append(r.parts, Part{File: r.file, Kind: partFile, Why: why})
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
	entries, err := r.jsonEntries(f, members...)
	for _, e := range entries {
		rec := object{}
		_ = json.Unmarshal(e.raw, &rec) // what is no object has a value alone
		rec["@name"], _ = json.Marshal(e.name)
		rec["@value"] = e.raw
		last := e.line + strings.Count(strings.TrimSpace(string(e.raw)), "\n")
		if !slices.ContainsFunc(list, func(x form) bool { return r.record(x, rec, e.line, last) }) {
			r.parts = append(r.parts, Part{File: r.file, Line: e.line, Last: last, Kind: partRecord, Why: whyText})
		}
	}
	return err
}

// record makes the facts of a record, and reports whether the record has the form.
func (r *reading) record(x form, rec object, line, last int) bool {
	if slices.Contains(x.skip, rec.text("@name")) {
		r.parts = append(r.parts, Part{File: r.file, Line: line, Last: last, Kind: partRecord, Why: whyNone})
		return true
	}
	for name, raw := range rec {
		if x.each != "" && name != x.each && len(raw) > maxField && (strings.Contains(x.text, name) || slices.Contains(x.tags, name)) { // each text would have it
			r.member(line, last, partRecord, func() { r.skip(line, ruleTooLong, "has a field that is a document") })
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
		text := x.textOf(rec)
		if text == "" || r.over != nil {
			continue
		}
		found = true
		r.member(line, last, partRecord, func() {
			if e := x.entry(rec, text); r.dated(line, &e, rec.text(x.created)) {
				r.addEntry(EntryLine{Line: line, Entry: e, Scope: x.scope(rec)})
			}
		})
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

// entryFile reads an entry that stands in memctl's own form: what agent-cli keeps, whose folders have the same names. It is
// about the person and not about one project.
func (r *reading) entryFile(f File) {
	name := entry.Root + "/" + f.Name
	place, ok := entry.ParsePath(name)
	if place.Deleted {
		r.notRead(f, whyDeleted)
		return
	}
	file, _ := entry.Parse(name, f.Data)
	switch {
	case !ok || place.Tier == "":
		r.notRead(f, whyNone)
		return
	case file == nil:
		r.notRead(f, whyBroken)
		return
	}
	e := file.Entry()
	e.ReplacedBy, e.Deleted, e.By, e.Locked, e.Pinned, e.Anchors = "", "", "", false, false, nil
	if e.Tier() == entry.Summary {
		e.ID = "" // a conversation has one
	}
	last := 1 + strings.Count(strings.TrimRight(string(f.Data), "\n"), "\n")
	r.member(1, last, e.Tier(), func() { r.addEntry(EntryLine{Line: 1, Entry: e, Scope: userScope}) })
}
