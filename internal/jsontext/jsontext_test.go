package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseRefusesWhatReadersDoNotAgreeOn(t *testing.T) {
	cases := map[string]struct {
		src          string
		line, column int
	}{
		"two members of one name":          {"{\"a\": 1,\n \"\\u0061\": 2}", 2, 10},
		"text after the value":             {"{} {}", 1, 4},
		"a comma too many":                 {"[1,,2]", 1, 4},
		"a comma and nothing else":         {"[,]", 1, 2},
		"no comma":                         {"[1 2]", 1, 4},
		"no colon":                         {"{\"a\" 1}", 1, 6},
		"a name without quotes":            {"{a: 1}", 1, 2},
		"single quotes":                    {"['a']", 1, 2},
		"a string that does not end":       {"[\"a]", 1, 2},
		"a line end in a string":           {"[\"a\nb\"]", 1, 2},
		"an escape that is none":           {"[\"\\x\"]", 1, 2},
		"a number that is none":            {"[01]", 1, 2},
		"a word that is none":              {"[True]", 1, 2},
		"a comment that does not end":      {"{} /* x", 1, 4},
		"a stray slash":                    {"{} / x", 1, 4},
		"a container that does not end":    {"{\"a\": [", 1, 8},
		"the wrong bracket":                {"[1}", 1, 3},
		"a comment alone":                  {"// settings\n", 2, 1},
		"a byte order mark inside":         {"[\ufeff]", 1, 2},
		"a null byte":                      {"{}\x00", 1, 3},
		"brackets without end":             {strings.Repeat("[", 100_000), 1, maxDepth + 1},
		"a member's name without its rest": {"{\"a\"", 1, 5},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.src))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("no syntax error, but %v", err)
			}
			if syntax.Line != c.line || syntax.Column != c.column {
				t.Errorf("at line %d, column %d (%v), want %d, %d", syntax.Line, syntax.Column, err, c.line, c.column)
			}
		})
	}
}

func TestBlankTextHasNoValue(t *testing.T) {
	for _, src := range []string{"", " \t\r\n", "\ufeff", "\ufeff\n"} {
		if root, err := Parse([]byte(src)); root != nil || err != nil {
			t.Errorf("%q: %v, %v", src, root, err)
		}
	}
}

func TestParseTellsWhereAValueStands(t *testing.T) {
	src := "\ufeff{ // one\n\t\"a\\u00e9\": [ 1, \"x\\\"\", ], /* two */ \"b\": {} }\r\n"
	root, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	at := func(n *Node) string { return src[n.Start:n.End] }
	if got := at(root); got != strings.Trim(src, "\ufeff\r\n") {
		t.Errorf("the root is %q", got)
	}
	list := root.Member("aé")
	if list == nil || at(list) != "[ 1, \"x\\\"\", ]" || len(list.Children) != 2 || list.Children[1].Value.Text != `x"` {
		t.Fatalf("the list is %+v", list)
	}
	if b := root.Member("b"); b == nil || at(b) != "{}" {
		t.Errorf("b is %+v", b)
	}
	if root.Member("c") != nil || list.Member("x") != nil {
		t.Error("a member that is not there was found")
	}
}

