// Package instructions scores texts that try to steer whoever reads them, and knows what was
// copied whole from a conversation, a log or a page of code.
package instructions

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// The scores at which a text is taken for an attempt to steer an agent. Between
// the two a person decides.
const (
	RefusedAt = 10
	HeldAt    = 7
)

// longDocument is the length, in bytes, above which a text is more than a wish
// about the form of answers.
const longDocument = 240

// longScene is the length, in bytes, above which words of roles and limits add
// up by chance, as they do in a story; more of them must stand there.
const (
	longScene   = 700
	heldIfScene = 9
)

// steer scores a text.
func Steer(p *chars.Part) Tally {
	text, lower, ascii := p.Text, p.Lower, p.ASCII
	v := phrasebook()
	var room [96]token
	t := v.Tally(v.Tokenize(text, lower, ascii, room[:0]))
	page := shown(text)
	if t.best >= 4 && t.Kind == "document" && len(text) > longDocument && !page {
		// A preference is short; a long text that turns to its reader is not one.
		t.Points += 3
	}
	if t.Points < heldIfScene && (page || len(text) > longScene && (t.Kind == "role" || t.Kind == "harm")) {
		t.Points, t.best, t.Kind = 0, 0, ""
	}
	if m := markup(p); m.Points > 0 {
		t.Points += m.Points
		if m.Points > t.best {
			t.best, t.Kind, t.Mark = m.Points, m.Kind, m.Mark
		}
	}
	return t
}

// shown reports whether a text is a long one with headings, lists or code in it, as answers of
// assistants are.
func shown(text string) bool {
	return len(text) > longScene && (strings.Contains(text, "```") || strings.Count(text, "**") >= 4 || strings.Contains(text, "\n#") || strings.Contains(text, "</"))
}

// markup scores what acts when it is shown: scripts, handlers, pictures whose
// address carries data away, chat templates.
func markup(p *chars.Part) Tally {
	var t Tally
	if points, kind := looseSetting(p); points > 0 {
		t = Tally{Points: points, Kind: kind, best: points}
	}
	if !p.Mark {
		return t
	}
	lower := p.Lower
	prose := outsideCode(lower) // markup in code is named, and does nothing
	// An answer that shows a page of HTML is about the page.
	page := shown(p.Text)
	add := func(points int, kind string) {
		t.Points += points
		if points > t.best {
			t.best, t.Kind = points, kind
		}
	}
	if strings.IndexByte(lower, '<') >= 0 || strings.Contains(lower, "[inst") || strings.Contains(lower, "[/inst") || strings.Contains(lower, "[system") || strings.Contains(lower, "[tool_calls") {
		for i := range activeMarkup {
			m, where := &activeMarkup[i], lower
			if m.kind == "markup" {
				where = prose
			}
			if !strings.Contains(where, m.text) || named(where, m.text) || page && m.kind == "markup" {
				continue
			}
			if m.points > t.best {
				t.Mark = m.name()
			}
			add(m.points, m.kind)
		}
		if !page && eventHandler(prose) {
			add(10, "markup")
		}
	}
	if strings.Contains(lower, "script:") || strings.Contains(lower, "data:text/html") {
		if !page && activeAddress(lower) {
			add(10, "markup")
		}
	}
	if strings.Contains(lower, "![") && leakingPicture(lower) {
		add(10, "send")
	}
	if !page && strings.Contains(lower, "```") && chars.ContainsAny(lower, "import ", "subprocess", "requests.", "os.system", "eval(", "exec(", "socket", "while true", "curl ") {
		add(4, "command")
	}
	if strings.IndexByte(lower, '|') >= 0 || strings.IndexByte(lower, ';') >= 0 || strings.Contains(lower, "rm -") {
		if pipedShell(lower) {
			// How a tool is installed is often written so: a person decides.
			add(8, "command")
		}
		if carriesAway(lower) {
			add(10, "send")
		}
	}
	if substituted(p) || p.Long && p.Pairs.May("powershell") && strings.Contains(lower, "powershell") && encodedCommand(lower) {
		add(8, "command")
	}
	if p.Pairs.May("\":") && toolCall(lower) || p.Pairs.May("```tool_code") && strings.Contains(lower, "```tool_code") {
		add(10, "command")
	}
	return t
}

// outsideCode is a text without what is in backticks.
func outsideCode(text string) string {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return text // a backtick that nothing closes
	}
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	return strings.Join(parts, "`")
}

