package recovery

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/memfile"
)

// trace is a tombstone as the lines of a damaged list of deletions show it.
type trace struct {
	tomb  memfile.Tombstone
	lines []int
	bare  bool // it begins with a value, so that it is of no key
	noDay bool // no line shows its day
}

// traces reads a region's deletions line by line, whatever their indentation
// and marks: what was forgotten is to stay so, and a character too many or too
// few breaks whole entries of YAML. Lines that were read as items are left out.
func traces(reg region, entries []entry, today string) []trace {
	var items lineSet
	for _, e := range entries {
		if kindOf(e) != anItem {
			continue
		}
		for _, l := range e.lines {
			items.add(l.n)
		}
	}
	s := shown{}
	inside, depth := false, 0 // depth: brackets that are open
	for _, l := range reg.lines {
		l.body = unmarked(l.body)
		text := l.body
		if rest, ok := deletionsLine(l); ok {
			inside, s.open, text, depth = true, false, rest, 0
		} else if name, _, ok := field(l.body); ok && sectionLine(l) && (name == "items" || name == "settings" || name == "saved_memory") {
			inside = false
		}
		if !inside || items.has(l.n) {
			continue
		}
		bracketed := depth > 0 || strings.HasPrefix(text, "[")
		for _, part := range unjoined(text, bracketed) {
			s.line(l.n, part)
		}
		if bracketed {
			depth += balance(text)
			inside = depth > 0 // a list that is closed has nothing below it
		}
	}
	s.list = slices.DeleteFunc(s.list, func(t trace) bool { return t.tomb.Key == "" && t.tomb.Value == nil })
	for i := range s.list {
		if t := &s.list[i]; t.tomb.Removed == "" {
			t.tomb.Removed, t.noDay = today, true
		}
	}
	return s.list
}

// shown are the tombstones that lines show.
type shown struct {
	list []trace
	open bool // the last takes more fields
}

// line takes one line.
func (s *shown) line(n int, text string) {
	_, _, bulleted := bullet(text)
	name, value := damagedField(text)
	if name == "" && bulleted {
		if key := renamedKey(text); key != "" {
			name, value = "key", key
		}
	}
	if rest, ok := strings.CutPrefix(value, "key"); ok && name == "key" && strings.Count(strings.ToLower(text), "key") == 1 && memfile.KeyForm(rest) {
		s.list = append(s.list, trace{tomb: memfile.Tombstone{Key: rest}, lines: []int{n}}) // its colon is lost, if it is not its name
	}
	if name == "" {
		s.open = s.open && !bulleted
		return
	}
	if name == "key" || bulleted || !s.open || name == "value" && s.list[len(s.list)-1].tomb.Value != nil {
		s.list, s.open = append(s.list, trace{bare: bulleted && name == "value"}), true
	}
	s.list[len(s.list)-1].add(n, name, value)
}

// unjoined cuts a line that lost its end where the next entry or field begins,
// and a bracketed one at its brackets and commas.
func unjoined(text string, bracketed bool) []string {
	if bracketed {
		var parts []string
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{},", r) }) {
			if name, _ := damagedField(part); name == "key" {
				part = "- " + part
			}
			parts = append(parts, part)
		}
		return parts
	}
	for _, mark := range []string{" - key:", " - value:", "   removed:", "   reason:"} {
		if i := strings.Index(text, mark); i > 0 {
			return append(unjoined(text[:i], false), unjoined(text[i+1:], false)...)
		}
	}
	return []string{text}
}

func (t *trace) add(n int, name, value string) {
	t.lines = append(t.lines, n)
	switch name {
	case "key":
		t.tomb.Key = value
	case "value":
		v := memfile.Str(value)
		t.tomb.Value = &v
	case "removed":
		t.tomb.Removed = value
	case "reason":
		t.tomb.Reason = value
	}
}

// deletionsLine reports whether a line is the list's name, or was; rest is what
// stands behind it.
func deletionsLine(l line) (rest string, ok bool) {
	body := strings.TrimLeft(l.body, "\"'`:- \t")
	i := 0
	for i < len(body) && (isNameByte(body[i]) && body[i] != '-') {
		i++
	}
	rest = strings.TrimLeft(body[i:], "\"'`: \t")
	return rest, l.indent <= 3 && near(body[:i], "deletions")
}

// fieldMarks are what may stand around a name or a text.
const fieldMarks = "\"'`:=-*+,; \t"

// damagedField tells which field of a tombstone a line is, and its text: name
// is "" where it is none. Marks may be too many or lost, and the name may be
// off by one letter.
func damagedField(text string) (name, value string) {
	text = strings.Trim(text, fieldMarks)
	if key := damagedKey(text); key != "" {
		return "key", key
	}
	for _, name := range []string{"removed", "reason", "value"} {
		rest, ok := after(text, name)
		first, _, _ := strings.Cut(rest, " ")
		switch {
		case !ok, rest == "", name == "removed" && !isDay(first):
		case name == "removed":
			return name, first
		case name == "reason":
			return name, rest
		case !strings.ContainsRune("|>{[&!", rune(rest[0])):
			return name, unescaped(text, rest)
		}
	}
	return "", ""
}

