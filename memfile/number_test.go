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
			src, err := New(Document{Settings: Settings{Enabled: true, AnnounceWrites: true}, Items: []Item{{Key: "a.b", Value: v, Added: "2026-01-01"}}})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if quoted := strings.Contains(string(src), `"`+text+`"`); quoted == plain {
				t.Errorf("%s is written as\n%s", text, src)
			}
		}
	}
}
