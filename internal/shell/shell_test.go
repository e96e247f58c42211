package shell

import (
	"os/exec"
	"testing"
)

func TestQuote(t *testing.T) {
	t.Setenv("MSYSTEM", "MINGW64") // Git Bash, on Windows
	tests := map[string]struct{ text, want string }{
		"an empty text needs quotes":           {"", "''"},
		"a plain path stays":                   {"/home/ada/a_b-1.md", "/home/ada/a_b-1.md"},
		"a branch and a key stay":              {"origin/main@v1:a=b,c+d%", "origin/main@v1:a=b,c+d%"},
		"a space needs quotes":                 {"a b", "'a b'"},
		"an apostrophe ends the quotes":        {"it's", `'it'\''s'`},
		"an expansion needs quotes":            {"$HOME`id`", "'$HOME`id`'"},
		"a comment needs quotes":               {"#1", "'#1'"},
		"a home folder needs quotes":           {"~/x", "'~/x'"},
		"letters that are no ASCII are quoted": {"größe", "'größe'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Quote(test.text); got != test.want {
				t.Errorf("Quote(%q) = %s, want %s", test.text, got, test.want)
			}
		})
	}
	if got := QuoteAlways("a"); got != "'a'" {
		t.Errorf("QuoteAlways(a) = %s", got)
	}
}

// FuzzQuote asks a real shell what it reads.
func FuzzQuote(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no shell")
	}
	f.Setenv("MSYSTEM", "MINGW64")
	for _, text := range []string{"", "a", "it's", "-n", "$x `y` \\ \" '", "two\nlines", "*?[a]{b,c}~#!;&|<>()", "%s=@"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, b := range []byte(text) {
			if b == 0 || b >= 0x80 {
				t.Skip("no argument has a NUL, and a shell may not know the locale")
			}
		}
		for _, word := range []string{Quote(text), QuoteAlways(text)} {
			if out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s. "+word).Output(); err != nil || string(out) != text+"." {
				t.Errorf("a shell reads %s as %q (%v), want %q", word, out, err, text)
			}
		}
	})
}
