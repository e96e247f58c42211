package agents

import (
	"errors"
	"testing"
)

func TestServerEntriesOfOthersAreSeen(t *testing.T) {
	cases := map[string]struct {
		src   string
		state State
		err   error
	}{
		"none":                             {"model = 'x'\n", Absent, nil},
		"a table of our name":              {"[mcp_servers.memctl]\n", Theirs, nil},
		"with quotes and blanks":           {" [ \"mcp_servers\" . 'memctl' ]\n", Theirs, nil},
		"a table below it":                 {"[mcp_servers.memctl.env]\nA = '1'\n", Theirs, nil},
		"a dotted key":                     {"mcp_servers.memctl.command = 'x'\n", Theirs, nil},
		"a key in the table of servers":    {"[mcp_servers]\nmemctl = { command = 'x' }\n", Theirs, nil},
		"a server of another name":         {"[mcp_servers.memctl2]\n[mcp_servers]\nmemctl-old = {}\n", Absent, nil},
		"a key of our name elsewhere":      {"[other]\nmemctl = 1\nmcp_servers = 2\n", Absent, nil},
		"in a comment":                     {"# [mcp_servers.memctl]\n", Absent, nil},
		"in a string of several lines":     {"a = \"\"\"\n[mcp_servers.memctl]\n\"\"\"\n", Theirs, nil}, // left alone, to be safe
		"all servers in one line":          {"mcp_servers = {}\n", "", errInlineTable},
		"a byte order mark before our key": {"\ufeffmcp_servers = {}\n", "", errInlineTable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			state, err := tomlServer{}.State([]byte(c.src))
			if !errors.Is(err, c.err) || c.err == nil && state != c.state {
				t.Errorf("got %q, %v, want %q, %v", state, err, c.state, c.err)
			}
			after, err := tomlServer{}.Install([]byte(c.src))
			if changed := err == nil && string(after) != c.src; changed != (c.state == Absent) {
				t.Errorf("installing changes the file: %v (%v)", changed, err)
			}
		})
	}
}
