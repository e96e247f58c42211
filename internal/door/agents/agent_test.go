package agents

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestAgentsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All() {
		if seen[a.Name()] || a.Name() == "" || a.Title() == "" || ByName(a.Name()).Title() != a.Title() {
			t.Errorf("%q (%q) is no name of its own", a.Name(), a.Title())
		}
		seen[a.Name()] = true
	}
	if ByName("nobody") != nil {
		t.Error("there is an agent called nobody")
	}
}

func TestTheCommandIsTheSameForEver(t *testing.T) {
	// Codex trusts a command by its exact text, and uninstalling looks for it.
	stop := event{own: EventStop}
	for name, c := range map[string]struct{ agent, scope, want string }{
		"for sh":                              {"codex", ForUser, "memctl hook --agent codex || true"},
		"for sh, in a project":                {"codex", ForProject, "command -v memctl >/dev/null 2>&1 && memctl hook --agent codex || true"},
		"for all systems":                     {"claude", ForUser, "memctl hook --agent claude ; exit 0"},
		"for all systems, in a project":       {"claude", ForProject, "memctl hook --agent claude ; exit 0"},
		"for agents whose input has no event": {"copilot", ForUser, "memctl hook --agent copilot --event Stop || true"},
	} {
		if got := ByName(c.agent).command(stop, c.scope); got != c.want {
			t.Errorf("%s: the command is %q", name, got)
		}
	}
}

// TestShellsOfWindowsAreInTheDocs compares the table of docs/agents.md.
func TestShellsOfWindowsAreInTheDocs(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range All() {
		if (a.windows != "") != (len(a.events) > 0 && a.name != "opencode") {
			t.Errorf("%s: its hooks and its shell on Windows do not agree", a.name)
		}
		if row := regexp.MustCompile(`(?m)^\| [^|]*` + a.title + `[^|]* \| ` + regexp.QuoteMeta(a.windows) + ` [(|]`); a.windows != "" && !row.Match(doc) {
			t.Errorf("docs/agents.md does not say that %s runs hooks in %s", a.title, a.windows)
		}
	}
}

func TestPlacesHeedTheAgentsOwnVariables(t *testing.T) {
	env := map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g", "COPILOT_HOME": "/p"}
	m := Machine{Home: "/home/ada", Getenv: func(name string) string { return env[name] }}
	want := map[string]string{"claude": "/c", "codex": "/x", "opencode": "/g/opencode", "copilot": "/p", "gemini": "/home/ada/.gemini"}
	for name, folder := range want {
		if got := filepath.ToSlash(ByName(name).Settings(m)); got != folder {
			t.Errorf("%s: %q, want %q", name, got, folder)
		}
	}
}

func TestThereIsNoPlaceWithoutAFolder(t *testing.T) {
	m := Machine{Getenv: func(string) string { return "" }}
	if _, err := ByName("claude").Files(m, ForUser); !errors.Is(err, ErrNoHome) {
		t.Errorf("without a home: %v", err)
	}
	if _, err := ByName("claude").Files(m, ForProject); !errors.Is(err, ErrNoProject) {
		t.Errorf("without a project: %v", err)
	}
	if _, err := ByName("AGENTS.md").Files(m, ForUser); !errors.Is(err, ErrNotFor) {
		t.Errorf("a page for a person: %v", err)
	}
}

func TestParseCall(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	quoted := strings.ReplaceAll(dir, `\`, `\\`)
	cases := map[string]struct {
		agent, event, input string
		ok                  bool
		want                Call
	}{
		"what Claude Code says": {"claude", "", `{"session_id":"s","transcript_path":"/t","cwd":"` + quoted + `","hook_event_name":"SessionStart","source":"resume"}`, true,
			Call{Own: "SessionStart", Event: "SessionStart", Session: "s", Source: "resume", Transcript: "/t", Folder: dir}},
		"a folder that is a file":           {"claude", "", `{"cwd":"` + quoted + `/file","hook_event_name":"Stop"}`, true, Call{Own: "Stop", Event: "Stop"}},
		"fields of another type":            {"claude", "", `{"cwd":{},"session_id":7,"source":null,"hook_event_name":"Stop"}`, true, Call{Own: "Stop", Event: "Stop"}},
		"an event on the command line":      {"copilot", "agentStop", `{"sessionId":"s"}`, true, Call{Own: "agentStop", Event: "Stop", Session: "s"}},
		"stdin wins over the command line":  {"claude", "SessionStart", `{"hook_event_name":"Stop"}`, true, Call{Own: "Stop", Event: "Stop"}},
		"an agent's own names":              {"gemini", "", `{"hook_event_name":"BeforeAgent","prompt":"p"}`, true, Call{Own: "BeforeAgent", Event: "UserPromptSubmit", Prompt: "p"}},
		"the folder among Cursor's":         {"cursor", "", `{"hook_event_name":"sessionStart","conversation_id":"c","workspace_roots":["` + quoted + `"]}`, true, Call{Own: "sessionStart", Event: "SessionStart", Session: "c", Folder: dir}},
		"an event of no concern":            {"claude", "", `{"hook_event_name":"PostToolUse"}`, false, Call{}},
		"an event that is another agent's":  {"cursor", "", `{"hook_event_name":"SessionStart"}`, false, Call{}},
		"no object":                         {"claude", "SessionStart", `[]`, false, Call{}},
		"nothing":                           {"claude", "SessionStart", ``, false, Call{}},
		"an agent that has no hooks at all": {"AGENTS.md", "", `{"hook_event_name":"SessionStart"}`, false, Call{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := ParseCall(ByName(c.agent), c.event, []byte(c.input))
			if ok != c.ok {
				t.Fatalf("ok is %v: %+v", ok, got)
			}
			if ok && got.Agent.Name() != c.agent {
				t.Errorf("the agent is %q", got.Agent.Name())
			}
			c.want.Agent = got.Agent
			if ok && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestAPlanIsCarriedOutOnWhatWasReadAlone(t *testing.T) {
	home := t.TempDir()
	m := Machine{Home: home, Getenv: func(string) string { return "" }}
	file := filepath.Join(home, ".claude", "settings.json")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write("{}")
	plans, err := PlanInstall(m, ByName("claude"), ForUser, nil)
	if err != nil || len(plans) != 1 || !plans[0].Changes() {
		t.Fatalf("%v, %+v", err, plans)
	}
	write("{ }")
	if err := plans[0].Apply(); err == nil || read() != "{ }" {
		t.Errorf("written over a change of somebody else: %v, %q", err, read())
	}
	write("{}")
	if err := plans[0].Apply(); err != nil || !strings.Contains(read(), "memctl hook --agent claude ; exit 0") {
		t.Errorf("not written: %v, %q", err, read())
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
}
