package instructions

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// TranscriptKind tells what a text was copied from: speaker-turns, log, stack-trace, diff,
// code, session; "" where it is a text of its own. lower is the text in small letters.
func TranscriptKind(text, lower string) string {
	if len(text) < 24 {
		return ""
	}
	if strings.IndexByte(text, '\n') < 0 {
		if strings.IndexByte(text, ':') >= 0 && inlineTurns(lower) {
			return "speaker-turns"
		}
		return ""
	}
	if trace(lower) {
		return "stack-trace"
	}
	if strings.Contains(text, "diff --git ") || strings.Contains(text, "\n@@ -") && strings.Contains(text, " @@") {
		return "diff"
	}
	var n struct{ turns, named, logs, code, shell, lines int }
	var speakers []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \r\t")
		if line == "" {
			continue
		}
		n.lines++
		if name := speaker(line); name != "" {
			n.turns++
			if !slices.Contains(speakers, name) {
				speakers = append(speakers, name)
			}
			if knownSpeaker(name) {
				n.named++
			}
		}
		if logLine(line) {
			n.logs++
		}
		if codeLine(line) {
			n.code++
		}
		if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ") || strings.HasPrefix(line, ">>> ") || strings.HasPrefix(line, "% ") {
			n.shell++
		}
	}
	switch {
	case n.named >= 2 || n.turns >= 4 && len(speakers) >= 2 && len(speakers)*2 <= n.turns:
		return "speaker-turns"
	case n.logs >= 3:
		return "log"
	case n.shell >= 3 && n.lines > n.shell:
		return "session"
	case n.code >= 6 && n.code*2 >= n.lines:
		return "code"
	}
	return ""
}

// speaker is the name before a colon that a turn begins with, in lower case.
func speaker(line string) string {
	line = strings.TrimLeft(line, "*#> \t[")
	k := strings.IndexByte(line, ':')
	if k <= 0 || k > 24 || k+1 >= len(line) {
		return ""
	}
	name := strings.Trim(line[:k], "*_ ]")
	if name == "" || strings.ContainsAny(name, "/\\.(){}=\"'`-") || strings.Count(name, " ") > 1 {
		return ""
	}
	if c := name[0]; chars.Class(c)&chars.Uppers == 0 && !knownSpeaker(chars.LowerASCII(name)) && c < 0x80 {
		return ""
	}
	return chars.LowerASCII(name)
}

func knownSpeaker(name string) bool {
	switch name {
	case "user", "assistant", "human", "ai", "bot", "system", "chatgpt", "claude", "gpt", "model", "agent", "me", "you", "customer", "interviewer", "q", "a", "gemini", "copilot", "developer":
		return true
	}
	return false
}

// inlineTurns: the turns of a conversation written on one line.
func inlineTurns(lower string) bool {
	n := 0
	for _, s := range [...]string{"user: ", "assistant: ", "human: ", "ai: "} {
		n += strings.Count(lower, s)
	}
	return n >= 3
}

func logLine(line string) bool {
	if len(line) < 16 {
		return false
	}
	head := line[:min(len(line), 48)]
	level := chars.ContainsAny(head, "INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "level=", "[info]", "[error]", "[warn]", "[debug]")
	stamp := chars.Pattern(head[:4], "9999") && (head[4] == '-' || head[4] == '/') || chars.Pattern(head[:2], "99") && head[2] == ':' ||
		head[0] == '[' && chars.Class(head[1])&chars.Digits != 0 || strings.HasPrefix(head, "ts=") || strings.HasPrefix(head, "time=")
	return stamp && (level || len(line) > 40) || level && strings.HasPrefix(strings.TrimLeft(head, "["), "INFO") || level && strings.HasPrefix(strings.TrimLeft(head, "["), "ERROR") ||
		level && strings.HasPrefix(strings.TrimLeft(head, "["), "WARN") || level && strings.HasPrefix(strings.TrimLeft(head, "["), "DEBUG")
}

func trace(lower string) bool {
	if strings.Contains(lower, "traceback (most recent call last)") || strings.Contains(lower, "goroutine ") && strings.Contains(lower, " [running]") {
		return true
	}
	return strings.Count(lower, "\n\tat ")+strings.Count(lower, "\n    at ")+strings.Count(lower, "\n  at ") >= 2 ||
		strings.Count(lower, "  file \"") >= 2 && strings.Contains(lower, ", line ") || strings.Contains(lower, "thread 'main' panicked at") && strings.Contains(lower, "note: run with")
}

func codeLine(line string) bool {
	t := strings.TrimSpace(line)
	if t == "" {
		return false
	}
	switch t[len(t)-1] {
	case ';', '{', '}', ')':
		return true
	}
	if t == "});" || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "import ") || strings.HasPrefix(t, "from ") && strings.Contains(t, " import ") ||
		strings.HasPrefix(t, "def ") || strings.HasPrefix(t, "class ") && strings.HasSuffix(t, ":") || strings.HasPrefix(t, "return ") || strings.HasPrefix(t, "#include") {
		return true
	}
	return line[0] == ' ' && (strings.HasSuffix(t, ":") && chars.ContainsAny(t, "if ", "for ", "while ", "else", "try", "with ") || strings.Contains(t, " = "))
}
