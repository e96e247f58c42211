package memory_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
)

func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		session    string // of the write; "" for not known
		number     int
		key, text  string
		other      bool // a second session runs
		wantLeft   int  // of the two statements of the prompt with number 1
		wantOrigin string
	}{
		"most words of a statement, in its session":        {"s1", 0, "style.quotes", "single quotes in TypeScript", false, 1, memory.Relayed},
		"the words of both":                                {"s1", 0, "style.all", "single quotes in TypeScript, and tabs in Go files", false, 0, memory.Relayed},
		"the number, in another language":                  {"s1", 1, "style.quotes", "einfache Anführungszeichen", false, 1, memory.Relayed},
		"the number, with the words of one":                {"s1", 1, "style.indent", "Go files have tabs", false, 1, memory.Relayed},
		"a number that no prompt has":                      {"s1", 7, "style.quotes", "einfache Anführungszeichen", false, 2, memory.Automatic},
		"something else":                                   {"s1", 0, "build.tool", "make builds everything", false, 2, memory.Automatic},
		"the number, with something else in its language":  {"s1", 1, "db.port", "the database listens on 5433", false, 2, memory.Relayed},
		"the number, in other words of its language":       {"s1", 1, "style.strings", "the strings of TypeScript are 'so'", false, 1, memory.Relayed},
		"few of its words":                                 {"s1", 0, "docs.files", "the docs are files, made by hugo", false, 2, memory.Relayed},
		"no session, and one is open":                      {"", 0, "style.quotes", "single quotes in TypeScript", false, 1, memory.Relayed},
		"no session, and two are open":                     {"", 0, "style.quotes", "single quotes in TypeScript", true, 2, memory.Relayed},
		"no session, two are open, and the number":         {"", 1, "style.quotes", "single quotes in TypeScript", true, 1, memory.Relayed},
		"another session":                                  {"s2", 0, "style.quotes", "single quotes in TypeScript", true, 2, memory.Automatic},
		"another session with the number of a prompt here": {"s2", 1, "style.quotes", "single quotes in TypeScript", true, 2, memory.Automatic},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, "")
			ss := b.Open()
			prompt := localstate.Prompt{Agent: "claude", Session: "s1", Lasting: true, Asked: []localstate.Asked{
				{Text: "use single quotes in TypeScript", Sentence: "From now on use single quotes in TypeScript."}, {Text: "use tabs in Go files", Sentence: "Remember: use tabs in Go files."},
			}}
			if n, err := memory.RecordPrompt(ss, prompt, "From now on use single quotes in TypeScript. Remember: use tabs in Go files.", true); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if tt.other {
				if _, err := memory.RecordPrompt(ss, localstate.Prompt{Agent: "claude", Session: "s2"}, "fix the parser", false); err != nil {
					t.Fatal(err)
				}
			}
			h := memory.Listen(ss, memory.Origin{Kind: memory.Relayed, Name: "claude-code", Session: tt.session}).Naming(tt.number)
			if got := h.Origin(tt.key, tt.text).Kind; got != tt.wantOrigin {
				t.Errorf("it is %s, want %s", got, tt.wantOrigin)
			}
			if err := h.Answer(tt.key, tt.text, "c0ffee"); err != nil {
				t.Fatal(err)
			}
			list, err := localstate.Prompts(ss)
			left := slices.DeleteFunc(list[0].Asked, func(a localstate.Asked) bool { return a.Answer != "" })
			if err != nil || len(left) != tt.wantLeft {
				t.Errorf("%d statements are left, want %d (%v)", len(left), tt.wantLeft, err)
			}
		})
	}
}

// TestANumberIsGivenOnce: one of an ended session names no other prompt later. One that is passed by mistake closes what the
// write says, and not what it names.
func TestANumberIsGivenOnce(t *testing.T) {
	b := memorytest.Repository(t, "")
	ss := b.Open()
	record := func(session, text string) int {
		n, err := memory.RecordPrompt(ss, localstate.Prompt{Agent: "claude", Session: session, Turn: text, Lasting: true, Asked: []localstate.Asked{{Text: text}}}, text, true)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := record("s1", "use single quotes in TypeScript")
	if err := localstate.ChangePrompts(ss, func(list []localstate.Prompt) []localstate.Prompt {
		return slices.DeleteFunc(list, func(p localstate.Prompt) bool { return p.Session == "s1" })
	}); err != nil {
		t.Fatal(err)
	}
	second, third := record("s2", "use tabs in Go files"), record("s2", "staging is read-only")
	if second <= first || third <= second {
		t.Fatalf("numbers %d, %d, %d", first, second, third)
	}
	h := memory.Listen(ss, memory.Origin{Kind: memory.Relayed, Name: "claude-code", Session: "s2"}).Naming(third)
	if err := h.Answer("style.indent", "tabs in Go files", "c0ffee"); err != nil {
		t.Fatal(err)
	}
	list, err := localstate.Prompts(ss)
	var left []string
	for _, p := range list {
		for _, a := range p.Asked {
			if a.Answer == "" {
				left = append(left, a.Text)
			}
		}
	}
	if err != nil || !slices.Equal(left, []string{"staging is read-only"}) {
		t.Errorf("%q, %v", left, err)
	}
}
