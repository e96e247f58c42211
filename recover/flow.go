package recovery

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// flow takes a section whose value stands in brackets, over one or more lines.
// Each member of a list becomes an entry of its own; settings are read out of
// what can be read.
func (s *scanner) flow(lines []line, i int, name string) int {
	end, text := flowText(lines, i)
	v, err := memfile.ParseValue(text)
	if err != nil {
		if name == "settings" || name == "saved_memory" {
			for _, l := range lines[i:end] {
				s.flowSettings(l)
			}
			return end
		}
		return i
	}
	switch {
	case v.Kind == memfile.List && name == "deletions":
		was := s.section
		s.section = inDeletions
		s.flowList(v, lines[i])
		s.section = was
	case v.Kind == memfile.List:
		s.flowList(v, lines[i])
	case v.Kind == memfile.Map:
		s.flowMap(name, v, lines[i])
	}
	return end
}

func (s *scanner) flowMap(name string, v memfile.Value, at line) {
	for _, f := range v.Map {
		switch {
		case f.Name == "enabled":
			s.switches.and(switches{enabled: valueBool(f.Value)})
		case f.Name == "announce_writes":
			s.switches.and(switches{announce: valueBool(f.Value)})
		case f.Name == "version":
			s.switches.and(switches{version: readVersion(f.Value.Text)})
		case f.Name == "settings" && f.Value.Kind == memfile.Map:
			s.flowMap("settings", f.Value, at)
		case f.Name == "items" || f.Name == "deletions":
			was := s.section
			s.section = inItems
			if f.Name == "deletions" {
				s.section = inDeletions
			}
			s.flowList(f.Value, at)
			s.section = was
		case name == "items":
			one := memfile.Value{Kind: memfile.Map, Map: []memfile.Field{f}}
			s.flowList(memfile.Value{Kind: memfile.List, List: []memfile.Value{one}}, at)
		}
	}
}

// flowList adds each member as an entry. JSON is YAML, so the member's JSON
// stands for it.
func (s *scanner) flowList(v memfile.Value, at line) {
	for _, m := range v.List {
		text, err := m.MarshalJSON()
		if err != nil {
			continue
		}
		s.addEntry([]line{{n: at.n, indent: at.indent + 2, body: "- " + string(text)}})
	}
}

// flowText joins the lines of a bracketed value, which ends where the brackets
// do or at the first line that cannot belong to it.
func flowText(lines []line, i int) (end int, text string) {
	_, text, _ = field(lines[i].body)
	var b strings.Builder
	b.WriteString(text)
	depth := balance(text)
	end = i + 1
	for depth > 0 && end < len(lines) && !sectionLine(lines[end]) {
		l := lines[end]
		b.WriteString("\n ")
		b.WriteString(l.body)
		depth += balance(l.body)
		end++
	}
	return end, b.String()
}

// balance counts the brackets that stay open, quotes aside: a rough measure,
// since what is read wrongly fails to parse and is named.
func balance(text string) int {
	return strings.Count(text, "[") + strings.Count(text, "{") - strings.Count(text, "]") - strings.Count(text, "}")
}

func valueBool(v memfile.Value) *bool {
	if v.Kind != memfile.Bool {
		return readBool("")
	}
	return readBool(v.Text)
}

// flowSettings finds the two switches inside a line that cannot be parsed as a
// whole. It reports whether there was one.
func (s *scanner) flowSettings(l line) bool {
	if !strings.ContainsAny(l.body, "{,}") {
		return false
	}
	on := flowSwitch(l.body, "enabled")
	loud := flowSwitch(l.body, "announce_writes")
	s.switches.and(switches{enabled: on, announce: loud})
	return on != nil || loud != nil
}

func flowSwitch(body, name string) *bool {
	for rest := body; ; {
		_, after, ok := strings.Cut(rest, name)
		if !ok {
			return nil
		}
		value := strings.TrimLeft(after, "\"' ")
		if strings.HasPrefix(value, ":") {
			value = strings.TrimSpace(value[1:])
			if end := strings.IndexAny(value, ",} \t"); end >= 0 {
				value = value[:end]
			}
			return readBool(value)
		}
		rest = after
	}
}
