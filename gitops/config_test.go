package gitops

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

// TestConfig reads what git reads: levels, includes, several values.
func TestConfig(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Write(".git/more", "[memctl]\n\tincluded = yes\n")
	b.Git("config", "include.path", "more")
	b.Git("config", "extensions.worktreeConfig", "true")
	b.Git("config", "--worktree", "memctl.here", "only")
	b.Git("config", "memctl.multi", "one")
	b.Git("config", "--add", "memctl.multi", "two\nlines")
	b.Git("config", "branch.Feature.X.remote", "origin")
	file := filepath.Join(b.Root, ".git", "config")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(".git/config", string(data)+"[MemCtl]\n\tBare\n")
	r := findRepo(b)
	c, err := r.Config(background)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][2]string{
		"memctl.included":         {"yes", "local"},
		"memctl.here":             {"only", "worktree"},
		"memctl.multi":            {"two\nlines", "local"},
		"MEMCTL.bare":             {"true", "local"},
		"Branch.Feature.X.Remote": {"origin", "local"},
		"user.name":               {"Ada", "global"},
	} {
		if e, ok := c.Get(key); !ok || e.Value != want[0] || e.Scope != want[1] {
			t.Errorf("%s = %+v, %v; want %q", key, e, ok, want)
		}
	}
	for _, key := range []string{"branch.feature.x.remote", "memctl.nothing", "memctl", "color.ui", "core.fsmonitor"} {
		if e, ok := c.Get(key); ok {
			t.Errorf("%s = %+v, want none", key, e)
		}
	}
	var multi []string
	for _, e := range c.All("memctl.multi") {
		multi = append(multi, e.Value)
	}
	if want := []string{"one", "two\nlines"}; !reflect.DeepEqual(multi, want) {
		t.Errorf("All = %q", multi)
	}
	if got := len(c.All("memctl.")); got != 5 {
		t.Errorf("All with a prefix: %d entries", got)
	}
	if e, _ := c.Get("memctl.included"); !strings.HasSuffix(e.Origin, "more") {
		t.Errorf("origin = %q", e.Origin)
	}
}

// TestHasRemote: a remote has a url; settings for remotes in general do not count.
func TestHasRemote(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Git("config", "remote.pushDefault", "origin")
	has := func() bool {
		c, err := findRepo(b).Config(background)
		if err != nil {
			t.Fatal(err)
		}
		return c.HasRemote()
	}
	if has() {
		t.Error("a remote without one")
	}
	b.Git("remote", "add", "or.igin", "/nowhere")
	if !has() {
		t.Error("no remote")
	}
}

