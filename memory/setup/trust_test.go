package setup_test

import (
	"errors"
	"fmt"
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/setup"
)

func TestTrust(t *testing.T) {
	yes := func(string) bool { return true }
	no := func(string) bool { return false }
	for name, tt := range map[string]struct {
		from, level string
		kind        string
		ask         func(string) bool
		want        string // the level afterwards
		code        string // of the error
		why         string
	}{
		"a person says yes":               {"", setup.TrustOn, memory.Explicit, yes, setup.TrustOn, "", ""},
		"a person says no":                {"", setup.TrustOn, memory.Explicit, no, setup.TrustOff, "", "not confirmed"},
		"nobody to ask":                   {"", setup.TrustOn, memory.Explicit, nil, setup.TrustOff, "no-terminal", ""},
		"an agent":                        {"", setup.TrustOn, memory.Relayed, yes, setup.TrustOff, "explicit-only", ""},
		"an agent that wants less":        {"true", setup.TrustOff, memory.Relayed, yes, setup.TrustOn, "explicit-only", ""},
		"what is reviewed":                {"", setup.TrustReviewed, memory.Explicit, yes, setup.TrustReviewed, "", ""},
		"less needs no yes":               {"true", setup.TrustReviewed, memory.Explicit, nil, setup.TrustReviewed, "", ""},
		"none needs no yes":               {"reviewed", setup.TrustOff, memory.Explicit, nil, setup.TrustOff, "", ""},
		"more needs one":                  {"reviewed", setup.TrustOn, memory.Explicit, nil, setup.TrustReviewed, "no-terminal", ""},
		"nothing changed":                 {"true", setup.TrustOn, memory.Explicit, nil, setup.TrustOn, "", "nothing changed"},
		"only asked":                      {"reviewed", "", memory.Relayed, nil, setup.TrustReviewed, "", ""},
		"a word that is none is no trust": {"maybe", "", memory.Explicit, nil, setup.TrustOff, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "one")))
			if tt.from != "" {
				b.Git("config", "memctl.trust", tt.from)
			}
			r, err := setup.Trust(t.Context(), b.Open(), setup.TrustRequest{Options: memorytest.From(tt.kind), Level: tt.level, Ask: tt.ask})
			code := ""
			var e *fault.Error
			if errors.As(err, &e) {
				code = e.Code
			}
			after, _ := setup.Trust(t.Context(), b.Open(), setup.TrustRequest{})
			if code != tt.code || r.Why != tt.why || after.Level != tt.want || err == nil && r.Level != tt.want {
				t.Errorf("%q (%q), says %q, now %q; want %q (%q), now %q", code, err, r.Level, after.Level, tt.code, tt.why, tt.want)
			}
		})
	}
}

func TestTrustNeedsARepository(t *testing.T) {
	b := memorytest.New(t)
	var e *fault.Error
	if _, err := setup.Trust(t.Context(), b.Open(), setup.TrustRequest{Options: memorytest.From(memory.Explicit), Level: setup.TrustOn, Ask: func(string) bool { return true }}); !errors.As(err, &e) || e.Code != "not-a-repository" {
		t.Errorf("%v", err)
	}
}

