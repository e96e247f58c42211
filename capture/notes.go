package capture

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/capture/keys"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// maxWhole is how many bytes a file has at most that is one fact, less than the policy lets a text have.
const maxWhole = 1800

// notes reads a Markdown file of another tool's memory. Each paragraph, and each list item with what is below
// it, is a fact as it stands there, with the nearest heading and the line with a colon above it in front. What is below a heading
// User goes to the user's store. A file whose front matter has a type is one fact.
func (r *reading) notes(f File, x form) {
	front, body, first := frontMatter(string(f.Data))
	if about := front.get("description"); about != "" && strings.TrimSpace(body) == "" {
		body, first = about, first-1
	}
	r.head(first, whyFile)
	n := noteFile{form: x, at: f.Scope, front: object{}, name: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))}
	for name := range front {
		n.front[name], _ = json.Marshal(front.get(name))
	}
	list := chunksOf(body, first)
	label := ""
	if front.get("type") != "" {
		label = cmp.Or(front.get("name"), n.name)
		if text := strings.TrimSpace(body); text != "" && len(text) <= maxWhole {
			r.note(n, chunk{kind: partText, first: first, last: list[len(list)-1].last, text: text}, "", label, "")
			return
		}
	}
	r.chunks(n, list, label)
}

// noteFile is a Markdown file under way.
type noteFile struct {
	form
	front object
	name  string // without folder and ending
	at    string // the scope that the file's place asks for
}

// note adds the fact of a chunk. head and lead stand above it, and in front of its text.
func (r *reading) note(n noteFile, c chunk, topic, head, lead string) {
	if len(c.text)+len(topic)+len(head)+len(lead) > 2*maxText {
		r.member(c.first, c.last, c.kind, func() { r.skip(c.first, ruleTooLong, "is a document, not an entry of memory") })
		return
	}
	e := entry.Entry{Role: entry.RoleFact, Topics: tagged(topic)}
	if day, err := time.Parse("20060102", n.name); err == nil && n.by == byTime {
		if at, err := time.Parse("15:04", head); err == nil {
			day, head = day.Add(time.Duration(at.Hour()*60+at.Minute())*time.Minute), ""
		}
		e.Role, e.Topics, e.Created = entry.RoleNote, nil, entry.Stamp(day)
	}
	e.Text = strings.Join(tagged(head, lead, c.text), ": ")
	if n.by == byType {
		e.Labels = labels.Labels{Tags: tagged(n.front.text("type"))}
	}
	if n.low && n.front.text(n.sure) == "" {
		e.Confidence = memfile.Low
	}
	scope := cmp.Or(n.scope(n.front), n.at)
	if head != "" && keys.Area(head) == "user" {
		scope = userScope
	}
	r.member(c.first, c.last, c.kind, func() { r.addEntry(EntryLine{Line: c.first, Entry: e, Scope: scope}) })
}

// chunks goes through the chunks of a file and adds those that are facts. label is what stands above all of them.
func (r *reading) chunks(x noteFile, list []chunk, label string) {
	topic, head, lead := x.name, label, ""
	if topic == strings.TrimSuffix(indexName, ".md") {
		topic = "" // it says nothing
	}
	for i, c := range list {
		why := reasons()[c.kind]
		switch {
		case c.kind == partHeading && c.level == 1:
			topic, head, lead = strings.TrimSpace(strings.TrimPrefix(c.text, x.title)), label, ""
		case c.kind == partHeading:
			head, lead = c.text, ""
		case c.kind == partRule, c.kind == partComment, c.kind == partOurs:
		case slices.ContainsFunc(x.skip, func(name string) bool { return strings.HasPrefix(strings.ToLower(head), name) }):
			why = whyNone
		case c.kind == partText && endsInColon(c.text) && i+1 < len(list) && list[i+1].kind != partHeading && list[i+1].kind != partText:
			lead, why = trimLabel(c.text), whyLabel
		case r.namesFile(c.text):
			why = whyCopy
		case onlyLink(c.text), strings.IndexFunc(c.text, memfile.KeyLetter) < 0:
			why = whyText
		default:
			if c.kind == partText {
				lead = ""
			}
			r.note(x, c, topic, head, lead)
			if c.kind != partItem {
				lead = ""
			}
			continue
		}
		r.parts = append(r.parts, Part{File: r.file, Line: c.first, Last: c.last, Kind: c.kind, Why: why, Quiet: quiet(c.kind) || why == whyLabel})
	}
}

// namesFile reports whether a text begins with a link to another file of the folder.
func (r *reading) namesFile(text string) bool {
	if !strings.HasPrefix(text, "[") {
		return false
	}
	_, target, _ := strings.Cut(text, "](")
	target, _, _ = strings.Cut(target, ")")
	return r.files[path.Base(target)]
}

// chunk is a run of lines of a file of notes: a heading, a paragraph, a table, code, or a list item with what is below it.
type chunk struct {
	kind        string
	first, last int
	level       int // of a heading
	text        string
}

// chunksOf takes a text apart, which begins at a line. Each line that is not blank is in one of them.
func chunksOf(body string, first int) (list []chunk) {
	lines := strings.Split(body, "\n")
	raw := func(from, to int) string {
		return "\n" + strings.TrimRight(strings.Join(lines[from-first:to-first+1], "\n"), " \t\r\n")
	}
	item, ours := -1, 0 // the list item under way, and its column
	for _, b := range blocksOf(body, first) {
		n := len(list) - 1
		below := item >= 0 && b.kind != partHeading && b.kind != partRule && b.kind != partOurs && (b.level >= ours+2 || b.near && b.kind != partItem)
		switch {
		case below && b.near && b.kind == partText:
			list[n].text, list[n].last = list[n].text+" "+b.text, b.last
			continue
		case below && b.kind != partComment, n >= 0 && b.near && list[n].kind == b.kind && (b.kind == partTable || b.kind == partQuote):
			if len(list[n].text) <= maxText {
				list[n].text += raw(b.first, b.last)
			}
			list[n].last = b.last
			continue
		}
		c := chunk{kind: b.kind, first: b.first, last: b.last, level: b.level, text: b.text}
		if b.number != "" {
			c.text = b.number + ". " + b.text
		}
		switch b.kind {
		case partTable, partQuote, partCode:
			c.text = strings.TrimSpace(raw(b.first, b.last))
		}
		if item = -1; b.kind == partItem {
			item, ours = len(list), b.level
		}
		list = append(list, c)
	}
	return list
}
