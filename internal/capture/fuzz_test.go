package capture

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
)

// fuzz reads anything as one format: it never panics, and what comes out is
// within the limits, with keys that memory takes where they are ours, and never
// sure beyond medium.
func fuzz(f *testing.F, format string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := []File{{Name: "a.md", Data: data}}
		if format == ClaudeMemory {
			files = append(files, File{Name: indexName, Data: data})
		}
		res, err := Read(format, files)
		if err != nil {
			return
		}
		if len(items(res)) > MaxItems {
			t.Fatalf("%d items", len(items(res)))
		}
		last := strings.Count(string(data), "\n") + 1
		keys := map[string]bool{}
		for _, c := range items(res) {
			switch {
			case c.Derived && !memfile.KeyForm(c.Key):
				t.Errorf("derived key %q", c.Key)
			case c.Derived && keys[c.Key]:
				t.Errorf("derived key %q twice", c.Key)
			case strings.HasPrefix(c.Key, "lessons.") && c.Derived:
				t.Errorf("derived key %q is a lesson's", c.Key)
			case c.Confidence != memfile.Low && c.Confidence != memfile.Medium:
				t.Errorf("confidence %q", c.Confidence)
			case c.Line < 1 || c.Line > last:
				t.Errorf("line %d of %d", c.Line, last)
			case valueBytes(c.Value) > maxText:
				t.Errorf("a value of %d bytes", valueBytes(c.Value))
			case c.Derived && (!utf8.ValidString(c.Value.Text) || strings.TrimSpace(c.Value.Plain()) == ""):
				t.Errorf("value %q", c.Value.Text)
			}
			if c.Derived {
				keys[c.Key] = true
			}
		}
	})
}

const markdownSeed = "---\nglobs: a/**\n---\n# T\n\nSetext\n---\n\n## 1. H\n\nDo not:\n\n- **a** [b](c) `d`\n  - x y z:\n\n    more\n  - [ ] e f\n1. one\n2) two\n\n```sh\n- x\n```\n~~~\n<!-- c\n-->\n| t |\n> q\n\t- tab\n* star\n+ plus\n"

func FuzzInstructions(f *testing.F) { fuzz(f, Agents, markdownSeed, "- a\n -b\n   - c d", "---\n") }

func FuzzMemoryMD(f *testing.F) { fuzz(f, MemoryMD, markdownSeed, "## User\n- Go and Rust") }

func FuzzAutoMemory(f *testing.F) {
	fuzz(f, ClaudeMemory, markdownSeed, "---\nname: a\ntype: user\n---\nbody\n", "- [a](a.md) - b c", "---\ntype: x\ndescription: d e\n---\n")
}

func FuzzMCPMemory(f *testing.F) {
	fuzz(f, MCPMemory, `{"type":"entity","name":"a","entityType":"b","observations":["c"]}`, `{"entities":[{"name":"a","observations":["b"]}],"relations":[{"from":"a","to":"b","relationType":"c"}]}`)
}

func FuzzChatCLI(f *testing.F) {
	fuzz(f, ChatCLI, `[{"content":"a","category":"b","tags":["c"],"access_count":3}]`, `{"facts":{"x":{"content":"a"}}}`)
}

func FuzzMememory(f *testing.F) {
	fuzz(f, Mememory, `[{"content":"a","type":"rule","weight":0.5,"ttl":"2027-01-01T00:00:00Z"}]`)
}

func FuzzJSONLines(f *testing.F) {
	fuzz(f, JSONLines, `{"key":"a.b","value":{"x":[1,"y"]},"yaml":"{x: [1, y]}"}`+"\n"+`{"text":"a b","category":"c"}`, `{"text":""}`, `{"value":{"a":1}}`, `{"items":[{"key":"a.b","value":1.10}]}`)
}

func FuzzMemctl(f *testing.F) {
	fuzz(f, Memctl, memfile.Template, strings.Replace(memfile.Template, "items: []", "items:\n    - key: a.b\n      value: c", 1))
}

func FuzzDetect(f *testing.F) {
	f.Add("memory.md", []byte("{}"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		res, err := Read("", []File{{Name: name, Data: data}})
		if err == nil && res.Format != Detect(name, []byte(strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff"))) {
			t.Errorf("read as %s", res.Format)
		}
	})
}
