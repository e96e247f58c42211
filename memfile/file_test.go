package memfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wrap makes a memory file of items and deletions, each a list's lines.
func wrap(items, deletions string) string {
	return "```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-01-02\n  settings:\n    enabled: true\n    announce_writes: true\n  items:\n" +
		items + "deletions:\n" + deletions + "```\n"
}

const full = "    - key: a.b\n      value: v\n      added: 2026-01-01\n      source: s\n      confidence: high\n"

func TestTemplateIsNew(t *testing.T) {
	b, err := New(Document{Settings: Settings{Enabled: true, AnnounceWrites: true}})
	if err != nil || string(b) != Template {
		t.Fatalf("got %q, %v", b, err)
	}
	f, problems := Parse(FileName, []byte(Template))
	if f == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	if start, end := f.Block(); start != 0 || end != len(Template) {
		t.Errorf("the block is %d to %d", start, end)
	}
}

// TestProblems lists what Parse reports: "rule line:column", with "!" in front
// of damage and "?" in front of warnings.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a sound file":                                  {wrap(full, ""), ""},
		"an empty file":                                 {"", "!no-block 1:1"},
		"prose alone":                                   {"# Memory\n\nNothing yet.\n", "!no-block 1:1"},
		"a block in another language":                   {"```json\n{}\n```\n", "!no-block 1:1"},
		"a block in a list":                             {"- x\n  ```yaml\n  saved_memory: {}\n  ```\n", "!no-block 1:1"},
		"two blocks":                                    {Template + "\n" + Template, "!several-blocks 12:1"},
		"no closing fence":                              {strings.TrimSuffix(Template, "```\n"), "!unclosed-fence 1:1"},
		"a value that begins with a backtick":           {wrap("    - key: a.b\n      value: `x` y\n", ""), "!yaml-syntax 10:14"},
		"an anchor":                                     {wrap("    - &a\n      key: a.b\n", ""), "!yaml-feature 9:7"},
		"a field twice":                                 {wrap("    - key: a.b\n      key: c.d\n", ""), "!yaml-duplicate 10:7"},
		"bytes that are not UTF-8 in the block":         {wrap("    - key: a.b\n      value: \xff\n", ""), "!invalid-encoding 10:14"},
		"bytes that are not UTF-8 outside":              {"\xff\n\n" + Template, ""},
		"an empty block":                                {"```yaml\n```\n", "!shape 2:1"},
		"a list as block":                               {"```yaml\n- a\n```\n", "!shape 2:1"},
		"a block without saved_memory":                  {"```yaml\na: b\n```\n", "!shape 2:1"},
		"items that are no list":                        {"```yaml\nsaved_memory:\n  items: x\n```\n", "!shape 3:10"},
		"deletions that are no list":                    {"```yaml\nsaved_memory: {}\ndeletions: x\n```\n", "!shape 3:12"},
		"an item of another shape":                      {wrap("    - Title: some text\n    - words\n"+full, ""), "!item-shape 10:5 !item-shape 9:5"},
		"an item with an empty key":                     {wrap("    - key:\n      value: x\n", ""), "!item-shape 9:5"},
		"a deletion of another shape":                   {wrap("", "  - words\n"), "!tombstone-shape 10:3"},
		"a deletion by value":                           {wrap("", "  - value: x\n    removed: 2026-01-02\n"), ""},
		"a deletion without a day":                      {wrap("", "  - key: a.b\n"), "?field-missing 10:5"},
		"markers of a conflict in the block":            {wrap("<<<<<<< HEAD\n"+full+"=======\n>>>>>>> x\n", ""), "!conflict-markers 9:1 !yaml-syntax 9:1"},
		"markers of a conflict around the block":        {"<<<<<<< HEAD\n" + Template + "=======\n>>>>>>> x\n", "!conflict-markers 1:1"},
		"one marker in prose":                           {"Look for lines with\n<<<<<<< HEAD\n\n" + Template, ""},
		"items below the fence":                         {Template + "\n    - Title: text\n    - key: a.b\n      value: c\n", "!stray-items 12:1"},
		"a later version":                               {strings.Replace(wrap(full, ""), "version: 1", "version: 2", 1), "?newer-version 3:12"},
		"a version that is no number":                   {strings.Replace(wrap(full, ""), "version: 1", "version: one", 1), "field-type 3:12"},
		"no version and no settings":                    {"```yaml\nsaved_memory:\n  items: []\n```\n", ""},
		"a setting that is no boolean":                  {strings.Replace(wrap(full, ""), "enabled: true", "enabled: yes", 1), "setting-type 6:14"},
		"settings that are no map":                      {"```yaml\nsaved_memory:\n  settings: off\n```\n", "setting-type 3:13"},
		"fields that are not known":                     {"```yaml\nsaved_memory:\n  mood: x\n  settings: {loud: true}\nother: 1\n```\n", "?unknown-field 3:3 ?unknown-field 4:14 ?unknown-field 5:1"},
		"an unknown field of an item":                   {wrap(full+"      mood: x\n", ""), "?unknown-field 14:7"},
		"deletions under another name":                  {strings.Replace(wrap("", "  - key: a.b\n"), "\ndeletions", "\ndeletons", 1), "!section-name 9:1"},
		"deletions inside an item":                      {wrap(full+"      deletions:\n        - key: a.c\n          removed: 2026-01-02\n", ""), "!section-name 14:7"},
		"there is a deletion among the items":           {wrap(full+"    - key: a.c\n      removed: 2026-01-02\n", ""), "!section-name 14:5"},
		"entries under a name of their own":             {"```yaml\nsaved_memory: {}\nold:\n  - key: a.b\n```\n", "!section-name 3:1"},
		"a switch misspelled, and one misplaced":        {"```yaml\nsaved_memory:\n  settings: {enabeld: false}\n  announce_writes: false\n```\n", "!section-name 4:3 ?unknown-field 3:14"},
		"deletions inside saved_memory":                 {"```yaml\nsaved_memory:\n  deletions:\n    - key: a.b\n      removed: 2026-01-02\n```\n", "?deletions-misplaced 3:3"},
		"a key without the form":                        {strings.Replace(wrap(full, ""), "a.b", "Some Key", 1), "?key-form 9:12"},
		"an item with a key alone":                      {wrap("    - key: a.b\n", ""), "?field-missing 9:12 ?field-missing 9:12 ?field-missing 9:12 ?field-missing 9:12"},
		"a day that is none":                            {strings.Replace(wrap(full, ""), "2026-01-01", "2026-02-30", 1), "?field-day 11:14"},
		"a confidence that is none":                     {strings.Replace(wrap(full, ""), "high", "sure", 1), "confidence 13:19"},
		"low without the tag":                           {strings.Replace(wrap(full, ""), "high", "low", 1), "?low-unconfirmed 9:12"},
		"low with the tag":                              {strings.Replace(wrap(full+"      tags: [needs-confirmation]\n", ""), "high", "low", 1), ""},
		"wrong types of fields":                         {wrap(full+"      tags: style\n      signals: many\n      pinned: 1\n      by: me\n      conflict: x\n", ""), "field-type 14:13 field-type 15:16 field-type 16:15 field-type 17:11 field-type 18:17"},
		"one key twice":                                 {wrap(full+full, ""), "duplicate-key 14:5"},
		"a forgotten item":                              {wrap(full, "  - key: a.b\n    removed: 2026-01-01\n"), "forgotten 9:5"},
		"an item that was added after it was forgotten": {wrap(full, "  - key: a.b\n    removed: 2025-12-31\n"), ""},
		"a wrong item among the notes":                  {Template + "\n" + NotesHeading + "\n\n    - Title: text\n\n```yaml\nx\n```\n<<<<<<< a\n>>>>>>> b\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, problems := Parse("m.md", []byte(c.src))
			var got []string
			damage := false
			for _, p := range problems {
				mark := ""
				if p.Damage {
					mark, damage = "!", true
				} else if p.Severity == Warning {
					mark = "?"
				}
				got = append(got, fmt.Sprintf("%s%s %d:%d", mark, p.Rule, p.Line, p.Column))
				if p.File != "m.md" || p.Message == "" {
					t.Errorf("a problem without a file or message: %+v", p)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
			}
			if (f == nil) != damage {
				t.Errorf("the file is nil: %v, with damage: %v", f == nil, damage)
			}
			if f != nil && string(f.Bytes()) != c.src {
				t.Error("the bytes changed")
			}
		})
	}
}

