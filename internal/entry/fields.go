package entry

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// fields lists what memctl knows of an entry, in the order of writing. A label that entries do not
// have is not among them.
func (e *Entry) fields() [26]labels.Field {
	return [...]labels.Field{
		{Name: "id", Form: labels.Quoted, At: &e.ID},
		{Name: "role", Form: labels.Role, At: &e.Role},
		{Name: "conversation_id", Form: labels.Quoted, At: &e.Conversation},
		{Name: "created_at", Form: labels.Time, At: &e.Created},
		{Name: "session", Form: labels.Quoted, At: &e.Session},
		{Name: "category", At: &e.Category},
		{Name: "tags", At: &e.Tags},
		{Name: "topics", At: &e.Topics},
		{Name: "source", At: &e.Source},
		{Name: "confidence", Form: labels.Level, At: &e.Confidence},
		{Name: "by", Form: labels.Writer, At: &e.By},
		{Name: "weight", At: &e.Weight},
		{Name: "signals", At: &e.Signals},
		{Name: "seen", Form: labels.Day, At: &e.Seen},
		{Name: "expires", Form: labels.Day, At: &e.Expires},
		{Name: "commands", Form: labels.Globs, At: &e.Commands},
		{Name: "when", At: &e.When},
		{Name: "ask", At: &e.Ask},
		{Name: "pinned", At: &e.Pinned},
		{Name: "locked", At: &e.Locked},
		{Name: "anchors", At: &e.Anchors},
		{Name: "summary_kind", At: &e.SummaryKind},
		{Name: "stale", At: &e.Stale},
		{Name: "replaced_by", Form: labels.Quoted, At: &e.ReplacedBy},
		{Name: "deleted_at", Form: labels.Time, At: &e.Deleted},
		{Name: "reason", At: &e.Reason},
	}
}

// printedFields are the fields as they are written, "" for one that is not.
func (e Entry) printedFields() (texts [26]string) {
	for i, f := range e.fields() {
		switch at := f.At.(type) {
		case *float64:
			if *at != 0 {
				texts[i] = strconv.FormatFloat(*at, 'f', -1, 64)
			}
		case *[]Anchor:
			texts[i] = formatAnchors(*at)
		default:
			field, ok := memfile.WriteField(f)
			switch {
			case ok && (f.Form == labels.Quoted || f.Form == labels.Time):
				texts[i] = doubleQuoted(field.Value.Text)
			case ok:
				texts[i], _ = field.Value.InlineYAML()
			}
		}
	}
	return texts
}

// agentCLIFields are the fields of agent-cli that mean nothing to memctl.
func agentCLIFields() []string {
	return []string{"salience", "source_id", "model", "system_fingerprint", "prompt_tokens", "completion_tokens", "total_tokens",
		"duration_ms", "prompt_ms", "predicted_ms", "prompt_per_second", "predicted_per_second", "cache_tokens"}
}

// readFrontMatter reads the front matter into the entry.
func (f *File) readFrontMatter() {
	known := f.entry.fields()
	for _, x := range f.root.Entries {
		if i := slices.IndexFunc(known[:], func(k labels.Field) bool { return k.Name == x.Key.Text }); i >= 0 {
			f.readField(known[i], x.Value)
			continue
		}
		if !slices.Contains(agentCLIFields(), x.Key.Text) {
			f.report(ruleUnknown, memfile.Warning, x.Key, "memctl does not know this field, and keeps it")
		}
		f.entry.Extra = append(f.entry.Extra, Extra{Name: x.Key.Text, Scalars: appendScalars(x.Value, nil), raw: f.src[x.Start:max(x.Value.End, x.Key.End+1)]})
	}
}

func appendScalars(n *yamltext.Node, list []string) []string {
	if n.Kind == yamltext.Scalar {
		return append(list, n.Text)
	}
	for _, x := range n.Entries {
		if x.Key != nil {
			list = append(list, x.Key.Text)
		}
		list = appendScalars(x.Value, list)
	}
	return list
}

// readField reads a field. The file keeps a text of another form than its field has, and Sanitized does not
// hand it out.
func (f *File) readField(k labels.Field, n *yamltext.Node) {
	if n.IsNull() {
		return
	}
	switch at := k.At.(type) {
	case *float64:
		w, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || w < 0 || math.IsInf(w, 0) || math.IsNaN(w) {
			f.report(ruleFieldType, memfile.Error, n, "weight is not a number of 0 or more")
			return
		}
		*at = w
		return
	case *[]Anchor:
		f.readAnchors(n)
		return
	}
	wrong := memfile.ReadField(k, n)
	text, _ := k.At.(*string)
	switch {
	case wrong.Rule != "":
	case k.Form == labels.Role && !isRole(*text):
		wrong.Message = "role is not one of memory, user, assistant, note, summary, so it counts as memory"
	case k.Form == labels.Time && !isTime(*text):
		wrong.Message = k.Name + " is not a time of the form 2006-01-02T15:04:05Z"
	}
	switch {
	case wrong.Lost:
		f.report(ruleFieldType, memfile.Error, n, wrong.Message)
	case wrong.Message != "":
		f.report(ruleFieldType, memfile.Warning, n, wrong.Message)
	}
	if (k.Form == labels.Quoted || k.Form == labels.Time) && n.Style == yamltext.Plain && isTimeOrNumber(n.Text) {
		f.report(ruleUnquoted, memfile.Warning, n, k.Name+" is not quoted, so other programs do not read it as text and skip the file")
	}
}

// isTimeOrNumber reports whether a YAML 1.1 reader takes a plain scalar for a time
// or a number.
func isTimeOrNumber(s string) bool {
	_, isTime := ParseTime(s)
	return isTime || s != "" && yamltext.TypeOf(s) != yamltext.String || strings.Trim(s, "0123456789_:.") == "" && s != ""
}

// doubleQuoted is a text in double quotes, because other readers would take it for a time or a number.
func doubleQuoted(s string) string {
	if q := yamltext.Quote(s, false); strings.HasPrefix(q, `"`) {
		return q
	}
	return `"` + s + `"` // plain for every reader, so nothing in it needs escaping
}

func (f *File) readAnchors(n *yamltext.Node) {
	if n.Kind != yamltext.List {
		f.report(ruleFieldType, memfile.Error, n, "anchors is not a list")
		return
	}
	for _, x := range n.Entries {
		a := Anchor{}
		if x.Value.Kind == yamltext.Map {
			for _, part := range x.Value.Entries {
				for name, at := range map[string]*string{"path": &a.Path, "commit": &a.Commit, "hash": &a.Hash} {
					if name == part.Key.Text {
						f.readField(labels.Field{Name: name, At: at}, part.Value)
					}
				}
			}
		} else {
			f.readField(labels.Field{Name: "path", At: &a.Path}, x.Value)
		}
		if a.Path != "" {
			f.entry.Anchors = append(f.entry.Anchors, a)
		} else {
			f.report(ruleFieldType, memfile.Error, x.Value, "an anchor has no path")
		}
	}
}

func formatAnchors(list []Anchor) string {
	if len(list) == 0 {
		return ""
	}
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = "{path: " + yamltext.Quote(a.Path, true)
		if a.Commit != "" {
			out[i] += ", commit: " + doubleQuoted(a.Commit)
		}
		if a.Hash != "" {
			out[i] += ", hash: " + doubleQuoted(a.Hash)
		}
		out[i] += "}"
	}
	return "[" + strings.Join(out, ", ") + "]"
}
