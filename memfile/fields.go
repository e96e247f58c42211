package memfile

import "github.com/memctl/memctl/internal/labels"

// ItemFields lists an item's fields as they are written: in memctl's order, only
// those that are used, unknown ones last.
func ItemFields(it Item) []Field {
	f := append(make(fieldList, 0, 8+len(it.Extra)), Field{"key", Str(it.Key)}, Field{"value", it.Value})
	f.add("added", labels.Day, &it.Added)
	for _, l := range it.Labels.Fields() {
		if l.Name == "seen" {
			f.add("updated", labels.Day, &it.Updated)
		}
		f.add(l.Name, l.Form, l.At)
	}
	return append(f.conflict(it.Conflict), it.Extra...)
}

// TombstoneFields is ItemFields for a tombstone.
func TombstoneFields(t Tombstone) []Field {
	var f fieldList
	f.add("key", labels.Text, &t.Key)
	if t.Value != nil {
		f = append(f, Field{"value", *t.Value})
	}
	f.add("removed", labels.Day, &t.Removed)
	f.add("reason", labels.Text, &t.Reason)
	f.add("hashes", labels.Text, &t.Hashes)
	return append(f.conflict(t.Conflict), t.Extra...)
}

// TombstoneText is a tombstone on one line, by which tombstones of one key are ordered.
func TombstoneText(t Tombstone) string { return flowMap(TombstoneFields(t)) }

// HeadFields lists the day of the last update and the version of a document, those that
// are set.
func HeadFields(d Document) []Field {
	var f fieldList
	f.add("updated", labels.Day, &d.Updated)
	f.add("version", labels.Text, &d.Version)
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

func (f *fieldList) add(name string, form labels.Form, at any) {
	if field, ok := WriteField(labels.Field{Name: name, Form: form, At: at}); ok {
		*f = append(*f, field)
	}
}

// conflict adds the other values of a record.
func (f fieldList) conflict(list []Rival) fieldList {
	v := Value{Kind: List}
	for _, r := range list {
		m := fieldList{{"value", r.Value}}
		m.add("added", labels.Day, &r.Added)
		for _, l := range r.Labels.Fields() {
			if l.Use&labels.OtherValues != 0 {
				m.add(l.Name, l.Form, l.At)
			}
		}
		v.List = append(v.List, Value{Kind: Map, Map: m})
	}
	if len(list) > 0 {
		f = append(f, Field{"conflict", v})
	}
	return f
}
