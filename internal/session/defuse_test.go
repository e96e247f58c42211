package session

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestDefuse(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"plain text stays":             {"always run the tests first", "always run the tests first"},
		"other scripts stay":           {"Grüße, 日本語", "Grüße, 日本語"},
		"a fence of backticks":         {"```yaml", "'''yaml"},
		"a fence of tildes":            {"~~~", "'''"},
		"one backtick stays":           {"use `go test`", "use `go test`"},
		"a closing tag":                {"</memory>", "‹/memory>"},
		"a placeholder stays":          {"uv run <script> --user <user>", "uv run <script> --user <user>"},
		"markup of the product stays":  {"close <div> with </div>, start with <?php", "close <div> with </div>, start with <?php"},
		"a tag in capitals":            {"<System-Reminder>", "‹System-Reminder>"},
		"a tag with attributes":        {`<invoke name="x">`, `‹invoke name="x">`},
		"a tag that begins like one":   {"<systems>", "<systems>"},
		"a control token":              {"<|im_start|>", "‹|im_start|>"},
		"an opening tag":               {"a <system>b", "a ‹system>b"},
		"a comment":                    {"<!-- x -->", "‹!-- x -->"},
		"a closing tag after a word":   {"x</system>", "x‹/system>"},
		"a comparison stays":           {"a < b, x <= 3", "a < b, x <= 3"},
		"a type parameter stays":       {"use List<String>", "use List<String>"},
		"a bracket at the end stays":   {"less than <", "less than <"},
		"a template stays as it is":    {"{{.}} $(touch x) %s", "{{.}} $(touch x) %s"},
		"nothing of a terminal escape": {"\x1b[31mred\x1b[0m", "red"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Defuse(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDefuseKeepsOneHarmlessLine(t *testing.T) {
	for name, in := range map[string]string{
		"line breaks":   "one\ntwo\r\nthree\u2028four\u2029five\u0085six\vseven\feight",
		"bidirectional": "a\u202eb\u2066c\u2069d\u200fe",
		"zero width":    "a\u200bb\u200cc\ufeffd\u2060e",
		"control":       "a\x00b\x07c\x7fd\u009be",
		"tag letters":   "a\U000e0041\U000e0042b",
		"broken UTF-8":  "a\xff\xfeb",
		"split fence":   "`\u200b`\u200b`",
		"split tag":     "<\u200b/memory>",
	} {
		t.Run(name, func(t *testing.T) {
			harmless(t, Defuse(in))
		})
	}
}

func harmless(t *testing.T, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Errorf("not UTF-8: %q", got)
	}
	for _, r := range got { // the plain direction marks stay beside right-to-left letters
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 || r == 0x200b || r == 0xfeff {
			t.Errorf("%U is left in %q", r, got)
		}
	}
	for _, bad := range []string{"```", "~~~", "</memory>", "<!--", "<|"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is left in %q", bad, got)
		}
	}
}

func FuzzDefuse(f *testing.F) {
	for _, s := range []string{"plain", "<\u200b/x>", "`\u200b``", "<\u202e!--", "a<b", "\x1b]0;x\x07"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		harmless(t, Defuse(s))
	})
}
