package agents

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/managed"
)

// codexFile edits the table of the MCP server in Codex' config.toml. It adds the table at the end, between two marks, and knows it
// by what it runs: other programs rewrite such files and drop comments.
type codexFile struct{}

// The marks around the table.
const (
	tomlBegin = "# memctl:begin"
	tomlEnd   = "# memctl:end"
)

// codexServer is the table of the server. Codex hands few variables on to a server; without these it would use another store than
// the hooks.
const codexServer = "[" + codexServers + "." + serverName + "]\ncommand = \"memctl\"\nargs = [\"mcp\"]\n" +
	"env_vars = [\"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"GIT_CONFIG_GLOBAL\", \"MEMCTL_DATA\", \"MEMCTL_STORE\", \"MEMCTL_ENABLED\", \"MEMCTL_CONTEXT_AGENT\"]\n"

// codexServers is the table of all servers.
const codexServers = "mcp_servers"

// geminiPolicy allows everydayTools.
func geminiPolicy() whole {
	return whole{tomlBegin + "\n# memctl writes and removes this file as a whole.\n[[rule]]\nmcpName = \"" + serverName + "\"\ntoolName = [\"" + strings.Join(everydayTools(), `", "`) + "\"]\ndecision = \"allow\"\npriority = 100\n" + tomlEnd + "\n"}
}

var (
	// errInlineTable says that a table at the end would be a second definition.
	errInlineTable = errors.New(`"mcp_servers" is written on one line, so memctl cannot add a table to it`)
	// errTOML says that a file is no TOML, as far as memctl reads it.
	errTOML = errors.New("has a value that does not end")
)

// tomlTable is a table of a TOML file: its name without quotes and spaces, its bytes from the header to the last key, and their
// text.
type tomlTable struct {
	name     string
	from, to int
	text     string
}

// bareTOML is a name without quotes and spaces.
func bareTOML(name string) string {
	return strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "", "\ufeff", "").Replace(name)
}

// tomlTables lists the tables of a file. The first one has the keys before the first header. Errors: errTOML.
func tomlTables(src []byte) ([]tomlTable, error) {
	list, header := []tomlTable{{}}, regexp.MustCompile(`^\[{1,2}([^\[\],]+)\]{1,2}\s*(#.*)?$`)
	at, inString := 0, false // a string of several lines
	for line := range bytes.Lines(src) {
		text, end := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff")), at+len(line)
		if m := header.FindStringSubmatch(text); m != nil && !inString {
			list = append(list, tomlTable{name: bareTOML(m[1]), from: at, to: end})
		} else if inString || text != "" && text[0] != '#' {
			list[len(list)-1].to = end
			inString = inString != ((strings.Count(text, `"""`)+strings.Count(text, `'''`))%2 == 1)
		}
		at = end
	}
	for i, t := range list {
		list[i].text = string(src[t.from:t.to])
	}
	if inString {
		return nil, errTOML
	}
	return list, nil
}

// texts are the strings of a key's value.
func (t tomlTable) texts(key string) (list []string) {
	value := regexp.MustCompile(`(?ms)^\s*` + key + `\s*=\s*(\[.*?\]|[^\n]*)`).FindString(t.text)
	for _, m := range regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'([^']*)'`).FindAllStringSubmatch(value, -1) {
		list = append(list, strings.ReplaceAll(m[1], `\\`, `\`)+m[2])
	}
	return list
}

// ours reports whether a table is a server that is memctl.
func (t tomlTable) ours() bool {
	return strings.HasPrefix(t.name, codexServers+".") && startsServer(append(t.texts("command"), t.texts("args")...))
}

// find lists the parts of memctl's in the file: its tables with those below them, and its marks. there says whether a table is
// among them.
func (codexFile) find(src []byte, tables []tomlTable) (parts [][2]int, there bool) {
	for _, t := range tables {
		if slices.ContainsFunc(tables, func(own tomlTable) bool {
			return own.ours() && (t.from == own.from || strings.HasPrefix(t.name, own.name+"."))
		}) {
			parts, there = append(parts, [2]int{t.from, t.to}), true
		}
	}
	at := 0
	for line := range bytes.Lines(src) {
		if text := strings.TrimRight(string(line), "\r\n"); text == tomlBegin || text == tomlEnd {
			parts = append(parts, [2]int{at, at + len(line)})
		}
		at += len(line)
	}
	slices.SortFunc(parts, func(a, b [2]int) int { return a[0] - b[0] })
	return parts, there
}

// Look tells what is installed: Theirs where somebody else has an entry of the name.
func (f codexFile) Look(src []byte) (Look, error) {
	tables, err := tomlTables(src)
	if err != nil {
		return Look{}, err
	}
	switch parts, there := f.find(src, tables); {
	case there:
		return Look{State: Installed}, nil
	case len(parts) > 0:
		return Look{State: Partly, Missing: []string{serverWhat}}, nil
	}
	for _, t := range tables {
		for line := range strings.Lines(t.text) { // also the header
			key, _, _ := strings.Cut(bareTOML(line), "=")
			if t.name != "" {
				key = t.name + "." + key
			}
			if key == codexServers {
				return Look{}, errInlineTable
			}
			if own := codexServers + "." + serverName; key == own || strings.HasPrefix(key, own+".") {
				return Look{State: Theirs}, nil
			}
		}
	}
	return Look{State: Absent}, nil
}

// Install adds the table at the end, and removes marks that stand alone.
func (f codexFile) Install(src []byte) ([]byte, error) {
	l, err := f.Look(src)
	if err != nil || l.State == Theirs || l.State == Installed {
		return src, err
	}
	if src, err = f.Remove(src); err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		newline = "\r\n"
	}
	text := tomlBegin + "\n" + codexServer + tomlEnd + "\n"
	if src != nil {
		text = "\n" + text // one line end, whatever the file ends with: Remove takes one away
	}
	return append(bytes.Clone(src), strings.ReplaceAll(text, "\n", newline)...), nil
}

// Remove takes the table and the marks out, with the line end that Install put before them; nil where the file has nothing else.
func (f codexFile) Remove(src []byte) ([]byte, error) {
	tables, err := tomlTables(src)
	if err != nil {
		return nil, err
	}
	parts, _ := f.find(src, tables)
	if len(parts) == 0 {
		return src, nil
	}
	first := parts[0][0]
	head, tail, at := src[:first], []byte{}, first
	for _, part := range parts {
		tail = append(tail, src[at:part[0]]...)
		at = part[1]
	}
	tail = append(tail, src[at:]...)
	if first == 0 && len(tail) == 0 {
		return nil, nil
	}
	newline := "\n"
	if bytes.HasSuffix(head, []byte("\r\n")) {
		newline = "\r\n"
	}
	head = managed.WithoutLineEnd(head, tail, newline, bytes.HasPrefix(src[first:], []byte(tomlBegin)))
	return append(bytes.Clone(head), tail...), nil
}
