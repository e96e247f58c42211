package similar

import "testing"

func TestRetells(t *testing.T) {
	for name, tt := range map[string]struct {
		said, relayed string
		want          bool
	}{
		"in the agent's words":             {"use single quotes in TypeScript", "The user prefers single quotes in TypeScript files", true},
		"in fewer words":                   {"always use single quotes in all TypeScript files please", "single quotes in TypeScript", true},
		"the opposite":                     {"use emojis in commit messages", "never use emojis in commit messages", false},
		"another rule of the same subject": {"use single quotes in TypeScript", "use semicolons in TypeScript", false},
		"one word says too little":         {"use tabs", "use tabs", false},
		"a long text around it":            {"answer in English", "answer in English, run make test before each commit, name branches after tickets and squash them", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewRule("a.b", tt.relayed).Retells(tt.said); got != tt.want {
				t.Errorf("%q, then %q: %v", tt.said, tt.relayed, got)
			}
		})
	}
}
