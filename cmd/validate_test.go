package cmd

import (
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/policy"
)

var someFindings = []fault.Finding{
	{Rule: "secret", Severity: "error", File: "memories.md", Line: 3, Column: 9, Key: "a.b", Message: "50% sure, or\nmore: yes", Hint: "a way out"},
	{Rule: "made-up", Severity: "warning", File: "a,b:c.md", Line: 1, Column: 1, Message: "say \x1b[31mred\u202e"},
}

func same(path string) string { return path }

func TestAnnotationsAreEscaped(t *testing.T) {
	want := "::error file=memories.md,line=3,title=memctl secret::a.b: 50%25 sure, or%0Amore: yes%0Aa way out\n" +
		"::warning file=a%2Cb%3Ac.md,line=1,title=memctl made-up::" + policy.Inert("say \x1b[31mred\u202e") + "\n"
	if got := annotations(someFindings, same); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := commandProperty("a%0A:b,c\r\n"); got != "a%250A%3Ab%2Cc%0D%0A" {
		t.Errorf("property: %q", got)
	}
}