// name is the mark as a message shows it.
func (m mark) name() string {
	if strings.HasPrefix(m.text, "<") && !strings.ContainsAny(m.text, " >!@") {
		return m.text + ">"
	}
	return strings.TrimSpace(m.text)
}

// named reports whether the mark is only the beginning of a longer name, as in
// "<script_name>", which is how commands show what to fill in.
func named(lower, mark string) bool {
	end := strings.Index(lower, mark) + len(mark)
	return chars.Class(mark[len(mark)-1])&chars.Letters != 0 && end < len(lower) && chars.Class(lower[end])&(chars.Word|chars.Dash) != 0
}

// eventHandler: <tag … onerror=…>.
func eventHandler(lower string) bool {
	for from := 0; ; {
		k := strings.Index(lower[from:], "on")
		if k < 0 {
			return false
		}
		at := from + k
		from = at + 2
		if at == 0 || chars.Class(lower[at-1])&chars.Alnum != 0 {
			continue
		}
		n := chars.Span(lower[at:], chars.Lowers, 24)
		e := at + n
		for e < len(lower) && lower[e] == ' ' {
			e++
		}
		if n >= 5 && e+1 < len(lower) && lower[e] == '=' && lower[e+1] != '=' && strings.LastIndexByte(lower[max(0, at-400):at], '<') >= 0 {
			return true
		}
	}
}

func activeAddress(lower string) bool {
	for _, a := range []string{"javascript:", "vbscript:", "livescript:", "data:text/html"} {
		k := strings.Index(lower, a)
		if k < 0 {
			continue
		}
		rest := lower[k+len(a):]
		if rest != "" && rest[0] != ' ' && rest[0] != '\n' {
			return true
		}
	}
	return false
}

// leakingPicture: a picture whose address has a place for data in it.
func leakingPicture(lower string) bool {
	for from := 0; ; {
		k := strings.Index(lower[from:], "](http")
		if k < 0 {
			return false
		}
		at := from + k + 2
		from = at
		end := at
		for end < len(lower) && lower[end] != ')' && lower[end] != '\n' && end-at < 600 {
			end++
		}
		address := lower[at:end]
		if q := strings.IndexByte(address, '?'); q >= 0 && strings.IndexByte(address[q:], '=') > 0 &&
			(strings.ContainsAny(address[q:], "{[$<%") || strings.HasSuffix(address, "=") || chars.ContainsAny(address[q:], "data", "secret", "chat", "history", "prompt", "token", "key", "conversation", "content", "summary")) {
			return true
		}
		if strings.ContainsAny(address, "{[$<") {
			return true
		}
	}
}

// pipedShell: what is fetched and run at once, and what wipes a disk.
func pipedShell(lower string) bool {
	if chars.ContainsAny(lower, "curl ", "wget ", "fetch ", "iwr ", "irm ", "invoke-webrequest", "invoke-restmethod", "downloadstring", "base64 -d", "base64 --decode") &&
		chars.ContainsAny(lower, "| iex", "|iex", "iex(", "| invoke-expression", "| node", "| perl", "| ruby", "| sh", "|sh", "| bash", "|bash", "| sudo", "|sudo", "| python", "| zsh", "; sh ", "&& sh ", "&& bash ") {
		return true
	}
	if wipes(lower) {
		return true
	}
	return chars.ContainsAny(lower, ":(){", "mkfs.", "> /dev/sda", "dd if=/dev/zero of=/dev") && !chars.ContainsAny(lower, "never", "don't", "do not", "avoid", "forbid")
}

// wipes: a removal of all files, or of all files at home, that no word forbids.
func wipes(lower string) bool {
	k := strings.Index(lower, "rm -")
	if k < 0 || chars.ContainsAny(lower[:k], "never", "don't", "do not", "avoid", "forbid") {
		return false
	}
	rest := lower[k+len("rm -"):]
	n := chars.Span(rest, chars.Letters, 8)
	if n < 2 || !strings.Contains(rest[:n], "r") || !strings.Contains(rest[:n], "f") {
		return false
	}
	rest = strings.TrimLeft(rest[n:], " \"'")
	return strings.HasPrefix(rest, "--no-preserve-root") || rest == "/" || strings.HasPrefix(rest, "/ ") || strings.HasPrefix(rest, "/*") ||
		strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "$home")
}
