package entry

import (
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
)

// agentCLI is a file as agent-cli's memory writes it, with PyYAML's quoting.
const agentCLI = `---
id: 3f2b8a04-7c11-4b5e-9d3e-0c1a2b3c4d5e
conversation_id: default
role: memory
created_at: '2025-11-30T12:34:56.123456+00:00'
source_id: 91c0
---
User's wife is named Anne
`

func TestAgentCLIFilesAreReadAsTheyAre(t *testing.T) {
	f, problems := Parse("memories/entries/default/facts/2025-11-30T12-34-56.123456-00-00__3f2b8a04-7c11-4b5e-9d3e-0c1a2b3c4d5e.md", []byte(agentCLI))
	if f == nil || len(problems) != 0 {
		t.Fatalf("problems: %v", problems)
	}
	e := f.Entry()
	if e.ID != "3f2b8a04-7c11-4b5e-9d3e-0c1a2b3c4d5e" || e.Role != RoleFact || e.Conversation != "default" || e.Text != "User's wife is named Anne" {
		t.Errorf("read as %+v", e)
	}
	if got := e.Time().Format("2006-01-02T15:04:05"); got != "2025-11-30T12:34:56" {
		t.Errorf("time %s", got)
	}
	out, err := f.Rewrite(e)
	if err != nil || string(out) != agentCLI {
		t.Errorf("unchanged, and written as %q, %v", out, err)
	}
}

func full() Entry {
	return Entry{
		ID: ContentID("Builds need Go 1.26."), Role: RoleFact, Conversation: ProjectConversation, Created: "2026-11-21T09:03:00.123Z",
		Session: "1e3", Category: "gotcha", Labels: labels.Labels{Tags: []string{"go", "yes"}, Source: "said in review", Confidence: "high", By: "relayed", Signals: 3, Seen: "2026-11-21", Expires: "2027-01-01", Pinned: true, Locked: true}, Topics: []string{"build: tools"}, Weight: 1.5,
		Anchors: []Anchor{{Path: "go.mod#L1-L3", Commit: "123456", Hash: "1e10"}, {Path: "a, b.go"}}, Text: "Builds need Go 1.26.",
	}
}

func TestNewPrintsWhatReadsBack(t *testing.T) {
	src, err := Print(full())
	if err != nil {
		t.Fatal(err)
	}
	f, problems := Parse(full().Path(), src)
	if f == nil || len(problems) != 0 || !reflect.DeepEqual(f.Entry(), full()) {
		t.Errorf("%s\nreads back as %+v, %v", src, f, problems)
	}
	for _, line := range []string{`id: "`, `conversation_id: "project"`, `created_at: "2026-11-21T09:03:00.123Z"`, `session: "1e3"`, "expires: 2027-01-01"} {
		if !strings.Contains(string(src), "\n"+line) {
			t.Errorf("no line %s in\n%s", line, src)
		}
	}
}

const byHand = "---\r\n# why this matters\r\nid: abc # mine\r\nrole: memory\r\nconversation_id:   'project'\r\ncreated_at: \"2026-01-01T00:00:00Z\"\r\ntags:\r\n  - one\r\n  - two # second\r\nmine: {x: [1, 2]}\r\n---\r\n\r\nFirst line.\r\n\r\nSecond.\r\n\r\n"

