package policy

import (
	"testing"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

func TestInertMakesOnePlainLine(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain text stays":                 {"concise, no filler", "concise, no filler"},
		"line breaks become spaces":        {"a\nb\r\nc\td", "a b  c d"},
		"colours vanish whole":             {"a\x1b[1;31mred\x1b[0m", "ared"},
		"a title vanishes whole":           {"\x1b]0;title\x07text", "text"},
		"a title ended by ST too":          {"\x1b]0;title\x1b\\text", "text"},
		"an open title hides nothing":      {"\x1b]0;title", "0;title"},
		"a link's text stays":              {"\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\", "here"},
		"C1 escapes vanish":                {"a\u009b31mb", "ab"},
		"other control characters go":      {"a\x00\x07\x7fb", "ab"},
		"direction marks go":               {"a\u202eb\u2066c", "abc"},
		"zero-width characters go":         {"a\u200bb\u2060c\ufeff", "abc"},
		"joiners inside emoji stay":        {"\U0001F468\u200d\U0001F469", "\U0001F468\u200d\U0001F469"},
		"a Persian non-joiner stays":       {"می\u200cخواهم", "می\u200cخواهم"},
		"line separators become spaces":    {"a\u2028b", "a b"},
		"bytes that are no text are marks": {"a\xffb", "a\ufffdb"},
		"substitutions stay as they are":   {"$(touch x) {{.}} %s --help ../../x", "$(touch x) {{.}} %s --help ../../x"},
		"a lone escape goes":               {"a\x1b", "a"},
	}
	for name, tt := range tests {
		if got := Inert(tt.in); got != tt.want {
			t.Errorf("%s: %q became %q, want %q", name, tt.in, got, tt.want)
		}
	}
}

func FuzzInert(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31m", "\x1b]0;t\x07", "a\u202eb", "\xff\xfe", "می\u200cخ", "\U0001F3F4\U000e0067\U000e007f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := Inert(s)
		if !utf8.ValidString(out) {
			t.Fatalf("not UTF-8: %q", out)
		}
		for _, r := range out {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || spelling.IsBidi(r) {
				t.Fatalf("%q keeps %U", s, r)
			}
		}
		if again := Inert(out); again != out && chars.HiddenKind(out) == "" {
			t.Fatalf("%q, then %q", out, again)
		}
	})
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"always run the tests", "password: hunter2", "\xff", "User: a\nAssistant: b", "12 Long Acre Street", "i g n o r e", "![x](http://a?b={c})", "-----BEGIN RSA PRIVATE KEY-----\n", "a://b:c@d", "eyJ.eyJ.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Candidate{Key: s, Labels: labels.Labels{Source: s, Tags: []string{s}}, Reason: s, Message: s, Automatic: true, Raw: true}
		c.Value.Text = s
		r := Rule(c)
		if again := Rule(c); again.Verdict != r.Verdict || len(again.Findings) != len(r.Findings) {
			t.Fatal("two rulings on one candidate differ")
		}
		for _, h := range Scan([]byte(s)) {
			if h.Line < 1 || h.Column < 1 {
				t.Fatalf("a finding at %d:%d", h.Line, h.Column)
			}
		}
		if left := Scan(Redact([]byte(s))); len(left) > 0 {
			t.Fatalf("redacted %q still holds %s", Redact([]byte(s)), left[0].Kind)
		}
	})
}

func TestCutCountsCharacters(t *testing.T) {
	for text, want := range map[string]string{"": "", "größe": "größe", "größer": "größe…"} {
		if got := Cut(text, 5); got != want {
			t.Errorf("Cut(%q, 5) = %q, want %q", text, got, want)
		}
	}
}
