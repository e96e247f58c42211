package policy

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func traceOf(t *testing.T, text string) TextFinder {
	t.Helper()
	trace, left := NewTextFinder(memfile.Str(text))
	if left != (NotFindable{}) || trace.Empty() {
		t.Fatalf("no trace of %q", text)
	}
	return trace
}

func TestTraceForms(t *testing.T) {
	const value = "it's \"Zanzibar\" <ü> 🐢\nsecond line: 50% done/now"
	quoted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"as it is":           value,
		"with Windows' ends": strings.ReplaceAll(value, "\n", "\r\n"),
		"as JSON":            string(quoted),
		"as YAML":            memfile.Str(value).YAML(),
		"single quotes":      "'" + strings.ReplaceAll(strings.ReplaceAll(value, "'", "''"), "\n", "\n\n    ") + "'",
		"a block":            "|\n      " + strings.ReplaceAll(value, "\n", "\n      "),
		"escaped wholly":     `it\u0027s \"Zanzibar\" \u003c\u00FC\u003e \ud83d\udc22\nsecond line: 50% done\/now`,
		"a quote":            "> " + strings.ReplaceAll(value, "\n", "\n> "),
		"base64":             base64.StdEncoding.EncodeToString([]byte("x" + value + "yz")),
		"base64 of JSON":     base64.StdEncoding.EncodeToString([]byte(`{"value":` + string(quoted) + "}")),
	}
	trace := traceOf(t, value)
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			src := []byte("before " + text + " after")
			if !trace.FoundInState(src) {
				t.Fatalf("not found in %s", src)
			}
			cut := trace.Replace(src)
			if trace.FoundIn(cut) || !bytes.HasPrefix(cut, []byte("before ")) || !bytes.HasSuffix(cut, []byte(" after")) {
				t.Errorf("cut to %s", cut)
			}
		})
	}
	for _, other := range []string{"", "it's Zanzibar", "second line: 50% done/now", "Zanzibar Zanzibar"} {
		if trace.FoundInState([]byte(other)) {
			t.Errorf("found in %q", other)
		}
	}
}

func TestTraceOfShortTexts(t *testing.T) {
	trace := traceOf(t, "tabs")
	for src, want := range map[string]string{
		"use tabs, not spaces":  "use " + PurgedMark + ", not spaces",
		"tabs tabs tabs":        PurgedMark + " " + PurgedMark + " " + PurgedMark,
		"tabs":                  PurgedMark,
		"tabstops and crabtabs": "tabstops and crabtabs",
	} {
		if got := string(trace.Replace([]byte(src))); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
	long := memfile.Str(strings.Repeat("a", MaxFoundBytes+1))
	if trace, left := NewTextFinder(memfile.Str("go"), long, memfile.Value{Kind: memfile.Bool, Text: "true"}); !trace.Empty() || left != (NotFindable{1, 1}) {
		t.Errorf("a trace of what cannot be told from other text, %+v left out", left)
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("concise, no filler", "a", "b")
	f.Add("000\v0000", "", "")
	f.Add("it's\n\ttwo \\ lines", "- key: ", "\n")
	f.Fuzz(func(t *testing.T, text, before, after string) {
		trace, _ := NewTextFinder(memfile.Str(text))
		if trace.Empty() || len(strings.TrimSpace(text)) < minPartBytes || strings.Contains(PurgedMark, strings.TrimSpace(text)) {
			return
		}
		if strings.ToValidUTF8(text, "") != text {
			return
		}
		src := []byte(before + text + after)
		if !trace.FoundIn(src) {
			t.Fatalf("%q: not found in %q", text, src)
		}
	})
}

func TestFilterRulesAreOneLineEach(t *testing.T) {
	for _, value := range []string{"it's \"Zanzibar\" <ü> 🐢\nsecond line: a==>b", "go-1.2", "lamp\tü"} {
		rules := string(traceOf(t, value).FilterRules())
		for line := range strings.Lines(rules) {
			rule, with, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "==>")
			regex, is := strings.CutPrefix(rule, "regex:")
			if literal := strings.HasPrefix(rule, "literal:"); !is && !literal || is && with != PurgedMark || literal && strings.Trim(with, "A") != "" {
				t.Errorf("%q: rule %q", value, line)
			}
			if strings.ContainsFunc(regex, func(r rune) bool { return r >= 0x80 }) {
				t.Errorf("%q: %q is not ASCII", value, regex)
			}
		}
	}
	// Go reads them too where they have no assertions and nothing but ASCII.
	rules, _, _ := strings.Cut(string(traceOf(t, "it's a \"Zanzibar\"").FilterRules()), "==>")
	expr := regexp.MustCompile(strings.TrimPrefix(rules, "regex:"))
	for _, text := range []string{`it's a "Zanzibar"`, `'it''s a "Zanzibar"'`, `it\u0027s\n  a \"Zanzibar\"`} {
		if got := expr.ReplaceAllString("x "+text+" y", PurgedMark); strings.Contains(got, "Zanzibar") || !strings.HasPrefix(got, "x ") {
			t.Errorf("%s became %s", text, got)
		}
	}
}
