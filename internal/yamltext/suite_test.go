package yamltext

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

type suiteCase struct {
	ID   string
	Fail bool
	YAML string
	JSON *string
}

// TestYAMLSuite runs the YAML test suite when MEMCTL_DATA names a folder that
// holds it; it is not part of this repository.
func TestYAMLSuite(t *testing.T) {
	folder := os.Getenv("MEMCTL_DATA")
	if folder == "" {
		t.Skip("MEMCTL_DATA is not set")
	}
	cases := readSuite(t, filepath.Join(folder, "yaml", "yaml-test-suite.jsonl"))
	accepted, wrong, refused := 0, 0, map[string]int{}
	for _, c := range cases {
		n, err := Parse(Source{Text: c.YAML, To: len(c.YAML), Line: 1})
		if c.Fail && err == nil {
			t.Errorf("%s: accepted as a block, and must fail:\n%s", c.ID, c.YAML)
		}
		if !c.Fail && err != nil {
			refused[err.(*Error).Rule]++
			if err.(*Error).Rule == RuleSyntax {
				t.Logf("%s: %v\n%s", c.ID, err, c.YAML)
			}
		}
		if !c.Fail && err == nil {
			accepted++
			if c.JSON != nil && !sameAsJSON(n, *c.JSON) {
				wrong++
				t.Errorf("%s: read as another value\n%s\nwant %s\ngot %v", c.ID, c.YAML, *c.JSON, dump(n))
			}
		}
		inner := "saved_memory:\n  items:\n    - key: a.b\n      value:\n" + setIn(c.YAML, "        ") + "      added: 2026-01-01\n"
		if _, err := Parse(Source{Text: inner, To: len(inner), Line: 1}); c.Fail && err == nil {
			t.Errorf("%s: accepted as a value, and must fail:\n%s", c.ID, inner)
		}
		inner = "saved_memory:\n  items:\n    - key: a.b\n      value: " + strings.TrimLeft(setIn(c.YAML, "        "), " ") + "      added: 2026-01-01\n"
		if _, err := Parse(Source{Text: inner, To: len(inner), Line: 1}); c.Fail && err == nil {
			t.Errorf("%s: accepted as an inline value, and must fail:\n%s", c.ID, inner)
		}
	}
	t.Logf("%d cases, %d accepted, %d of them read wrong; refused though valid: %v", len(cases), accepted, wrong, refused)
}

func readSuite(t *testing.T, path string) []suiteCase {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []suiteCase
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c suiteCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	return cases
}

func setIn(text, by string) string {
	var b strings.Builder
	for _, l := range strings.SplitAfter(text, "\n") {
		if strings.TrimRight(l, "\r\n") != "" {
			b.WriteString(by)
		}
		b.WriteString(l)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

// dump turns a node into what encoding/json would make of the same value, with
// the core schema's types.
func dump(n *Node) any {
	switch {
	case n == nil:
		return nil
	case n.Kind == List:
		l := []any{}
		for _, e := range n.Entries {
			l = append(l, dump(e.Value))
		}
		return l
	case n.Kind == Map:
		m := map[string]any{}
		for _, e := range n.Entries {
			m[e.Key.Text] = dump(e.Value)
		}
		return m
	case n.Style == Empty:
		return nil
	case n.Style != Plain:
		return n.Text
	}
	switch n.Text {
	case "null", "~", "Null", "NULL":
		return nil
	case "true", "True":
		return true
	case "false", "False":
		return false
	}
	if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
		return f
	}
	if i, err := strconv.ParseInt(n.Text, 0, 64); err == nil {
		return float64(i)
	}
	return n.Text
}

func sameAsJSON(n *Node, want string) bool {
	var w any
	if json.Unmarshal([]byte(want), &w) != nil {
		return true // several documents; not ours to read
	}
	return reflect.DeepEqual(dump(n), w)
}
