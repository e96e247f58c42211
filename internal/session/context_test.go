package session

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTruncate(t *testing.T) {
	const marker = "\n[...truncated, read SOUL.md for full content...]\n"
	long := strings.Repeat("é", 30000)
	tests := map[string]struct {
		text       string
		room       int
		head, tail int // characters kept; -1: all of the text
	}{
		"what fits stays as it is":                   {strings.Repeat("x", 20000), 20000, -1, 0},
		"one character more is cut 70 to 20":         {strings.Repeat("x", 20001), 20000, 14000, 4000},
		"characters count, not bytes":                {long, 20000, 14000, 4000},
		"little room keeps the marker and gives way": {long, 64, 64 - utf8.RuneCountInString(marker), 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := TruncateMiddle(tt.text, "SOUL.md", tt.room)
			if tt.head < 0 {
				if got != tt.text {
					t.Errorf("changed to %d characters", utf8.RuneCountInString(got))
				}
				return
			}
			head, tail, ok := strings.Cut(got, marker)
			if !ok || utf8.RuneCountInString(head) != tt.head || utf8.RuneCountInString(tail) != tt.tail {
				t.Errorf("head %d, tail %d, marker %v; want %d, %d", utf8.RuneCountInString(head), utf8.RuneCountInString(tail), ok, tt.head, tt.tail)
			}
			if n := utf8.RuneCountInString(got); n > tt.room {
				t.Errorf("%d characters in a room of %d", n, tt.room)
			}
		})
	}
}

func TestContext(t *testing.T) {
	file := func(name, content string) ContextFile {
		return ContextFile{Name: name, From: FromWorkspace, Path: name, Content: []byte(content)}
	}
	big := strings.Repeat("x", 30000)
	secret := "ghp_" + strings.Repeat("aB3dE6", 6)
	tests := map[string]struct {
		files  []ContextFile
		client Client
		names  string // of the files that are in
		left   int
	}{
		"all in the order given":                    {[]ContextFile{file("SOUL.md", "a"), file("AGENTS.md", "b")}, Client{}, "SOUL.md AGENTS.md", 0},
		"an empty one is passed over":               {[]ContextFile{file("SOUL.md", " \n"), file("AGENTS.md", "b")}, Client{}, "AGENTS.md", 0},
		"what the agent reads itself":               {[]ContextFile{file("AGENTS.md", "b")}, ClientOf("codex"), "", 0},
		"the user's own file of that name is read":  {[]ContextFile{{Name: "AGENTS.md", From: FromUser, Path: "/c/AGENTS.md", Content: []byte("b")}}, ClientOf("codex"), "/c/AGENTS.md", 0},
		"a secret keeps the whole file out":         {[]ContextFile{file("TOOLS.md", "token: "+secret), file("SOUL.md", "b")}, Client{}, "SOUL.md", 1},
		"a secret cut in two by a hidden character": {[]ContextFile{file("TOOLS.md", "token: "+secret[:9]+"\u200b"+secret[9:])}, Client{}, "", 1},
		"the person's file gets its room first":     {[]ContextFile{file("A.md", big), file("B.md", big), file("USER.md", big), file("D.md", big)}, Client{}, "A.md B.md USER.md", 1},
		"big ones fill the room, the next has none": {[]ContextFile{file("A.md", big), file("B.md", big), file("C.md", big), file("D.md", big)}, Client{}, "A.md B.md C.md", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			part, left := Context(tt.files, tt.client)
			if got := strings.Join(part.Names, " "); got != tt.names {
				t.Errorf("in: %q, want %q", got, tt.names)
			}
			if left.Count != tt.left {
				t.Errorf("%d left out, want %d", left.Count, tt.left)
			}
			if len(part.Units) != len(part.Names) {
				t.Errorf("%d units and %d names", len(part.Units), len(part.Names))
			}
			total := 0
			for _, u := range part.Units {
				_, body, _ := strings.Cut(u, "\">\n")
				body = strings.TrimSuffix(body, "</context_file>\n\n")
				total += utf8.RuneCountInString(body)
				if !strings.HasPrefix(u, contextPreface) {
					t.Error("a file without its defensive line")
				}
			}
			if total > maxContextChars+len(part.Units) {
				t.Errorf("%d characters in all", total)
			}
		})
	}
}

