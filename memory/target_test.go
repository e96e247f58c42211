package memory_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

// place makes the folder of a session.
type place func(*testing.T) *memorytest.Bench

func plain(memory string) place {
	return func(t *testing.T) *memorytest.Bench {
		b := memorytest.New(t)
		if memory != "" {
			b.Write(memfile.FileName, memory)
		}
		return b
	}
}

func repo(memory string) place {
	return func(t *testing.T) *memorytest.Bench { return memorytest.Repository(t, memory) }
}

func remote(memory string) place {
	return func(t *testing.T) *memorytest.Bench {
		b := memorytest.Repository(t, memory)
		b.Git("remote", "add", "origin", "https://example.com/x.git")
		return b
	}
}

func home(t *testing.T) *memorytest.Bench {
	b := memorytest.New(t)
	b.Env["HOME"] = b.Root
	return b
}

// set is the same place where memctl.autoScope says so.
func set(scope string, at place) place {
	return func(t *testing.T) *memorytest.Bench {
		b := at(t)
		b.Env["MEMCTL_AUTO_SCOPE"] = scope
		return b
	}
}

func alone(t *testing.T) *memorytest.Bench {
	b := memorytest.Repository(t, memfile.Template)
	b.Only = b.Root
	return b
}

func TestWhereAWriteGoes(t *testing.T) {
	damaged := "```yaml\nsaved_memory:\n  items:\n    - key: c.d\n      value: sound\n    - key: [\n```\n"
	for name, tt := range map[string]struct {
		place             place
		origin, key, want string
	}{
		"explicit, a memory file":                      {repo(memfile.Template), memory.Explicit, "a.b", "project"},
		"explicit, a memory file and a remote":         {remote(memfile.Template), memory.Explicit, "a.b", "project"},
		"relayed, a memory file, about answers":        {repo(memfile.Template), memory.Relayed, "a.b", "user"},
		"relayed, no memory file, about answers":       {repo(""), memory.Relayed, "a.b", "user"},
		"explicit, no repository, no file":             {plain(""), memory.Explicit, "a.b", "user"},
		"explicit, no repository, a file":              {plain(memfile.Template), memory.Explicit, "a.b", "project"},
		"automatic, a memory file, no remote":          {repo(memfile.Template), memory.Automatic, "a.b", "project"},
		"automatic, a memory file and a remote":        {remote(memfile.Template), memory.Automatic, "a.b", "private"},
		"automatic, no memory file":                    {repo(""), memory.Automatic, "a.b", "private"},
		"automatic, no memory file, a remote":          {remote(""), memory.Automatic, "a.b", "private"},
		"automatic, no repository, no file":            {plain(""), memory.Automatic, "a.b", "user"},
		"automatic, no repository, a file":             {plain(memfile.Template), memory.Automatic, "a.b", "project"},
		"automatic, the home folder":                   {home, memory.Automatic, "a.b", "user"},
		"explicit, the home folder":                    {home, memory.Explicit, "a.b", "user"},
		"automatic, set to user":                       {set("user", repo(memfile.Template)), memory.Automatic, "a.b", "user"},
		"automatic, set to private":                    {set("private", repo(memfile.Template)), memory.Automatic, "a.b", "private"},
		"automatic, set to project in spite of remote": {set("project", remote(memfile.Template)), memory.Automatic, "a.b", "project"},
		"the setting is not for a person":              {set("private", repo(memfile.Template)), memory.Explicit, "a.b", "project"},
		"the setting is not for what is relayed":       {set("project", repo(memfile.Template)), memory.Relayed, "a.b", "user"},
		"explicit, about the person":                   {repo(memfile.Template), memory.Explicit, "user.name-style", "user"},
		"relayed, about the person":                    {repo(memfile.Template), memory.Relayed, "user.name-style", "user"},
		"automatic, about the person":                  {repo(memfile.Template), memory.Automatic, "user.name-style", "user"},
		"automatic, about the person, set to project":  {set("project", repo(memfile.Template)), memory.Automatic, "user.name-style", "user"},
		"a key that only begins alike":                 {repo(memfile.Template), memory.Explicit, "users.a", "project"},
		"one store alone":                              {alone, memory.Automatic, "a.b", "store"},
		"one store alone, about the person":            {alone, memory.Explicit, "user.name-style", "store"},
		"automatic, somebody's page of that name":      {repo("# Holidays\n"), memory.Automatic, "a.b", "private"},
		"automatic, a damaged memory file":             {repo(damaged), memory.Automatic, "a.b", "project"},
	} {
		t.Run(name, func(t *testing.T) {
			b := tt.place(t)
			w := b.Add(tt.origin, tt.key, "prefer short answers")
			if w.Scope != tt.want || w.Verdict != "accept" || !w.Changed {
				t.Fatalf("it went to %q: %+v; want %q", w.Scope, w, tt.want)
			}
			show, err := view.Show(t.Context(), b.Open(), contents.Person, view.ShowRequest{Scope: tt.want, Patterns: []string{tt.key}})
			if err != nil || len(show.Scopes) != 1 || len(show.Scopes[0].Items) != 1 {
				t.Errorf("%v: it is not there: %+v", err, show)
			}
		})
	}
}

