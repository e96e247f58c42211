package memfile

import (
	"slices"
	"testing"
)

func TestGist(t *testing.T) {
	const want = "line two is the secret plan"
	for _, text := range []string{
		want, "Line Two  is the SECRET plan.", "- line two is the secret plan", "* line two is the secret plan", "> line two is the secret plan",
		"• line two is the secret plan", "**line two is the secret plan**", "\"Line two is the secret plan.\"", "(line two is the secret plan)",
		"“line two is the secret plan”", "  - [ ] line two is the secret plan", "- [x] line two is the secret plan", "12. line two is the secret plan", "3) line two is the secret plan",
		"## line two is the secret plan", "> - **line two is the secret plan**!", "| line two is the secret plan |", "`line two is the secret plan`", "line two is\nthe secret plan", "１. line two is the secret plan",
	} {
		if got := Gist(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"write it in C++": "write it in c++", "C#": "c#", "-5": "-5", "5%": "5%", "2026. was a year": "2026 was a year",
		"1 2 3": "1 2 3", "...": "", "- ": "-", "": "", "line two is the secret plan of three": "line two is the secret plan of three",
	} {
		if got := Gist(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	const reason = "we chose sqlite over postgres because it needs no server"
	for _, text := range []string{
		reason, "We chose SQLite over Postgres, because it needs no server.", "We chose SQLite (over Postgres) because it needs no server",
		"We chose “SQLite” over 'Postgres'; because it needs no server!", "We chose SQLite over Postgres — because it needs no server", "We chose SQLite over Postgres—because it needs no server",
		"We chose SQLite over Postgres - because it needs no server", "We chose SQLite over Postgres: because it needs no server", "We chose SQLite over Postgres. Because it needs no server", "- [x] We chose `SQLite` over Postgres? Because it needs no server",
	} {
		if got := Gist(text); got != reason {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{
		"c++ and c# are two", "it is -1 then", "a.b and x-y", "1,000 of them", "we don't know", "push --force then", "x > 5 there", "x < 5 there", "read .env first", "go test ./... now", "a + b here", "!x is true", "not *.go files", "1–2 of them",
	} {
		if got := Gist(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := Gists("# One\n\n- two\r\n  *three*\n---\n"); !slices.Equal(got, []string{"one", "two", "three", "---"}) {
		t.Errorf("%q", got)
	}
}

func FuzzGist(f *testing.F) {
	f.Add("- [x] **one**. two")
	f.Fuzz(func(t *testing.T, text string) {
		if g := Gist(text); Gist(g) != g {
			t.Errorf("%q: %q, and of that %q", text, g, Gist(g))
		}
	})
}
