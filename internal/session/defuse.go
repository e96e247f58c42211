package session

import (
	"strings"

	"github.com/memctl/memctl/policy"
)

// Defuse makes a text one plain line that can neither close the place where it is
// printed nor open another. It removes control, bidirectional and zero-width characters, turns
// fences into quotes, and replaces the bracket of a tag that a client or a model reads as
// structure. All other text stays as it is stored.
func Defuse(s string) string {
	s = policy.Inert(s)
	s = strings.ReplaceAll(s, "```", "'''")
	s = strings.ReplaceAll(s, "~~~", "'''")
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '<' && opensStructure(s[i+1:]) {
			b.WriteString("‹")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// opensStructure reports whether what follows a bracket makes it a comment, a model's control token
// (<|im_start|>) or a tag that clients and models use themselves.
func opensStructure(rest string) bool {
	if strings.HasPrefix(rest, "!--") || strings.HasPrefix(rest, "|") {
		return true
	}
	rest = strings.TrimPrefix(rest, "/")
	end := strings.IndexFunc(rest, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	})
	if end < 0 {
		end = len(rest)
	}
	switch strings.ReplaceAll(strings.ToLower(rest[:end]), "-", "_") {
	case "system", "system_reminder", "assistant", "human", "instructions", "user_instructions", "environment_context",
		"hook_context", "memory", "thinking", "tool_call", "tool_use", "tool_result", "function_call", "function_calls",
		"function_results", "invoke", "antml":
		return true
	}
	return false
}
