package capture

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/capture/keys"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// The files of ChatCLI's memory folder. Notes of a day stand in 202611/20261121.md.
const (
	chatFacts    = "memory_index.json"
	chatProfile  = "user_profile.json"
	chatTopics   = "topics.json"
	chatProjects = "projects.json"
)

// fact is one fact of ChatCLI's memory_index.json.
type fact struct {
	ID         string   `json:"id"`
	Content    string   `json:"content"`
	Category   string   `json:"category"`
	Tags       []string `json:"tags"`
	Created    loose    `json:"created_at"`
	Confidence float64  `json:"confidence"`
}

// unsure is the confidence of ChatCLI below which a fact is low. 0 is not said.
const unsure = 0.5

// chatFolder reports whether files are those of ChatCLI's memory folder.
func chatFolder(files []File) bool {
	return len(files) > 1 && slices.ContainsFunc(files, func(f File) bool { return f.Name == chatFacts || f.Name == chatProfile })
}

// chatCLI reads one file of ChatCLI's memory: facts with their category and time, the profile of the
// person, topics, projects, and notes of a day.
func (r *reading) chatCLI(f File, all []File) error {
	day, err := time.Parse("20060102", strings.TrimSuffix(path.Base(f.Name), ".md"))
	switch base := path.Base(f.Name); {
	case err == nil:
		r.chatNotes(f, day)
		return nil
	case base == chatProfile:
		return r.chatUser(f)
	case base == chatTopics:
		return r.chatTopics(f)
	case base == chatProjects:
		return r.chatProjects(f)
	case base == indexName:
		r.notRead(f, "ChatCLI makes it of memory_index.json")
		return nil
	case base != chatFacts && chatFolder(all):
		r.notRead(f, "it contains no memory")
		return nil
	}
	return r.chatFacts(f, all)
}

// notRead notes a file of a folder that nothing is read from.
func (r *reading) notRead(f File, why string) {
	r.parts = append(r.parts, Part{File: r.file, Kind: partFile, Why: why})
}

// chatFacts reads facts from an array, or from an object of facts by id.
func (r *reading) chatFacts(f File, all []File) error {
	entries, err := r.jsonEntries(f, ChatCLI, "facts")
	if err != nil {
		return err
	}
	topics := topicsOf(all)
	for _, e := range entries {
		r.memory(e, "fact", func() { r.chatFact(e, topics) })
	}
	return nil
}

func (r *reading) chatFact(e jsonEntry, topics map[string][]string) {
	var x fact
	if !r.unmarshal(e, &x, "content and category") {
		return
	}
	text := strings.TrimSpace(x.Content)
	if text == "" {
		r.skip(e.line, ruleLineForm, "has no content")
		return
	}
	made := entry.Entry{Role: entry.RoleFact, Text: text, Category: x.Category, Labels: labels.Labels{Tags: tagged(x.Tags...)}, Topics: topics[x.ID]}
	if x.Confidence > 0 && x.Confidence < unsure {
		made.Confidence = memfile.Low
	}
	if r.dated(e.line, &made, string(x.Created)) {
		r.addEntry(EntryLine{Line: e.line, Entry: made})
	}
}

// topic is one topic of topics.json.
type topic struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Facts   []string `json:"related_fact_ids"`
	Seen    loose    `json:"last_seen"`
}

// topicsOf are the topics of each fact, by its id.
func topicsOf(all []File) map[string][]string {
	of := map[string][]string{}
	for _, f := range all {
		var list []topic
		if path.Base(f.Name) != chatTopics || json.Unmarshal(f.Data, &list) != nil {
			continue
		}
		for _, t := range list {
			for _, id := range t.Facts {
				of[id] = append(of[id], t.Name)
			}
		}
	}
	return of
}

// chatTopics makes a fact of each topic that says what it is about.
func (r *reading) chatTopics(f File) error {
	entries, err := r.jsonEntries(f, ChatCLI)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var t topic
		if json.Unmarshal(e.raw, &t) == nil && strings.TrimSpace(t.Summary) == "" {
			r.parts = append(r.parts, Part{File: r.file, Line: e.line, Last: e.line, Kind: "topic", Why: "it has no summary, and the facts about it have its name"})
			continue
		}
		r.memory(e, "topic", func() {
			made := entry.Entry{Role: entry.RoleFact, Text: t.Name + ": " + strings.TrimSpace(t.Summary), Category: "context", Topics: []string{t.Name}}
			if r.unmarshal(e, &t, "name and summary") && r.dated(e.line, &made, string(t.Seen)) {
				r.addEntry(EntryLine{Line: e.line, Entry: made})
			}
		})
	}
	return nil
}