func TestAFileOverFourMegabytesIsNotRead(t *testing.T) {
	f, problems := Parse("m", make([]byte, MaxFileBytes+1))
	if f != nil || len(problems) != 1 || problems[0].Rule != "too-large" {
		t.Fatal(problems)
	}
	f, problems = Parse("m", []byte("```yaml\n# "+strings.Repeat("x", MaxBlockBytes)+"\n```\n"))
	if f != nil || len(problems) != 1 || problems[0].Rule != "too-large" {
		t.Fatal(problems)
	}
}

func TestDocumentKeepsWhatIsWritten(t *testing.T) {
	src := wrap("    - key: a.b\n      value: 1.10\n      added: 2026-01-01\n      pinned: true\n      signals: 3\n      paths: ['src/**']\n"+
		"      conflict:\n        - value: [NULL, yes]\n          confidence: low\n      mood: 0123\n      # memctl:allow too-long 0a1b2c3d a long story\n    -\n      key: c.d\n",
		"  - value: x\n    removed: 2026-01-02\n    reason: gone\n")
	f, _ := Parse("m", []byte(src))
	doc := f.Document()
	it := doc.Items[0]
	switch {
	case it.Value.Text != "1.10" || it.Value.Kind != Number:
		t.Errorf("value %+v", it.Value)
	case !it.Pinned || it.Locked || it.Signals != 3 || it.Paths[0] != "src/**":
		t.Errorf("item %+v", it)
	case it.Conflict[0].Value.List[0].Text != "NULL" || it.Conflict[0].Value.List[1].Kind != String:
		t.Errorf("conflict %+v", it.Conflict)
	case it.Extra[0].Name != "mood" || it.Extra[0].Value.Text != "0123":
		t.Errorf("extra %+v", it.Extra)
	case len(it.Allow) != 1 || it.Allow[0] != Allowance{"too-long", "0a1b2c3d", "a long story"}:
		t.Errorf("allowances %+v", it.Allow)
	case it.Line != 9 || it.Column != 5 || doc.Items[1].Line != 20 || doc.Items[1].Column != 5:
		t.Errorf("lines %d and %d", it.Line, doc.Items[1].Line)
	case doc.Deletions[0].Key != "" || doc.Deletions[0].Value.Text != "x" || doc.Deletions[0].Line != 23:
		t.Errorf("deletion %+v", doc.Deletions[0])
	}
	it.Conflict[0].Value.List[0].Text, doc.Deletions[0].Value.Text, it.Paths[0] = "changed", "changed", "changed"
	if where := FirstDifference(f.Document(), f.doc); where != "" || f.doc.Items[0].Paths[0] == "changed" {
		t.Error("changing the copy changed the file", where)
	}
}

