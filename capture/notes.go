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
	n := noteFile{form: x, front: object{}, name: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))}
	for name := range front {
		n.front[name], _ = json.Marshal(front.get(name))
	}
	list := chunks(body, first)
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
	scope := n.scope(n.front)
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
			head, lead = unnumbered(c.text), ""
		case c.kind == partRule, c.kind == partComment, c.kind == partOurs:
		case slices.ContainsFunc(x.skip, func(name string) bool { return strings.HasPrefix(strings.ToLower(head), name) }):
			why = whyNone
		case c.kind == partText && endsInColon(c.text) && i+1 < len(list) && list[i+1].kind != partHeading && list[i+1].kind != partText:
			lead, why = strings.TrimRight(c.text, ":："), "it introduces what follows"
		case r.namesFile(c.text):
			why = whyCopy
		case isNavigation(c.text), strings.IndexFunc(c.text, memfile.KeyLetter) < 0:
			why = whyText
		default:
			if c.kind == partText {
				lead = ""
			}
			r.note(x, c, topic, head, lead)
			continue
		}
		r.parts = append(r.parts, Part{File: r.file, Line: c.first, Last: c.last, Kind: c.kind, Why: why})
	}
}

// endsInColon reports whether a text ends in a colon of any script.
func endsInColon(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
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

// chunk is a run of lines of a Markdown file: a heading, a paragraph, code, or a list item with what is below it.
type chunk struct {
	kind        string
	first, last int
	level       int // of a heading
	text        string
}

// chunks takes a text apart, which begins at a line. Each line that is not blank is in one of them.
func chunks(body string, n int) (list []chunk) {
	until, blank := "", true // until: what ends the code, the comment or memctl's part under way
	push := func(kind, text string, level int) {
		list = append(list, chunk{kind: kind, first: n, last: n, level: level, text: text})
	}
	extend := func(text string) {
		at := &list[len(list)-1]
		if at.last = n; len(at.text) <= maxText { // what is longer is refused anyway
			at.text += text
		}
	}
	ends := n + strings.Count(body[:max(0, strings.LastIndex(body, "\n"+oursEnd)+1)], "\n")
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimSpace(line)
		indented := line != strings.TrimLeft(line, " \t")
		level, title := headingOf(text)
		mark, item := bulletOf(text)
		fence := opensFence(text)
		in := len(list) > 0 && (list[len(list)-1].kind == partItem && (indented || !blank) || list[len(list)-1].kind == partText && !blank)
		switch {
		case until != "":
			extend("\n" + line)
			if strings.Trim(text, until[:1]) == "" && strings.HasPrefix(text, until) || until[0] == '-' && strings.Contains(text, until) || until == oursEnd && strings.HasPrefix(text, until) {
				until = ""
			}
		case text == "":
		case strings.HasPrefix(text, oursBegin) && n < ends:
			push(partOurs, "", 0)
			until = oursEnd
		case strings.HasPrefix(text, "<!--"):
			push(partComment, "", 0)
			if !strings.Contains(text, "-->") {
				until = "-->"
			}
		case fence != "" && in:
			extend("\n" + line)
			until = fence
		case fence != "":
			push(partCode, line, 0)
			until = fence
		case !indented && level > 0:
			push(partHeading, title, level)
		case in && !blank && isUnderline(text) && list[len(list)-1].kind == partText && list[len(list)-1].first == n-1:
			extend("")
			at := &list[len(list)-1]
			if at.kind, at.level = partHeading, 2; text[0] == '=' {
				at.level = 1
			}
		case isRule(text):
			push(partRule, "", 0)
		case mark != "" && !(in && indented):
			if mark != "-" {
				item = text // a number stays
			}
			push(partItem, item, 0)
		case in && (mark != "" || text[0] == '|' || text[0] == '>' || strings.Contains(list[len(list)-1].text, "```")):
			extend("\n" + line)
		case in:
			extend(" " + text)
		default:
			push(partText, text, 0)
		}
		blank = text == "" && until == ""
		n++
	}
	return list
}
