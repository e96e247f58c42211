package yamltext

import (
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for name, c := range map[string]struct{ text, want, flow string }{
		"words":                           {"concise, no filler", "concise, no filler", `"concise, no filler"`},
		"one word":                        {"style", "style", "style"},
		"a boolean of YAML 1.1":           {"Off", `"Off"`, `"Off"`},
		"one letter that is a boolean":    {"y", `"y"`, `"y"`},
		"null":                            {"NULL", `"NULL"`, `"NULL"`},
		"a tilde":                         {"~", `"~"`, `"~"`},
		"nothing":                         {"", `""`, `""`},
		"a whole number":                  {"0123", `"0123"`, `"0123"`},
		"a number with underscores":       {"1_000", `"1_000"`, `"1_000"`},
		"a number of base 60":             {"1:30:00", `"1:30:00"`, `"1:30:00"`},
		"a hexadecimal number":            {"0xFF", `"0xFF"`, `"0xFF"`},
		"an exponent":                     {"1e3", `"1e3"`, `"1e3"`},
		"a float without digits in front": {".5", `".5"`, `".5"`},
		"infinity":                        {"-.inf", `"-.inf"`, `"-.inf"`},
		"a day":                           {"2026-01-02", `"2026-01-02"`, `"2026-01-02"`},
		"a time":                          {"2026-01-02T03:04:05Z", `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05Z"`},
		"a version":                       {"1.2.3", `"1.2.3"`, `"1.2.3"`},
		"a number and words":              {"2 spaces", "2 spaces", "2 spaces"},
		"an equals sign":                  {"=", `"="`, `"="`},
		"a merge key":                     {"<<", `"<<"`, `"<<"`},
		"a backtick":                      {"`a`", "\"`a`\"", "\"`a`\""},
		"a colon and a space":             {"a: b", `"a: b"`, `"a: b"`},
		"a colon at the end":              {"a:", `"a:"`, `"a:"`},
		"a colon inside a word":           {"a:b", "a:b", `"a:b"`},
		"a comment":                       {"a #b", `"a #b"`, `"a #b"`},
		"a hash inside a word":            {"a#b", "a#b", `"a#b"`},
		"spaces at the ends":              {" a ", `" a "`, `" a "`},
		"a dash at the start":             {"- a", `"- a"`, `"- a"`},
		"an option":                       {"--help", `"--help"`, `"--help"`},
		"brackets":                        {"a [b]", "a [b]", `"a [b]"`},
		"quotes and backslashes":          {`"a\b"`, `"\"a\\b\""`, `"\"a\\b\""`},
		"a line break":                    {"a\nb", `"a\nb"`, `"a\nb"`},
		"a tab and a CR":                  {"a\tb\r", `"a\tb\r"`, `"a\tb\r"`},
		"a line separator":                {"a\u2028b\u0085", `"a\u2028b\x85"`, `"a\u2028b\x85"`},
		"a direction mark":                {"a\u202eb", `"a\u202Eb"`, `"a\u202Eb"`},
		"a byte order mark":               {"\ufeffa", `"\uFEFFa"`, `"\uFEFFa"`},
		"a character above the base":      {"a\U0001F600\U000E0041", `"a😀\U000E0041"`, `"a😀\U000E0041"`},
		"letters that are not ASCII":      {"über straße", "über straße", "über straße"},
		"a terminal escape":               {"\x1b[31m", `"\x1B[31m"`, `"\x1B[31m"`},
		"a document's end":                {"... a", `"... a"`, `"... a"`},
		"a path":                          {"/usr/bin", "/usr/bin", "/usr/bin"},
		"a star":                          {"*.go", `"*.go"`, `"*.go"`},
		"a question":                      {"why? so", "why? so", `"why? so"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Quote(c.text, false); got != c.want {
				t.Errorf("in a block: got %s, want %s", got, c.want)
			}
			if got := Quote(c.text, true); got != c.flow {
				t.Errorf("in brackets: got %s, want %s", got, c.flow)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"a", "a: b", "\n", "\u2029", "0o7", "é", "a\U000E0041", "-", "'", "nul"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		n, err := read("k: " + Quote(s, false) + "\nl: [" + Quote(s, true) + "]\n")
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		block, flow := n.Field("k"), n.Field("l").Entries[0].Value
		for _, v := range []*Node{block, flow} {
			if v.Text != s || v.Style == Plain && TypeOf(v.Text) != String {
				t.Fatalf("%q was read back as %q", s, v.Text)
			}
		}
	})
}
