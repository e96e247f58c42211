package entry

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/yamltext"
)

// field is one field of the front matter: how it is read, and how it is
// written. written is "" for a field that is not to be there.
type field struct {
	name    string
	read    func(f *File, n *yamltext.Node)
	written func(e *Entry) string
}

// fields lists what memctl knows, in the order of writing.
var fields = sync.OnceValue(func() []field {
	return []field{
		quoted("id", func(e *Entry) *string { return &e.ID }),
		formed("role", "not one of memory, user, assistant, note, summary, so it counts as memory", roleForm, text, func(e *Entry) *string { return &e.Role }),
		quoted("conversation_id", func(e *Entry) *string { return &e.Conversation }),
		formed("created_at", "not a time of the form 2006-01-02T15:04:05Z", timeForm, quoted, func(e *Entry) *string { return &e.Created }),
		quoted("session", func(e *Entry) *string { return &e.Session }),
		text("category", func(e *Entry) *string { return &e.Category }),
		list("tags", func(e *Entry) *[]string { return &e.Tags }),
		list("topics", func(e *Entry) *[]string { return &e.Topics }),
		text("source", func(e *Entry) *string { return &e.Source }),
		formed("confidence", "not low, medium or high, so it counts as low", confidenceForm, text, func(e *Entry) *string { return &e.Confidence }),
		formed("by", "neither relayed nor automatic, so it counts as automatic", byForm, text, func(e *Entry) *string { return &e.By }),
		{"weight", readWeight, writeWeight},
		{"signals", readSignals, writeSignals},
		day("seen", func(e *Entry) *string { return &e.Seen }),
		day("expires", func(e *Entry) *string { return &e.Expires }),
		list("commands", func(e *Entry) *[]string { return &e.Commands }),
		list("when", func(e *Entry) *[]string { return &e.When }),
		flag("ask", func(e *Entry) *bool { return &e.Ask }),
		flag("pinned", func(e *Entry) *bool { return &e.Pinned }),
		flag("locked", func(e *Entry) *bool { return &e.Locked }),
		{"anchors", readAnchors, writeAnchors},
		text("summary_kind", func(e *Entry) *string { return &e.SummaryKind }),
		flag("stale", func(e *Entry) *bool { return &e.Stale }),
		quoted("replaced_by", func(e *Entry) *string { return &e.ReplacedBy }),
		formed("deleted_at", "not a time of the form 2006-01-02T15:04:05Z", timeForm, quoted, func(e *Entry) *string { return &e.Deleted }),
		text("reason", func(e *Entry) *string { return &e.Reason }),
	}
})

// foreign are the fields of agent-cli that mean nothing to memctl.
func foreign() []string {
	return []string{"salience", "source_id", "model", "system_fingerprint", "prompt_tokens", "completion_tokens", "total_tokens",
		"duration_ms", "prompt_ms", "predicted_ms", "prompt_per_second", "predicted_per_second", "cache_tokens"}
}

// fill reads the front matter into the entry.
func (f *File) fill() {
	known := fields()
	for _, x := range f.root.Entries {
		if i := slices.IndexFunc(known, func(k field) bool { return k.name == x.Key.Text }); i >= 0 {
			known[i].read(f, x.Value)
			continue
		}
		if !slices.Contains(foreign(), x.Key.Text) {
			f.report(ruleUnknown, Warning, x.Key, "memctl does not know this field, and keeps it")
		}
		f.entry.Extra = append(f.entry.Extra, Extra{Name: x.Key.Text, Texts: texts(x.Value, nil), raw: f.src[x.Start:max(x.Value.End, x.Key.End+1)]})
	}
}

func texts(n *yamltext.Node, list []string) []string {
	if n.Kind == yamltext.Scalar {
		return append(list, n.Text)
	}
	for _, x := range n.Entries {
		if x.Key != nil {
			list = append(list, x.Key.Text)
		}
		list = texts(x.Value, list)
	}
	return list
}

func isNull(n *yamltext.Node) bool {
	return n.Kind == yamltext.Scalar && n.Style <= yamltext.Plain && yamltext.TypeOf(n.Text) == yamltext.Null
}

func (f *File) scalar(n *yamltext.Node) string {
	if n.Kind != yamltext.Scalar {
		f.report(ruleFieldType, Error, n, "this field must be text, not a list or a map")
		return ""
	}
	if isNull(n) {
		return ""
	}
	return strings.TrimSpace(n.Text)
}

func text(name string, at func(*Entry) *string) field {
	return field{name,
		func(f *File, n *yamltext.Node) { *at(&f.entry) = f.scalar(n) },
		func(e *Entry) string {
			if s := *at(e); s != "" {
				return yamltext.Quote(s, false)
			}
			return ""
		}}
}

// quoted is a text that always stands in double quotes, because other readers
// would take it for a time or a number.
func quoted(name string, at func(*Entry) *string) field {
	return field{name,
		func(f *File, n *yamltext.Node) {
			*at(&f.entry) = f.scalar(n)
			if n.Kind == yamltext.Scalar && n.Style == yamltext.Plain && otherType(n.Text) {
				f.report(ruleUnquoted, Warning, n, name+" is not quoted, so other programs do not read it as text and skip the file")
			}
		},
		func(e *Entry) string {
			if s := *at(e); s != "" {
				return doubleQuoted(s)
			}
			return ""
		}}
}