func TestRewriteChangesWhatIsNamedAlone(t *testing.T) {
	f, problems := Parse("x", []byte(byHand))
	if f == nil || len(problems) != 1 || problems[0].Rule != ruleUnknown || problems[0].Line != 10 {
		t.Fatalf("problems: %+v", problems)
	}
	for name, c := range map[string]struct {
		change   func(*Entry)
		old, now string
	}{
		"a tag more":              {func(e *Entry) { e.Tags = append(e.Tags, "three") }, "tags:\r\n  - one\r\n  - two # second\r\n", "tags: [one, two, three] # second\r\n"},
		"no tags":                 {func(e *Entry) { e.Tags = nil }, "tags:\r\n  - one\r\n  - two # second\r\n", ""},
		"a field in its place":    {func(e *Entry) { e.Category = "rule" }, "\"2026-01-01T00:00:00Z\"\r\n", "\"2026-01-01T00:00:00Z\"\r\ncategory: rule\r\n"},
		"a quoted field":          {func(e *Entry) { e.Conversation = "other" }, "conversation_id:   'project'", `conversation_id: "other"`},
		"the body":                {func(e *Entry) { e.Text = "Only line.\nTwo." }, "First line.\r\n\r\nSecond.", "Only line.\r\nTwo."},
		"an id beside a comment":  {func(e *Entry) { e.ID = "def" }, "id: abc #", `id: "def" #`},
		"a field behind the last": {func(e *Entry) { e.Pinned = true }, "  - two # second\r\n", "  - two # second\r\npinned: true\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := f.Entry()
			c.change(&e)
			out, err := f.Rewrite(e)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(byHand, c.old, c.now, 1); string(out) != want {
				t.Errorf("got %q\nwant %q", out, want)
			}
		})
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	head := "---\nid: \"a\"\nrole: memory\nconversation_id: \"project\"\ncreated_at: \"2026-01-01T00:00:00Z\"\n"
	for name, c := range map[string]struct {
		src, rule string
		line      int
		damage    bool
	}{
		"sound":                     {head + "---\n\ntext\n", "", 0, false},
		"no front matter":           {"text\n", ruleNoFrontMatter, 1, true},
		"never closed":              {head + "text: 1\n", ruleUnclosed, 1, true},
		"no UTF-8":                  {head + "---\n\na\xffb\n", ruleEncoding, 8, true},
		"a field twice":             {head + "id: b\n---\n\ntext\n", "yaml-duplicate", 6, true},
		"a list":                    {"---\n- a\n---\n\ntext\n", ruleShape, 2, true},
		"markers of a merge":        {head + "---\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", ruleConflict, 8, true},
		"a time that is a time":     {strings.Replace(head, `"2026-01-01T00:00:00Z"`, "2026-01-01T00:00:00Z", 1) + "---\n\ntext\n", ruleUnquoted, 5, false},
		"a missing id":              {strings.Replace(head, "id: \"a\"\n", "", 1) + "---\n\ntext\n", ruleMissing, 1, false},
		"a flag that is a word":     {head + "pinned: very\n---\n\ntext\n", ruleFieldType, 6, false},
		"a weight that is a word":   {head + "weight: heavy\n---\n\ntext\n", ruleFieldType, 6, false},
		"a day that is none":        {head + "expires: soon\n---\n\ntext\n", ruleFieldType, 6, false},
		"a field of somebody else":  {head + "mood: good\n---\n\ntext\n", ruleUnknown, 6, false},
		"nothing said":              {head + "---\n", ruleEmpty, 1, false},
		"too much":                  {head + "---\n" + strings.Repeat("a", MaxFileBytes), "too-large", 1, true},
		"front matter without end":  {"---\n" + strings.Repeat("# a\n", MaxHeadBytes) + "---\n\ntext\n", "too-large", 2, true},
		"an anchor has no path":     {head + "anchors: [{commit: \"1\"}]\n---\n\ntext\n", ruleFieldType, 6, false},
		"a list that is a map":      {head + "tags: {a: b}\n---\n\ntext\n", ruleFieldType, 6, false},
		"a text that is a list":     {head + "source: [a]\n---\n\ntext\n", ruleFieldType, 6, false},
		"signals that are no count": {head + "signals: -1\n---\n\ntext\n", ruleFieldType, 6, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, problems := Parse("", []byte(c.src))
			if (f == nil) != c.damage {
				t.Fatalf("read: %v, problems %v", f != nil, problems)
			}
			if c.rule == "" {
				if len(problems) != 0 {
					t.Errorf("problems %v", problems)
				}
				return
			}
			if len(problems) != 1 || problems[0].Rule != c.rule || problems[0].Line != c.line || problems[0].Damage != c.damage {
				t.Errorf("problems %+v", problems)
			}
		})
	}
}

func TestWhatAFileLeavesOutComesFromItsPath(t *testing.T) {
	for name, want := range map[string]Entry{
		"memories/notes/2026-11-21/20261121T090300.123Z__a.md":                       {ID: "a", Role: RoleNote, Conversation: "project", Created: "2026-11-21T09:03:00.123Z"},
		"memories/notes/2026-11-21.md":                                               {ID: ContentID("text"), Role: RoleNote, Conversation: "project", Created: "2026-11-21T00:00:00.000Z"},
		"memories/entries/talk/facts/b.md":                                           {ID: "b", Role: RoleFact, Conversation: "talk"},
		"memories/entries/talk/turns/assistant/20261121T090300.123Z__c.md":           {ID: "c", Role: RoleAssistant, Conversation: "talk", Created: "2026-11-21T09:03:00.123Z"},
		"memories/entries/talk/summaries/summary.md":                                 {ID: ContentID("text"), Role: RoleSummary, Conversation: "talk"},
		"memories/entries/deleted/talk/turns/user/20261121T090300.123Z__d-e-f__g.md": {ID: "d-e-f__g", Role: RoleUser, Conversation: "talk", Created: "2026-11-21T09:03:00.123Z"},
	} {
		f, _ := Parse(name, []byte("---\n---\ntext\n"))
		want.Text = "text"
		if f == nil || !reflect.DeepEqual(f.Entry(), want) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}
