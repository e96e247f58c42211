package memfile

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestValueJSON(t *testing.T) {
	for yaml, want := range map[string]string{
		"word":                   `"word"`,
		"1.5":                    `1.5`,
		"1.10":                   `"1.10"`,
		"0123":                   `"0123"`,
		"-0":                     `"-0"`,
		"1e3":                    `"1e3"`,
		"12345678901234567890":   `"12345678901234567890"`,
		"true":                   `true`,
		"True":                   `"True"`,
		"yes":                    `"yes"`,
		"~":                      `null`,
		"NULL":                   `"NULL"`,
		"":                       `null`,
		"'1'":                    `"1"`,
		`"a\"\\\n\u2028\x01é<>"`: `"a\"\\\n\u2028\u0001é<>"`,
		"{b: 1, a: [x, ~]}":      `{"b":1,"a":["x",null]}`,
	} {
		v, err := ParseValue(yaml)
		if err != nil {
			t.Fatal(yaml, err)
		}
		got, err := v.MarshalJSON()
		if err != nil || string(got) != want || !json.Valid(got) {
			t.Errorf("%s: got %s, want %s (%v)", yaml, got, want, err)
		}
		var back Value
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(yaml, err)
		}
		if again, _ := back.MarshalJSON(); string(again) != want {
			t.Errorf("%s: read back as %s", yaml, again)
		}
	}
}

func TestCanonicalSortsNames(t *testing.T) {
	v, _ := ParseValue("{b: {d: 1, c: 2}, a: x}")
	if got := v.Canonical(); got != `{"a":"x","b":{"c":2,"d":1}}` {
		t.Error(got)
	}
}

func TestPlain(t *testing.T) {
	for yaml, want := range map[string]string{
		"word":                          "word",
		`"a\n b\t\tc\r\nd\u2028e "`:     "a b c d e",
		"[a, 1.10, ~]":                  "a, 1.10, ~",
		"{issue: a, fix: [b, 'c\n d']}": "issue: a; fix: b, c d",
		"[]":                            "",
	} {
		v, err := ParseValue(yaml)
		if got := v.Plain(); err != nil || got != want {
			t.Errorf("%s: got %q, want %q (%v)", yaml, got, want, err)
		}
	}
}

func TestStringsNamesEveryPlace(t *testing.T) {
	v, _ := ParseValue("{issue: a, list: [b, {AKIA0123: 7}]}")
	want := []Text{{"value.issue", "issue"}, {"value.issue", "a"}, {"value.list", "list"}, {"value.list[0]", "b"},
		{"value.list[1].#0", "AKIA0123"}, {"value.list[1].#0", "7"}}
	if got := v.Strings(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestSame(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"case and spaces":                {"'Concise,  no\n filler '", "concise, NO filler", true},
		"other words":                    {"concise", "verbose", false},
		"full-width letters":             {"ＡＢＣ", "abc", true},
		"an accent composed differently": {`"e\u0301"`, "É", true},
		"Greek letters of one sound":     {"Σς", "σσ", true},
		"text and number":                {"'1.10'", "1.10", true},
		"numbers written differently":    {"1.10", "1.1", false},
		"null in two ways":               {"~", "null", true},
		"fields in another order":        {"{a: 1, b: 2}", "{b: 2, a: 1}", true},
		"items in another order":         {"[a, b]", "[b, a]", false},
		"text that looks like a list":    {"'[a]'", "[a]", false},
	} {
		a, errA := ParseValue(c.a)
		b, errB := ParseValue(c.b)
		if errA != nil || errB != nil || Same(a, b) != c.same || Same(b, a) != c.same {
			t.Errorf("%s: got %v (%v, %v)", name, !c.same, errA, errB)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]struct {
		form            bool
		normal, nearest string
	}{
		"writing.tone":      {true, "writing.tone", "writing.tone"},
		"a1.b-c_d.9":        {true, "a1.b-c_d.9", "a1.b-c_d.9"},
		" Writing.Tone ":    {false, "writing.tone", "writing.tone"},
		"writing. my  tone": {false, "writing.-my-tone", "writing.my-tone"},
		"tone":              {false, "tone", "general.tone"},
		"1.a":               {false, "1.a", "general.a"},
		"writing..tone-":    {false, "writing..tone-", "writing.tone"},
		"Schöne Töne":       {false, "schöne-töne", "general.schöne-töne"},
		"größe.max":         {true, "größe.max", "größe.max"},
		"Größe.MAX":         {false, "größe.max", "größe.max"},
		"gro\u0308ße.max":   {false, "größe.max", "größe.max"},
		"тесты.перед-пуш":   {true, "тесты.перед-пуш", "тесты.перед-пуш"},
		"提交.用英文":            {true, "提交.用英文", "提交.用英文"},
		"服装.tシャツ":           {true, "服装.tシャツ", "服装.tシャツ"},
		"हिंदी.नियम":        {true, "हिंदी.नियम", "हिंदी.नियम"},
		"style.t\u043ene":   {false, "style.t\u043ene", "style.tone"},  // a Cyrillic o
		"style.goкод":       {false, "style.goкод", "style.go-код"},    // nobody takes that for Latin letters
		"style.\u0301tone":  {false, "style.\u0301tone", "style.tone"}, // a mark on nothing
		"style.to\u200bne":  {false, "style.to\u200bne", "style.tone"}, // a space that nobody sees
		"ｓｔｙｌｅ.ﬁt":          {false, "style.fit", "style.fit"},         // other shapes of ASCII letters
		"style.İSTANBUL":    {false, "style.istanbul", "style.istanbul"},
		"style.x\xff":       {false, "style.x\ufffd", "style.x"},
		"style.½":           {false, "style.½", "general.style"},
		"a/b":               {false, "a/b", "a.b"},
		"":                  {false, "", ""},
		"日本":                {false, "日本", "general.日本"},
		"$(touch x)":        {false, "$(touch-x)", "general.touch-x"},
		"a__b.c":            {false, "a__b.c", "a_b.c"},
		"../../x":           {false, "../../x", "general.x"},
	} {
		normal, nearest := NormalKey(key)
		if KeyForm(key) != want.form || normal != want.normal || nearest != want.nearest {
			t.Errorf("%q: got %v %q %q", key, KeyForm(key), normal, nearest)
		}
		if nearest != "" && !KeyForm(nearest) {
			t.Errorf("%q: the nearest key %q has not the form", key, nearest)
		}
	}
}
