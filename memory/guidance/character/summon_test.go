package character

import (
	"strings"
	"testing"
)

func TestParseFiles(t *testing.T) {
	answer := func(change func(name, text string) string) string {
		var b strings.Builder
		b.WriteString("Here they are:\n")
		for _, name := range summoned() {
			b.WriteString(change(name, "<file name=\""+name+"\">\n# "+name+"\nBe sharp.\n</file>\n"))
		}
		return b.String()
	}
	same := func(_, text string) string { return text }
	on := func(file string, change func(string) string) func(name, text string) string {
		return func(name, text string) string {
			if name == file {
				return change(text)
			}
			return text
		}
	}
	for name, tt := range map[string]struct{ answer, problem string }{
		"five blocks":             {answer(same), ""},
		"no blocks":               {"I cannot do that.", "no block for SOUL.md"},
		"a block that is missing": {answer(on("TOOLS.md", func(string) string { return "" })), "no block for TOOLS.md"},
		"a block without an end":  {answer(on("SOUL.md", func(s string) string { return strings.ReplaceAll(s, "</file>", "") })), "no block for SOUL.md"},
		"an empty block":          {answer(on("AGENTS.md", func(string) string { return "<file name=\"AGENTS.md\"> \n</file>" })), "no block for AGENTS.md"},
		"a large block":           {answer(on("SOUL.md", func(s string) string { return strings.ReplaceAll(s, "sharp", strings.Repeat("x", 20000)) })), "more than 20000"},
		"a secret":                {answer(on("TOOLS.md", func(s string) string { return strings.ReplaceAll(s, "sharp", "ghp_"+strings.Repeat("aB3dE6", 6)) })), "hidden text or a secret"},
		"hidden text":             {answer(on("SOUL.md", func(s string) string { return strings.ReplaceAll(s, "sharp", "sh\u200barp") })), "hidden text or a secret"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := parseFiles(tt.answer)
			if tt.problem == "" && (err != nil || len(files) != 5 || string(files["SOUL.md"]) != "# SOUL.md\nBe sharp.\n") {
				t.Errorf("%q, %v", files, err)
			}
			if tt.problem != "" && (err == nil || files != nil || !strings.Contains(err.Error(), tt.problem)) {
				t.Errorf("%d files, %v; want %q", len(files), err, tt.problem)
			}
		})
	}
}
