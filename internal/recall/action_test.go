package recall

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
)

// aboutDeed asks about the docs, in a project with these files.
func aboutDeed(t *testing.T, d Action, files []string, docs ...index.Doc) (list []Hit) {
	t.Helper()
	data, err := index.Build(slices.Clone(docs), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	d.MaxHits = 2
	d.CountTracked = func(matches func(string) bool, most int) (n int) {
		for _, f := range files {
			if matches(f) && n < most {
				n++
			}
		}
		return n
	}
	if list, err = FindForAction(x, d); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestWhoSpeaksAtAFileOrCommand(t *testing.T) {
	anchored := aFact("anchored", "Retries live here")
	anchored.Anchors = []string{"net/client.go"}
	docs := []index.Doc{
		aFact("glob", "Translations live elsewhere; edits in locales/*.json are overwritten"),
		aFact("name", "Never rename flags.yaml"),
		aFact("folder", "Everything below infra/secrets/ is encrypted"),
		aFact("when", "The callback answers first", "stripe.ts"),
		aFact("words", "The zorbix exporter needs the quuxle first"),
		aFact("program", "vrantik asks for a password"),
		anchored,
	}
	files := []string{"locales/de.json", "config/flags.yaml", "src/hooks/stripe.ts", "infra/secrets/a.yaml", "net/client.go"}
	for name, c := range map[string]struct {
		deed Action
		want string // in any order
	}{
		"a glob":                      {Action{File: "locales/de.json"}, "glob"},
		"a new file of a glob":        {Action{File: "locales/pt.json"}, "glob"},
		"a name":                      {Action{File: "config/flags.yaml"}, "name"},
		"a folder":                    {Action{File: "infra/secrets/deep/a.yaml"}, "folder"},
		"a name in when":              {Action{File: "src/hooks/stripe.ts"}, "when"},
		"an anchor":                   {Action{File: "net/client.go"}, "anchored"},
		"a file of a command":         {Action{Commands: [][]string{{"sed", "-i", "s/a/b/", "./locales/de.json"}}}, "glob"},
		"words of a path":             {Action{File: "tools/zorbixExporter.py"}, "words"},
		"a program with what it does": {Action{Commands: [][]string{{"zorbix", "quuxle"}}}, "words"},
		"a program alone":             {Action{Commands: [][]string{{"vrantik", "--help"}}}, ""},
		"words of every project":      {Action{Commands: [][]string{{"git", "status"}, {"make", "test"}}}, ""},
		"another file":                {Action{File: "src/main.ts"}, ""},
		"nothing":                     {Action{}, ""},
	} {
		var ids []string
		for _, told := range aboutDeed(t, c.deed, files, docs...) {
			ids = append(ids, told.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for i := range 30 {
		files = append(files, "locales/x"+string(rune('a'+i))+".json")
	}
	if list := aboutDeed(t, Action{File: "locales/de.json"}, files, docs...); len(list) > 0 {
		t.Errorf("a glob of many files: %v", list)
	}
	for i := range 30 {
		files = append(files, "tests/test_sys_fn_"+string(rune('a'+i))+".py", "tests/zorbix_"+string(rune('a'+i))+".py")
	}
	files = append(files, "tests/test_sys_fn_ipc.py", "tests/zorbix.py")
	stems := []index.Doc{aFact("stem", "test_sys_fn_ipc hangs if the port is in use"), aFact("word", "zorbix needs the quuxle first")}
	for command, want := range map[string]string{
		"pytest tests/test_sys_fn_ipc.py":          "stem",
		"pytest tests/test_sys_fn_ipc.py::test_it": "stem",
		"pytest tests/test_sys_fn_b.py":            "",
		"cat tests/zorbix.py quuxle":               "word",
		"cat tests/zorbix_b.py quuxle":             "",
	} {
		list := aboutDeed(t, Action{Commands: [][]string{strings.Fields(command)}}, files, stems...)
		if (len(list) == 0) != (want == "") || len(list) > 0 && list[0].ID != want {
			t.Errorf("%s: %v, want %q", command, list, want)
		}
	}
}

// TestTheScoreOfADeed holds a score against one that was worked out by hand.
func TestTheScoreOfADeed(t *testing.T) {
	rare := math.Log(88 / 0.5) // no path of another repository has the word, and the other rarities are higher
	list := aboutDeed(t, Action{File: "zorbix/vrantik/quuxle/a.go"}, nil, aFact("a", "quuxle and zorbix"))
	if len(list) != 1 || math.Abs(list[0].Score-1.7*rare) > 1e-9 || !slices.Equal(list[0].Matched, []string{"quuxle", "zorbix"}) {
		t.Errorf("%v, want %v", list, 1.7*rare)
	}
}

func TestTheTableOfPathsIsInOrder(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(pathWords, "\n"), "\n")
	if len(lines) < 4000 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		if word, n, _ := strings.Cut(line, " "); numberInTable(pathWords, word) < 1 {
			t.Errorf("%q is not found; the table has %s", word, n)
		}
	}
}
