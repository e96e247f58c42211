package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestServersAreKnownByWhatTheyRun(t *testing.T) {
	server := server("mcpServers")
	for src, want := range map[string]State{
		``:                     Absent,
		`{}`:                   Absent,
		`{"mcpServers": {}}`:   Absent,
		`{"memctl": {"a": 1}}`: Absent,
		`{"mcpServers": {"memctl": {"command": "memctl", "args": ["mcp"]}}}`:                          Installed,
		`{"mcpServers": {"memctl": {"command": "memctl", "args": ["mcp"], "env": {}}}}`:               Installed,
		`{"mcpServers": {"memctl": {"args": ["mcp", "-q"], "command": "/opt/my tools/memctl"}}}`:      Installed,
		`{"mcpServers": {"mem": {"type": "local", "command": ["C:\\memctl-full.exe", "mcp"]}}}`:       Installed,
		`{"mcpServers": {"memctl": {"command": "memctl mcp"}}}`:                                       Installed,
		`{"mcpServers": {"memctl": {"command": "my-memctl", "args": ["mcp"]}, "other": {"a": 1}}}`:    Theirs,
		`{"mcpServers": {"memctl": {"command": "memctl", "args": ["profile"]}}}`:                      Theirs,
		`{"mcpServers": {"memctl": {"command": "env", "args": ["A=b", "memctl", "mcp"], "env": {}}}}`: Theirs,
		`{"mcpServers": {"memctl": 1}}`: Theirs,
	} {
		l, err := server.Look([]byte(src))
		if err != nil || l.State != want {
			t.Errorf("%s: %q, %v, want %q", src, l.State, err, want)
		}
		if out, err := server.Install([]byte(src)); err != nil || want != Absent && string(out) != src {
			t.Errorf("%s: installed %s (%v)", src, out, err)
		}
		out, err := server.Remove([]byte(src))
		if err != nil || want == Theirs && string(out) != src || want == Installed && bytes.Contains(out, []byte(`mcp"`)) {
			t.Errorf("%s: removed %s (%v)", src, out, err)
		}
	}
	for _, src := range []string{`{"mcpServers": []}`, `[]`, `{"mcpServers": `} {
		if _, err := server.Install([]byte(src)); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
}

func TestHooksAreKnownByWhatTheyRun(t *testing.T) {
	for command, want := range map[string][2]bool{
		"memctl hook --agent claude || true":                                      {true, true},
		"command -v memctl >/dev/null 2>&1 && memctl hook --agent claude || true": {true, true},
		"memctl hook --agent claude":                                              {true, true},
		"/usr/local/bin/memctl hook --agent claude; exit 0":                       {true, true},
		`"/opt/my tools/memctl-full" hook --event Stop --agent=claude || :`:       {true, true},
		`C:\tools\memctl.exe hook --agent claude`:                                 {true, true},
		"MEMCTL_DATA=/x exec memctl hook --agent claude":                          {true, true},
		"memctl hook --agent claude && echo done":                                 {true, false},
		"memctl hook --agent claude # mine":                                       {true, false},
		`& "C:\my tools\memctl.exe" hook --agent claude ; exit 0`:                 {true, true},
		"memctl hook --agent codex":                                               {false, false},
		"memctl hook --agent claude-desktop":                                      {false, false},
		"echo memctl hook --agent claude":                                         {false, false},
		"my-memctl hook --agent claude":                                           {false, false},
		"memctl bootstrap":                                                        {false, false},
		"":                                                                        {false, false},
	} {
		if calls, alone := ByName("claude").hookCalls()(command); calls != want[0] || alone != want[1] {
			t.Errorf("%s: %v, %v, want %v", command, calls, alone, want)
		}
	}
}

func TestRulesAreKnownInAnyOrder(t *testing.T) {
	var rules []string
	for _, e := range claudeRules(false).entries {
		rules = append(rules, e.item.Raw)
	}
	all := strings.Join(rules, ", ")
	slices.Reverse(rules)
	reversed := strings.Join(rules, `, "x", `)
	for name, c := range map[string]struct {
		list, without string
		state         State
	}{
		"nothing":                               {`["x"]`, `["x"]`, Absent},
		"as they were installed":                {`["x", ` + all + `]`, `["x"]`, Installed},
		"in another order, with others between": {`["y", ` + reversed + `]`, `["y", "x", "x", "x", "x", "x", "x"]`, Installed},
		"twice":                                 {`[` + all + `, "x", ` + all + `]`, `["x"]`, Installed},
		"some of them":                          {`["x", ` + rules[2] + `]`, `["x"]`, Partly},
		"other rules about memctl":              {`["Bash(memctl log:*)", "mcp__memctl__forget"]`, `["Bash(memctl log:*)", "mcp__memctl__forget"]`, Absent},
		"what is no string does not count":      {`[1, {"a": 2}]`, `[1, {"a": 2}]`, Absent},
	} {
		t.Run(name, func(t *testing.T) {
			e := claudeRules(false)
			src := func(list string) []byte {
				return []byte(`{"permissions": {"allow": ` + list + `, "deny": ["mcp__memctl__recall"]}}`)
			}
			if l, err := e.Look(src(c.list)); l.State != c.state || err != nil {
				t.Errorf("state %q, %v, want %q", l.State, err, c.state)
			}
			out, err := e.Remove(src(c.list))
			var got, want any
			_, _ = json.Unmarshal(out, &got), json.Unmarshal(src(c.without), &want)
			if err != nil || got == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("left %s (%v), want %s", out, err, src(c.without))
			}
			again, err := e.Install(src(c.list))
			if l, _ := e.Look(again); err != nil || l.State != Installed || c.state == Installed && !bytes.Equal(again, src(c.list)) {
				t.Errorf("after an installation: %q, %s (%v)", l.State, again, err)
			}
		})
	}
	for _, src := range []string{`[]`, `{"permissions": 1}`, `{"permissions": {"allow": {}}}`} {
		if _, err := claudeRules(false).Install([]byte(src)); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
}

func TestServerEntriesOfOthersAreSeen(t *testing.T) {
	cases := map[string]struct {
		src   string
		state State
		err   error
	}{
		"none":                             {"model = 'x'\n", Absent, nil},
		"a table of our name":              {"[mcp_servers.memctl]\n", Theirs, nil},
		"a table that runs memctl":         {"[mcp_servers.mem]\ncommand = '/opt/memctl' # mine\nargs = [\n  \"mcp\", # x\n]\n", Installed, nil},
		"a table that runs another one":    {"[mcp_servers.memctl]\ncommand = 'npx'\nargs = ['memctl', 'mcp']\n", Theirs, nil},
		"one mark":                         {"a = 1\n# memctl:end\n", Partly, nil},
		"with quotes and blanks":           {" [ \"mcp_servers\" . 'memctl' ]\n", Theirs, nil},
		"a table below it":                 {"[mcp_servers.memctl.env]\nA = '1'\n", Theirs, nil},
		"a dotted key":                     {"mcp_servers.memctl.command = 'x'\n", Theirs, nil},
		"a key in the table of servers":    {"[mcp_servers]\nmemctl = { command = 'x' }\n", Theirs, nil},
		"a server of another name":         {"[mcp_servers.memctl2]\n[mcp_servers]\nmemctl-old = {}\n", Absent, nil},
		"a key of our name elsewhere":      {"[other]\nmemctl = 1\nmcp_servers = 2\n", Absent, nil},
		"in a comment":                     {"# [mcp_servers.memctl]\n", Absent, nil},
		"in a string of several lines":     {"a = \"\"\"\n[mcp_servers.memctl]\n\"\"\"\n", Absent, nil},
		"all servers in one line":          {"mcp_servers = {}\n", "", errInlineTable},
		"a value that does not end":        {"a = [\n1,\n", "", errTOML},
		"a string that does not end":       {"a = \"\"\"\n[b]\n", "", errTOML},
		"a byte order mark before our key": {"\ufeffmcp_servers = {}\n", "", errInlineTable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l, err := codexServer().Look([]byte(c.src))
			if !errors.Is(err, c.err) || c.err == nil && l.State != c.state {
				t.Errorf("got %q, %v, want %q, %v", l.State, err, c.state, c.err)
			}
			after, err := codexServer().Install([]byte(c.src))
			if changed := err == nil && string(after) != c.src; changed != (c.state == Absent || c.state == Partly) {
				t.Errorf("installing changes the file: %v (%v)", changed, err)
			}
		})
	}
}

