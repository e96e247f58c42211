package entry

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPathsAreThoseOfTheFormat(t *testing.T) {
	at := "2026-11-21T10:03:00.123+01:00"
	for want, e := range map[string]Entry{
		"memories/entries/project/facts/a.md":                                    {ID: "a", Role: RoleFact, Conversation: "project"},
		"memories/entries/talk/turns/user/20261121T090300.123Z__a.md":            {ID: "a", Role: RoleUser, Conversation: "talk", Created: at},
		"memories/entries/talk/turns/assistant/20261121T090300.123Z__a.md":       {ID: "a", Role: RoleAssistant, Conversation: "talk", Created: at},
		"memories/entries/talk/summaries/summary.md":                             {ID: "a", Role: RoleSummary, Conversation: "talk"},
		"memories/notes/2026-11-21/20261121T090300.123Z__a.md":                   {ID: "a", Role: RoleNote, Created: at},
		"memories/entries/deleted/project/facts/a.md":                            {ID: "a", Role: RoleFact, Conversation: "project", ReplacedBy: "b"},
		"memories/notes/deleted/2026-11-21/20261121T090300.123Z__a.md":           {ID: "a", Role: RoleNote, Created: at, Deleted: at},
		"memories/entries/" + Slug("Über uns") + "/facts/" + Slug("A/B") + ".md": {ID: "A/B", Role: RoleFact, Conversation: "Über uns"},
	} {
		got := e.Path()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		p, ok := ParsePath(got)
		if !ok || p.Tier != e.Tier() || p.Deleted != e.IsSuperseded() {
			t.Errorf("%s: read as %+v", got, p)
		}
		if LivePath(DeletedPath(LivePath(got))) != LivePath(got) {
			t.Errorf("%s: deleted and brought back as %s", got, LivePath(DeletedPath(LivePath(got))))
		}
	}
	for _, name := range []string{"memories/x.md", "memories/entries/a/facts/b.txt", "memories.md", "other/entries/a/facts/b.md", "memories/skills/a.md"} {
		if p, ok := ParsePath(name); ok {
			t.Errorf("%s: taken for %+v", name, p)
		}
	}
	if p, _ := ParsePath("memories/entries/talk/deleted/facts/a.md"); !p.Deleted || p.Conversation != "talk" || p.Tier != Fact {
		t.Errorf("agent-cli's older layout: %+v", p)
	}
}

func TestSlugs(t *testing.T) {
	for _, name := range []string{"project", "global", "a.b-c_d", "0", "deleted2", "console"} {
		if Slug(name) != name {
			t.Errorf("%q became %q", name, Slug(name))
		}
	}
	for _, name := range []string{"", "deleted", "con", "com1.x", "nul", ".a", "a.", "A", "a b", "a/b", "..", "ü", strings.Repeat("a", 65), "a\x00b", "\xff"} {
		if s := Slug(name); s == name || !isSlug(s) {
			t.Errorf("%q became %q", name, s)
		}
	}
	if Slug("a b") == Slug("a-b") || Slug("A") == Slug("a") {
		t.Error("two names share a folder")
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"a", "deleted", "..", "Ä ö", "con.txt", strings.Repeat("-", 80)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Slug(s)
		if !isSlug(got) || !utf8.ValidString(got) || Slug(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestContentIDs(t *testing.T) {
	a := ContentID("Use tabs  in\nMakefiles.")
	if a != ContentID(" Use tabs in Makefiles. ") || a == ContentID("use tabs in Makefiles.") {
		t.Error("normal form")
	}
	if ContentID("caf\u00e9") != ContentID("cafe\u0301") {
		t.Error("the same letters in two encodings are two facts")
	}
	if len(a) != 36 || a[14] != '8' || strings.IndexByte("89ab", a[19]) < 0 {
		t.Errorf("%s is no UUID of version 8", a)
	}
	if TimedID("x", "a") == TimedID("y", "a") {
		t.Error("two notes share an id")
	}
}

func TestAnchors(t *testing.T) {
	for text, want := range map[string]string{"a/b.go": "a/b.go", "./a/b.go#L1-L9": "a/b.go#L1-L9", `a\b.go#L4`: "a/b.go#L4", ".github/ci.yml": ".github/ci.yml", "a#L2-3": "a#L2-3"} {
		if a, ok := ParseAnchor(text); !ok || a.Path != want {
			t.Errorf("%q: %+v, %v", text, a, ok)
		}
	}
	for _, text := range []string{"", "..", "../a", "/etc/passwd", "a#L0", "a#L9-L1", "a#Lx", "a\nb", ".", ".git/config", "sub/.GIT/config#L1", ".git./config", "git~1/config"} {
		if a, ok := ParseAnchor(text); ok {
			t.Errorf("%q: taken for %+v", text, a)
		}
	}
	if HashLines("a \r\nb") != HashLines("a\nb\n") || HashLines("a\nb") == HashLines("a\nc") {
		t.Error("hash of lines")
	}
}