// pullRequest is a clone in which somebody's branch, off the default branch of
// its origin, is checked out, and where what is reviewed is trusted.
func pullRequest(t *testing.T, base, theirs string) *memorytest.Bench {
	t.Helper()
	b := memorytest.Repository(t, base)
	b.Write("AGENTS.md", "be kind\n")
	b.Write("SOUL.md", "be calm\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "context")
	up := filepath.Join(filepath.Dir(b.Root), "up.git")
	b.Git("clone", "-q", "--bare", ".", up)
	b.Git("remote", "add", "origin", up)
	b.Git("fetch", "-q")
	b.Git("remote", "set-head", "origin", "--auto")
	b.Git("checkout", "-q", "-b", "theirs")
	b.Write("memories.md", theirs)
	b.Write("AGENTS.md", "be kind, and also something else\n")
	b.Git("add", ".")
	b.Git("-c", "user.name=Eve", "commit", "-q", "-m", "a pull request")
	b.Git("config", "memctl.trust", "reviewed")
	b.Git("config", "memctl.writes", "project")
	return b
}

func hookKeys(b *memorytest.Bench) string {
	b.T.Helper()
	var keys []string
	for _, bullet := range b.Bootstrap(briefing.BootstrapRequest{Hook: true}).Profile.Bullets {
		keys = append(keys, bullet.Key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// TestReviewed: what somebody's branch adds or changes is not handed to an
// agent, in whatever field it claims more.
func TestReviewed(t *testing.T) {
	base := []string{memorytest.ItemText("a.same", "stays as it is"), memorytest.ItemText("b.medium", "some value", "confidence: medium"), memorytest.ItemText("c.tagged", "a tagged one", "paths: [sub]"),
		memorytest.ItemText("d.old", "ends one day", "expires: 2026-04-01"), memorytest.ItemText("e.low", "not sure", "confidence: low", "tags: [needs-confirmation]")}
	change := func(key, text string) string {
		var list []string
		for _, it := range base {
			if strings.Contains(it, "key: "+key+"\n") {
				it = text
			}
			list = append(list, it)
		}
		return memorytest.FileOf(list...)
	}
	const all = "a.same b.medium d.old"
	for name, tt := range map[string]struct{ theirs, want string }{
		"nothing changed":                     {memorytest.FileOf(base...), all},
		"only a comment changed":              {memorytest.FileOf(base...) + "\nprose\n", all},
		"an item added":                       {memorytest.FileOf(append(slices.Clone(base), memorytest.ItemText("x.new", "theirs"))...), all},
		"a value changed":                     {change("a.same", memorytest.ItemText("a.same", "theirs")), "b.medium d.old"},
		"the confidence raised":               {change("b.medium", memorytest.ItemText("b.medium", "some value")), "a.same d.old"},
		"the confidence lowered":              {change("a.same", memorytest.ItemText("a.same", "stays as it is", "confidence: medium")), all},
		"one pinned":                          {change("a.same", memorytest.ItemText("a.same", "stays as it is", "pinned: true")), "b.medium d.old"},
		"one locked":                          {change("a.same", memorytest.ItemText("a.same", "stays as it is", "locked: true")), "b.medium d.old"},
		"the paths widened":                   {change("c.tagged", memorytest.ItemText("c.tagged", "a tagged one")), all},
		"the day of expiry put off":           {change("d.old", memorytest.ItemText("d.old", "ends one day", "expires: 2036-04-01")), "a.same b.medium"},
		"one confirmed":                       {change("e.low", memorytest.ItemText("e.low", "not sure")), all},
		"one that shadows, under a key twice": {memorytest.FileOf(append(slices.Clone(base), memorytest.ItemText("a.same", "theirs", "updated: 2026-02-01"))...), "b.medium d.old"},
	} {
		t.Run(name, func(t *testing.T) {
			b := pullRequest(t, memorytest.FileOf(base...), tt.theirs)
			if got := hookKeys(b); got != tt.want {
				t.Errorf("an agent is given %q, want %q", got, tt.want)
			}
			r := b.Bootstrap(briefing.BootstrapRequest{Hook: true, Context: []string{"all"}})
			if strings.Contains(r.Text, "something else") || !strings.Contains(r.Text, "be calm") || !strings.Contains(r.Text, "1 context file (see docs/context.md)") {
				t.Errorf("context files:\n%s", r.Text)
			}
			b.Git("config", "memctl.trust", "true")
			if got := b.Bootstrap(briefing.BootstrapRequest{Hook: true, Context: []string{"all"}}).Text; !strings.Contains(got, "something else") {
				t.Error("trusted in full, the branch's own text is withheld")
			}
		})
	}
}

func TestReviewedKnowsThisMachine(t *testing.T) {
	base := memorytest.FileOf(memorytest.ItemText("a.base", "reviewed"))
	b := pullRequest(t, base, memorytest.FileOf(memorytest.ItemText("a.base", "reviewed"), memorytest.ItemText("x.theirs", "theirs")))
	b.Add(memory.Explicit, "m.mine", "written here")
	if got := hookKeys(b); got != "a.base m.mine" {
		t.Errorf("after a write: %q", got)
	}
	b.Write("memories.md", strings.Replace(b.Memory(), "written here", "changed by hand", 1))
	if got := b.Bootstrap(briefing.BootstrapRequest{Hook: true}).Text; hookKeys(b) != "a.base m.mine" || !strings.Contains(got, "written here") || strings.Contains(got, "changed by hand") {
		t.Errorf("a change that nobody is known to have made: %q", got)
	}
	b.Add(memory.Explicit, "n.next", "one more")
	if got := hookKeys(b); got != "a.base m.mine n.next" {
		t.Errorf("after memctl committed the edit: %q", got)
	}
	if _, err := edit.Confirm(t.Context(), b.Open(), edit.ConfirmRequest{Options: memorytest.From(memory.Explicit), Keys: []string{"x.theirs"}}); err != nil {
		t.Fatal(err)
	}
	if got := hookKeys(b); got != "a.base m.mine n.next x.theirs" {
		t.Errorf("after a person confirmed an item that was high already: %q", got)
	}
}

// TestReviewListsWhatIsUnreviewed: keep makes it count.
func TestReviewListsWhatIsUnreviewed(t *testing.T) {
	base := memorytest.FileOf(memorytest.ItemText("a.base", "reviewed"))
	b := pullRequest(t, base, memorytest.FileOf(memorytest.ItemText("a.base", "reviewed"), memorytest.ItemText("x.theirs", "theirs")))
	waiting := b.Waiting()
	if len(waiting) != 1 || waiting[0].Key != "x.theirs" || waiting[0].Why != "unreviewed" {
		t.Fatalf("%+v", waiting)
	}
	if _, err := review.Decide(t.Context(), b.Open(), review.Decision{Options: memorytest.From(memory.Explicit), Waiting: waiting[0], Action: "keep"}); err != nil {
		t.Fatal(err)
	}
	if got := hookKeys(b); got != "a.base x.theirs" || len(b.Waiting()) != 0 {
		t.Errorf("%q is handed out, and %+v waits", got, b.Waiting())
	}
}

// TestReviewedWithoutAnUpstream: only what was written here counts, and the
// warning says what would help.
func TestReviewedWithoutAnUpstream(t *testing.T) {
	b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.base", "committed by somebody")))
	b.Git("config", "memctl.trust", "reviewed")
	b.Add(memory.Explicit, "m.mine", "written here")
	r := b.Bootstrap(briefing.BootstrapRequest{Hook: true})
	if hookKeys(b) != "m.mine" || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "set-head") {
		t.Errorf("%q, %q", hookKeys(b), r.Warnings)
	}
}

// TestRootMarkers: the folder .agent marks a project outside git, from any
// folder below it, and never the home folder.
func TestRootMarkers(t *testing.T) {
	b := memorytest.New(t)
	b.Mkdir(".agent")
	b.Mkdir("deep/below")
	b.Mkdir("marked/.agent")
	b.Mkdir("marked/below")
	b.Write("filed", "")
	for _, tt := range []struct{ dir, home, root string }{
		{".", "", "."},
		{"deep/below", "", "."},
		{"marked/below", "", "marked"},
		{"deep/below", ".", "deep/below"},
		{"deep", "deep", ""},
	} {
		env := map[string]string{}
		if tt.home != "" {
			env["HOME"] = filepath.Join(b.Root, tt.home)
		}
		ss, err := store.Open(t.Context(), store.Env{Dir: filepath.Join(b.Root, tt.dir), Getenv: func(n string) string { return env[n] }})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if tt.root != "" {
			want = filepath.Join(b.Root, tt.root)
		}
		if ss.Root() != want {
			t.Errorf("from %q with home %q: %q, want %q", tt.dir, tt.home, ss.Root(), want)
		}
	}
	if err := os.RemoveAll(filepath.Join(b.Root, ".agent")); err != nil {
		t.Fatal(err)
	}
	ss, err := store.Open(t.Context(), store.Env{Dir: filepath.Join(b.Root, "deep"), Getenv: func(string) string { return "" }})
	if err != nil || ss.Root() != filepath.Join(b.Root, "deep") {
		t.Errorf("without a marker: %q, %v", ss.Root(), err)
	}
}

// An agent.md that memctl cannot use does not turn the list of its agent's skills into all skills.
func TestSkillsOfAnAgentWhoseFileIsLeftOut(t *testing.T) {
	const file = "memories/context/reviewer/agent.md"
	text := "---\ntype: open\nskills: [review]\n---\n"
	for name, tt := range map[string]struct{ trust, reviewed, now, want string }{
		"as reviewed":                         {"reviewed", text, text, "[review]"},
		"changed after the review":            {"reviewed", text, "---\ntype: open\n---\n", "[review]"},
		"added after the review":              {"reviewed", "", text, "[]"},
		"too large":                           {"true", text, text + strings.Repeat("# x\n", 300_000), "[]"},
		"trusted and changed":                 {"true", text, "---\ntype: open\n---\n", "all"},
		"in a repository without trust":       {"false", text, text, "all"},
		"no agent.md":                         {"reviewed", "", "", "all"},
		"no list in the version under review": {"reviewed", "---\ntype: open\n---\n", text, "all"},
	} {
		b := memorytest.Repository(t, memorytest.FileOf(memorytest.ItemText("a.b", "one")))
		if err := os.MkdirAll(filepath.Join(b.Root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if tt.reviewed != "" {
			b.Write(file, tt.reviewed)
		}
		b.Git("add", ".")
		b.Git("commit", "-q", "--allow-empty", "-m", "reviewed")
		b.Git("remote", "add", "origin", ".")
		b.Git("update-ref", "refs/remotes/origin/main", "HEAD")
		b.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
		b.Git("config", "memctl.trust", tt.trust)
		if tt.now != "" {
			b.Write(file, tt.now)
		}
		r, err := memory.SkillReader(t.Context(), b.Open(), "", "reviewer")
		got := "all"
		if len(r.Allow) > 0 {
			got = fmt.Sprint(r.Allow[0].Names)
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: skills %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
