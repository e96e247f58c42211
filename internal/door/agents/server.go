package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/jsontext"
)

// serverName is what memctl's MCP server is called in an agent's settings.
const serverName = "memctl"

// everydayTools are the tools that an agent needs to keep and find memory. Forgetting is not
// among them: the agent asks the person.
func everydayTools() []string {
	return []string{"remember", "update", "recall", "list"}
}

// server edits the entry of memctl's MCP server in the member of a JSON file that has the servers. An entry that runs
// `memctl mcp` is memctl's, under any name.
func server(list string, more ...jsontext.Member) jsonFile {
	words := []jsontext.Value{{Raw: `"memctl"`}, {Raw: `"mcp"`}}
	members := []jsontext.Member{{Name: "command", Value: words[0]}, {Name: "args", Value: jsontext.Value{Items: words[1:]}}}
	if list == "mcp" { // of OpenCode
		members = []jsontext.Member{str("type", "local"), {Name: "command", Value: jsontext.Value{Items: words}}}
	}
	return jsonFile{root: []string{list}, ours: runsServer,
		entries: []entry{{part: serverWhat, at: []string{list}, name: serverName, item: jsontext.Value{Members: append(members, more...)}}}}
}

// runsServer reports whether an entry starts memctl's MCP server.
func runsServer(n *jsontext.Node) bool {
	if n.Kind != jsontext.Object {
		return false
	}
	var words []string
	for _, name := range []string{"command", "args"} {
		value := n.Member(name)
		switch {
		case value == nil:
		case value.Kind == jsontext.String && n.Member("args") == nil:
			words = strings.Fields(value.Text)
		case value.Kind == jsontext.String:
			words = append(words, value.Text)
		}
		if value != nil {
			for _, c := range value.Children {
				words = append(words, c.Value.Text)
			}
		}
	}
	return startsServer(words)
}

// startsServer reports whether a command line starts memctl's MCP server, at any path.
func startsServer(words []string) bool {
	return len(words) > 1 && isMemctl(words[0]) && words[1] == "mcp"
}

// claudeRules allow everydayTools and the commands that do the same. It also knows the rules of tools that no longer exist, and of
// the other systems' shells.
func claudeRules(windows bool) jsonFile {
	var rules, others []string
	for _, tool := range everydayTools() {
		rules = append(rules, "mcp__"+serverName+"__"+tool)
	}
	for _, command := range []string{"add", "remember", "recall"} {
		rules = append(rules, "Bash(memctl "+command+":*)")
		others = append(others, "PowerShell(memctl "+command+":*)")
	}
	known := slices.Concat(rules, others, []string{"mcp__" + serverName + "__profile", "mcp__" + serverName + "__stats"})
	if windows {
		rules = append(rules, others...)
	}
	at := []string{"permissions", "allow"}
	f := jsonFile{root: at, ours: func(n *jsontext.Node) bool { return n.Kind == jsontext.String && slices.Contains(known, n.Text) }}
	for _, rule := range rules {
		f.entries = append(f.entries, entry{part: rule, at: at, item: jsontext.Value{Raw: jsontext.Quote(rule)}})
	}
	return f
}

// LookServers reads where the agent is told of MCP servers, and changes
// nothing. A file's own fault stands in its plan.
func LookServers(m Machine, a *Agent) []Plan { return planFiles("", nil, a, a.Servers(m), look) }

// HasTools reports whether the agent is told of memctl's MCP server, in the person's
// settings, in the project's or by memctl's plugin, and can start it. A file that does not name it is not parsed: an agent
// keeps much else in its own, and a session waits for the answer.
func HasTools(m Machine, a *Agent) bool {
	if m.NoFull {
		return false
	}
	if plugin := m.Getenv("CLAUDE_PLUGIN_ROOT"); plugin != "" { // the hook is a plugin's, which may bring the server
		if src, err := os.ReadFile(filepath.Join(plugin, ".mcp.json")); err == nil && bytes.Contains(src, []byte(serverName)) {
			return true
		}
	}
	for _, file := range a.Servers(m) {
		src, err := os.ReadFile(file.Path)
		if err != nil || !bytes.Contains(src, []byte(serverName)) {
			continue
		}
		if l, err := file.Editor.Look(src); err == nil && l.State != Absent {
			return true
		}
	}
	return false
}

// CanStore begins the line that tells an agent how to store what a person says. The number of the prompt follows it. The agent
// uses memctl's tool, or the command in its briefing. If it uses neither, the request becomes a proposal at the session's end.
func CanStore(m Machine, a *Agent) string {
	if HasTools(m, a) {
		return "Call memctl remember, prompt"
	}
	return "Run `memctl add KEY VALUE` with --prompt"
}
