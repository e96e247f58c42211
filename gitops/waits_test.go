package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/tests/gittest"
)

// TestWaits: what in the git folder and the environment keeps memctl from committing.
func TestWaits(t *testing.T) {
	minute := func(b *gittest.Box, name string, n int) {
		at := time.Now().Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(filepath.Join(b.Root, ".git", name), at, at); err != nil {
			b.T.Fatal(err)
		}
	}
	draft := func(text string, age int) func(b *gittest.Box) {
		return func(b *gittest.Box) {
			minute(b, "logs/HEAD", -50)
			b.Write(".git/COMMIT_EDITMSG", text)
			minute(b, "COMMIT_EDITMSG", -age)
		}
	}
	const template = "\n# Please enter the commit message for your changes.\n#\n"
	for name, c := range map[string]struct {
		build func(b *gittest.Box)
		env   string
		want  string
	}{
		"nothing":                               {want: ""},
		"an open editor":                        {build: draft(template, 1), want: WhyCommit},
		"an open editor for words of one's own": {build: draft("my words\n"+template, 1), want: WhyCommit},
		"another comment character":             {build: draft("\n; Please enter\n;\n", 1), want: WhyCommit},
		"an editor of 31 minutes ago":           {build: draft(template, 31), want: ""},
		"a commit that has been made":           {build: func(b *gittest.Box) { draft(template, 1)(b); minute(b, "logs/HEAD", 0) }, want: ""},
		"a commit with -m that had nothing":     {build: draft("- my words\n", 1), want: ""},
		"an editor where HEAD has no reflog": {build: func(b *gittest.Box) {
			draft(template, 1)(b)
			minute(b, "refs/heads/main", -2)
			if err := os.RemoveAll(filepath.Join(b.Root, ".git", "logs")); err != nil {
				b.T.Fatal(err)
			}
		}, want: WhyCommit},
		"a commit where HEAD has no reflog": {build: func(b *gittest.Box) {
			draft(template, 1)(b)
			if err := os.RemoveAll(filepath.Join(b.Root, ".git", "logs")); err != nil {
				b.T.Fatal(err)
			}
		}, want: ""},
		"a lock":                       {build: func(b *gittest.Box) { b.Write(".git/index.lock", "") }, want: WhyAtWork},
		"a lock of a commit's editor":  {build: func(b *gittest.Box) { b.Write(".git/index.lock", ""); draft(template, 1)(b) }, want: WhyCommit},
		"an operation":                 {build: func(b *gittest.Box) { b.Git("bisect", "start") }, want: WhyBisect},
		"a hook of a commit":           {env: "GIT_INDEX_FILE=.git/index", want: WhyInside},
		"an alias":                     {env: "GIT_EXEC_PATH=/usr/lib/git-core", want: ""},
		"a shell that exports GIT_DIR": {env: "GIT_DIR=.git", want: ""},
		"another object folder":        {env: "GIT_OBJECT_DIRECTORY=/elsewhere", want: WhyVariables},
		"git bisect run":               {build: func(b *gittest.Box) { b.Git("bisect", "start") }, env: "GIT_EXEC_PATH=/usr/lib/git-core", want: WhyInside},
	} {
		t.Run(name, func(t *testing.T) {
			b := gittest.NewBox(t)
			if c.build != nil {
				c.build(b)
			}
			r := findRepo(b)
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			if got := r.Waits(background, 0); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestWaitsForWhatEndsByItself: a lock that goes is waited for, and one that is old is not.
func TestWaitsForWhatEndsByItself(t *testing.T) {
	b := gittest.NewBox(t)
	b.Write(".git/index.lock", "")
	time.AfterFunc(100*time.Millisecond, func() { _ = os.Remove(filepath.Join(b.Root, ".git", "index.lock")) })
	if got := findRepo(b).Waits(background, time.Minute); got != "" {
		t.Errorf("a lock that is gone: %q", got)
	}
	b.Git("bisect", "start")
	if got := findRepo(b).Waits(background, time.Hour); got != WhyBisect { // without waiting: the tests have no hour
		t.Errorf("an operation that waits for the person: %q", got)
	}
}