func TestAnAllowanceInATextIsNone(t *testing.T) {
	src := wrap("    - key: a.b\n      value: 'x # memctl:allow too-long 0a1b2c3d y'\n      source: |\n        # memctl:allow too-long 0a1b2c3d y\n", "")
	f, problems := Parse("m", []byte(src))
	if f == nil {
		t.Fatal(problems)
	}
	if list := f.Document().Items[0].Allow; len(list) > 0 {
		t.Error(list)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Template))
	f.Add([]byte(wrap(full, "  - key: a.b\n    removed: 2026-01-01\n")))
	f.Add([]byte("\ufeff# x\r\n\r\n~~~yml\r\nsaved_memory: {items: [{key: a.b, value: {c: d}}]}\r\n~~~\r\n    - a: b\r\n"))
	f.Add([]byte("```yaml\nsaved_memory:\n  items:\n  - key: x\n    value: |\n      a\n\n```\n" + NotesHeading + "\n\n````text\n```yaml\n````\n"))
	f.Add([]byte("<<<<<<< a\n```yaml\n=======\n>>>>>>> b\n```yml\nsaved_memory:\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, problems := Parse("m", src)
		if file == nil {
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Damage }) {
				t.Fatal("no file and no damage")
			}
			return
		}
		if string(file.Bytes()) != string(src) {
			t.Fatal("the bytes changed")
		}
	})
}