// formed is a field whose text has one of a few forms. The file keeps another one, and
// Formed does not hand it out.
func formed(name, wrong string, is func(string) bool, kind func(string, func(*Entry) *string) field, at func(*Entry) *string) field {
	k := kind(name, at)
	read := k.read
	k.read = func(f *File, n *yamltext.Node) {
		if read(f, n); !is(*at(&f.entry)) {
			f.report(ruleFieldType, Warning, n, name+" is "+wrong)
		}
	}
	return k
}

// otherType reports whether a YAML 1.1 reader takes a plain scalar for a time
// or a number.
func otherType(s string) bool {
	_, isTime := ParseTime(s)
	return isTime || s != "" && yamltext.TypeOf(s) != yamltext.String || strings.Trim(s, "0123456789_:.") == "" && s != ""
}

func doubleQuoted(s string) string {
	if q := yamltext.Quote(s, false); strings.HasPrefix(q, `"`) {
		return q
	}
	return `"` + s + `"` // plain for every reader, so nothing in it needs escaping
}

func day(name string, at func(*Entry) *string) field {
	return field{name,
		func(f *File, n *yamltext.Node) {
			s := f.scalar(n)
			if s != "" && !isDay(s) {
				f.report(ruleFieldType, Error, n, name+" is not a day of the form 2006-01-02")
				s = ""
			}
			*at(&f.entry) = s
		},
		func(e *Entry) string { return *at(e) }}
}

func flag(name string, at func(*Entry) *bool) field {
	return field{name,
		func(f *File, n *yamltext.Node) {
			s := f.scalar(n)
			*at(&f.entry) = strings.EqualFold(s, "true")
			if s != "" && (n.Style > yamltext.Plain || yamltext.TypeOf(s) != yamltext.Bool) {
				f.report(ruleFieldType, Error, n, name+" is neither true nor false")
				*at(&f.entry) = false
			}
		},
		func(e *Entry) string {
			if *at(e) {
				return "true"
			}
			return ""
		}}
}

func list(name string, at func(*Entry) *[]string) field {
	return field{name,
		func(f *File, n *yamltext.Node) {
			if n.Kind == yamltext.Scalar {
				if s := f.scalar(n); s != "" {
					f.report(ruleFieldType, Warning, n, name+" must be a list, not text")
					*at(&f.entry) = []string{s}
				}
				return
			}
			for _, x := range n.Entries {
				if s := f.scalar(x.Value); n.Kind == yamltext.List && s != "" {
					*at(&f.entry) = append(*at(&f.entry), s)
				}
			}
			if n.Kind == yamltext.Map {
				f.report(ruleFieldType, Error, n, name+" must be a list, not a map")
			}
		},
		func(e *Entry) string { return flowList(*at(e)) }}
}

func flowList(items []string) string {
	if len(items) == 0 {
		return ""
	}
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = yamltext.Quote(s, true)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func readWeight(f *File, n *yamltext.Node) {
	s := f.scalar(n)
	if s == "" {
		return
	}
	w, err := strconv.ParseFloat(s, 64)
	if err != nil || w < 0 || math.IsInf(w, 0) || math.IsNaN(w) {
		f.report(ruleFieldType, Error, n, "weight is not a number of 0 or more")
		return
	}
	f.entry.Weight = w
}

func writeWeight(e *Entry) string {
	if e.Weight == 0 {
		return ""
	}
	return strconv.FormatFloat(e.Weight, 'f', -1, 64)
}

func readSignals(f *File, n *yamltext.Node) {
	s := f.scalar(n)
	if s == "" {
		return
	}
	count, err := strconv.Atoi(s)
	if err != nil || count < 0 {
		f.report(ruleFieldType, Error, n, "signals is not a whole number")
		return
	}
	f.entry.Signals = count
}

func writeSignals(e *Entry) string {
	if e.Signals == 0 {
		return ""
	}
	return strconv.Itoa(e.Signals)
}

func readAnchors(f *File, n *yamltext.Node) {
	if n.Kind != yamltext.List {
		if !isNull(n) {
			f.report(ruleFieldType, Error, n, "anchors is not a list")
		}
		return
	}
	for _, x := range n.Entries {
		a := Anchor{}
		if x.Value.Kind == yamltext.Map {
			for _, part := range x.Value.Entries {
				switch part.Key.Text {
				case "path":
					a.Path = f.scalar(part.Value)
				case "commit":
					a.Commit = f.scalar(part.Value)
				case "hash":
					a.Hash = f.scalar(part.Value)
				}
			}
		} else {
			a.Path = f.scalar(x.Value)
		}
		if a.Path != "" {
			f.entry.Anchors = append(f.entry.Anchors, a)
		} else {
			f.report(ruleFieldType, Error, x.Value, "an anchor has no path")
		}
	}
}

func writeAnchors(e *Entry) string {
	if len(e.Anchors) == 0 {
		return ""
	}
	out := make([]string, len(e.Anchors))
	for i, a := range e.Anchors {
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
