package memfile

import (
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

// warn and fail report what is wrong at a node, and is no damage.
func (r *reader) warn(n *yamltext.Node, key, rule, message, hint string) {
	r.report(Warning, n, key, rule, message, hint)
}

func (r *reader) fail(n *yamltext.Node, key, rule, message, hint string) {
	r.report(Error, n, key, rule, message, hint)
}

func (r *reader) report(s Severity, n *yamltext.Node, key, rule, message, hint string) {
	r.problems = append(r.problems, Problem{Rule: rule, Severity: s, File: r.file.name, Line: n.Line, Column: n.Column,
		Key: key, Message: message, Hint: hint})
}

// quoteName repeats a field's name where that can give no secret away.
func quoteName(name string) string {
	if simpleName(name) {
		return strconv.Quote(name)
	}
	return "a field"
}

// readRoot reads the whole block.
func (r *reader) readRoot(root *yamltext.Node) {
	doc := &r.file.doc
	*doc = Document{Version: 1, Settings: AllOn}
	memory := root.Field("saved_memory")
	if memory == nil && r.misspelledHead(root) {
		return
	}
	if memory == nil || memory.Kind != yamltext.Map {
		pos := r.file.fence.ContentStart
		if root != nil {
			pos = root.Start
		}
		r.damage("shape", pos, "the block is not a map that contains the map \"saved_memory\"")
		return
	}
	for _, e := range root.Entries {
		switch e.Key.Text {
		case "saved_memory":
		case "deletions":
			r.readDeletions(e.Value)
		default:
			r.unknownPart(e, 0)
		}
	}
	for _, e := range memory.Entries {
		switch e.Key.Text {
		case "version":
			r.readVersion(e.Value)
		case "updated":
			r.read(labels.Day, &doc.Updated, e, "")
		case "settings":
			r.readSettings(e.Value)
		case "items":
			r.readItems(e.Value)
		case "deletions":
			r.warn(e.Key, "", "deletions-misplaced", "\"deletions\" is inside \"saved_memory\"", "move it to the top level of the block")
			r.readDeletions(e.Value)
		default:
			r.unknownPart(e, 1)
		}
	}
}

// misspelledHead reports a map beside no "saved_memory" that is meant to be it.
func (r *reader) misspelledHead(root *yamltext.Node) bool {
	if root == nil || root.Kind != yamltext.Map {
		return false
	}
	for _, e := range root.Entries {
		if e.Value.Kind == yamltext.Map && MeantHead(e.Key.Text) {
			r.damage("section-name", e.Key.Start, quoteName(e.Key.Text)+": did you mean \"saved_memory\"?")
			return true
		}
	}
	return false
}

func (r *reader) unknown(e yamltext.Entry, key, where string) {
	r.warn(e.Key, key, "unknown-field", "unknown field "+quoteName(e.Key.Text)+" "+where+"; memctl keeps it", "")
}

// unknownPart is unknown for a field that stands where the block's parts do.
func (r *reader) unknownPart(e yamltext.Entry, place int) {
	where := [...]string{"beside \"saved_memory\"", "in \"saved_memory\"", "in \"settings\""}[place]
	if !r.misnamed(e, where) {
		r.unknown(e, "", where)
	}
	unknown := &r.file.doc.Unknown[place]
	*unknown = append(*unknown, Field{e.Key.Text, ValueOf(e.Value)})
}

func (r *reader) readVersion(n *yamltext.Node) {
	v, err := strconv.Atoi(n.Text)
	if n.Kind != yamltext.Scalar || n.Style != yamltext.Plain || err != nil || v < 1 {
		r.fail(n, "", "field-type", "\"version\" is not a positive whole number", "write 1")
		return
	}
	r.file.doc.Version = v
	if v > 1 {
		r.warn(n, "", "newer-version", "a newer memctl wrote this file; this memctl can read it but does not change it", "install a newer memctl")
	}
}

func (r *reader) readSettings(n *yamltext.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamltext.Map {
		r.fail(n, "", "setting-type", "\"settings\" is not a map, so memory counts as disabled", "")
		r.file.doc.Settings = Settings{}
		return
	}
	for _, e := range n.Entries {
		if at := r.file.doc.Settings.Switch(e.Key.Text); at != nil {
			*at = r.setting(e)
		} else {
			r.unknownPart(e, 2)
		}
	}
}

func (r *reader) setting(e yamltext.Entry) bool {
	b, ok := boolOf(e.Value)
	if !ok {
		r.fail(e.Value, "", "setting-type", quoteName(e.Key.Text)+" is neither true nor false, so it counts as false", "write true or false")
	}
	return b
}

func boolOf(n *yamltext.Node) (value, ok bool) {
	if n.Kind != yamltext.Scalar || n.Style != yamltext.Plain || yamltext.TypeOf(n.Text) != yamltext.Bool {
		return false, false
	}
	return n.Text[0] == 't' || n.Text[0] == 'T', true
}

func (r *reader) readItems(n *yamltext.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamltext.List {
		r.damage("shape", n.Start, "\"items\" is not a list")
		return
	}
	r.file.doc.Items = make([]Item, 0, len(n.Entries))
	for _, e := range n.Entries {
		key := e.Value.Field("key")
		if key == nil || key.Kind != yamltext.Scalar || strings.TrimSpace(key.Text) == "" || key.IsNull() {
			r.damage("item-shape", e.Start, "an item is not a map with a \"key\"")
			continue
		}
		if e.Value.Field("removed") != nil && e.Value.Field("value") == nil {
			r.damage("section-name", e.Start, "there is a deletion among the items")
			continue
		}
		it := r.readItem(e, key)
		it.Line, it.Column = r.entryPlace(e)
		r.file.doc.Items = append(r.file.doc.Items, it)
	}
}

// entryPlace is where a list's entry begins: at its dash where it has one.
func (r *reader) entryPlace(e yamltext.Entry) (line, col int) {
	line, col = e.Value.Line, e.Value.Column-(e.Value.Start-e.Start)
	if col < 1 { // the dash stands on a line of its own
		line -= strings.Count(r.file.src[e.Start:e.Value.Start], "\n")
		col = e.Start - strings.LastIndexByte(r.file.src[:e.Start], '\n')
	}
	return line, col
}

func (r *reader) readItem(entry yamltext.Entry, key *yamltext.Node) Item {
	it := Item{Key: key.Text}
	if !KeyForm(it.Key) {
		_, nearest := NormalKey(it.Key)
		hint := ""
		if nearest != "" {
			hint = "the nearest key of that form: " + nearest
		}
		r.warn(key, it.Key, "key-form", "the key does not have the form \"area.name\"", hint)
	}
	value := false
	for _, e := range entry.Value.Entries {
		value = value || e.Key.Text == "value"
		r.readItemField(&it, e)
	}
	if !value {
		r.warn(key, it.Key, "field-missing", "the item has no \"value\"", "")
	}
	for _, name := range []string{"added", "source", "confidence"} {
		if entry.Value.Field(name) == nil {
			r.warn(key, it.Key, "field-missing", "the item has no \""+name+"\"", "")
		}
	}
	if it.Added+it.Source+it.Confidence+it.By == "" && it.Value.Plain() != "" { // somebody edited the file: it may be anybody's word
		it.Source, it.Confidence, it.By = SourceByHand, Medium, ByRelayed
	}
	if it.Confidence == Low && !it.HasTag(TagNeedsConfirmation) {
		r.warn(key, it.Key, "low-unconfirmed", "confidence is low, and the tag \""+TagNeedsConfirmation+"\" is missing", "")
	}
	if r.allowAny {
		it.Allow = r.readAllowances(entry)
	}
	return it
}

func (r *reader) readItemField(it *Item, e yamltext.Entry) {
	switch e.Key.Text {
	case "key":
	case "value":
		it.Value = ValueOf(e.Value)
	case "added":
		r.read(labels.Day, &it.Added, e, it.Key)
	case "updated":
		r.read(labels.Day, &it.Updated, e, it.Key)
	case "conflict":
		it.Conflict = r.rivals(e, it.Key)
	default:
		if r.readLabel(&it.Labels, 0, e, it.Key) {
			return
		}
		it.Extra = append(it.Extra, Field{e.Key.Text, ValueOf(e.Value)})
		if !r.misplaced(e, "in an item") {
			r.unknown(e, it.Key, "in an item")
		}
	}
}

// readLabel reads a field that is a label of the use; false if it is none.
func (r *reader) readLabel(l *labels.Labels, use labels.Use, e yamltext.Entry, key string) bool {
	for _, f := range l.Fields() {
		if f.Name == e.Key.Text && f.Use&use == use {
			r.read(f.Form, f.At, e, key)
			return true
		}
	}
	return false
}

// read reads a field of a record, and reports what is wrong with it.
func (r *reader) read(form labels.Form, at any, e yamltext.Entry, key string) {
	wrong := ReadField(labels.Field{Name: e.Key.Text, Form: form, At: at}, e.Value)
	switch wrong.Rule {
	case "":
	case "field-day", "field-empty":
		r.warn(e.Value, key, wrong.Rule, wrong.Message, wrong.Hint)
	default:
		r.fail(e.Value, key, wrong.Rule, wrong.Message, wrong.Hint)
	}
}