// after is what follows a name, which may be damaged or cut in two.
func after(text, name string) (rest string, ok bool) {
	var word strings.Builder
	for i, c := range text {
		if !strings.ContainsRune(fieldMarks, c) {
			if word.Len() > len(name) {
				break
			}
			word.WriteRune(c)
			continue
		}
		if w := word.String(); w == name || !ok && near(w, name) {
			rest, ok = strings.TrimLeft(text[i:], fieldMarks), true
		}
	}
	return rest, ok
}

// damagedKey is the key in "key: a.b", whatever became of the name and of the
// marks before it.
func damagedKey(text string) string {
	var name strings.Builder
	for _, word := range keyWords(text) {
		if before := name.String(); memfile.KeyForm(word) && (near(before, "key") || strings.Contains("key", before)) {
			return word
		}
		if name.WriteString(strings.ToLower(word)); name.Len() > len("key")+1 {
			return ""
		}
	}
	return ""
}

// keyWords are the words in which a key and its name may be: without the marks
// around them, a number before them, and YAML's anchors and tags.
func keyWords(text string) []string {
	const most = 512 // bytes: longer than any key and what stands before it
	words := strings.FieldsFunc(text[:min(len(text), most)], func(r rune) bool { return strings.ContainsRune("\"'`:=*+,;[]{}()<>| \t", r) })
	for i, w := range words {
		words[i] = strings.Trim(w, "-")
	}
	return slices.DeleteFunc(words, func(w string) bool {
		return w == "" || w[0] == '&' || w[0] == '!' || strings.Trim(w, "0123456789.") == ""
	})
}

// renamedKey is the key in "- id: a.b": a name that tombstones do not have, and
// nothing behind it but a key.
func renamedKey(text string) string {
	_, rest, ok := strings.Cut(text, ":")
	if words := keyWords(text); ok && len(words) == 2 && memfile.KeyForm(words[1]) && len(keyWords(rest)) == 1 {
		return words[1]
	}
	return ""
}

// unescaped is the rest of a line, a quoted one as YAML reads it.
func unescaped(text, rest string) string {
	if i := strings.IndexAny(text, "\"'"); i >= 0 && strings.HasSuffix(text[:i], ": ") {
		if v, err := memfile.ParseValue(text[i:] + text[i:i+1]); err == nil && v.Kind == memfile.String { // whose end mark is trimmed
			return v.Text
		}
	}
	return rest
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// near reports whether a word is another one, or but for one letter that is
// lost, put in or another.
func near(word, want string) bool {
	if len(word) > len(want) {
		word, want = want, word
	}
	i := 0
	for i < len(word) && word[i] == want[i] {
		i++
	}
	switch len(want) - len(word) {
	case 0:
		return i == len(word) || word[i+1:] == want[i+1:]
	case 1:
		return word[i:] == want[i+1:]
	}
	return false
}

// bury adds what the lines show and the entries did not say, and drops what was
// made of the same lines as if they were plain text.
func bury(shown []trace, items []candidate, graves []grave) ([]candidate, []grave) {
	keys, texts := map[string]bool{}, []string{}
	for _, g := range graves {
		keys[g.tomb.Key] = true
		if g.tomb.Value != nil && !g.plain {
			texts = append(texts, memfile.NormalText(g.tomb.Value.Plain()))
		}
	}
	for _, t := range shown {
		if t.tomb.Value != nil {
			text := memfile.NormalText(t.tomb.Value.Plain()) // of which a line is there
			if slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, text) }) || !t.bare && forgottenText(t.tomb) == "" {
				t.tomb.Value = nil
			}
		}
		covers := func(from, to int) bool {
			return slices.ContainsFunc(t.lines, func(n int) bool { return from <= n && n <= to })
		}
		if t.tomb.Key != "" {
			items = slices.DeleteFunc(items, func(c candidate) bool { return c.foreign && covers(c.line, c.end) })
		}
		if t.tomb.Key != "" && keys[t.tomb.Key] {
			t.tomb.Key = ""
		}
		if t.tomb.Key == "" && (t.tomb.Value == nil || !t.bare && len(strings.Fields(t.tomb.Value.Plain())) < 3) {
			continue
		}
		keys[t.tomb.Key] = true
		graves = slices.DeleteFunc(graves, func(g grave) bool { return g.plain && covers(g.line, g.end) })
		items = slices.DeleteFunc(items, func(c candidate) bool { return c.foreign && covers(c.line, c.end) })
		graves = append(graves, grave{tomb: t.tomb, line: t.lines[0], noDay: t.noDay})
	}
	return items, graves
}
