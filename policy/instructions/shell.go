package instructions

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// substituted reports whether a shell or an interpreter is handed what a download
// brings: bash <(curl …), sh -c "$(curl …)", eval "$(wget …)".
func substituted(p *chars.Part) bool {
	if !p.Pairs.May("(curl") && !p.Pairs.May("(wget") && !p.Pairs.May("`curl") {
		return false
	}
	for _, open := range [...]string{"<(curl", "<(wget", "$(curl", "$(wget", "`curl", "`wget"} {
		k := strings.Index(p.Lower, open)
		if k < 0 {
			continue
		}
		before := strings.TrimRight(p.Lower[max(0, k-16):k], " \"'")
		for _, runner := range [...]string{"sh", "sh -c", "bash", "bash -c", "eval", "source", "python -c", "python3 -c", "perl -e", "ruby -e", "node -e", "php -r", " ."} {
			if strings.HasSuffix(before, runner) {
				return true
			}
		}
	}
	return false
}

// encodedCommand: powershell -enc and what it runs, which nobody can read.
func encodedCommand(lower string) bool {
	for _, flag := range [...]string{" -enc ", " -e ", " -ec ", " -encodedcommand "} {
		if k := strings.Index(lower, flag); k >= 0 && chars.Span(lower[k+len(flag):], chars.Base64, 30) >= 20 {
			return true
		}
	}
	return false
}

// carriesAway: what is secret on a machine, piped or handed to a program that sends it.
func carriesAway(lower string) bool {
	sends := chars.ContainsAny(lower, "| nc ", "|nc ", "| ncat ", "| netcat ", "/dev/tcp/") ||
		strings.Contains(lower, "| curl") && chars.ContainsAny(lower, "@-", " -t ", "--upload-file", " -f ")
	return sends && chars.ContainsAny(lower, ".ssh", ".aws", ".env", "/etc/passwd", "/etc/shadow", "env |", "printenv", "id_rsa", "credentials", ".kube", ".gnupg", "history", ".netrc", "secrets")
}

// toolCall reports whether a text holds the call of a tool that runs anything, as models
// write it in JSON.
func toolCall(lower string) bool {
	if strings.Contains(lower, "\"tool_use\"") && strings.Contains(lower, "\"input\"") && strings.Contains(lower, "\"name\"") {
		return true
	}
	if !chars.ContainsAny(lower, "\"args\"", "\"arguments\"", "\"input\"", "\"parameters\"", "\"params\"") {
		return false
	}
	for _, field := range [...]string{"\"tool\":", "\"name\":", "\"function\":", "\"tool_name\":"} {
		k := strings.Index(lower, field)
		if k < 0 {
			continue
		}
		rest := strings.TrimLeft(lower[k+len(field):], " \n")
		for _, name := range toolNames {
			if strings.HasPrefix(rest, "\""+name+"\"") {
				return true
			}
		}
	}
	return false
}

// looseSetting scores a setting with which an agent asks for nothing, unless
// a word in the same sentence forbids it.
func looseSetting(p *chars.Part) (points int, kind string) {
	if !p.Pairs.MayAny("--", "approv", "yolo", "bypassp", "danger", "bash(") {
		return 0, ""
	}
	for _, s := range looseSettings {
		if !p.Pairs.May(s) {
			continue
		}
		k := strings.Index(p.Lower, s)
		if k < 0 {
			continue
		}
		from, to := max(0, k-120), min(len(p.Lower), k+len(s)+60)
		if dot := strings.LastIndex(p.Lower[from:k], ". "); dot >= 0 {
			from += dot
		}
		if dot := strings.Index(p.Lower[k:to], ". "); dot >= 0 {
			to = k + dot
		}
		if chars.ContainsAny(p.Lower[from:to], "forbid", "rejects", "refuses", "not allowed", "banned", "stays false") ||
			chars.ContainsAny(p.Lower[from:k], "never ", "never,", "don't", "do not", "avoid", "must not", "may not", "not use", "without ", "no ") && !strings.Contains(s, "never") {
			continue
		}
		// A person may want it so, and decides.
		return HeldAt + 1, "command"
	}
	if p.Pairs.May("--no-verify") && strings.Contains(p.Lower, "--no-verify") {
		return 4, "command"
	}
	return 0, ""
}
