package yamltext

import (
	"strings"
	"testing"
)

func read(text string) (*Node, error) { return Parse(Source{Text: text, To: len(text), Line: 1}) }

// TestReads is our own table of what YAML means, in the part that we read.
func TestReads(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an empty text":                             {"", "null"},
		"comments alone":                            {"# a\n\n  # b\n", "null"},
		"a bare marker at the start":                {"--- # x\na: b\n", `{a="b";}`},
		"a plain scalar":                            {"a b", `"a b"`},
		"text as written":                           {"[1.10, 0123, 0x1F, yes, 2026-01-02, 1_000]", `[-"1.10";-"0123";-"0x1F";-"yes";-"2026-01-02";-"1_000";]`},
		"a tab inside a plain scalar":               {"a: b\tc\t# d\n", "{a=\"b\\tc\";}"},
		"a plain scalar over lines":                 {"a: b\n  c\n\n\n  d\ne: f\n", `{a="b c\n\nd";e="f";}`},
		"a dash inside a plain scalar over lines":   {"a: b\n - c\n", `{a="b - c";}`},
		"a hash and a colon inside words":           {"a: b#c:d\n", `{a="b#c:d";}`},
		"a comment after a plain scalar":            {"a: b # c\nd: e\n", `{a="b";d="e";}`},
		"single quotes":                             {"a: 'it''s'\n", `{a="it's";}`},
		"single quotes over lines":                  {"a: 'b\n  c \n\n  d'\n", `{a="b c\nd";}`},
		"double quotes over lines":                  {"a: \"b \\\n   c\\\n  \\ d\n  e\"\n", `{a="b c d e";}`},
		"escapes":                                   {`a: "\x41\u00e9\U0001F600\t\n\"\\\/\0\e\_"`, `{a="Aé😀\t\n\"\\/\x00\x1b\u00a0";}`},
		"a quoted key":                              {"\"a: b\" : c\n'd': e\n", `{a: b="c";d="e";}`},
		"an empty value":                            {"a:\nb: # c\n\nd:\n", `{a=null;b=null;d=null;}`},
		"an empty list item":                        {"-\n- # a\n- b\n", `[-null;-null;-"b";]`},
		"a literal":                                 {"a: |\n  b\n   c\n\n  d\n\ne: f\n", `{a="b\n c\n\nd\n";e="f";}`},
		"a literal that keeps its blank lines":      {"a: |+\n  b\n\nc: d\n", `{a="b\n\n";c="d";}`},
		"a literal that strips its last line break": {"a: |-\n  b\n\nc: d\n", `{a="b";c="d";}`},
		"a literal with an indentation given":       {"a: |2\n   b\n  c\n", `{a=" b\nc\n";}`},
		"a literal without text":                    {"a: |\nb: c\n", `{a="";b="c";}`},
		"a literal with what looks like YAML":       {"a: |\n  # no comment\n  b: [\n", `{a="# no comment\nb: [\n";}`},
		"a folded scalar":                           {"a: >\n  b\n  c\n\n  d\n   e\n   f\n  g\n", `{a="b c\nd\n e\n f\ng\n";}`},
		"a list in a map at its key's column":       {"a:\n- b\n- c\nd: e\n", `{a=[-"b";-"c";];d="e";}`},
		"a map in a list":                           {"- a: b\n  c: d\n-\n  e: f\n", `[-{a="b";c="d";};-{e="f";};]`},
		"lists on one line":                         {"- - a\n  - b\n- c\n", `[-[-"a";-"b";];-"c";]`},
		"a flow map":                                {`{a: b, "c":d, e, f: [g, {h: i}], }`, `{a="b";c="d";e=null;f=[-"g";-{h="i";};];}`},
		"a pair in a flow list":                     {"[a: b, c]", `[-{a="b";};-"c";]`},
		"a flow list over lines":                    {"a: [b, # c\n\n  d\n  e,\n  ]\n", `{a=[-"b";-"d e";];}`},
		"brackets inside a block scalar":            {"a: b[c]{d},e\n", `{a="b[c]{d},e";}`},
		"CR LF":                                     {"a: b\r\nc: |\r\n  d\r\n  e\r\n", `{a="b";c="d\ne\n";}`},
		"what begins like an indicator":             {"- -a\n- ?b\n- :c\n", `[-"-a";-"?b";-":c";]`},
		"a value on the line below its key":         {"a:\n  b c\nd:\n    'e'\n", `{a="b c";d="e";}`},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := read(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got := "null"
			if n != nil {
				got = show(n)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text, rule   string
		line, column int
	}{
		"a backtick at the start":                {"a:\n  - b\n  - `c`\n", RuleSyntax, 3, 5},
		"a colon in a value":                     {"a: b: c\n", RuleSyntax, 1, 5},
		"a colon in a later line of a value":     {"a: b\n  c: d\n", RuleSyntax, 2, 4},
		"a list on the line of its key":          {"a: - b\n", RuleSyntax, 1, 4},
		"an item among fields":                   {"a: b\n- c\n", RuleSyntax, 2, 1},
		"a field among items":                    {"- a\nb: c\n", RuleSyntax, 2, 1},
		"a field that is set in too far":         {"a: b\n  c: d\n", RuleSyntax, 2, 4},
		"a field that is set in too little":      {"a:\n  b: c\n d: e\n", RuleSyntax, 3, 2},
		"text after a quoted value":              {"a: \"b\" c\n", RuleSyntax, 1, 8},
		"a comment without a space":              {"a: \"b\"#c\n", RuleSyntax, 1, 7},
		"a quote that is not closed":             {"a: \"b\nc: d\n", RuleSyntax, 1, 4},
		"a bracket that is not closed":           {"a: [b\n", RuleSyntax, 1, 6},
		"a comma too many":                       {"[a,, b]", RuleSyntax, 1, 4},
		"a comma too few":                        {"[\"a\" \"b\"]", RuleSyntax, 1, 6},
		"a bracket at the margin":                {"a: [\nb]\n", RuleSyntax, 2, 1},
		"a key over lines in a flow list":        {"[a\n b: c]", RuleSyntax, 2, 3},
		"an escape that YAML does not know":      {`a: "\d"`, RuleSyntax, 1, 5},
		"half a surrogate pair":                  {`a: "\ud800"`, RuleSyntax, 1, 5},
		"a tab as indentation":                   {"a:\n\tb: c\n", RuleSyntax, 2, 1},
		"a tab between dashes":                   {"-\t- a\n", RuleSyntax, 1, 3},
		"an at sign at the start":                {"a: @b\n", RuleSyntax, 1, 4},
		"a percent sign at the start":            {"a: %b\n", RuleSyntax, 1, 4},
		"a field that stands twice":              {"a: b\nc: d\n'a': e\n", RuleDuplicate, 3, 1},
		"a field that stands twice in brackets":  {"{a: b, a: c}", RuleDuplicate, 1, 8},
		"an anchor":                              {"a: &b c\n", RuleFeature, 1, 4},
		"an alias":                               {"a: *b\n", RuleFeature, 1, 4},
		"a tag":                                  {"a: !!str b\n", RuleFeature, 1, 4},
		"a complex key":                          {"? a\n: b\n", RuleFeature, 1, 1},
		"a list as key":                          {"[a]: b\n", RuleFeature, 1, 4},
		"an empty key":                           {": a\n", RuleFeature, 1, 1},
		"a directive":                            {"%YAML 1.2\n---\na: b\n", RuleFeature, 1, 1},
		"a second document":                      {"a: b\n---\nc: d\n", RuleFeature, 2, 1},
		"the end of a document":                  {"a: b\n...\n", RuleFeature, 2, 1},
		"a marker that is set in":                {"a:\n  --- b\n", RuleFeature, 2, 3},
		"a byte that is not UTF-8":               {"a: b\xff\n", RuleEncoding, 1, 5},
		"a control character":                    {"a: \"b\x01\"\n", RuleEncoding, 1, 6},
		"a CR that ends no line":                 {"a: b\rc: d\n", RuleEncoding, 1, 5},
		"65 brackets":                            {strings.Repeat("[", 65) + strings.Repeat("]", 65), RuleTooDeep, 1, 65},
		"65 dashes":                              {strings.Repeat("- ", 65) + "a", RuleTooDeep, 1, 129},
		"more than a megabyte":                   {strings.Repeat("#", MaxBytes+1), RuleTooLarge, 1, 1},
		"a literal with a long blank line above": {"a: |\n   \n  b\n", RuleSyntax, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text)
			e, ok := err.(*Error)
			if !ok {
				t.Fatalf("got %v, want an error", err)
			}
			if e.Rule != c.rule || e.Line != c.line || e.Column != c.column {
				t.Errorf("got %s at %d:%d (%s), want %s at %d:%d", e.Rule, e.Line, e.Column, e.Message, c.rule, c.line, c.column)
			}
		})
	}
}

