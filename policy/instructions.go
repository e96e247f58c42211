package policy

import "strings"

// The scores at which a text is taken for an attempt to steer an agent. Between
// the two a person decides.
const (
	refusedAt = 10
	heldAt    = 7
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

// instructions rules on text that tries to steer whoever reads it: overrides,
// roles, commands to run, things to hide, markup that acts.
func (j *judge) instructions(p *part) {
	if p.plain {
		return
	}
	t := steer(p)
	if t.private != "" && len(p.text) <= MaxValueBytes {
		j.person(t.private, p.where)
	}
	if t.points < heldAt || t.points < heldIfScene && len(p.text) > longScene && (t.kind == "role" || t.kind == "harm") {
		return
	}
	f := Finding{
		Rule: RuleInstruction, Kind: t.kind, Where: p.where, Verdict: Hold,
		Message: "reads as an order to the agent (" + steerNames[t.kind] + ") and not as a fact about how you work",
		Hint:    "say what you prefer or what holds in this project, in plain words",
	}
	if t.points >= refusedAt {
		f.Verdict = Refuse
	}
	j.add(f)
}

var steerNames = map[string]string{
	"override": "setting aside what it was told",
	"role":     "a role to play",
	"prompt":   "giving away its prompt",
	"command":  "a command to run",
	"hide":     "something to keep from the user",
	"send":     "sending data away",
	"markup":   "markup that acts",
	"harm":     "dropping its limits",
	"document": "orders inside a document",
}

// steer scores a text.
func steer(p *part) tally {
	text, lower, ascii := p.text, p.lower, p.ascii
	v := phrasebook()
	var room [96]token
	t := v.tally(v.tokenize(text, lower, ascii, room[:0]))
	if t.best >= 4 && t.kind == "document" && len(text) > longDocument {
		// A preference is short; a long text that turns to its reader is not one.
		t.points += 3
	}
	if m := markup(p); m.points > 0 {
		t.points += m.points
		if m.points > t.best {
			t.best, t.kind = m.points, m.kind
		}
	}
	if !ascii && t.points < refusedAt {
		if foreign(plainForm(text)) {
			t.points, t.kind, t.best = t.points+refusedAt, "override", refusedAt
		}
	}
	if t.points < refusedAt && p.long {
		if plain, ok := hiddenOrder(text); ok {
			if inner := v.tally(v.tokenize(plain, lowerASCII(plain), isASCII(plain), nil)); inner.points >= heldAt {
				t.points, t.kind = refusedAt, inner.kind
			}
		}
	}
	return t
}

// hiddenOrder decodes the first long base64 run of a text.
func hiddenOrder(text string) (string, bool) {
	for i := 0; i < len(text); {
		n := span(text[i:], base64s, len(text))
		if n >= 24 {
			c := count(text[i : i+n])
			if !c.hex && c.uppers > 0 && c.lowers > 0 {
				return decoded(strings.TrimRight(text[i:i+n], "="))
			}
		}
		i += max(n, 1)
	}
	return "", false
}

// markup scores what acts when it is shown: scripts, handlers, pictures whose
// address carries data away, chat templates.
func markup(p *part) tally {
	var t tally
	if !p.mark {
		return t
	}
	lower := p.lower
	add := func(points int, kind string) {
		t.points += points
		if points > t.best {
			t.best, t.kind = points, kind
		}
	}
	if strings.IndexByte(lower, '<') >= 0 || strings.Contains(lower, "[inst") || strings.Contains(lower, "[/inst") || strings.Contains(lower, "[system") {
		for i := range activeMarkup {
			if m := &activeMarkup[i]; strings.Contains(lower, m.text) && !named(lower, m.text) {
				add(m.points, m.kind)
			}
		}
		if eventHandler(lower) {
			add(10, "markup")
		}
	}
	if strings.Contains(lower, "script:") || strings.Contains(lower, "data:text/html") {
		if activeAddress(lower) {
			add(10, "markup")
		}
	}
	if strings.Contains(lower, "![") && leakingPicture(lower) {
		add(10, "send")
	}
	if strings.Contains(lower, "```") && containsAny(lower, "import ", "subprocess", "requests.", "os.system", "eval(", "exec(", "socket", "while true", "curl ") {
		add(4, "command")
	}
	if strings.IndexByte(lower, '|') >= 0 || strings.IndexByte(lower, ';') >= 0 || strings.Contains(lower, "rm -") {
		if pipedShell(lower) {
			// How a tool is installed is often written so: a person decides.
			add(8, "command")
		}
	}
	return t
}

// named reports whether the mark is only the beginning of a longer name, as in
// "<script_name>", which is how commands show what to fill in.
func named(lower, mark string) bool {
	end := strings.Index(lower, mark) + len(mark)
	return class(mark[len(mark)-1])&letters != 0 && end < len(lower) && class(lower[end])&(word|dash) != 0
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
		if at == 0 || class(lower[at-1])&alnum != 0 {
			continue
		}
		n := span(lower[at:], lowers, 24)
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
			(strings.ContainsAny(address[q:], "{[$<%") || strings.HasSuffix(address, "=") || containsAny(address[q:], "data", "secret", "chat", "history", "prompt", "token", "key", "conversation", "content", "summary")) {
			return true
		}
		if strings.ContainsAny(address, "{[$<") {
			return true
		}
	}
}

// pipedShell: what is fetched and run at once, and what wipes a disk.
func pipedShell(lower string) bool {
	if containsAny(lower, "curl ", "wget ", "fetch ", "base64 -d", "base64 --decode") &&
		containsAny(lower, "| sh", "|sh", "| bash", "|bash", "| sudo", "|sudo", "| python", "| zsh", "; sh ", "&& sh ", "&& bash ") {
		return true
	}
	if wipes(lower) {
		return true
	}
	return containsAny(lower, ":(){", "mkfs.", "> /dev/sda", "dd if=/dev/zero of=/dev") && !containsAny(lower, "never", "don't", "do not", "avoid", "forbid")
}

// wipes: a removal of all files, or of all files at home, that no word forbids.
func wipes(lower string) bool {
	k := strings.Index(lower, "rm -")
	if k < 0 || containsAny(lower[:k], "never", "don't", "do not", "avoid", "forbid") {
		return false
	}
	rest := lower[k+len("rm -"):]
	n := span(rest, letters, 8)
	if n < 2 || !strings.Contains(rest[:n], "r") || !strings.Contains(rest[:n], "f") {
		return false
	}
	rest = strings.TrimLeft(rest[n:], " \"'")
	return strings.HasPrefix(rest, "--no-preserve-root") || rest == "/" || strings.HasPrefix(rest, "/ ") || strings.HasPrefix(rest, "/*") ||
		strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "$home")
}

func containsAny(s string, list ...string) bool {
	for _, w := range list {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// foreign looks for overrides in other languages, where the words do not part
// at spaces or the phrase is fixed.
func foreign(plain string) bool {
	for _, f := range foreignOrders {
		if strings.Contains(plain, f.first) && (f.then == "" || containsAny(plain, strings.Split(f.then, "|")...)) {
			return true
		}
	}
	return false
}
