package session

import (
	"slices"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

func TestAtMoment(t *testing.T) {
	commands := func(globs ...string) func(*store.Item) { return func(it *store.Item) { it.Commands = globs } }
	paths := func(globs ...string) func(*store.Item) { return func(it *store.Item) { it.Paths = globs } }
	ask := func(it *store.Item) { it.Ask = true }
	agents := func(it *store.Item) { it.By = memfile.ByRelayed }
	push := Action{Command: "make && git push"}
	for name, tt := range map[string]struct {
		project, user []store.Item
		action        Action
		want          []string // the keys; those that ask with a question mark
	}{
		"a command that matches":                       {[]store.Item{item("a.b", commands("git push*"), ask), item("a.c", commands("git pull*"))}, nil, push, []string{"a.b?"}},
		"a command, and a file of that name":           {[]store.Item{item("a.b", paths("git push"))}, nil, push, nil},
		"a file that matches, wherever the session is": {[]store.Item{item("a.b", paths("web/**")), item("a.c", paths("docs"))}, nil, Action{File: "web/css/a.css"}, []string{"a.b"}},
		"a file in a folder":                           {[]store.Item{item("a.b", paths("web"))}, nil, Action{File: "web/a.css"}, []string{"a.b"}},
		"a file beside a folder":                       {[]store.Item{item("a.b", paths("web"))}, nil, Action{File: "webs/a.css"}, nil},
		"the root's own files":                         {[]store.Item{item("a.b", paths("."))}, nil, Action{File: "go.mod"}, []string{"a.b"}},
		"a file below the root":                        {[]store.Item{item("a.b", paths("."))}, nil, Action{File: "cmd/a.go"}, nil},
		"no file":                                      {[]store.Item{item("a.b", paths("**"))}, nil, push, nil},
		"a lesson":                                     {[]store.Item{item("lessons.push", commands("git*"))}, nil, push, []string{"lessons.push"}},
		"one that nobody confirmed":                    {[]store.Item{item("a.b", commands("git*"), conf(memfile.Low))}, nil, push, nil},
		"an agent's asks nobody":                       {[]store.Item{item("a.b", commands("git*"), ask, agents)}, nil, push, []string{"a.b"}},
		"an agent's gives way to a person's":           {[]store.Item{item("a.b", commands("git*"), ask, agents)}, []store.Item{item("a.b")}, push, nil},
		"a wider scope's gives way to a nearer one's":  {[]store.Item{item("a.b")}, []store.Item{item("a.b", commands("git*"))}, push, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range AtMoment([]*store.Memory{in(store.Project, tt.project...), in(store.User, tt.user...)}, Conditions{Today: today, Folder: "elsewhere"}, tt.action) {
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
