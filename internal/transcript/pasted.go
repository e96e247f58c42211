package transcript

import "strings"

// lines removes the lines that were pasted or quoted: after a shell's prompt, and after the name of an assistant, the rest of the
// paragraph, and code where it is not alone.
func (m *mask) lines() {
	var before pasteState
	previous, last := "", [2]int{} // the kind of the line before, and its place
	for from := 0; from < len(m.text); {
		to := len(m.text)
		if n := strings.IndexByte(m.text[from:], '\n'); n >= 0 {
			to = from + n
		}
		kind := ""
		if !m.cut[from] || !m.cut[max(to-1, from)] {
			kind = before.kind(strings.TrimRight(m.text[from:to], "\r"))
		}
		beside := previous == "code" || previous == "pasted"
		if kind == "pasted" || kind == "code" && beside {
			m.remove(from, to)
		}
		if previous == "code" && (kind == "code" || kind == "pasted") {
			m.remove(last[0], last[1])
		}
		if kind != "" || strings.TrimSpace(m.text[from:to]) != "" {
			previous, last = kind, [2]int{from, to}
		}
		from = to + 1
	}
}

// pasteState is what the lines before say about a line.
type pasteState struct {
	shell bool // the output of a command, or what an assistant said, to the end of the paragraph
	diff  bool
	trace bool // of Python: its last line is not indented
	list  bool // the line before belongs to a list
}

// kind is what the form of the next line says: pasted, code, prose, or "" for a blank line. Code is pasted only beside more of it.
func (p *pasteState) kind(line string) string {
	s := strings.TrimSpace(line)
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	switch {
	case s == "":
		p.diff, p.shell = false, false
		return ""
	case p.shell || isPrompt(s) || hasPrefix(strings.TrimLeft(s, "*#_ "), "Assistant:", "assistant:", "Assistant**:", "ChatGPT:"):
		p.shell = true
		return "pasted"
	case s[0] == '>' && !strings.HasPrefix(s, ">>> "):
		return "pasted"
	case strings.HasPrefix(s, "diff --git ") || strings.HasPrefix(s, "@@ -") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- a/"):
		p.diff = true
		return "pasted"
	case p.diff && (strings.IndexByte(" +-@\\", line[0]) >= 0 || hasPrefix(line, "index ", "new file mode", "deleted file mode", "similarity index", "rename ")):
		return "pasted"
	case p.trace || strings.HasPrefix(s, "Traceback (most recent call last)"):
		p.trace = !p.trace || line[0] == ' ' || line[0] == '\t'
		return "pasted"
	}
	p.diff = false
	item := isItem(s)
	switch {
	case isOutput(s):
		return "pasted"
	case isCode(s) || indented && !item && !p.list:
		return "code"
	}
	p.list = item || p.list && indented
	return "prose"
}

func hasPrefix(s string, list ...string) bool {
	for _, head := range list {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// isItem reports whether the line begins an item of a list.
func isItem(s string) bool {
	_, rest := digits(s)
	return hasPrefix(s, "- ", "* ", "+ ", "• ") || len(rest) < len(s) && hasPrefix(rest, ". ", ") ")
}

// digits cuts the digits that s begins with.
func digits(s string) (n int, rest string) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n, s[n:]
}

// isPrompt reports whether the line is what somebody typed into a shell, so that the rest of the paragraph is output; so are the
// frames of a goroutine.
func isPrompt(s string) bool {
	head, _, ok := strings.Cut(s, "$ ")
	return hasPrefix(s, "$ ", "% ", ">>> ", "❯ ", "➜ ", "PS C:\\") || hasPrefix(s, "goroutine ") && strings.HasSuffix(s, "]:") ||
		ok && len(head) < 80 && strings.Contains(head, "@") && strings.Contains(head, ":") && strings.Count(head, " ") <= 1
}

// isOutput reports whether the line is a program's: of a log, a stack trace or an error.
func isOutput(s string) bool {
	if hasPrefix(s, "ts=", "time=", "level=", "Caused by: ", "Exception in thread ", "panic: ", "thread '", "npm ERR!", "npm error", "npm WARN", "fatal: ",
		"error[", "error TS", "Uncaught ", "--- FAIL", "=== RUN", "FAIL\t", "FAILED ", "<<<<<<<", "=======", ">>>>>>>") {
		return true
	}
	head, rest, _ := strings.Cut(s, " ")
	switch level := strings.Trim(head, "[]():|"); level {
	case "INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "info", "warn", "error", "debug":
		return level != head || level[0] < 'a' && strings.HasPrefix(rest, " ")
	case "at":
		return strings.Contains(rest, ":") && (strings.HasSuffix(rest, ")") || !strings.Contains(rest, " "))
	case "File":
		return strings.Contains(rest, `", line `)
	}
	if name, ok := strings.CutSuffix(head, ":"); ok && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) && name != "Error" {
		return true
	}
	_, place, _ := strings.Cut(head, ".") // a.go:12:5:
	_, place, _ = strings.Cut(place, ":")
	n, after := digits(place)
	return n > 0 && strings.HasPrefix(after, ":") || isTime(strings.TrimLeft(s, "[("))
}

// isTime reports whether the line begins with a time of day, or a date and one.
func isTime(s string) bool {
	n, rest := digits(s)
	if n == 4 && len(rest) > 9 && (rest[0] == '-' || rest[0] == '/') {
		n, rest = digits(strings.TrimLeft(rest[6:], " T"))
	}
	if n != 2 || !strings.HasPrefix(rest, ":") {
		return false
	}
	n, rest = digits(rest[1:])
	return n == 2 && strings.HasPrefix(rest, ":")
}

// isCode reports whether a line has the form of code.
func isCode(s string) bool {
	left, _, assigns := strings.Cut(s, " = ")
	return strings.IndexByte(";{}", s[len(s)-1]) >= 0 || hasPrefix(s, "//", "/*", "#include", "#!/", "@import", "});", "];") ||
		s[0] == '"' && strings.Contains(s, `":`) || assigns && !strings.Contains(left, " ") ||
		strings.ContainsAny(s, "(){}=;'\"") && hasPrefix(s, "import ", "from ", "def ", "class ", "const ", "let ", "var ", "func ", "function ", "return ", "public ",
			"private ", "export ", "if (", "for (", "while (", "async ", "await ", "else ", "elif ", "try:", "except ")
}
