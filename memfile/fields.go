package memfile

import (
	"strconv"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

// ItemFields lists an item's fields as they are written: in memctl's order, only
// those that are used, unknown ones last. A day is a Number here, which is how
// the printer knows that it stands plain.
func ItemFields(it Item) []Field {
	f := append(make(fieldList, 0, 8+len(it.Extra)), Field{"key", Str(it.Key)}, Field{"value", it.Value})
	f.day("added", it.Added)
	for _, l := range it.Labels.Fields() {
		if l.Name == "seen" {
			f.day("updated", it.Updated)
		}
		f.label(l)
	}
	f.rivals(it.Conflict)
	return append(f, it.Extra...)
}

// TombstoneFields is ItemFields for a tombstone.
func TombstoneFields(t Tombstone) []Field {
	var f fieldList
	f.text("key", t.Key)
	if t.Value != nil {
		f = append(f, Field{"value", *t.Value})
	}
	f.day("removed", t.Removed)
	f.text("reason", t.Reason)
	f.texts("hashes", t.Hashes)
	f.rivals(t.Conflict)
	return append(f, t.Extra...)
}

// TombstoneText is a tombstone on one line, by which tombstones of one key are ordered.
func TombstoneText(t Tombstone) string { return flowMap(TombstoneFields(t)) }

// HeadFields lists the day of the last update and the version of a document, those that
// are set.
func HeadFields(d Document) []Field {
	var f fieldList
	f.day("updated", d.Updated)
	f.count("version", d.Version)
	return f
}

// SettingFields lists all settings.
func SettingFields(s Settings) (list []Field) {
	for _, sw := range s.Switches() {
		list = append(list, Field{sw.Name, boolValue(*sw.At)})
	}
	return list
}

type fieldList []Field

func (f *fieldList) label(l labels.Field) {
	switch at := l.At.(type) {
	case *bool:
		f.flag(l.Name, *at)
	case *int:
		f.count(l.Name, *at)
	case *[]string:
		f.texts(l.Name, *at)
	case *string:
		if l.Form == labels.Day {
			f.day(l.Name, *at)
		} else {
			f.text(l.Name, *at)
		}
	}
}

func (f *fieldList) text(name, s string) {
	if s != "" {
		*f = append(*f, Field{name, Str(s)})
	}
}

func (f *fieldList) day(name, s string) {
	if s != "" {
		*f = append(*f, Field{name, dayValue(s)})
	}
}

func dayValue(s string) Value {
	if yamltext.IsDay(s) {
		return Value{Kind: Number, Text: s}
	}
	return Str(s)
}

func (f *fieldList) count(name string, n int) {
	if n != 0 {
		*f = append(*f, Field{name, Value{Kind: Number, Text: strconv.Itoa(n)}})
	}
}

func (f *fieldList) flag(name string, b bool) {
	if b {
		*f = append(*f, Field{name, boolValue(b)})
	}
}

func boolValue(b bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(b)} }

func (f *fieldList) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	v := Value{Kind: List}
	for _, s := range list {
		v.List = append(v.List, Str(s))
	}
	*f = append(*f, Field{name, v})
}

func (f *fieldList) rivals(list []Rival) {
	if len(list) == 0 {
		return
	}
	v := Value{Kind: List}
	for _, r := range list {
		m := fieldList{{"value", r.Value}}
		m.day("added", r.Added)
		m.text("source", r.Source)
		m.text("confidence", r.Confidence)
		m.text("by", r.By)
		m.count("signals", r.Signals)
		m.day("seen", r.Seen)
		v.List = append(v.List, Value{Kind: Map, Map: m})
	}
	*f = append(*f, Field{"conflict", v})
}
