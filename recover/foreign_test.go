package recovery

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestSlugMakesAPartOfAKey(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"words get hyphens":                 {"Learning Loop", "learning-loop"},
		"marks count as one hyphen":         {"C*: (a)  b", "c-a-b"},
		"marks at the ends go":              {"`x` (y)", "x-y"},
		"accents are composed":              {"Größe Éte\u0301", "größe-été"},
		"letters of other scripts stay":     {"Go 時間", "go-時間"},
		"nothing is nothing":                {"???", ""},
		"a long text is cut at a character": {strings.Repeat("時", 200), strings.Repeat("時", maxSlugBytes/3)},
		"a long text is cut at a word":      {strings.Repeat("abcdefg ", 20), strings.Repeat("abcdefg-", 7) + "abcdefg"},
		"a long word is cut":                {strings.Repeat("a", 200), strings.Repeat("a", maxSlugBytes)},
		"a long word with a mark early too": {"a-" + strings.Repeat("b", 200), "a-" + strings.Repeat("b", maxSlugBytes-2)},
	} {
		got := memfile.KeyPart(c.text, maxSlugBytes)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if key := keyPrefix + got + "-100000"; got != "" && (!memfile.KeyForm(key) || len(key) > memfile.MaxKeyBytes) {
			t.Errorf("%s: %q is no key", name, key)
		}
	}
}

func TestCutTitleTellsATitleFromASentence(t *testing.T) {
	for name, c := range map[string]struct{ text, title, rest string }{
		"a title":                        {"Editor: vim", "Editor", "vim"},
		"a title in quotes":              {`"Editor": vim`, "Editor", "vim"},
		"a title in emphasis":            {"**Editor**: vim", "Editor", "vim"},
		"a colon inside the emphasis":    {"**Editor:** vim", "Editor", "vim"},
		"a title without a text":         {"Editor:", "Editor", ""},
		"an address has no title":        {"http://example.org", "", ""},
		"a long sentence has no title":   {"this is what we do on each and every day: rest", "", ""},
		"a very long word has no title":  {strings.Repeat("a", 100) + ": rest", "", ""},
		"a colon at the start is a mark": {": x", "", ""},
	} {
		title, rest, ok := cutTitle(c.text)
		if title != c.title || rest != c.rest || ok != (c.title != "") {
			t.Errorf("%s: %q, %q, %v", name, title, rest, ok)
		}
	}
}
