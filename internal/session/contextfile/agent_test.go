package contextfile

import (
	"strings"
	"testing"
)

func TestParseAgent(t *testing.T) {
	for name, tt := range map[string]struct {
		text    string
		want    Agent
		problem string
	}{
		"all fields": {"---\ntype: predefined\ndescription: \"reviews: Go\"\ndelegates: [a, b]\nteam: core\nrole: lead\nskills: [pdf]\nlocked: false\n---\ntext\n",
			Agent{Type: Predefined, Description: "reviews: Go", Delegates: []string{"a", "b"}, Team: "core", Role: "lead", Skills: []string{"pdf"}}, ""},
		"a predefined agent is locked":     {"---\ntype: predefined\n---\n", Agent{Type: Predefined, Locked: true}, ""},
		"an agent without a type is open":  {"---\ndescription: x\n---\n", Agent{Type: Open, Description: "x"}, ""},
		"an open agent can be locked":      {"---\ntype: open\nlocked: true\n---\n", Agent{Type: Open, Locked: true}, ""},
		"names in one string":              {"---\ndelegates: a, b\n---\n", Agent{Type: Open, Delegates: []string{"a", "b"}}, ""},
		"no skills at all":                 {"---\nskills: []\n---\n", Agent{Type: Open, Skills: []string{}}, ""},
		"Windows line ends":                {"---\r\ntype: predefined\r\n---\r\n", Agent{Type: Predefined, Locked: true}, ""},
		"no front matter":                  {"# Agent\n", Agent{Type: Open}, "no front matter"},
		"front matter without an end":      {"---\ntype: open\n", Agent{Type: Open}, "no front matter"},
		"no YAML":                          {"---\ntype: [\n---\n", Agent{Type: Open}, "not valid YAML"},
		"skills in a file that is no YAML": {"---\ntype: [\nskills: [pdf]\n---\n", Agent{Type: Open, Skills: []string{}}, "not valid YAML"},
		"skills that are a map":            {"---\nskills: {a: b}\n---\n", Agent{Type: Open, Skills: []string{}}, "skills must be a list"},
		"another type":                     {"---\ntype: closed\n---\n", Agent{Type: Open}, "type must be open or predefined"},
		"a description that is a list":     {"---\ndescription: [a]\n---\n", Agent{Type: Open}, "description must be text"},
		"delegates that are a map":         {"---\ndelegates: {a: b}\n---\n", Agent{Type: Open}, "delegates must be a list"},
		"a hidden character is taken away": {"---\ndescription: \"a\u200bb\"\n---\n", Agent{Type: Open, Description: "ab"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := ParseAgent("x", []byte(tt.text))
			tt.want.Name = "x"
			if a, b := show(got), show(tt.want); a != b {
				t.Errorf("%s\nwant %s", a, b)
			}
			said := ""
			for _, p := range problems {
				said += p.Message
			}
			if tt.problem == "" && said != "" || !strings.Contains(said, tt.problem) {
				t.Errorf("problems: %q, want %q", said, tt.problem)
			}
		})
	}
}

func show(a Agent) string {
	nothing := ""
	if a.Skills != nil {
		nothing = " skills set"
	}
	return strings.Join([]string{a.Name, a.Type, a.Description, strings.Join(a.Delegates, ","), a.Team, a.Role, strings.Join(a.Skills, ",")}, "|") + nothing + map[bool]string{true: " locked"}[a.Locked]
}

func TestRenderedAgentIsReadBack(t *testing.T) {
	for _, text := range []string{"", "plain", `with "quotes" and \ and: colon # hash`, "{braces}"} {
		a, problems := ParseAgent("x", Agent{Type: Predefined, Description: text}.Render("body\n"))
		if len(problems) > 0 || a.Description != text || a.Type != Predefined {
			t.Errorf("%q: %v %v", text, a, problems)
		}
	}
}

func TestFilesOfAnAgent(t *testing.T) {
	predefined, open := Agent{Type: Predefined}, Agent{Type: Open}
	for name, own := range map[string]bool{"AGENTS.md": true, "SOUL.md": true, "TOOLS.md": true, "IDENTITY.md": true, "HEARTBEAT.md": true, "USER.md": false, "BOOTSTRAP.md": false} {
		if predefined.Owns(name) != own || open.Owns(name) {
			t.Errorf("%s: predefined %t, open %t", name, predefined.Owns(name), open.Owns(name))
		}
	}
}