// chatUser makes items of the profile, under the keys of `memctl user`.
func (r *reading) chatUser(f File) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(f.Data, &fields) != nil {
		return unreadable(f.Name, 1, "is broken JSON")
	}
	ours := map[string]string{
		"name": "name", "role": "role", "expertise_level": "expertise", "preferred_language": "language", "communication_style": "style",
		"company": "company", "location": "location", "certifications": "certifications", "skills": "skills", "goals": "goals",
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		line := strings.Count(string(f.Data[:max(strings.Index(string(f.Data), `"`+name+`"`), 0)]), "\n") + 1
		var wishes map[string]string
		switch {
		case ours[name] != "":
			r.userItem(line, "user."+ours[name], name, fields[name])
		case name == "preferences" && json.Unmarshal(fields[name], &wishes) == nil:
			for _, wish := range slices.Sorted(maps.Keys(wishes)) {
				text, _ := json.Marshal(wishes[wish])
				r.userItem(line, "user."+cmp.Or(keys.Part(wish), "preference"), wish, text)
			}
		default:
			r.parts = append(r.parts, Part{File: r.file, Line: line, Last: line, Kind: "field", Why: name + " is not about the person"})
		}
	}
	return nil
}

// userItem adds an item whose value is a text or a list. name is what its key is made of.
func (r *reading) userItem(line int, key, name string, raw json.RawMessage) {
	var v memfile.Value
	if json.Unmarshal(raw, &v) == nil && strings.TrimSpace(v.Plain()) != "" {
		c := Candidate{Line: line, Key: key, Value: v, Labels: labels.Labels{Confidence: memfile.Medium}, Scope: userScope}
		c.arrived(memfile.Text{Where: "key", Text: name})
		r.member(line, line, "field", func() { r.add(c) })
	}
}

// chatProjects makes an item of each project, as `memctl projects NAME` writes it.
func (r *reading) chatProjects(f File) error {
	entries, err := r.jsonEntries(f, ChatCLI)
	if err != nil {
		return err
	}
	for _, e := range entries {
		r.memory(e, "project", func() { r.chatProject(e) })
	}
	return nil
}

func (r *reading) chatProject(e jsonEntry) {
	var x struct {
		Name         string   `json:"name"`
		Path         string   `json:"path"`
		Description  string   `json:"description"`
		Status       string   `json:"status"`
		Technologies []string `json:"technologies"`
	}
	if !r.decode(e, &x, "name") {
		return
	}
	key, _ := memfile.NormalKey("projects." + x.Name)
	if !memfile.KeyForm(key) || strings.Count(key, ".") > 1 {
		key = keys.Key("projects", x.Name)
	}
	v := memfile.Value{Kind: memfile.Map}
	for _, field := range [][2]string{
		{"path", x.Path}, {"description", x.Description}, {"status", x.Status}, {"technologies", strings.Join(x.Technologies, ", ")},
	} {
		if field[1] != "" {
			v.Map = append(v.Map, memfile.Field{Name: field[0], Value: memfile.Str(field[1])})
		}
	}
	if x.Name == "" || len(v.Map) == 0 {
		r.skip(e.line, ruleLineForm, "says nothing about a project")
		return
	}
	c := Candidate{Line: e.line, Key: key, Value: v, Labels: labels.Labels{Confidence: memfile.Medium}, Scope: userScope}
	c.arrived(memfile.Text{Where: "key", Text: x.Name})
	r.add(c)
}

// chatNotes makes a note of each section of a day's file, which begins with its time.
func (r *reading) chatNotes(f File, day time.Time) {
	at := regexp.MustCompile(`^## (\d{1,2}):(\d{2})\s*$`)
	made, from := day, 0
	var text []string
	end := func(last int) {
		note := strings.TrimSpace(strings.Join(text, "\n"))
		if note != "" {
			p := Part{File: r.file, Line: from, Last: last, Kind: "note"}
			if r.addEntry(EntryLine{Line: from, Entry: entry.Entry{Role: entry.RoleNote, Text: note, Created: entry.Stamp(made)}}) {
				p.Entry = len(r.entries)
			}
			r.parts = append(r.parts, p)
		} else if from > 0 {
			r.parts = append(r.parts, Part{File: r.file, Line: from, Last: last, Kind: partHeading, Why: "there is no note below it"})
		}
		text, from = nil, 0
	}
	n := 0
	for line := range strings.Lines(string(f.Data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if m := at.FindStringSubmatch(line); m != nil {
			end(n - 1)
			made, from = day, n
			if t, err := time.Parse("15:04", m[1]+":"+m[2]); err == nil {
				made = day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
			}
			continue
		}
		if from == 0 && strings.TrimSpace(line) != "" {
			from = n
		}
		text = append(text, line)
	}
	end(n)
}
