package memfile

import (
	"strings"
	"testing"
)

// What PyYAML, which reads YAML 1.1, and readers of the core schema of 1.2 make
// of each text was looked up once, and stands here.
func TestNumbersAreWrittenSoThatAllReadersAgree(t *testing.T) {
	for text, plain := range map[string]bool{
		"0": true, "7": true, "-7": true, "+7": true, "12345678901234567890": true, "1.10": true, "-1.5": true, "0.5": true,
		"1.5e+3": true, "1.5E-3": true, ".inf": true, "-.INF": true, ".nan": true,
		"0o17": false, "0123": false, "1e3": false, "0x1F": false, "1e400": false, "1.0e+400": false, "-0": false, "+0": false,
		"00": false, "-.5": false, ".5": false, "1.": false, "1.5e3": false, "01.5": false,
	} {
		want := Value{Kind: Number, Text: text}
		if !plain {
			want = Str(text)
		}
		got, err := ParseValue(text)
		if err != nil || !Equal(got, want) {
			t.Errorf("%s is taken as %+v (%v), want %+v", text, got, err, want)
		}
		for _, v := range []Value{{Kind: Number, Text: text}, {Kind: List, List: []Value{{Kind: Number, Text: text}}}} {
			src, err := New(Document{Settings: Settings{Enabled: true, AnnounceWrites: true}, Items: []Item{{Key: "a.b", Value: v}}})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if quoted := strings.Contains(string(src), `"`+text+`"`); quoted == plain {
				t.Errorf("%s is written as\n%s", text, src)
			}
		}
	}
}

func TestANumberByHandStandsWhenAnotherFieldChanges(t *testing.T) {
	src := strings.Replace(Template, "items: []", "items:\n    - key: a.b\n      value: 0123\n      confidence: high\n    - key: a.c\n      value: 1e3\n      confidence: high", 1)
	f, problems := Parse("m", []byte(src))
	if f == nil {
		t.Fatal(problems)
	}
	doc := f.Document()
	doc.Items[0].Confidence = Medium
	doc.Items[1].Value = Value{Kind: List, List: []Value{{Kind: Number, Text: "1e3"}}}
	out, err := Rewrite(f, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"value: 0123\n", "confidence: medium\n", "value: [\"1e3\"]\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
