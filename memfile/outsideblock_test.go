package memfile

import (
	"strings"
	"testing"
)

func TestStrays(t *testing.T) {
	for name, c := range map[string]struct{ below, want string }{
		"nothing":                               {"\n", ""},
		"pairs that are set in":                 {"\n    - Title: some text\n    - Other: text\n", "    - Title: some text\n    - Other: text\n"},
		"plain texts that are set in":           {"    - some text\n", "    - some text\n"},
		"items in our shape at the margin":      {"\n- key: a.b\n  value: x\n- key: \"c.d\" # y\n", "- key: a.b\n  value: x\n- key: \"c.d\" # y\n"},
		"deletions below":                       {"deletions: []\n", "deletions: []\n"},
		"a whole document":                      {"\nsaved_memory:\n  items:\n    - key: a.b\n", "saved_memory:\n  items:\n    - key: a.b\n"},
		"items below prose":                     {"\nSome prose.\n\n    - key: a.b\n      value: x\n\nMore.\n", "    - key: a.b\n      value: x\n"},
		"items below an unclosed fence":         {"```\n    - Title: text\n", "    - Title: text\n"},
		"prose":                                 {"\nSome text: with a colon.\n\n# items:\n", ""},
		"a list at the margin":                  {"\n- Title: some text\n- words\n  - nested: text\n    - deeper: text\n", ""},
		"a list that is set in, below prose":    {"\nSome prose:\n\n  - Title: text\n  - words\n", ""},
		"a numbered list with bullets":          {"\n1. First\n   - detail: x\n2. Second\n   - detail: y\n", ""},
		"a description of the fields":           {"\n- `key`: the name\n- key: the name of an item\n- items: all of them\n", ""},
		"an example in a fence":                 {"\n```text\n    - key: a.b\n      value: x\n```\n", ""},
		"what looks like items among our notes": {"\n" + NotesHeading + "\n\n    - key: a.b\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			src := Template + c.below
			var got strings.Builder
			for _, r := range OutsideBlock([]byte(src)) {
				got.WriteString(src[r[0]:r[1]])
			}
			if got.String() != c.want {
				t.Errorf("got  %q\nwant %q", got.String(), c.want)
			}
			if f, _ := Parse("m", []byte(src)); (f != nil) != (c.want == "") {
				t.Errorf("sound: %v", f != nil)
			}
		})
	}
}

func TestSplitNotes(t *testing.T) {
	notes := NotesHeading + "\n\nWhat stood here before:\n\n````text\n```yaml\nsaved_memory: {}\n```\n````\n"
	for name, c := range map[string]struct {
		src  string
		want int
	}{
		"no notes":                                        {Template, len(Template)},
		"notes below the block":                           {Template + "\n" + notes, len(Template) + 1},
		"notes twice":                                     {Template + notes + notes, len(Template)},
		"the heading inside a fence":                      {"```text\n" + NotesHeading + "\n```\n", len("```text\n" + NotesHeading + "\n```\n")},
		"the heading inside a line":                       {"see " + NotesHeading + "\n", len("see " + NotesHeading + "\n")},
		"the heading as a comment in YAML":                {"```yaml\n" + NotesHeading + "\na: b\n```\n", len("```yaml\n" + NotesHeading + "\na: b\n```\n")},
		"notes below a block that lost its closing fence": {strings.TrimSuffix(Template, "```\n") + "\n" + notes, len(Template) - 3},
		"CR LF": {"x\r\n" + NotesHeading + "\r\n", 3},
	} {
		if got, _ := SplitNotes([]byte(c.src)); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
	if f, problems := Parse("m", []byte(strings.TrimSuffix(Template, "```\n")+"\n"+notes)); f != nil || problems[0].Rule != "unclosed-fence" {
		t.Error(problems)
	}
}

func TestNotesEndAtTheirLastFence(t *testing.T) {
	notes := NotesHeading + "\n\nWhat stood here before:\n\n````text\n    - Old: news\n```yaml\nsaved_memory: {}\n```\n````\n"
	for name, c := range map[string]struct{ below, rule string }{
		"nothing":              {"", ""},
		"prose":                {"\nA page of thoughts.\n\n- a list\n", ""},
		"an item of our shape": {"\n  - key: a.b\n    value: c\n", "stray-items"},
		"a foreign item":       {"\n    - Title: text\n", "stray-items"},
		"deletions":            {"\ndeletions: []\n", "stray-items"},
		"a second block":       {"\n```yaml\nsaved_memory:\n  items: []\n```\n", "several-blocks"},
		"conflict markers":     {"\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", "conflict-markers"},
	} {
		src := []byte(Template + "\n" + notes + c.below)
		if start, end := SplitNotes(src); string(src[start:end]) != notes {
			t.Errorf("%s: the notes are %q", name, src[start:end])
		}
		_, problems := Parse("memories.md", src)
		if c.rule == "" && len(problems) > 0 || c.rule != "" && (len(problems) == 0 || problems[0].Rule != c.rule || problems[0].Line <= 10) {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}
