package session

import (
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

func TestAtMoment(t *testing.T) {
	commands := func(globs ...string) func(*contents.Item) { return func(it *contents.Item) { it.Commands = globs } }
	paths := func(globs ...string) func(*contents.Item) { return func(it *contents.Item) { it.Paths = globs } }
	ask := func(it *contents.Item) { it.Ask = true }
	agents := func(it *contents.Item) { it.By = memfile.ByRelayed }
	push := Action{Command: "make && git push"}
	for name, tt := range map[string]struct {
		project, user []contents.Item
		action        Action
		want          []string // the keys; those that ask with a question mark
	}{
		"a command that matches":                       {[]contents.Item{item("a.b", commands("git push*"), ask), item("a.c", commands("git pull*"))}, nil, push, []string{"a.b?"}},
		"a command, and a file of that name":           {[]contents.Item{item("a.b", paths("git push"))}, nil, push, nil},
		"a file that matches, wherever the session is": {[]contents.Item{item("a.b", paths("web/**")), item("a.c", paths("docs"))}, nil, Action{File: "web/css/a.css"}, []string{"a.b"}},
		"a file in a folder":                           {[]contents.Item{item("a.b", paths("web"))}, nil, Action{File: "web/a.css"}, []string{"a.b"}},
		"a file beside a folder":                       {[]contents.Item{item("a.b", paths("web"))}, nil, Action{File: "webs/a.css"}, nil},
		"the root's own files":                         {[]contents.Item{item("a.b", paths("."))}, nil, Action{File: "go.mod"}, []string{"a.b"}},
		"a file below the root":                        {[]contents.Item{item("a.b", paths("."))}, nil, Action{File: "cmd/a.go"}, nil},
		"no file":                                      {[]contents.Item{item("a.b", paths("**"))}, nil, push, nil},
		"a lesson":                                     {[]contents.Item{item("lessons.push", commands("git*"))}, nil, push, []string{"lessons.push"}},
		"one that nobody confirmed":                    {[]contents.Item{item("a.b", commands("git*"), conf(memfile.Low))}, nil, push, nil},
		"an agent's asks nobody":                       {[]contents.Item{item("a.b", commands("git*"), ask, agents)}, nil, push, []string{"a.b"}},
		"an agent's gives way to a person's":           {[]contents.Item{item("a.b", commands("git*"), ask, agents)}, []contents.Item{item("a.b")}, push, nil},
		"a wider scope's gives way to a nearer one's":  {[]contents.Item{item("a.b")}, []contents.Item{item("a.b", commands("git*"))}, push, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range AtMoment([]*contents.Memory{in(store.Project, tt.project...), in(store.User, tt.user...)}, Conditions{Folder: "elsewhere"}, tt.action) {
				key := r.Key
				if r.Ask {
					key += "?"
				}
				got = append(got, key)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