func TestWhereAWriteDoesNotGo(t *testing.T) {
	t.Run("what is about the person never goes to the project", func(t *testing.T) {
		b := memorytest.Repository(t, memfile.Template)
		o := memorytest.From(memory.Explicit)
		o.Scope = store.Project
		w, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: o, Key: "user.name-style", Value: memfile.Str("short")})
		if err != nil || w.Verdict != "refuse" || w.Findings[0].Rule != "scope" || b.Memory() != memfile.Template {
			t.Errorf("%v, %+v", err, w)
		}
	})
	t.Run("a person's write is not passed by somebody's page", func(t *testing.T) {
		b := memorytest.Repository(t, "# Holidays\n")
		_, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: memorytest.From(memory.Explicit), Key: "a.b", Value: memfile.Str("short")})
		if !fault.Is(err, fault.NotAMemoryFile) || b.Memory() != "# Holidays\n" {
			t.Errorf("%v\n%s", err, b.Memory())
		}
	})
	for name, scope := range map[string]string{"a scope beside --store": store.User, "no scope at all": "team"} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.New(t)
			b.Only = b.Root
			o := memorytest.From(memory.Explicit)
			o.Scope = scope
			_, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: o, Key: "a.b", Value: memfile.Str("short")})
			if !fault.Is(err, fault.Scope) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("the private scope outside a repository", func(t *testing.T) {
		b := memorytest.New(t)
		o := memorytest.From(memory.Explicit)
		o.Scope = store.Private
		_, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: o, Key: "a.b", Value: memfile.Str("short")})
		if !fault.Is(err, fault.Scope) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAPrivateStoreIsThisRepositorysAlone(t *testing.T) {
	b := memorytest.Repository(t, "")
	if w := b.Add(memory.Automatic, "a.b", "prefer short answers"); w.Scope != store.Private || w.Commit == nil {
		t.Fatalf("%+v", w)
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("the repository is not clean: %s", status)
	}
	id := b.Git("config", "--local", "memctl.private")
	dir := filepath.Join(filepath.Dir(b.Root), "data", "memctl", "private", id)
	info, err := os.Stat(filepath.Join(dir, memfile.FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", err, info)
	}
	clone := &memorytest.Bench{T: t, Root: filepath.Join(filepath.Dir(b.Root), "clone"), Env: b.Env, Now: b.Now}
	b.Git("clone", "-q", ".", clone.Root)
	st, err := clone.Open().Get(t.Context(), store.Private)
	if err != nil || st.Dir != "" {
		t.Errorf("%v: the clone's private store is %q", err, st.Dir)
	}
	b.Git("config", "memctl.private", "../user")
	if _, err := b.Open().Get(t.Context(), store.Private); !fault.Is(err, fault.Scope) {
		t.Errorf("an id that leads out of the folder was taken: %v", err)
	}
}

// TestAnExplicitWriteNeedsAMemoryFile holds what a person writes out of every other repository,
// where they did not name a scope.
func TestAnExplicitWriteNeedsAMemoryFile(t *testing.T) {
	for name, origin := range map[string]string{"explicit": memory.Explicit, "relayed": memory.Relayed} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, "")
			st, err := memory.Target(t.Context(), b.Open(), "a.b", "run make test before each commit", memorytest.From(origin))
			if origin == memory.Explicit {
				if !fault.Is(err, fault.NoMemoryFile) {
					t.Errorf("%v, want %s", err, fault.NoMemoryFile)
				}
			} else if err != nil || st.Scope != store.Private {
				t.Errorf("%v, %+v, want private", err, st)
			}
		})
	}
}
