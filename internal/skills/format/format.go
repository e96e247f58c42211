package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/yamltext"
)

// The limits of a skill's head, in characters and bytes.
const (
	MaxName        = 64
	MaxDescription = 1024
	maxHead        = 16 << 10
)

// FileName is the file that makes a folder a skill.
const FileName = "SKILL.md"

// Who may use a skill.
const (
	Public   = "public"   // everybody
	Private  = "private"  // the owner
	Internal = "internal" // whoever has a grant
)

// Grant lets one agent or one user use an internal skill.
type Grant struct {
	Agent   string `json:"agent,omitempty"`
	User    string `json:"user,omitempty"`
	Version string `json:"version,omitempty"` // the commit whose version the agent gets; "" for the current one
}

// Head is what the front matter of a SKILL.md says.
type Head struct {
	Name        string
	Description string
	Visibility  string
	Owner       string
	Grants      []Grant
	Inactive    bool // no agent is offered it
	Body        int  // where the text after the front matter begins, in bytes
	Grown       int  // where the front matter's closing line begins, in bytes
}

// Problem is one thing that is wrong with a head.
type Problem struct {
	Line    int // 1-based
	Message string
	Hint    string
}

// ParseHead reads the head of a SKILL.md. folder is the name of the skill's folder. The problems
// are those that make agents and memctl leave the skill out; the head has what could be read.
func ParseHead(folder string, src []byte) (Head, []Problem) {
	var h Head
	text, first, problem := h.split(src)
	if problem != nil {
		return h, []Problem{*problem}
	}
	fields, problem := readFields(text, first)
	if problem != nil {
		return h, []Problem{*problem}
	}
	h.fill(fields)
	return h, h.problems(folder, fields)
}

// split finds the front matter: the lines between two lines of three dashes.
func (h *Head) split(src []byte) (text string, first int, problem *Problem) {
	start := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	line, rest, _ := bytes.Cut(src[start:], []byte("\n"))
	if strings.TrimRight(string(line), " \t\r") != "---" {
		return "", 0, &Problem{Line: 1, Message: "has no front matter: its first line must be ---"}
	}
	begin := len(src) - len(rest)
	for at := begin; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if strings.TrimRight(string(src[at:end]), " \t\r\n") == "---" {
			h.Body, h.Grown = end, at
			return string(src[begin:at]), 2, nil
		}
		if at = end; at-begin > maxHead {
			return "", 0, &Problem{Line: 2, Message: fmt.Sprintf("its front matter has more than %d bytes", maxHead)}
		}
	}
	return "", 0, &Problem{Line: 1, Message: "its front matter has no closing ---"}
}

// field is one field of the front matter.
type field struct {
	text string
	list []Grant
	line int
	kind string // text, list or other
}

// readFields reads YAML, or a JSON object.
func readFields(text string, first int) (map[string]field, *Problem) {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") {
		return readJSON(trimmed, first)
	}
	root, err := yamltext.Parse(yamltext.Source{Text: text, To: len(text), Line: first})
	if err != nil {
		line, message := first, err.Error()
		if e, ok := err.(*yamltext.Error); ok {
			line, message = e.Line, e.Message
		}
		return nil, &Problem{Line: line, Message: "its front matter is not valid YAML: " + message, Hint: "put the value in double quotes"}
	}
	fields := map[string]field{}
	if root == nil || root.Kind != yamltext.Map {
		return nil, &Problem{Line: first, Message: "its front matter has no fields", Hint: "write name: and description:"}
	}
	for _, e := range root.Entries {
		f := field{line: e.Key.Line, kind: "other"}
		switch e.Value.Kind {
		case yamltext.Scalar:
			f.kind, f.text = "text", e.Value.Text
		case yamltext.List:
			f.kind = "list"
			for _, g := range e.Value.Entries {
				f.list = append(f.list, Grant{Agent: textOf(g.Value, "agent"), User: textOf(g.Value, "user"), Version: textOf(g.Value, "version")})
			}
		}
		fields[e.Key.Text] = f
	}
	return fields, nil
}

func textOf(n *yamltext.Node, name string) string {
	if v := n.Field(name); v != nil && v.Kind == yamltext.Scalar {
		return v.Text
	}
	return ""
}

func readJSON(text string, first int) (map[string]field, *Problem) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, &Problem{Line: first, Message: "its front matter is not valid JSON: " + err.Error()}
	}
	fields := map[string]field{}
	for name, value := range raw {
		f := field{line: first, kind: "other"}
		var flag bool
		switch {
		case json.Unmarshal(value, &f.text) == nil:
			f.kind = "text"
		case json.Unmarshal(value, &flag) == nil:
			f.kind, f.text = "text", fmt.Sprint(flag)
		case json.Unmarshal(value, &f.list) == nil:
			f.kind = "list"
		}
		fields[name] = f
	}
	return fields, nil
}