func TestTheTableGoesWhateverBecameOfItsMarks(t *testing.T) {
	const table = "[mcp_servers.memctl]\ncommand = \"memctl\"\nargs = [\"mcp\"]\n"
	cases := map[string]struct{ src, want string }{
		"no mark":                     {"a = 1\n\n" + table, "a = 1\n"},
		"no mark and no line between": {"a = 1\n" + table + "[b]\nc = 1\n", "a = 1\n[b]\nc = 1\n"},
		"the first mark alone":        {"a = 1\n\n# memctl:begin\n" + table, "a = 1\n"},
		"the second mark alone":       {"a = 1\n\n" + table + "# memctl:end\n\n[b]\n", "a = 1\n\n[b]\n"},
		"marks without a table":       {"a = 1\n\n# memctl:begin\n# memctl:end\n", "a = 1\n"},
		"other keys and tables below": {"a = 1\n\n" + table + "enabled = true\n\n[mcp_servers.memctl.tools.recall]\napproval_mode = \"approve\"\n\n# of b\n[b]\n", "a = 1\n\n\n# of b\n[b]\n"},
		"another form and path":       {"[mcp_servers]\n[mcp_servers.\"memctl\"]\nargs = [ 'mcp' ]\ncommand = '/usr/bin/memctl'\n", "[mcp_servers]\n"},
		"no line end before it":       {"a = 1\n# memctl:begin\n" + table + "# memctl:end\n", "a = 1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := codexServer().Remove([]byte(c.src))
			if err != nil || string(got) != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			if once, err := codexServer().Install([]byte(c.src)); err != nil || bytes.Count(once, []byte("mcp_servers")) > bytes.Count([]byte(c.src), []byte("mcp_servers"))+1 {
				t.Errorf("installed twice: %q (%v)", once, err)
			}
		})
	}
}
