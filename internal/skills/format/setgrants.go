package format

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
)

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