func (h *Head) fill(fields map[string]field) {
	h.Name = strings.TrimSpace(fields["name"].text)
	h.Description = strings.TrimSpace(fields["description"].text)
	h.Visibility = strings.ToLower(fields["visibility"].text)
	h.Owner = fields["owner"].text
	h.Grants = fields["grants"].list
	off := strings.ToLower(fields["disable-model-invocation"].text)
	h.Inactive = off == "true" || off == "yes" || strings.EqualFold(fields["active"].text, "false")
}

// problems lists what is wrong with the fields.
func (h *Head) problems(folder string, fields map[string]field) (list []Problem) {
	add := func(name, message, hint string) {
		list = append(list, Problem{Line: max(fields[name].line, 1), Message: message, Hint: hint})
	}
	switch name := fields["name"]; {
	case h.Name == "":
		add("name", "its front matter has no name", "name: "+folder)
	case name.kind != "text" || !isFolderName(h.Name):
		add("name", "its name must have only letters, digits and hyphens", "name: "+folder)
	case utf8.RuneCountInString(h.Name) > MaxName:
		add("name", fmt.Sprintf("its name has more than %d characters", MaxName), "")
	case h.Name != folder:
		add("name", "its name differs from the name of its folder", "name: "+folder)
	}
	switch n := utf8.RuneCountInString(h.Description); {
	case n == 0:
		add("description", "its front matter has no description", "say in a sentence what it does and when to use it")
	case n > MaxDescription:
		add("description", fmt.Sprintf("its description has %d characters; the limit is %d", n, MaxDescription), "move the details below the front matter")
	}
	if !slices.Contains([]string{"", Public, Private, Internal}, h.Visibility) {
		add("visibility", "unknown visibility (use public, private or internal)", "")
	}
	if h.Visibility == Private && h.Owner == "" {
		add("visibility", "a private skill needs an owner", "owner: NAME")
	}
	if g := fields["grants"]; g.kind == "other" || g.kind == "text" && g.text != "" || slices.ContainsFunc(g.list, func(g Grant) bool { return (g.Agent == "") == (g.User == "") }) {
		add("grants", "each grant must name either an agent or a user", "grants: [{agent: claude}]")
	}
	return list
}

// isFolderName reports whether a name can be a folder's on every system and no path.
func isFolderName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '-' && c != '_' && c != '.') {
			return false
		}
	}
	return name != ""
}

// SetGrants returns the text of a SKILL.md with these grants. Every other line stays as it is.
// ok is false where the front matter is JSON or cannot be read: a person edits it then.
func SetGrants(folder string, src []byte, grants []Grant) (next []byte, ok bool) {
	h, problems := ParseHead(folder, src)
	text := string(src)
	if len(problems) > 0 || strings.HasPrefix(strings.TrimSpace(text[strings.Index(text, "\n")+1:]), "{") {
		return nil, false
	}
	from := strings.Index(text, "\n") + 1
	head, tail := text[from:h.Grown], text[h.Grown:]
	root, err := yamltext.Parse(yamltext.Source{Text: head, To: len(head), Line: 2})
	if err != nil || root == nil {
		return nil, false
	}
	eol := "\n"
	if strings.Contains(head, "\r\n") {
		eol = "\r\n"
	}
	var b strings.Builder
	if len(grants) > 0 {
		b.WriteString("grants:" + eol)
	}
	for _, g := range grants {
		b.WriteString("  - " + g.yaml() + eol)
	}
	head = withField(head, root, "grants", b.String())
	return []byte(text[:from] + head + tail), true
}

// withField replaces the lines of a field, or adds them at the end.
func withField(head string, root *yamltext.Node, name, lines string) string {
	i := slices.IndexFunc(root.Entries, func(e yamltext.Entry) bool { return e.Key.Text == name })
	if i < 0 {
		return head + lines
	}
	from, to := root.Entries[i].Start, len(head)
	if i+1 < len(root.Entries) {
		to = root.Entries[i+1].Start
	}
	return head[:from] + lines + head[to:]
}

// yaml is the grant as one line.
func (g Grant) yaml() string {
	name, value := "agent", g.Agent
	if g.User != "" {
		name, value = "user", g.User
	}
	line := "{" + name + ": " + yamltext.Quote(value, true)
	if g.Version != "" {
		line += ", version: " + yamltext.Quote(g.Version, true)
	}
	return line + "}"
}
