package format

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		src     string
		problem string // "" for none
		want    Head
	}{
		"YAML": {src: "---\nname: pdf\ndescription: Read PDF files.\n---\nbody\n", want: Head{Name: "pdf", Description: "Read PDF files."}},
		"JSON": {src: "---\n{\"name\": \"pdf\", \"description\": \"Read PDF files.\", \"disable-model-invocation\": true}\n---\n", want: Head{Name: "pdf", Description: "Read PDF files.", Inactive: true}},
		"a folded description, Windows line ends and a byte order mark": {src: "\ufeff---\r\nname: pdf\r\ndescription: >-\r\n  Read\r\n  PDF files.\r\n---\r\n", want: Head{Name: "pdf", Description: "Read PDF files."}},
		"a private skill":           {src: "---\nname: pdf\ndescription: d\nvisibility: private\nowner: Ada\n---\n", want: Head{Name: "pdf", Description: "d", Visibility: Private, Owner: "Ada"}},
		"no front matter":           {src: "# PDF\n", problem: "has no front matter"},
		"an open front matter":      {src: "---\nname: pdf\n", problem: "no closing ---"},
		"another name":              {src: "---\nname: doc\ndescription: d\n---\n", problem: "differs from the name of its folder"},
		"a name that is a path":     {src: "---\nname: ../pdf\ndescription: d\n---\n", problem: "only letters"},
		"no description":            {src: "---\nname: pdf\n---\n", problem: "has no description"},
		"a long description":        {src: "---\nname: pdf\ndescription: " + strings.Repeat("ä", 1025) + "\n---\n", problem: "has 1025 characters; the limit is 1024"},
		"broken YAML":               {src: "---\nname: pdf\ndescription: a: b\n---\n", problem: "not valid YAML"},
		"broken JSON":               {src: "---\n{\"name\": pdf}\n---\n", problem: "not valid JSON"},
		"a private skill of nobody": {src: "---\nname: pdf\ndescription: d\nvisibility: private\n---\n", problem: "needs an owner"},
		"a grant for nobody":        {src: "---\nname: pdf\ndescription: d\ngrants: [{version: abc}]\n---\n", problem: "either an agent or a user"},
	} {
		t.Run(name, func(t *testing.T) {
			h, problems := ParseHead("pdf", []byte(c.src))
			if c.problem != "" {
				if len(problems) == 0 || !strings.Contains(problems[0].Message, c.problem) {
					t.Fatalf("problems %+v, want %q", problems, c.problem)
				}
				return
			}
			h.Body, h.Grown = 0, 0
			if len(problems) > 0 || h.Name != c.want.Name || h.Description != c.want.Description || h.Inactive != c.want.Inactive || h.Visibility != c.want.Visibility || h.Owner != c.want.Owner {
				t.Errorf("%+v %+v, want %+v", h, problems, c.want)
			}
		})
	}
}

// TestSetGrants adds, replaces and removes grants, and reads them back.
func TestSetGrants(t *testing.T) {
	src := []byte("---\nname: pdf\ndescription: d # stays\nlicense: MIT\n---\n\n# PDF\n")
	added, ok := SetGrants("pdf", src, []Grant{{Agent: "claude", Version: "0123abc"}, {User: "Ada L."}})
	want := "---\nname: pdf\ndescription: d # stays\nlicense: MIT\ngrants:\n  - {agent: claude, version: \"0123abc\"}\n  - {user: Ada L.}\n---\n\n# PDF\n"
	if !ok || string(added) != want {
		t.Fatalf("%v\n%s", ok, added)
	}
	h, problems := ParseHead("pdf", added)
	if len(problems) > 0 || len(h.Grants) != 2 || h.Grants[0] != (Grant{Agent: "claude", Version: "0123abc"}) || h.Grants[1] != (Grant{User: "Ada L."}) {
		t.Errorf("read back: %+v %+v", h.Grants, problems)
	}
	if none, ok := SetGrants("pdf", added, nil); !ok || string(none) != string(src) {
		t.Errorf("without grants:\n%s", none)
	}
	if _, ok := SetGrants("pdf", []byte("---\n{\"name\":\"pdf\",\"description\":\"d\"}\n---\n"), nil); ok {
		t.Error("JSON was changed")
	}
}
