package recovery

import "strings"

// fence is the start or end of a fenced code block.
type fence struct {
	char byte
	size int
	info string // the first word, lower case
}

func (f fence) yaml() bool { return f.info == "yaml" || f.info == "yml" }

// fenceAt reads a line as a fence. Fences indented by four or more are text.
func fenceAt(l line) (fence, bool) {
	if l.indent > 3 || l.body == "" || (l.body[0] != '`' && l.body[0] != '~') {
		return fence{}, false
	}
	rest := strings.TrimLeft(l.body, l.body[:1])
	f := fence{char: l.body[0], size: len(l.body) - len(rest)}
	if f.size < 3 || (f.char == '`' && strings.Contains(rest, "`")) {
		return fence{}, false
	}
	if words := strings.Fields(rest); len(words) > 0 {
		f.info = strings.ToLower(words[0])
	}
	return f, true
}

// closes reports whether the line is a fence that ends the block f began.
func (f fence) closes(l line) bool {
	c, ok := fenceAt(l)
	return ok && c.char == f.char && c.size >= f.size && c.info == ""
}

// bullet returns what follows a list item's mark, and the column where it
// begins, relative to the mark.
func bullet(body string) (content string, column int, ok bool) {
	if body == "-" {
		return "", 2, true
	}
	if len(body) < 2 || !strings.ContainsRune("-*+", rune(body[0])) || (body[1] != ' ' && body[1] != '\t') {
		return "", 0, false
	}
	content = strings.TrimLeft(body[1:], " \t")
	if content == "" {
		return "", 2, true
	}
	return content, len(body) - len(content), true
}

func isBullet(l line) bool {
	_, _, ok := bullet(l.body)
	return ok
}

// field cuts "name: text" where name is one plain word, as in our own format.
func field(body string) (name, text string, ok bool) {
	i := 0
	for i < len(body) && isNameByte(body[i]) {
		i++
	}
	if i == 0 || i >= len(body) || body[i] != ':' || (i+1 < len(body) && body[i+1] != ' ' && body[i+1] != '\t') {
		return "", "", false
	}
	return body[:i], strings.TrimSpace(body[i+1:]), true
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// uncomment cuts a YAML comment from the end of a simple value.
func uncomment(text string) string {
	if strings.HasPrefix(text, "#") {
		return ""
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// opens reports whether what follows the line, indented, belongs to it: the
// line ends with a name that has no value yet, or begins a block scalar.
func opens(body string) bool {
	body = strings.TrimSpace(body)
	if i := strings.Index(body, " #"); i >= 0 {
		body = strings.TrimSpace(body[:i])
	}
	if strings.HasSuffix(body, ":") || body == "-" {
		return true
	}
	last := body[strings.LastIndexAny(body, " \t")+1:]
	return last != "" && (last[0] == '|' || last[0] == '>') && strings.Trim(last[1:], "+-123456789") == ""
}

// opensScalar reports whether the line begins a block scalar, whose lines are
// text whatever they look like.
func opensScalar(body string) bool {
	body = strings.TrimSpace(body)
	return opens(body) && !strings.HasSuffix(uncomment(body), ":") && body != "-"
}

// heading reports whether the line is a Markdown heading.
func heading(l line) bool {
	rest := strings.TrimLeft(l.body, "#")
	n := len(l.body) - len(rest)
	return l.indent <= 3 && n >= 1 && n <= 6 && strings.HasPrefix(rest, " ")
}
