package transcript

import "strings"

// lineKind is what the form of a line says about it.
type lineKind byte

const (
	prose  lineKind = iota
	blank           // no text, or none that is left
	pasted          // a log, a trace, a diff
	prompt          // of a shell; what follows is its output
	code            // looks like code, and is it where it is not alone
	quoted
)

type textLine struct {
	from, to int // without the end of the line
	kind     lineKind
}

// lines removes the lines that were pasted or quoted.
func (m *mask) lines() {
	list := m.split()
	for i := range list {
		switch l := &list[i]; l.kind {
		case quoted, pasted, prompt:
			m.remove(l.from, l.to)
		case code:
			if beside(list, i, -1) || beside(list, i, 1) || surelyCode(m.text[l.from:l.to]) {
				m.remove(l.from, l.to)
			}
		}
	}
	m.between(list)
	m.conversation(list)
}

// beside reports whether the next line with text, before or after line i, is code or pasted.
func beside(list []textLine, i, step int) bool {
	for i += step; i >= 0 && i < len(list); i += step {
		if list[i].kind != blank {
			return list[i].kind == code || list[i].kind == pasted
		}
	}
	return false
}

// between removes, in each paragraph, the lines between two pasted ones and the lines after
// a shell's prompt.
func (m *mask) between(list []textLine) {
	for i := 0; i < len(list); i++ {
		first, last := -1, -1
		for ; i < len(list) && list[i].kind != blank; i++ {
			if list[i].kind == pasted || list[i].kind == prompt {
				if first < 0 {
					first = i
				}
				last = i
			}
			if first >= 0 && list[first].kind == prompt {
				last = i
			}
		}
		if first >= 0 {
			m.remove(list[first].from, list[last].to)
		}
	}
}

// conversation removes a pasted conversation: from the first line that begins with the name
// of a speaker to the end of the last one's paragraph, if there are two speakers.
func (m *mask) conversation(list []textLine) {
	first, last, names := -1, -1, map[string]bool{}
	for i, l := range list {
		name, _, ok := strings.Cut(strings.TrimLeft(m.text[l.from:min(l.to, l.from+40)], "*#_ "), ":")
		if !ok || l.kind != prose {
			continue
		}
		switch name = strings.ToLower(strings.Trim(name, "*_ ")); name {
		case "user", "human", "assistant", "ai", "chatgpt", "claude", "agent", "system", "gpt", "gemini", "copilot", "bot":
			if first < 0 {
				first = i
			}
			last, names[name] = i, true
		}
	}
	if len(names) < 2 {
		return
	}
	for last+1 < len(list) && list[last+1].kind != blank {
		last++
	}
	m.remove(list[first].from, list[last].to)
}

// split returns the lines with their kinds.
func (m *mask) split() []textLine {
	var list []textLine
	var state pasteState
	for from := 0; from <= len(m.text); {
		to := len(m.text)
		if n := strings.IndexByte(m.text[from:], '\n'); n >= 0 {
			to = from + n
		}
		l := textLine{from: from, to: to}
		if from < to && m.cut[from] && m.cut[to-1] {
			l.kind = blank
		} else {
			l.kind = state.kind(strings.TrimRight(m.text[from:to], "\r"))
		}
		list = append(list, l)
		from = to + 1
	}
	return list
}

// pasteState is what the lines before say about a line.
type pasteState struct {
	diff  bool
	trace bool // of Python: its last line is not indented
	list  bool // the line before belongs to a list
}

// kind tells the kind of the next line.
func (p *pasteState) kind(line string) lineKind {
	s := strings.TrimSpace(line)
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	switch {
	case s == "":
		p.diff = false
		return blank
	case strings.HasPrefix(s, ">") && !strings.HasPrefix(s, ">>> "):
		return quoted
	case strings.HasPrefix(s, "diff --git ") || strings.HasPrefix(s, "@@ -") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- a/"):
		p.diff = true
		return pasted
	case p.diff && (strings.IndexByte(" +-@\\", line[0]) >= 0 || hasPrefix(line, "index ", "new file mode", "deleted file mode", "similarity index", "rename ")):
		return pasted
	case strings.HasPrefix(s, "Traceback (most recent call last)"):
		p.trace = true
		return pasted
	case p.trace:
		p.trace = line[0] == ' ' || line[0] == '\t'
		return pasted
	}
	p.diff = false
	item := isItem(s)
	switch {
	case isPrompt(s):
		return prompt
	case isLog(s) || isTrace(s) || isError(s):
		return pasted
	case looksLikeCode(s) || indented && !item && !p.list:
		return code
	}
	p.list = item || p.list && indented
	return prose
}

