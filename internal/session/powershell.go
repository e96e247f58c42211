package session

import "strings"

// powerShellWord reads on from a character that means something else to PowerShell than to a POSIX shell, and reports whether it
// was one.
func (s *shell) powerShellWord(c byte) bool {
	rest := s.text[s.at:]
	switch {
	case c == '`':
		if next := strings.TrimLeft(rest, "\r"); strings.HasPrefix(next, "\n") { // the line goes on
			s.at += len(rest) - len(next) + 1
		} else if rest != "" {
			s.add(rest[0])
			s.at++
		}
	case c == '\\':
		s.add(c)
	case c == '\'' || c == '"':
		s.powerShellQuoted(c)
	case c == '@' && rest != "" && (rest[0] == '\'' || rest[0] == '"'): // a text of several lines
		s.begun = true
		s.at++
		s.take(strings.Index(s.text[s.at:], "\n"+rest[:1]+"@"))
		s.at = min(s.at+len(`"@`), len(s.text))
	case c == '@' && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "{")): // a list
	default:
		return false
	}
	return true
}

// powerShellQuoted reads up to the closing quote. A doubled quote is one, and commands inside double quotes are scripts.
func (s *shell) powerShellQuoted(quote byte) {
	for s.begun = true; s.at < len(s.text); {
		c := s.text[s.at]
		s.at++
		switch {
		case c == quote && s.peek() != quote:
			return
		case c == quote, c == '`' && quote == '"' && s.peek() != 0:
			s.add(s.peek())
			s.at++
		case c == '$' && quote == '"' && s.peek() == '(':
			start := s.at
			s.toScriptEnd(c)
			s.quoted = append(s.quoted, strings.Trim(s.text[start:s.at], "()"))
		default:
			s.add(c)
		}
	}
}

// powerShellProgram takes the target of an assignment off a command of PowerShell, and the folder and the ending off its program.
func powerShellProgram(words []string) []string {
	if len(words) > 0 && strings.HasPrefix(words[0], "$") {
		_, value, assigns := strings.Cut(words[0], "=")
		switch words = words[1:]; {
		case assigns && value != "":
			words = append([]string{value}, words...)
		case len(words) > 0 && strings.HasPrefix(words[0], "="):
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return nil
	}
	name := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		switch strings.ToLower(name[dot:]) {
		case ".exe", ".cmd", ".bat", ".ps1":
			name = name[:dot]
		}
	}
	return append([]string{name}, words[1:]...)
}

// scriptOfWindows is the script that powershell, pwsh or cmd is started with.
func scriptOfWindows(words []string) (script string, ok bool) {
	switch name := strings.TrimSuffix(strings.ToLower(words[0]), ".exe"); name {
	case "iex", "invoke-expression":
		return strings.Join(words[1:], " "), len(words) > 1
	case "powershell", "pwsh", "cmd":
		for i, word := range words[1:] {
			switch word = strings.ToLower(word); {
			case name == "cmd" && (word == "/c" || word == "/k"), name != "cmd" && len(word) > 1 && strings.HasPrefix("-command", word):
				return strings.Join(words[i+2:], " "), true
			}
		}
	}
	return "", false
}
