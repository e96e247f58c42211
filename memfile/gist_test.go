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

func TestGistOfTextsThatReadTheSame(t *testing.T) {
	const want = "never deploy the strasse service on fridays"
	for _, text := range []string{
		want, "Never deploy the Straße service on Fridays.", "never deploy the STRASSE service on FRİDAYS", "never dep\u00adloy the strasse service on fri\u200bdays",
		"nеver dерloy the strаsse servicе on fridаys", "never <b>deploy</b> the strasse service on fridays", "<p>never deploy the <i>strasse</i> service on fridays</p>",
		"never <b> deploy </b> the strasse service<br/>on fridays", "never **deploy** the *strasse service* on ~~fridays~~", "ｎｅｖｅｒ deploy the 𝐬𝐭𝐫𝐚𝐬𝐬𝐞 service on fridays",
		"never deploy the strasse service on fri\x00days", "\ufeffnever deploy the strasse service on fridays\u2060", "<b>never <i>deploy</i></b> the <span class=\"x\">strasse</span> service on fridays",
	} {
		if got := Gist(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
		if got := Gist(Gist(text)); got != want {
			t.Errorf("%q: %q at the second time", text, got)
		}
	}
	// Texts that say something else stay apart.
	for _, pair := range [][2]string{
		{"use tabs", "use labs"}, {"use <b> for keys", "use <i> for keys"}, {"show <name> first", "show <key> first"}, {"a <b and c> d", "a d"},
		{"выкатываем по пятницам", "выкатывают по пятницам"}, {"das ist schon fertig", "das ist schön fertig"}, {"2**3 is 8", "23 is 8"}, {"run *.go files", "run .go files"},
		{"version 1 of it", "version l of it"},
	} {
		if a, b := Gist(pair[0]), Gist(pair[1]); a == b {
			t.Errorf("%q and %q are one: %q", pair[0], pair[1], a)
		}
	}
}

func FuzzGist(f *testing.F) {
	f.Add("- [x] **one**. two")
	f.Add("<b>оne</b> ﬁ İ *x* straße <<i>b>")
	f.Fuzz(func(t *testing.T, text string) {
		if g := Gist(text); Gist(g) != g {
			t.Errorf("%q: %q, and of that %q", text, g, Gist(g))
		}
	})
}