func hasPrefix(s string, list ...string) bool {
	for _, head := range list {
		if s != "" && s[0] == head[0] && strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// isItem reports whether the line begins an item of a list.
func isItem(s string) bool {
	if hasPrefix(s, "- ", "* ", "+ ", "• ") {
		return true
	}
	_, rest := digits(s)
	return len(rest) < len(s) && hasPrefix(rest, ". ", ") ")
}

// digits cuts the digits that s begins with.
func digits(s string) (n int, rest string) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n, s[n:]
}

// isPrompt reports whether the line is what somebody typed into a shell, so that the rest of
// the paragraph is output.
func isPrompt(s string) bool {
	if strings.HasPrefix(s, "goroutine ") && strings.HasSuffix(s, "]:") {
		return true // the frames follow as the output of a command does
	}
	if hasPrefix(s, "$ ", "% ", ">>> ", "❯ ", "➜ ", "PS C:\\") {
		return true
	}
	head, _, ok := strings.Cut(s, "$ ")
	return ok && len(head) < 80 && strings.Contains(head, "@") && strings.Contains(head, ":") && strings.Count(head, " ") <= 1
}

// isLog reports whether the line begins with a time of day, or with a level in capitals.
func isLog(s string) bool {
	level := strings.TrimLeft(s, "[(")
	for _, name := range [...]string{"INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "info", "warn", "error", "debug"} {
		if level == "" || level[0] != name[0] {
			continue
		}
		rest, ok := strings.CutPrefix(level, name)
		if ok && rest != "" && (strings.IndexByte("]:|", rest[0]) >= 0 || name[0] < 'a' && strings.HasPrefix(rest, "  ")) {
			return true
		}
	}
	if hasPrefix(s, "ts=", "time=", "level=") {
		return true
	}
	n, rest := digits(level)
	if n == 4 && len(rest) > 9 && (rest[0] == '-' || rest[0] == '/') { // a date, then a time
		rest = strings.TrimLeft(rest[6:], " T")
		n, rest = digits(rest)
	}
	if n != 2 || len(rest) < 3 || rest[0] != ':' {
		return false
	}
	n, rest = digits(rest[1:])
	return n == 2 && rest != "" && rest[0] == ':'
}

// isTrace reports whether the line belongs to a stack trace.
func isTrace(s string) bool {
	if rest, ok := strings.CutPrefix(s, "at "); ok {
		return strings.Contains(rest, ":") && (strings.HasSuffix(rest, ")") || !strings.Contains(rest, " "))
	}
	if strings.HasPrefix(s, `File "`) {
		return strings.Contains(s, ", line ")
	}
	return hasPrefix(s, "Caused by: ", "Exception in thread ", "panic: ", "thread '")
}

// isError reports whether the line is a program's error: its name in front, or the place in
// a file.
func isError(s string) bool {
	if hasPrefix(s, "npm ERR!", "npm error", "npm WARN", "fatal: ", "error[", "error TS", "Uncaught ", "--- FAIL", "=== RUN", "FAIL\t", "FAILED ", "<<<<<<<", "=======", ">>>>>>>") {
		return true
	}
	head, _, _ := strings.Cut(s, " ")
	if name, ok := strings.CutSuffix(head, ":"); ok && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) && name != "Error" {
		return true
	}
	_, place, ok := strings.Cut(head, ".")
	_, place, colon := strings.Cut(place, ":")
	n, rest := digits(place)
	return ok && colon && n > 0 && strings.HasPrefix(rest, ":")
}

// looksLikeCode reports whether a line has the form of code.
func looksLikeCode(s string) bool {
	if strings.IndexByte(";{}", s[len(s)-1]) >= 0 || hasPrefix(s, "//", "/*", "#include", "#!/", "@import", "});", "];") {
		return true
	}
	if s[0] == '"' && strings.Contains(s, `":`) {
		return true
	}
	if left, _, ok := strings.Cut(s, " = "); ok && !strings.Contains(left, " ") {
		return true
	}
	return strings.ContainsAny(s, "(){}=;'\"") && hasPrefix(s, "import ", "from ", "def ", "class ", "const ", "let ", "var ", "func ", "function ", "return ", "public ",
		"private ", "export ", "if (", "for (", "while (", "async ", "await ", "else ", "elif ", "try:", "except ")
}

// surelyCode reports whether a line is code even if it stands alone.
func surelyCode(s string) bool {
	s = strings.TrimSpace(s)
	return strings.IndexByte(";{", s[len(s)-1]) >= 0 && strings.ContainsAny(s, "(=")
}