// TestRanges checks that every node's range holds what was written.
func TestRanges(t *testing.T) {
	text := "# top\na: 'b'  # c\nd:\n  - e f\n    g\n  - {h: \"i\", j: [k]} # l\nm: |\n  n\n\n  o\np:\n"
	src := "prose\n" + text + "```\n"
	n, err := Parse(Source{Text: src, From: 6, To: 6 + len(text), Line: 2})
	if err != nil {
		t.Fatal(err)
	}
	list := n.Field("d")
	for want, got := range map[string]*Node{
		"'b'":                                  n.Field("a"),
		"e f\n    g":                           list.Entries[0].Value,
		"{h: \"i\", j: [k]}":                   list.Entries[1].Value,
		"\"i\"":                                list.Entries[1].Value.Field("h"),
		"[k]":                                  list.Entries[1].Value.Field("j"),
		"|\n  n\n\n  o":                        n.Field("m"),
		"":                                     n.Field("p"),
		"- e f\n    g\n  - {h: \"i\", j: [k]}": list,
	} {
		if src[got.Start:got.End] != want {
			t.Errorf("got %q, want %q", src[got.Start:got.End], want)
		}
	}
	if m := n.Field("m"); m.Line != 8 || m.EndLine != 11 || m.Column != 4 {
		t.Errorf("got lines %d to %d, column %d", m.Line, m.EndLine, m.Column)
	}
}

