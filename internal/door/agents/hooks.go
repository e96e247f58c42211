package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/jsontext"
)

// hookForm is how an agent writes a hook in its settings.
type hookForm struct {
	path    []string // the names in a hook that lead to its command
	windows string   // the name of the command for Windows beside it; "" for agents with one command for all systems
	nested  bool     // an event has groups, which have the hooks
	typed   bool     // a hook has "type": "command"
	named   bool     // the command names its event, because the agent's input does not
	timeout jsontext.Member
	version string            // see jsonFile
	more    []jsontext.Member // what else a hook has, in front
	list    string            // the member with the hooks of all events; "" if each event has its own list in "hooks"
}

// grouped is the form of hooks that Claude Code began, and others took over. They stop after five seconds, in the agent's unit.
func grouped(timeout string) hookForm {
	return hookForm{path: []string{"command"}, nested: true, typed: true, timeout: raw("timeout", timeout)}
}

// withWindowsCommand is the form with a second command of its own name, for Windows.
func (h hookForm) withWindowsCommand(windows string) hookForm {
	h.windows = windows
	return h
}

func raw(name, value string) jsontext.Member {
	return jsontext.Member{Name: name, Value: jsontext.Value{Raw: value}}
}

func str(name, value string) jsontext.Member { return raw(name, jsontext.Quote(value)) }

// call is how a hook calls memctl. It is the same for every version: Codex trusts a command by its exact text.
func (a *Agent) call(e event) string {
	call := "memctl hook --agent " + a.name
	if a.hook.named {
		call += " --event " + e.own
	}
	return call
}

// What ends the command of a hook, so that its status is 0 whatever becomes of memctl: a Go program that dies exits with 2, and
// Claude Code and Codex then block the prompt.
const (
	// posixEnd is for sh. With posixHead, for settings that a team shares, the command says nothing where memctl is not installed.
	posixEnd  = " || true"
	posixHead = "command -v memctl >/dev/null 2>&1 && "
	// anyEnd is for sh, Git Bash and PowerShell, of which version 5 has no ||. In cmd, where ; begins nothing, its words are
	// arguments that memctl ignores, so the command has the status of memctl itself.
	anyEnd = " ; exit 0"
)

// command is the shell command of an event's hook, for all systems where an agent has no second one for Windows.
func (a *Agent) command(e event, scope string) string {
	switch {
	case a.hook.windows == "":
		return a.call(e) + anyEnd
	case scope == ForProject:
		return posixHead + a.call(e) + posixEnd
	}
	return a.call(e) + posixEnd
}

// hooks edits the agent's hooks in a JSON file.
func (a *Agent) hooks(scope string) jsonFile {
	calls := a.hookCalls()
	f := jsonFile{root: []string{"hooks"}, version: a.hook.version,
		ours: func(n *jsontext.Node) bool { _, alone := calls(a.hook.commandOf(n)); return alone },
		uses: func(n *jsontext.Node) bool { uses, _ := calls(a.hook.commandOf(n)); return uses },
	}
	for _, e := range a.events {
		at := []string{"hooks", e.own}
		if a.hook.list != "" {
			at = []string{a.hook.list}
		}
		f.entries = append(f.entries, entry{part: e.own, at: at, item: a.hook.item(a.command(e, scope), a.call(e)+anyEnd, e.matcher)})
	}
	return f
}

// item is one hook as it is in an event's list.
func (h hookForm) item(command, second, matcher string) jsontext.Value {
	members := slices.Clone(h.more)
	if h.typed {
		members = append(members, str("type", "command"))
	}
	value := str(h.path[len(h.path)-1], command)
	if len(h.path) > 1 {
		value = jsontext.Member{Name: h.path[0], Value: jsontext.Value{Members: []jsontext.Member{str("type", "command"), value}}}
	}
	members = append(members, value)
	if h.windows != "" {
		members = append(members, str(h.windows, second))
	}
	members = append(members, h.timeout)
	if h.nested {
		members = []jsontext.Member{{Name: "hooks", Value: jsontext.Value{Items: []jsontext.Value{{Members: members}}}}}
	}
	if matcher != "" {
		members = slices.Insert(members, 0, str("matcher", matcher))
	}
	return jsontext.Value{Members: members}
}

// commandOf is the command of a hook; "" for any other value.
func (h hookForm) commandOf(n *jsontext.Node) string {
	for _, name := range h.path {
		n = n.Member(name)
	}
	if n == nil || n.Kind != jsontext.String {
		return ""
	}
	return n.Text
}

// hookCalls returns a function that reports whether a shell command calls memctl's hook for the agent, whatever path leads to
// memctl, and whether it does nothing else.
func (a *Agent) hookCalls() func(command string) (calls, alone bool) {
	operators := regexp.MustCompile(`&&|\|\||[;|\n]`)
	hook := regexp.MustCompile(`^(?:[A-Za-z_]\w*=\S*\s+|exec\s+|&\s*)*("[^"]*"|'[^']*'|\S+)\s+hook\s(.*\s)?--agent[ =]["']?` + a.name + `["']?(\s|$)`)
	return func(command string) (calls, alone bool) {
		if !strings.Contains(command, "memctl") {
			return false, false
		}
		alone = !strings.Contains(command, "#")
		for _, part := range operators.Split(command, -1) {
			part = strings.TrimSpace(part)
			switch m := hook.FindStringSubmatch(part); {
			case m != nil && isMemctl(strings.Trim(m[1], `"'`)):
				calls = true
			case part == "", part == "true", part == ":", part == "exit 0", strings.HasPrefix(part, "command -v "):
			default:
				alone = false
			}
		}
		return calls, calls && alone
	}
}

// isMemctl reports whether a program is memctl, at any path.
func isMemctl(program string) bool {
	name := program[strings.LastIndexAny(program, `/\`)+1:]
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	return name == "memctl" || name == "memctl-full"
}

// namesMemctl reports whether a text has memctl as a word.
func namesMemctl(text string) bool {
	return strings.Contains(text, "memctl") && regexp.MustCompile(`\bmemctl\b`).MatchString(text)
}
