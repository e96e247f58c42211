package agents

import (
	"errors"
	"strings"
)

// tomlServer keeps the entry of memctl's MCP server in Codex' config.toml. It
// adds a marked part at the end, and reads TOML only line by line, to see
// whether an entry is there.
type tomlServer struct{}

// errInlineTable says that a table at the end would be a second definition.
var errInlineTable = errors.New(`"mcp_servers" is written on one line, so memctl cannot add a table to it`)

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
	const list, own = "mcp_servers", "mcp_servers." + serverName
	table := ""
	for line := range strings.Lines(strings.TrimPrefix(string(src), "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(line)
		key, _, isKey := strings.Cut(line, "=")
		if header, isTable := strings.CutPrefix(line, "["); isTable {
			table, _, _ = strings.Cut(header, "]")
			key, isKey = table, false
		} else if table != "" {
			key = table + "." + key
		}
		switch {
		case key == own, strings.HasPrefix(key, own+"."):
			return true, nil
		case isKey && key == list:
			return false, errInlineTable
		}
	}
	return false, nil
}
