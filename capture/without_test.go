package capture

import (
	"slices"
	"strings"
	"testing"
)

// TestWithout: the lines of the candidates that go leave the file, with headings of which nothing is left, and
// lines that introduce something stay as long as that stays.
func TestWithout(t *testing.T) {
	tests := map[string]struct {
		text, want string
		stays      string // candidates stay whose value has it; "" for none
		lines      int
	}{
		"items go, prose stays": {
			"# Shop\n\nA web shop that is written in Go.\n\n- Use tabs\n- Wrap errors\n\nThe end of this long story.\n", "# Shop\n\nA web shop that is written in Go.\n\nThe end of this long story.\n", "", 2,
		},
		"an empty section loses its headings": {
			"# Shop\n\n## Style\n\n### Go\n\n- Use tabs\n\n## Git\n\n- Stay here\n", "# Shop\n\n## Git\n\n- Stay here\n", "Stay", 3,
		},
		"a heading with another section below it stays": {
			"# Shop\n\n## Style\n\n- Use tabs\n\n### Go\n\n- Stay here\n", "# Shop\n\n## Style\n\n### Go\n\n- Stay here\n", "Stay", 1,
		},
		"a heading that had nothing below it stays": {
			"# Shop\n\n## Later\n\n## Style\n\n- Use tabs\n", "# Shop\n\n## Later\n", "", 2,
		},
		"a label goes with the last of its list": {
			"# P\n\nDo not save:\n\n- code patterns\n- git history\n\n- - -\n\n```\ncode\n```\n", "# P\n\n- - -\n\n```\ncode\n```\n", "", 3,
		},
		"a label stays with one of its list": {
			"# P\n\nDo not save:\n\n- code patterns\n- git history\n", "# P\n\nDo not save:\n\n- git history\n", "history", 1,
		},
		"an item stays with one below it": {
			"# P\n\n- Commit like this: use verbs; do it well; and often\n  - Answer feedback\n  - Rerun checks\n", "# P\n\n- Commit like this: use verbs; do it well; and often\n  - Rerun checks\n", "Rerun", 1,
		},
		"steps stay together": {
			"# P\n\n1. Build\n2. Tag\n\n   ```\n   one `quoted` command\n   ```\n3. Push\n", "# P\n\n1. Build\n2. Tag\n\n   ```\n   one `quoted` command\n   ```\n3. Push\n", "", 0,
		},
		"nothing is left": {"# P\n\n## Style\n\n- Use tabs\n\n<!-- old -->\n\n---\n", "", "", 3},
		"nothing goes":    {"# P\n\n- Use tabs\n\n\n\n- Wrap errors\n\n", "# P\n\n- Use tabs\n\n\n\n- Wrap errors\n\n", "s", 0},
		"line ends stay":  {"# P\r\n\r\n- Use tabs\r\n\r\nThe shop sells maps and globes.\r\n", "# P\r\n\r\nThe shop sells maps and globes.\r\n", "", 1},
		"a heading above the pointer goes with its last rule": {
			"# P\n\nThe shop sells maps and globes.\n\n## Style\n\n- Use tabs\n\n" + pointer + "\n", "# P\n\nThe shop sells maps and globes.\n\n" + pointer + "\n", "", 2,
		},
		"the part of an export keeps no heading, and stays": {
			"## Style\n\n- Use tabs\n\n<!-- memctl:begin memory 12345678 -->\n## Memory\n\n- Wrap errors\n<!-- memctl:end memory -->\n", "<!-- memctl:begin memory 12345678 -->\n## Memory\n\n- Wrap errors\n<!-- memctl:end memory -->\n", "", 2,
		},
		"setext headings": {"Shop\n====\n\nStyle\n-----\n\n- Use tabs\n\nGit\n---\n\n- Stay here\n", "Shop\n====\n\nGit\n---\n\n- Stay here\n", "Stay", 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			goes := func(c Candidate) bool { return test.stays == "" || !strings.Contains(c.Value.Text, test.stays) }
			left, cut, err := Without(File{Name: "CLAUDE.md", Data: []byte(test.text)}, goes)
			lines := 0
			for _, p := range cut {
				lines += p.Last - p.Line + 1
			}
			if err != nil || string(left) != test.want || lines != test.lines {
				t.Errorf("got %d lines out of\n%q\nwant %d\n%q (%v)", lines, left, test.lines, test.want, err)
			}
			again, more, err := Without(File{Name: "CLAUDE.md", Data: left}, goes)
			if err != nil || more != nil || !slices.Equal(again, left) {
				t.Errorf("a second time, %v went: %q (%v)", more, again, err)
			}
		})
	}
}

// TestPointed: the last line says where the others are, once, and ends as the others do.
func TestPointed(t *testing.T) {
	for left, want := range map[string]string{"": pointer + "\n", "# P\n": "# P\n\n" + pointer + "\n", "# P\r\n\r\nX\r\n": "# P\r\n\r\nX\r\n\r\n" + pointer + "\r\n"} {
		got := Pointed([]byte(left))
		if string(got) != want || string(Pointed(got)) != want {
			t.Errorf("%q: got %q", left, got)
		}
		if back := Unpointed(got); string(back) != left {
			t.Errorf("%q: back to %q", left, back)
		}
	}
}
