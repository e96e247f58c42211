package agents

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
)

// tomlServer keeps the entry of memctl's MCP server in Codex' config.toml. It
// adds a marked part at the end, and does not read TOML beyond what it needs
// to see that this is safe.
type tomlServer struct{}

// errInlineTable says that a table at the end would be a second definition.
var errInlineTable = errors.New(`"mcp_servers" is written on one line, so memctl cannot add a table to it`)

// errUnclosed says that the end of the file is inside a string.
var errUnclosed = errors.New("a string of several lines does not end")

var (
	serverHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\[\s*["']?mcp_servers["']?\s*\.\s*["']?memctl["']?\s*[\].]`)
	})
	serverKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*["']?mcp_servers["']?\s*(=|\.\s*["']?memctl["']?\s*[=.])`)
	})
	tableHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[`) })
	serversOnly = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\[\s*["']?mcp_servers["']?\s*\]`)
	})
	memctlKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*["']?memctl["']?\s*[=.]`)
	})
)

// State is Theirs where the person has an entry of their own.
func (tomlServer) State(src []byte) (State, error) {
	there, _, err := serverBlock().Has(src)
	switch {
	case err != nil:
		return "", err
	case there:
		return Installed, nil
	}
	theirs, err := hasServer(src)
	if theirs {
		return Theirs, err
	}
	return Absent, err
}

func (t tomlServer) Install(src []byte) ([]byte, error) {
	state, err := t.State(src)
	if err != nil || state == Theirs {
		return src, err
	}
	return serverBlock().Install(src)
}

func (tomlServer) Remove(src []byte) ([]byte, error) { return serverBlock().Remove(src) }

// hasServer looks for an entry of this name that somebody else made.
func hasServer(src []byte) (bool, error) {
	open, root, servers := "", true, false
	found := false
	for raw := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) {
		line := string(raw)
		if open == "" {
			switch {
			case tableHeader().MatchString(line):
				root, servers = false, serversOnly().MatchString(line)
				found = found || serverHeader().MatchString(line)
			case root && serverKey().MatchString(line):
				if strings.Contains(serverKey().FindString(line), "memctl") {
					found = true
					break
				}
				return false, errInlineTable
			case servers && memctlKey().MatchString(line):
				found = true
			}
		}
		open = stringOpen(open, line)
	}
	if open != "" {
		return false, errUnclosed
	}
	return found, nil
}

// stringOpen follows the strings of several lines: given the delimiter that is
// open before a line, it tells the one that is open after it, "" for none.
func stringOpen(open, line string) string {
	const basic, literal = `"""`, `'''`
	for line != "" {
		switch {
		case open != "":
			if open == basic && line[0] == '\\' {
				line = line[min(2, len(line)):]
				continue
			}
			if strings.HasPrefix(line, open) {
				line, open = line[len(open):], ""
				continue
			}
			line = line[1:]
		case line[0] == '#':
			return ""
		case strings.HasPrefix(line, basic), strings.HasPrefix(line, literal):
			open, line = line[:len(basic)], line[len(basic):]
		case line[0] == '"', line[0] == '\'':
			line = line[1+shortString(line[1:], line[0]):]
		default:
			line = line[1:]
		}
	}
	return open
}

// shortString is the length of a string of one line with its end mark.
func shortString(rest string, quote byte) int {
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && quote == '"':
			i++
		case rest[i] == quote:
			return i + 1
		}
	}
	return len(rest)
}