func TestFenceIndentationIsTakenOff(t *testing.T) {
	text := "  a:\n    b: |\n      c\n d: e\n"
	n, err := Parse(Source{Text: text, To: len(text), Line: 1, Indent: 2})
	if err != nil || show(n) != `{a={b="c\n";};d="e";}` {
		t.Fatalf("got %v, %v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: b\n", "- a\n- 'b'\n", "{a: [b, \"c\"]}", "a: |+2\n  b\n\n", "a: >-\n b\n\n c\n", "\"a\\\n b\": c", "---\n- - a: 1\n", "[a: b, ]", "? x", "a:\n- b\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := read(s)
		if err == nil && n != nil {
			checkRanges(t, s, n)
		}
	})
}

func checkRanges(t *testing.T, s string, n *Node) {
	if n.Start < 0 || n.Start > n.End || n.End > len(s) || n.EndLine < n.Line {
		t.Fatalf("range %d to %d of %d", n.Start, n.End, len(s))
	}
	if n.Style == Plain && !strings.ContainsAny(s[n.Start:n.End], "\n") && s[n.Start:n.End] != n.Text {
		t.Fatalf("plain text %q stands as %q", n.Text, s[n.Start:n.End])
	}
	at := n.Start
	for _, e := range n.Entries {
		if e.Start < at || e.Value.Start < e.Start || e.Value.End > n.End {
			t.Fatalf("entry at %d, value %d to %d, in %d to %d", e.Start, e.Value.Start, e.Value.End, n.Start, n.End)
		}
		at = e.Value.End
		checkRanges(t, s, e.Value)
	}
}
