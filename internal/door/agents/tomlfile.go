package agents

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/managed"
)

// tomlFile edits one table of memctl's in a TOML file. It adds the table at the end, between two marks, and knows it by what it
// runs or allows: other programs rewrite such files and drop comments.
type tomlFile struct {
	table string // as memctl writes it
	ours  func(tomlTable) bool
	name  string // of a table that somebody else may have in its place; "" for none
}

// The marks around the table.
const (
	tomlBegin = "# memctl:begin"
	tomlEnd   = "# memctl:end"
)

// tomlTable is a table of a TOML file: its name without quotes and spaces, "[NAME" for one of a list, its bytes from the header to
// the last key, and the values of its keys as they are written.
type tomlTable struct {
	name     string
	from, to int
	keys     map[string]string
}

// errInlineTable says that a table at the end would be a second definition.
var errInlineTable = errors.New(`"mcp_servers" is written on one line, so memctl cannot add a table to it`)

// codexServer is the MCP server in Codex' config.toml. Codex hands few variables on to a server; without
// these it would use another store than the hooks.
func codexServer() tomlFile {
	const list = "mcp_servers."
	return tomlFile{name: list + serverName,
		ours: func(t tomlTable) bool {
			return strings.HasPrefix(t.name, list) && startsServer(append(t.texts("command"), t.texts("args")...))
		},
		table: "[mcp_servers.memctl]\ncommand = \"memctl\"\nargs = [\"mcp\"]\n" +
			"env_vars = [\"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"GIT_CONFIG_GLOBAL\", \"MEMCTL_DATA\", \"MEMCTL_STORE\", \"MEMCTL_ENABLED\", \"MEMCTL_CONTEXT_AGENT\"]\n"}
}

// geminiPolicy allows everydayTools.
func geminiPolicy() tomlFile {
	return tomlFile{
		ours: func(t tomlTable) bool {
			return t.name == "[rule" && slices.Equal(t.texts("mcpName"), []string{serverName}) && slices.Equal(t.texts("decision"), []string{"allow"})
		},
		table: "[[rule]]\nmcpName = \"" + serverName + "\"\ntoolName = [\"" + strings.Join(everydayTools(), `", "`) + "\"]\ndecision = \"allow\"\npriority = 100\n"}
}

// texts are the strings of a key's value.
func (t tomlTable) texts(key string) (list []string) {
	for _, m := range regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'([^']*)'`).FindAllStringSubmatch(t.keys[key], -1) {
		list = append(list, strings.ReplaceAll(m[1], `\\`, `\`)+m[2])
	}
	return list
}

// errTOML says that a file is no TOML, as far as memctl reads it.
var errTOML = errors.New("has a value that does not end")

// tomlTables lists the tables of a file. The first one has the keys before the first header. Errors: errTOML.
func tomlTables(src []byte) ([]tomlTable, error) {
	list := []tomlTable{{keys: map[string]string{}}}
	var in tomlValue
	at, key := 0, ""
	bare := strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "", "\ufeff", "")
	for line := range bytes.Lines(src) {
		text, t := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff")), &list[len(list)-1]
		switch {
		case in.isUnfinished():
			t.keys[key], t.to = t.keys[key]+in.read(text), at+len(line)
		case text == "" || text[0] == '#':
		case text[0] == '[':
			name, _, _ := strings.Cut(text[1:], "]")
			list = append(list, tomlTable{name: bare.Replace(name), from: at, to: at + len(line), keys: map[string]string{}})
		default:
			name, value, _ := strings.Cut(text, "=")
			key = bare.Replace(name)
			t.keys[key], t.to = in.read(value), at+len(line)
		}
		at += len(line)
	}
	if in.isUnfinished() {
		return nil, errTOML
	}
	return list, nil
}

// tomlValue is a value that may go on over several lines.
type tomlValue struct {
	quote string // of the string that is open; "" for none
	depth int    // of the open brackets
}

func (v *tomlValue) isUnfinished() bool { return v.depth > 0 || len(v.quote) == 3 }

// read returns the text of one more line without its comment.
func (v *tomlValue) read(text string) string {
	if len(v.quote) == 1 {
		v.quote = "" // such a string ends with its line
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case v.quote != "":
			if c == '\\' && v.quote[0] == '"' {
				i++
			} else if strings.HasPrefix(text[i:], v.quote) {
				i, v.quote = i+len(v.quote)-1, ""
			}
		case c == '#':
			return text[:i]
		case c == '"' || c == '\'':
			if v.quote = text[i : i+1]; strings.HasPrefix(text[i:], strings.Repeat(v.quote, 3)) {
				v.quote, i = text[i:i+3], i+2
			}
		case c == '[' || c == '{':
			v.depth++
		case c == ']' || c == '}':
			v.depth = max(v.depth-1, 0)
		}
	}
	return text
}

// find lists the parts of memctl's in the file: its tables with those below them, and its marks. there says whether a table is
// among them.
func (f tomlFile) find(src []byte, tables []tomlTable) (parts [][2]int, there bool) {
	for _, t := range tables {
		if slices.ContainsFunc(tables, func(own tomlTable) bool {
			return f.ours(own) && (t.from == own.from || strings.HasPrefix(t.name, own.name+"."))
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
func (f tomlFile) Look(src []byte) (Look, error) {
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
		for key := range t.keys {
			if t.name != "" {
				key = t.name + "." + key
			}
			if f.name != "" && key == "mcp_servers" {
				return Look{}, errInlineTable
			}
			if f.name != "" && (key == f.name || strings.HasPrefix(key, f.name+".")) {
				return Look{State: Theirs}, nil
			}
		}
		if f.name != "" && t.name == f.name {
			return Look{State: Theirs}, nil
		}
	}
	return Look{State: Absent}, nil
}

// Install adds the table at the end, and removes marks that stand alone.
func (f tomlFile) Install(src []byte) ([]byte, error) {
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
	text := tomlBegin + "\n" + f.table + tomlEnd + "\n"
	if src != nil {
		text = "\n" + text // one line end, whatever the file ends with: Remove takes one away
	}
	return append(bytes.Clone(src), strings.ReplaceAll(text, "\n", newline)...), nil
}

// Remove takes the table and the marks out, with the line end that Install put before them; nil where the file has nothing else.
func (f tomlFile) Remove(src []byte) ([]byte, error) {
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
