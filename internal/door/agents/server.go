package agents

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/jsontext"
)

// serverName is what memctl's MCP server is called in an agent's settings.
const serverName = "memctl"

// everydayTools are the tools that an agent needs to keep and find memory. Forgetting is not
// among them: the agent asks the person.
func everydayTools() []string {
	return []string{"remember", "update", "recall", "list"}
}

// jsonServer keeps the entry of memctl's MCP server in a JSON settings file.
// Ours is known by its exact content; any other of the name is somebody's own.
type jsonServer struct {
	list  string            // the member that holds the servers
	entry []jsontext.Member // ours
	other []jsontext.Member // ours as the agent's own command writes it; nil where it has none
}

// stdioServer is the entry as most agents have it, with fields of their own
// after it.
func stdioServer(more ...jsontext.Member) jsonServer {
	return jsonServer{list: "mcpServers", entry: append([]jsontext.Member{
		{Name: "command", Value: jsontext.Item{Raw: `"memctl"`}},
		{Name: "args", Value: jsontext.Item{Items: []jsontext.Item{{Raw: `"mcp"`}}}},
	}, more...)}
}

// withServer adds the MCP server to a person's files. A team's have none: where
// memctl is missing, a server that does not start is an error in every session.
func withServer(files []File, scope, path string, editor Editor) []File {
	if scope != ForUser {
		return files
	}
	return append(files, File{Path: path, What: "mcp server", Mode: settingsMode, Editor: editor})
}

// servers are the person's file and the project's, each where its folder is
// known.
func servers(editor Editor, folder, name, root, below string) []File {
	var files []File
	if folder != "" {
		files = append(files, File{Path: filepath.Join(folder, name), What: "mcp server", Editor: editor})
	}
	if root != "" {
		files = append(files, File{Path: filepath.Join(root, filepath.FromSlash(below)), What: "mcp server", Editor: editor})
	}
	return files
}

// LookServers reads where the agent is told of MCP servers, and changes
// nothing. A file's own fault stands in its plan.
func LookServers(m Machine, a Agent) []Plan {
	return planFiles("", a.Servers(m), look)
}

// HasTools reports whether the agent is told of memctl's MCP server, in the person's
// settings, in the project's or by memctl's plugin, and can start it. A file that does not name it is not parsed: an agent
// keeps much else in its own, and a session waits for the answer.
func HasTools(m Machine, a Agent) bool {
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
		if state, err := file.Editor.State(src); err == nil && state != Absent {
			return true
		}
	}
	return false
}

// CanStore begins the line that tells an agent how to store what a person says. The number of the prompt follows it. The agent
// uses memctl's tool, or the command in its briefing. If it uses neither, the request becomes a proposal at the session's end.
func CanStore(m Machine, a Agent) string {
	if HasTools(m, a) {
		return "Call memctl remember, prompt"
	}
	return "Run `memctl add KEY VALUE` with --prompt"
}

// ours reports whether the entry says what we would, in any layout.
func (s jsonServer) ours(src []byte, entry *jsontext.Node) bool {
	for _, form := range [][]jsontext.Member{s.entry, s.other} {
		text := jsontext.New(form)
		if want, err := jsontext.Parse(text); err == nil && form != nil && alike(src, entry, text, want) {
			return true
		}
	}
	return false
}

// alike compares two values, each with the text that it stands in.
func alike(src []byte, a *jsontext.Node, other []byte, b *jsontext.Node) bool {
	if a.Kind != b.Kind || len(a.Children) != len(b.Children) {
		return false
	}
	switch a.Kind {
	case jsontext.Object, jsontext.Array:
		for i := range a.Children {
			if a.Children[i].Key != b.Children[i].Key || !alike(src, a.Children[i].Value, other, b.Children[i].Value) {
				return false
			}
		}
		return true
	case jsontext.String:
		return a.Text == b.Text
	}
	return string(src[a.Start:a.End]) == string(other[b.Start:b.End])
}

// find leads to the entry of our name, nil where there is none.
func (s jsonServer) find(src []byte) (root, entry *jsontext.Node, at trail, err error) {
	root, servers, at, err := walk(src, jsontext.Object, s.list)
	at, entry = member(at, servers, serverName)
	return root, entry, at, err
}

// State is Theirs where the person has an entry of their own.
func (s jsonServer) State(src []byte) (State, error) {
	_, entry, _, err := s.find(src)
	switch {
	case err != nil:
		return "", err
	case entry == nil:
		return Absent, nil
	case s.ours(src, entry):
		return Installed, nil
	}
	return Theirs, nil
}

func (s jsonServer) Install(src []byte) ([]byte, error) {
	root, entry, _, err := s.find(src)
	if err != nil || entry != nil {
		return src, err
	}
	return putNew(src, root, jsontext.Item{Members: s.entry}, []string{s.list, serverName}), nil
}

func (s jsonServer) Remove(src []byte) ([]byte, error) {
	root, entry, at, err := s.find(src)
	if err != nil || entry == nil || !s.ours(src, entry) {
		return src, err
	}
	return at.remove(src, root), nil
}

// both is two editors of one file.
type both struct{ first, second Editor }

// State is Partly where only one of them has what is ours.
func (b both) State(src []byte) (State, error) {
	first, err := b.first.State(src)
	if err != nil {
		return "", err
	}
	second, err := b.second.State(src)
	switch {
	case err != nil:
		return "", err
	case second == Theirs, first == second:
		return first, nil
	}
	return Partly, nil
}

// missing lists what the first editor misses, and the second's server.
func (b both) missing(src []byte) (list []string) {
	if parts, ok := b.first.(partial); ok {
		list = parts.missing(src)
	}
	if state, err := b.second.State(src); err == nil && state == Absent {
		list = append(list, "mcp server")
	}
	return list
}

func (b both) Install(src []byte) ([]byte, error) {
	src, err := b.first.Install(src)
	if err != nil {
		return nil, err
	}
	return b.second.Install(src)
}

// Remove goes the other way, so that each finds what it left.
func (b both) Remove(src []byte) ([]byte, error) {
	src, err := b.second.Remove(src)
	if err != nil {
		return nil, err
	}
	return b.first.Remove(src)
}
