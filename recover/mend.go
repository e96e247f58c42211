package recovery

import (
	"encoding/json"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// mend rewrites an entry so that each field can be read: one that is bad
// becomes the string that stands there. It reports whether any was.
func (r *reader) mend(e entry, bad func(chunk) bool) (entry, bool) {
	content, column := e.content()
	base := e.lines[0].indent
	out := entry{place: e.place, section: e.section, plain: e.plain, kind: e.kind, mended: e.mended, doubt: e.doubt}
	seen := map[string]bool{}
	mended := false
	for _, c := range fieldsOf(e, content, column) {
		if seen[c.name] {
			r.dropped = append(r.dropped, c.line.n) // the first stands
			mended = true
			continue
		}
		seen[c.name] = true
		lines := append([]line{c.line}, c.rest...)
		if bad(c) {
			mended = true
			out.doubt = out.doubt || (c.name == "value" && !plainly(c.text()))
			lines = []line{{n: c.line.n, indent: column, body: c.name + ": " + quoteField(c)}}
		}
		for _, l := range lines {
			if len(out.lines) == 0 {
				l = line{n: e.line(), indent: base, body: "- " + strings.Repeat(" ", column-base-2) + l.body}
			}
			out.lines = append(out.lines, l)
		}
	}
	if !mended {
		return e, false
	}
	return out, true
}

// surelyBad reports whether a field on one line is sure to be an error in
// YAML: it begins with a reserved mark, or holds a second colon. That is what
// breaks real files, and to see it costs no parsing.
func surelyBad(c chunk) bool {
	text := c.text()
	if len(c.rest) > 0 || text == "" || !ourField(c.name) {
		return false
	}
	if strings.ContainsRune("`@%", rune(text[0])) {
		return true
	}
	text = uncomment(text)
	return plainly(text) && (strings.Contains(text, ": ") || strings.HasSuffix(text, ":"))
}

// plainly reports whether a text that YAML cannot read says what it means all
// the same: it does where it does not begin as a quoted or bracketed value, of
// which the end went missing.
func plainly(text string) bool {
	return text != "" && !strings.ContainsRune("\"'[{|>&*!", rune(text[0]))
}

// unreadable reports whether a field cannot be read on its own.
func (r *reader) unreadable(c chunk) bool {
	var b strings.Builder
	base := c.line.indent
	for _, l := range append([]line{c.line}, c.rest...) {
		b.WriteString(strings.Repeat(" ", max(0, min(l.indent-base, 200))))
		b.WriteString(l.body)
		b.WriteByte('\n')
	}
	r.budget -= b.Len()
	if r.budget < 0 {
		return true
	}
	v, err := memfile.ParseValue(b.String())
	return err != nil || v.Kind != memfile.Map || len(v.Map) != 1
}

// text is a field's value as it stands, on one line.
func (c chunk) text() string {
	_, text, _ := field(c.line.body)
	if len(c.rest) == 0 {
		return text
	}
	parts := []string{text}
	for _, l := range c.rest {
		if s := strings.TrimSpace(l.body); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// asText reads an entry in our shape without any YAML: the last resort.
func asText(e entry) reading {
	if e.kind != anItem {
		return reading{}
	}
	it := memfile.Item{Labels: labels.Labels{Confidence: memfile.Low}}
	content, column := e.content()
	for _, c := range fieldsOf(e, content, column) {
		text := unquoted(c.text())
		switch c.name {
		case "key":
			it.Key = text
		case "value":
			it.Value = memfile.Str(text)
		case "added":
			it.Added = text
		case "source":
			it.Source = text
		}
	}
	if it.Key == "" {
		return reading{}
	}
	return reading{item: &it, mended: true, doubt: true}
}

// quoteField is a field's text as a YAML string, or as a list of strings where
// the field is one.
func quoteField(c chunk) string {
	text := c.text()
	if c.name != "tags" && c.name != "paths" && c.name != "commands" {
		return quote(unquoted(text))
	}
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '[' || r == ']' }) {
		if part = strings.Trim(strings.TrimSpace(part), "\"'-"); part != "" {
			list = append(list, quote(part))
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// unquoted drops a quote that was opened and never closed, or the other way round.
func unquoted(text string) string {
	for _, q := range []string{"\"", "'"} {
		if strings.Count(text, q) == 1 {
			text = strings.TrimSuffix(strings.TrimPrefix(text, q), q)
		}
	}
	return text
}

// quote writes a string as YAML: a JSON string is one.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return "\"\""
	}
	return string(b)
}