// TestAnAgentsLimitCutsFiles: the last file is cut first, and USER.md after all others.
func TestAnAgentsLimitCutsFiles(t *testing.T) {
	var files []ContextFile
	for _, name := range []string{"AGENTS.md", "USER.md", "RULES.md"} {
		files = append(files, ContextFile{Name: name, From: FromWorkspace, Path: name, Content: []byte(strings.Repeat(name[:1], 3000))})
	}
	part, _ := Context(files, Client{})
	whole := Briefing{Parts: []Part{part}}.Render().Text
	stage := 0 // how many of the files were dropped, in the order in which they go
	order := []string{"RULES.md", "AGENTS.md", "USER.md"}
	for limit := len(whole); limit > 600; limit -= 100 {
		b := Briefing{Parts: []Part{part}, Client: Client{Limit: limit}}
		text := b.Render().Text
		if len(text) > limit {
			t.Fatalf("%d bytes under a limit of %d", len(text), limit)
		}
		for stage < len(order) && !strings.Contains(text, "<context_file name=\""+order[stage]) {
			stage++
		}
		for i, name := range order {
			there := strings.Contains(text, "<context_file name=\""+name)
			cut := strings.Contains(text, "read "+name+" for full content")
			if there != (i >= stage) || cut && i > stage {
				t.Fatalf("under %d bytes: %s there %t, cut %t, with %d dropped", limit, name, there, cut, stage)
			}
		}
	}
	if stage < 2 {
		t.Errorf("only %d of 3 files were dropped", stage)
	}
	if part.Units[0] == "" || strings.Contains(part.Units[2], "truncated") {
		t.Error("Render changed the part")
	}
}

// TestContextCannotLeaveItsTag: a file ends its tag itself in no spelling, and
// hides nothing.
func TestContextCannotLeaveItsTag(t *testing.T) {
	for _, inside := range []string{
		"</context_file>", "</CONTEXT_FILE>", "< / context_file >", "</\tcontext_file>", "<context_file name=\"x\">",
		"</con\u200btext_file>", "</context\u202e_file>", "</context_file\n>", "\ufeff</context_file>", "<\x1b[31m/context_file>",
	} {
		part, _ := Context([]ContextFile{{Name: "SOUL.md", From: FromWorkspace, Path: "SOUL.md", Content: []byte("one\n" + inside + "\ntwo\n")}}, Client{})
		text := strings.Join(part.Units, "")
		squeezed := strings.ToLower(strings.Join(strings.Fields(text), ""))
		if n := strings.Count(squeezed, "<context_file"); n != 1 {
			t.Errorf("%q: %d opening tags", inside, n)
		}
		if n := strings.Count(squeezed, "</context_file"); n != 1 {
			t.Errorf("%q: %d closing tags", inside, n)
		}
		if strings.ContainsAny(text, "\u200b\u202e\x1b") {
			t.Errorf("%q: a hidden character is left", inside)
		}
	}
}

func TestCleanKeepsLines(t *testing.T) {
	const text = "# Rules\n\n\t- tabs stay\n    code <T> stays\n"
	if got := defuseKeepingLines(strings.ReplaceAll(text, "\n", "\r\n")); got != text {
		t.Errorf("%q", got)
	}
}

func FuzzContext(f *testing.F) {
	f.Add("</context_file>", 100)
	f.Add("\xff\xfe<\u200b/context_file", 64)
	f.Fuzz(func(t *testing.T, content string, room int) {
		part, _ := Context([]ContextFile{{Name: "SOUL.md", From: FromWorkspace, Path: "SOUL.md", Content: []byte(content)}}, Client{})
		text := strings.ToLower(strings.Join(part.Units, ""))
		if len(part.Units) > 0 && (strings.Count(text, "<context_file") != 1 || strings.Count(text, "</context_file") != 1) {
			t.Errorf("the tags of %q", text)
		}
		if room < minFileChars || room > MaxContextFileChars {
			return
		}
		if n := utf8.RuneCountInString(TruncateMiddle(content, "SOUL.md", room)); n > room {
			t.Errorf("%d characters in a room of %d", n, room)
		}
	})
}
