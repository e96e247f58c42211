package mdtext

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFences(t *testing.T) {
	type want struct {
		info, content string
		closed        bool
	}
	for name, c := range map[string]struct {
		src  string
		want []want
	}{
		"a plain fence":                           {"```yaml\na: 1\n```\n", []want{{"yaml", "a: 1\n", true}}},
		"a fence after a byte order mark":         {BOM + "```yaml\na: 1\n```\n", []want{{"yaml", "a: 1\n", true}}},
		"CR LF":                                   {"x\r\n\r\n```yaml\r\na: 1\r\n```\r\n", []want{{"yaml", "a: 1\r\n", true}}},
		"no newline at the end":                   {"```yaml\na: 1\n```", []want{{"yaml", "a: 1\n", true}}},
		"no closing fence":                        {"```yaml\na: 1\n", []want{{"yaml", "a: 1\n", false}}},
		"no closing fence and no last newline":    {"```yaml\na: 1", []want{{"yaml", "a: 1", false}}},
		"a closing fence that is too short":       {"````yaml\na: 1\n```\n", []want{{"yaml", "a: 1\n```\n", false}}},
		"nothing between the fences":              {"```\n```\n", []want{{"", "", true}}},
		"nothing after the opening fence":         {"text\n\n```", []want{{"", "", false}}},
		"two empty fences, then one of tildes":    {"```\n```\n\n```\n```\n~~~ yml x\nb\n~~~~\n", []want{{"", "", true}, {"", "", true}, {"yml x", "b\n", true}}},
		"blank lines at both ends of the text":    {"```y\n\na\n\n```\n", []want{{"y", "\na\n\n", true}}},
		"a fence that is set in":                  {"   ```yaml\n   a: 1\n  ```\n", []want{{"yaml", "   a: 1\n", true}}},
		"a fence in a list":                       {"- x\n\n  ```yaml\n  a: 1\n  ```\n", nil},
		"a fence in a quotation":                  {"> ```yaml\n> a: 1\n> ```\n", nil},
		"a fence in a comment":                    {"<!--\n```yaml\na: 1\n```\n-->\n", nil},
		"a fence that is indented code":           {"x\n\n    ```yaml\n    a: 1\n    ```\n", nil},
		"a fence that ends a paragraph":           {"x\n```yaml\na: 1\n```\ny\n", []want{{"yaml", "a: 1\n", true}}},
		"a backtick in the info string":           {"``` a`b\nx\n", nil},
		"text like quotations inside a fence":     {"```\n" + strings.Repeat(">", 200) + "\n```\n", []want{{"", strings.Repeat(">", 200) + "\n", true}}},
		"a long thematic break ends a list":       {"- a\n" + strings.Repeat("- ", 99) + "\n   ```yaml\n   x\n   ```\n", []want{{"yaml", "   x\n", true}}},
		"a fence below a bomb of quotations":      {strings.Repeat(">", 500) + "\n\n```yaml\nx\n```\n", []want{{"yaml", "x\n", true}}},
		"a fence inside a bomb of quotations":     {strings.Repeat(">", 500) + "```yaml\nx\n```\n", []want{{"", "", false}}},
		"an opening fence at the end, CR LF":      {"a\r\n```yaml\r\n", []want{{"yaml", "", false}}},
		"content with less indentation than ours": {"  ```\na\n b\n   c\n  ```\n", []want{{"", "a\n b\n   c\n", true}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Fences([]byte(c.src))
			if len(got) != len(c.want) {
				t.Fatalf("got %d fences, want %d: %+v", len(got), len(c.want), got)
			}
			for i, f := range got {
				w := c.want[i]
				if f.Info != w.info || c.src[f.ContentStart:f.ContentEnd] != w.content || f.Closed != w.closed {
					t.Errorf("fence %d: got %q %q %v, want %q %q %v", i, f.Info, c.src[f.ContentStart:f.ContentEnd], f.Closed, w.info, w.content, w.closed)
				}
			}
		})
	}
}

// bothWays compares the two ways to find fences, where the cheap one answers.
func bothWays(t *testing.T, src string) (answered bool) {
	t.Helper()
	cheap, ok := fencesInSimpleText([]byte(src))
	if full := fencesByGoldmark([]byte(src)); ok && !slices.Equal(cheap, full) {
		t.Fatalf("%q\ncheap    %+v\nthorough %+v", src, cheap, full)
	}
	return ok
}

func TestTheCheapWayFindsWhatGoldmarkFinds(t *testing.T) {
	parts := []string{"```", "````", "~~~", "yaml", "\n", "\n", "\r\n", "    ", " ", "\t", "a", "# b", "- ", "> ", "1. ", "<div>", "`", "***", "---", "==="}
	answered := 0
	for seed := range uint64(30000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(parts[r.IntN(len(parts)-r.IntN(8))])
		}
		if bothWays(t, b.String()) {
			answered++
		}
	}
	if answered < 5000 {
		t.Errorf("the cheap way answered only %d times", answered)
	}
}

// TestCommonMark compares both ways on CommonMark's examples, when MEMCTL_DATA
// names a folder that holds them; they are not part of this repository.
func TestCommonMark(t *testing.T) {
	folder := os.Getenv("MEMCTL_DATA")
	if folder == "" {
		t.Skip("MEMCTL_DATA is not set")
	}
	b, err := os.ReadFile(filepath.Join(folder, "commonmark", "spec-0.31.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct{ Markdown string }
	if err := json.Unmarshal(b, &examples); err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	for _, e := range examples {
		bothWays(t, e.Markdown)
	}
}

func FuzzFences(f *testing.F) {
	for _, s := range []string{"```yaml\na\n```\n", "~~~\n\n  ~~~~", "- ```\n  x\n", "> ~~~\n", "<!--\n```\n-->", "\t```\n", "   ```` a\r\n```\r\n````"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		bothWays(t, src)
		at := 0
		for _, x := range Fences([]byte(src)) {
			if x.Start < at || x.ContentStart < x.Start || x.ContentEnd < x.ContentStart || x.End < x.ContentEnd || x.End > len(src) || x.Length < 3 {
				t.Fatalf("%+v", x)
			}
			at = x.End
		}
	})
}
