package committer

import (
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

// TestSignaturesAreGits compares the lines of authors with those that git makes of the
// same variables. Where git makes none, or another one in the commit, memctl leaves the
// commit to it.
func TestSignaturesAreGits(t *testing.T) {
	b := gittest.NewBox(t)
	for _, c := range []struct {
		name, variable, value string
		own                   bool // memctl makes the line
	}{
		{"a name", "NAME", "Åda L", true},
		{"no name", "NAME", "", false},
		{"a name that is not UTF-8", "NAME", "J\xf6rg", false},
		{"a name with a full stop", "NAME", "Ada L.", false},
		{"an address", "EMAIL", "ada@example.org", true},
		{"no address", "EMAIL", "", false},
		{"seconds with a zone", "DATE", "1700000000 +0230", false},
		{"RFC 3339", "DATE", "2005-04-07T22:13:13+02:00", true},
		{"RFC 3339 too far away", "DATE", "2150-04-07T22:13:13Z", false},
		{"a word", "DATE", "yesterday", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GIT_AUTHOR_DATE", "2023-11-14T22:13:20Z")
			t.Setenv("GIT_AUTHOR_"+c.variable, c.value)
			line, ok := Person{"Ada", "ada@example.com"}.signature("AUTHOR", time.Now())
			if ok != c.own {
				t.Fatalf("%q, made by memctl: %t", line, ok)
			}
			if git, _ := b.Try("var", "GIT_AUTHOR_IDENT"); ok && strings.TrimSpace(git) != line {
				t.Errorf("%q, git: %q", line, git)
			}
		})
	}
}

// TestUnusualBooleans: git reads numbers and nothing at all as booleans, too.
func TestUnusualBooleans(t *testing.T) {
	t.Setenv("GIT_CONFIG_COUNT", "1")
	of := func(key, value string) Settings {
		t.Setenv("GIT_CONFIG_KEY_0", key)
		t.Setenv("GIT_CONFIG_VALUE_0", value)
		c, err := gitops.GlobalConfig(background)
		if err != nil {
			t.Fatal(err)
		}
		return SettingsOf(c)
	}
	for _, value := range []string{"true", "False", "always", "1", "0"} {
		if s := of("core.logallrefupdates", value); s.Git != "" || s.Reflogs != strings.ToLower(value) {
			t.Errorf("core.logAllRefUpdates = %q: %+v", value, s)
		}
	}
	for _, value := range []string{"2", ""} {
		if s := of("core.logallrefupdates", value); s.Git == "" {
			t.Errorf("core.logAllRefUpdates = %q: memctl makes the commit", value)
		}
	}
	if !of("commit.gpgsign", "2").Signed || of("commit.gpgsign", "0").Signed {
		t.Error("commit.gpgSign is not read as git reads it")
	}
}