func TestAppendedTextIsLaidOutAsItsSurroundings(t *testing.T) {
	value := Value{Members: []Member{{"k", Value{Raw: "1"}}}}
	cases := map[string]struct{ src, want string }{
		"one line":                     {`{"a": 1}`, `{"a": 1, "n": {"k": 1}}`},
		"two spaces":                   {"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"n\": {\n    \"k\": 1\n  }\n}\n"},
		"tabs":                         {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"n\": {\n\t\t\"k\": 1\n\t}\n}"},
		"line ends of Windows":         {"{\r\n  \"a\": 1\r\n}", "{\r\n  \"a\": 1,\r\n  \"n\": {\r\n    \"k\": 1\r\n  }\r\n}"},
		"a trailing comma":             {"{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"n\": {\n    \"k\": 1\n  },\n}"},
		"a comment at the end":         {"{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"n\": {\n    \"k\": 1\n  }\n}"},
		"an object that was empty":     {`{}`, "{  \n  \"n\": {\n    \"k\": 1\n  }\n}"},
		"a comment in an empty object": {"{ // none\n}", "{ // none\n  \"n\": {\n    \"k\": 1\n  }\n}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root, err := Parse([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			got := AppendChild([]byte(c.src), root, "n", value)
			if string(got) != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
}

func TestRemoveTakesOneCommaAndKeepsComments(t *testing.T) {
	cases := map[string]struct {
		src  string
		i    int
		want string
	}{
		"the first":                      {"[1, 2, 3]", 0, "[ 2, 3]"},
		"the middle":                     {"[1, 2, 3]", 1, "[1, 3]"},
		"the last":                       {"[1, 2, 3]", 2, "[1, 2]"},
		"the last with a trailing comma": {"[1, 2, 3,]", 2, "[1, 2,]"},
		"between comments":               {"[1, /* a */ 2 /* b */, 3]", 1, "[1, /* a */ /* b */ 3]"},
		"the last behind a comment":      {"[1, // a\n 2]", 1, "[1 // a\n]"},
		"alone beside a comment":         {"[ /* a */ 1]", 0, "[ /* a */]"},
		"alone in what was empty before": {"[  1]", 0, "[]"},
		"alone in lines that were empty": {"[  \n  1\n]", 0, "[]"},
		"alone, with a comma behind it":  {"[  1,]", 0, "[]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root, err := Parse([]byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			got, alone := RemoveChild([]byte(c.src), root, c.i)
			if alone || string(got) != c.want {
				t.Errorf("got %q (alone: %v), want %q", got, alone, c.want)
			}
		})
	}
	root, err := Parse([]byte("[ 1 ]"))
	if err != nil {
		t.Fatal(err)
	}
	if got, alone := RemoveChild([]byte("[ 1 ]"), root, 0); !alone || string(got) != "[ 1 ]" {
		t.Errorf("a child that nothing says was added to an empty list: %q, alone: %v", got, alone)
	}
}

func TestQuoteReadsBackAsTheSame(t *testing.T) {
	for _, text := range []string{"", `a "b" \ c`, "tab\tnew\nline\x00\x1f\x7f", "<&>é🙂", "\u2028"} {
		var back string
		if err := json.Unmarshal([]byte(Quote(text)), &back); err != nil || back != text {
			t.Errorf("%q reads back as %q (%v)", text, back, err)
		}
	}
}

// FuzzAppendAndRemove adds to whatever parses, in each container of it, and
// takes it away again.
func FuzzAppendAndRemove(f *testing.F) {
	for _, seed := range []string{"{}", "[ ]", "{\"a\": [1, {\"b\": null}] }\n", "{ // x\r\n\t\"a\": {},\r\n}", "\ufeff[\n  [  \n 1\n], /* */ ]", "{\"a\":{\"a\":{\"a\":[]}}}", "1", "\"x\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		root, err := Parse(src)
		if err != nil || root == nil {
			if json.Valid(src) && err != nil && !strings.Contains(err.Error(), "second member") && !strings.Contains(err.Error(), "deep") {
				t.Fatalf("valid JSON is refused: %v", err)
			}
			return
		}
		for _, n := range containers(root) {
			name := ""
			if n.Kind == Object {
				if name = "new"; n.Member(name) != nil {
					continue
				}
			}
			added := AppendChild(src, n, name, Value{Items: []Value{{Raw: `"v"`}}})
			again, err := Parse(added)
			if err != nil {
				t.Fatalf("%v after adding\n%q", err, added)
			}
			for _, m := range containers(again) {
				if m.Start != n.Start || len(m.Children) != len(n.Children)+1 {
					continue
				}
				back, alone := RemoveChild(added, m, len(m.Children)-1)
				if alone || !bytes.Equal(back, src) {
					t.Fatalf("was %q\nadded %q\nback %q (alone: %v)", src, added, back, alone)
				}
			}
		}
	})
}

// containers lists the node and what is below it, where it is an object or array.
func containers(n *Node) []*Node {
	if n.Kind != Object && n.Kind != Array {
		return nil
	}
	list := []*Node{n}
	for _, c := range n.Children {
		list = append(list, containers(c.Value)...)
	}
	return list
}