// TestSetConfig writes the repository's own config, whatever the value holds.
func TestSetConfig(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	dir := filepath.Join(gittest.RealTemp(t), "w")
	b.Git("worktree", "add", "-q", dir)
	r := findRepo(b.At(dir))
	for _, value := range []string{"plain", "--global", " spaced ; \"quoted\" # \\ ", "two\nlines", ""} {
		if err := r.SetConfig(background, "memctl.value", value); err != nil {
			t.Fatal(err)
		}
		out := strings.TrimSuffix(b.Git("config", "--local", "-z", "--get-all", "memctl.value"), "\x00")
		if out != value {
			t.Errorf("%q came back as %q", value, out)
		}
	}
	for _, value := range []string{"two", "three"} {
		if err := r.ChangeConfig(background, AddValue, "memctl.value", value); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Git("config", "--local", "--get-all", "memctl.value"); got != "\ntwo\nthree" {
		t.Errorf("after an added value: %q", got)
	}
	if err := r.SetConfig(background, "memctl.value", "one"); err != nil {
		t.Fatal(err)
	}
	if got := b.Git("config", "--local", "--get-all", "memctl.value"); got != "one" {
		t.Errorf("several values became %q", got)
	}
	for _, key := range []string{"--global", "memctl", "", "-x.y", "a.b\nc.d"} {
		if err := r.SetConfig(background, key, "v"); err == nil {
			t.Errorf("%q: no error", key)
		}
	}
	if err := r.SetConfig(background, "memctl.a", "a\x00b"); err == nil {
		t.Error("a NUL was taken")
	}
}

// TestGlobalConfig has nothing of any repository.
func TestGlobalConfig(t *testing.T) {
	b := gittest.NewBox(t)
	b.Git("config", "memctl.local", "x")
	t.Chdir(b.Root)
	t.Setenv("GIT_DIR", filepath.Join(b.Root, ".git"))
	c, err := GlobalConfig(background)
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Get("user.name"); !ok || e.Value != "Ada" || e.Scope != "global" {
		t.Errorf("user.name = %+v, %v", e, ok)
	}
	if e, ok := c.Get("memctl.local"); ok {
		t.Errorf("memctl.local = %+v", e)
	}
}

// TestBlockedAndIdentity: what a doctor asks for.
func TestBlockedAndIdentity(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	r := findRepo(b)
	cfg, err := r.Config(background)
	if err != nil {
		t.Fatal(err)
	}
	if why := r.Blocked(background, cfg.NamesSomebody()); why != "" {
		t.Errorf("Blocked = %q", why)
	}
	if why := r.Blocked(background, false); why != "" {
		t.Errorf("Blocked without settings = %q", why)
	}
	b.Git("config", "user.name", "")
	r = findRepo(b)
	if cfg, err = r.Config(background); err != nil {
		t.Fatal(err)
	}
	if why := r.Blocked(background, cfg.NamesSomebody()); why != WhyNoIdentity {
		t.Errorf("Blocked = %q", why)
	}
	r = findRepo(b)
	r.Lender = func(context.Context) (name, email string) { return "Bo", "bo@example.com" }
	if cfg, err = r.Config(background); err != nil || !cfg.NamesSomebody() {
		t.Errorf("borrowed: %v, %v", cfg, err)
	}
	if out, err := r.Git(background, Call{Args: []string{"var", "GIT_AUTHOR_IDENT"}, Writes: true}); !strings.HasPrefix(string(out), "Bo <bo@example.com> ") {
		t.Errorf("author %q, %v", out, err)
	}
	if v := GitVersion(background); !strings.Contains(v, ".") || strings.Contains(v, " version ") {
		t.Errorf("GitVersion = %q", v)
	}
}

// FuzzParseConfigList: whatever git answers, no panic, and entries are whole.
func FuzzParseConfigList(f *testing.F) {
	f.Add([]byte("local\x00file:.git/config\x00core.bare\nfalse\x00global\x00file:x\x00a.b\x00"))
	f.Add([]byte("local\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for fields, scopes := range map[int]bool{3: true, 2: false} {
			c, err := parseConfigWithOrigins(out, scopes)
			if err == nil && strings.Count(string(out), "\x00") < fields*len(c.entries) {
				t.Errorf("%d entries out of %q", len(c.entries), out)
			}
		}
	})
}

// Git 2.25 does not name the level of a setting, so it is told by the file.
func TestLevelsWithoutGitsHelp(t *testing.T) {
	out := "file:/etc/gitconfig\x00a.b\n1\x00file:/home/ada/.gitconfig\x00a.c\x00file:.git/config\x00a.d\n3\x00" +
		"file:/src/main/.git/config\x00a.e\n4\x00file:/src/main/.git/worktrees/w/config.worktree\x00a.f\n5\x00command line:\x00a.g\n6\x00"
	c, err := parseConfigWithOrigins([]byte(out), false)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range c.entries {
		got += e.Key + "=" + e.Value + " " + e.Scope + "\n"
	}
	if want := "a.b=1 system\na.c=true global\na.d=3 local\na.e=4 local\na.f=5 worktree\na.g=6 command\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestOwnFilesAreReadAgain: after a git of ours that writes, and not at each look.
func TestOwnFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	r := findRepo(b)
	want := func(key, value string) {
		t.Helper()
		if got := r.FileConfig()[key]; got != value {
			t.Errorf("%s = %q, want %q", key, got, value)
		}
	}
	set := func(key, value string) {
		t.Helper()
		if err := r.SetConfig(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	want("test.key", "")
	set("test.key", "one")
	want("test.key", "one")
	b.Git("config", "--file", ".git/config.worktree", "test.key", "own")
	set("extensions.worktreeConfig", "true")
	want("test.key", "own")
	first := r.FileConfig()
	first["test.mark"] = "kept" // shows whether the files were read
	if r.FileConfig()["test.mark"] != "kept" {
		t.Error("files that have not changed were read again")
	}
}

func TestHome(t *testing.T) {
	tests := map[string]struct{ system, home, profile, want string }{
		"HOME counts on Windows too, as in Git Bash":   {"windows", `C:\home`, `C:\Users\ada`, `C:\home`},
		"Windows without HOME has its own variable":    {"windows", "", `C:\Users\ada`, `C:\Users\ada`},
		"elsewhere the variable of Windows is ignored": {"linux", "", `C:\Users\ada`, ""},
	}
	for name, test := range tests {
		env := map[string]string{"HOME": test.home, "USERPROFILE": test.profile}
		if got := homeOn(test.system, func(name string) string { return env[name] }); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
