package memfile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

func (r *reader) rivals(e yamltext.Entry, key string) []Rival {
	if e.Value.IsNull() {
		return nil
	}
	if e.Value.Kind != yamltext.List {
		r.fail(e.Value, key, "field-type", "\"conflict\" is not a list", "")
		return nil
	}
	var list []Rival
	for _, entry := range e.Value.Entries {
		if entry.Value.Field("value") == nil {
			r.fail(entry.Value, key, "field-type", "an entry of \"conflict\" is not a map with a \"value\"", "")
			continue
		}
		var v Rival
		for _, f := range entry.Value.Entries {
			r.readRivalField(&v, f, key)
		}
		list = append(list, v)
	}
	return list
}

func (r *reader) readRivalField(v *Rival, e yamltext.Entry, key string) {
	switch e.Key.Text {
	case "value":
		v.Value = ValueOf(e.Value)
	case "added":
		r.read(labels.Day, &v.Added, e, key)
	default:
		if !r.readLabel(&v.Labels, labels.OtherValues, e, key) {
			r.unknown(e, key, "in an entry of \"conflict\"")
		}
	}
}

func (r *reader) readDeletions(n *yamltext.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamltext.List {
		r.damage("shape", n.Start, "\"deletions\" is not a list")
		return
	}
	for _, e := range n.Entries {
		key, value := e.Value.Field("key"), e.Value.Field("value")
		keyed := key != nil && key.Kind == yamltext.Scalar && !key.IsNull() && strings.TrimSpace(key.Text) != ""
		if !keyed && value == nil {
			r.damage("tombstone-shape", e.Start, "a deletion is not a map with a \"key\" or a \"value\"")
			continue
		}
		t := r.readTombstone(e)
		t.Line, t.Column = r.entryPlace(e)
		r.file.doc.Deletions = append(r.file.doc.Deletions, t)
	}
}

func (r *reader) readTombstone(entry yamltext.Entry) Tombstone {
	var t Tombstone
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "key":
			r.read(labels.Text, &t.Key, e, "")
		case "value":
			v := ValueOf(e.Value)
			t.Value = &v
		case "removed":
			r.read(labels.Day, &t.Removed, e, t.Key)
		case "reason":
			r.read(labels.Text, &t.Reason, e, t.Key)
		case "hashes":
			r.read(labels.Text, &t.Hashes, e, t.Key)
		case "conflict":
			t.Conflict = r.rivals(e, t.Key)
		default:
			t.Extra = append(t.Extra, Field{e.Key.Text, ValueOf(e.Value)})
			if !r.misplaced(e, "in a deletion") {
				r.unknown(e, t.Key, "in a deletion")
			}
		}
	}
	if entry.Value.Field("removed") == nil {
		r.warn(entry.Value, t.Key, "field-missing", "the deletion has no \"removed\"", "")
	}
	return t
}

// crossCheck reports what only shows between entries: keys that stand twice,
// and items that were forgotten.
func (r *reader) crossCheck() {
	doc := r.file.doc
	first := make(map[string]int, len(doc.Items))
	tombs := tombstonesByKey(doc)
	for _, it := range doc.Items {
		if line, ok := first[it.Key]; ok {
			r.itemProblem(it, "duplicate-key", fmt.Sprintf("line %d already has this key", line))
		} else {
			first[it.Key] = it.Line
		}
		if t := forgottenBy(tombs[it.Key], it); t != nil {
			r.itemProblem(it, "forgotten", fmt.Sprintf("the item was forgotten (line %d), so agents do not get it", t.Line))
		}
	}
}

func (r *reader) itemProblem(it Item, rule, message string) {
	r.problems = append(r.problems, Problem{Rule: rule, Severity: Error, File: r.file.name, Line: it.Line, Column: it.Column,
		Key: it.Key, Message: message, Hint: "the next write to the key resolves it: memctl add or memctl forget"})
}

// AllowDigest is the digest by which an allowance names a value.
func AllowDigest(v Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return hex.EncodeToString(sum[:4])
}

// AllowMark begins the comment of an allowance, after "# ".
const AllowMark = "memctl:allow"

// readAllowances finds the allowances inside an entry: comments on its lines, and
// on lines below that are indented deeper than its start.
func (r *reader) readAllowances(e yamltext.Entry) (list []Allowance) {
	src, block := r.file.src, r.file.block
	end := block.EntryEnd(e)
	for at := e.Start; at < end; {
		i := strings.Index(src[at:end], AllowMark)
		if i < 0 {
			break
		}
		mark := at + i
		at = mark + len(AllowMark)
		hash := len(strings.TrimRight(src[:mark], " \t")) - 1
		if src[hash] != '#' || !strings.ContainsAny(src[hash-1:hash], " \t\n") || e.Value.IsInScalar(hash) {
			continue
		}
		if words := strings.SplitN(strings.TrimSpace(src[at:block.LineEnd(at)]), " ", 3); len(words) >= 2 {
			words = append(words, "")
			list = append(list, Allowance{Rule: words[0], Digest: words[1], Why: strings.TrimSpace(words[2])})
		}
	}
	return list
}
