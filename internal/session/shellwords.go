package session

import (
	"strings"
)

// shell reads the words of a command line, one simple command at a time.
type shell struct {
	text  string
	at    int
	words []string // of the command that next found
	// quoted are the scripts of $( ) and backticks in the double quotes of that command.
	quoted []string
	power  bool // the shell is PowerShell

	word    strings.Builder
	begun   bool      // a word is under way; it may be empty, as in ""
	skips   bool      // the word under way is the target of a redirection
	here    int       // 1: the next word ends a here-document; 2: and tabs before it do not count
	pending []hereDoc // whose text begins at the next line
}

// hereDoc is a here-document that was announced with << and has not begun.
type hereDoc struct {
	end  string
	tabs bool
}

// next reads one simple command into words, which may be none; false at the end.
func (s *shell) next() bool {
	if s.at >= len(s.text) {
		return false
	}
	s.words, s.quoted = nil, nil
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		if s.power {
			if c == '{' || c == '}' {
				c = ';' // the ends of a block
			} else if s.powerShellWord(c) {
				continue
			}
		}
		switch c {
		case ' ', '\t', '\r':
			s.endWord()
		case '\n':
			s.endWord()
			s.skipHereDocs()
			return true
		case ';', '&', '|', '(', ')', '`':
			if c == '&' && s.peek() == '>' { // &> FILE
				s.redirect()
				continue
			}
			s.endWord()
			return true
		case '<', '>':
			s.at--
			s.redirect()
		case '#':
			if s.begun {
				s.add(c)
			} else {
				s.toLineEnd()
			}
		default:
			s.inWord(c)
		}
	}
	s.endWord()
	return true
}

// inWord reads on within a word: a quotation, an escape or a plain character.
func (s *shell) inWord(c byte) {
	switch c {
	case '\'':
		s.begun = true
		s.take(strings.IndexByte(s.text[s.at:], '\''))
	case '"':
		s.begun = true
		s.doubleQuoted()
	case '\\':
		switch s.peek() {
		case '\n':
			s.at++
		case 0:
		default:
			s.add(s.peek())
			s.at++
		}
	case '$':
		if next := s.peek(); next == '(' || next == '\'' || next == '"' {
			s.begun = s.begun || next != '('
			return // $( begins a command, $' and $" a quotation
		}
		s.add(c)
	default:
		s.add(c)
	}
}

// take adds n characters and passes over the one that ends them; all that is left where
// n is negative.
func (s *shell) take(n int) {
	if n < 0 {
		n = len(s.text) - s.at
	}
	s.word.WriteString(s.text[s.at : s.at+n])
	s.at = min(s.at+n+1, len(s.text))
}

// doubleQuoted reads up to the closing quote. Commands inside it are part of the word, and scripts.
func (s *shell) doubleQuoted() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return
		case c == '\\' && s.peek() == '\n':
			s.at++
		case c == '\\' && s.peek() != 0 && strings.IndexByte("\\\"$`", s.peek()) >= 0:
			s.add(s.peek())
			s.at++
		case c == '$' && s.peek() == '(' || c == '`':
			start := s.at
			s.toScriptEnd(c)
			s.quoted = append(s.quoted, strings.Trim(s.text[start:s.at], "()`"))
			s.word.WriteString(s.text[start-1 : s.at])
		default:
			s.add(c)
		}
	}
}

// toScriptEnd passes over a command in double quotes: to the next backtick, or to the bracket that
// closes the first one.
func (s *shell) toScriptEnd(opened byte) {
	depth := 0
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '`' && opened == '`':
			return
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 && opened != '`' {
				return
			}
		}
	}
}

// redirect passes over the sign of a redirection; its target is the next word.
func (s *shell) redirect() {
	if word := s.word.String(); strings.Trim(word, "0123456789") == "" || s.power && word == "*" {
		s.word.Reset() // the number of a file, as in 2>&1, and all of them
		s.begun = false
	}
	s.endWord()
	start := s.at
	for s.at < len(s.text) && strings.IndexByte("<>&|", s.text[s.at]) >= 0 {
		s.at++
	}
	sign := s.text[start:s.at]
	if sign == "<" || sign == ">" {
		if s.peek() == '(' { // a command whose output or input is a file
			return
		}
	}
	s.skips = true
	if sign == "<<" {
		s.here = 1
		if s.peek() == '-' {
			s.at++
			s.here = 2
		}
	}
}

// endWord ends the word under way.
func (s *shell) endWord() {
	if !s.begun {
		return
	}
	word := s.word.String()
	switch {
	case s.here > 0:
		s.pending = append(s.pending, hereDoc{end: word, tabs: s.here == 2})
	case !s.skips:
		s.words = append(s.words, word)
	}
	s.word.Reset()
	s.begun, s.skips, s.here = false, false, 0
}

// skipHereDocs passes over the texts of here-documents.
func (s *shell) skipHereDocs() {
	for _, doc := range s.pending {
		for s.at < len(s.text) {
			line := s.text[s.at:]
			s.toLineEnd()
			line = line[:len(line)-len(s.text)+s.at]
			s.at = min(s.at+1, len(s.text))
			if doc.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == doc.end {
				break
			}
		}
	}
	s.pending = nil
}

func (s *shell) toLineEnd() {
	if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		s.at += n
		return
	}
	s.at = len(s.text)
}

func (s *shell) add(c byte) {
	s.begun = true
	s.word.WriteByte(c)
}

// peek is the next character, 0 at the end.
func (s *shell) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

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
