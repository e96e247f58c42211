package testscripts

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// importedRules is a CLAUDE.md before its import.
const importedRules = `# Harbour tickets

## Style

- Indent with four spaces, never with tabs
- Keep lines under 100 characters
- Use single quotes for strings
- Name test files after the file that they test

## Git

- Write commit messages in English, in the imperative mood
- Branch names begin with feature/
- Squash the commits of a branch before merging it
- Never force-push to a shared branch

## Database

- Prices are stored in cents
- Every table has a created_at column
- Migrations run by hand on the server
- Delete rows softly with a deleted_at column

## Deployment

- Deploy on Tuesdays only
- The staging server is wiped every night
- Tag a release before it is deployed

## Testing

- Run the tests with make test
- Mock the payment provider in unit tests
- A new endpoint needs an integration test

## Dependencies

- Install packages with npm
- Pin every dependency to an exact version
`

// correction is what a person says against an imported rule, and what a model makes of it.
type correction struct{ prompt, rule, key, value string }

var corrections = []correction{
	{"From now on we deploy on Thursdays, Tuesdays no longer work for the harbour office.", "Deploy on Tuesdays only", "release.day", "Deploy on Thursdays"},
	{"Remember that we switched to pnpm, nobody should run npm install any more.", "Install packages with npm", "tools.packages", "Install packages with pnpm"},
	{"Ab jetzt bitte Tabs zum Einrücken, keine vier Leerzeichen mehr.", "Indent with four spaces", "einrücken.tabs", "Mit Tabs einrücken"},
	{"Merk dir: Commit-Nachrichten schreiben wir ab sofort auf Deutsch.", "Write commit messages in English", "commits.sprache", "Commit-Nachrichten auf Deutsch"},
	{"Remember: prices are decimals now, the cents are gone.", "Prices are stored in cents", "prices.type", "Prices are stored as decimals"},
	{"Make it a rule that branches start with work/ and the ticket number.", "Branch names begin with feature/", "naming.branches", "Branches start with work/ and the ticket number"},
	{"Bitte merken: Migrationen laufen künftig automatisch in der Pipeline.", "Migrations run by hand", "migrationen.lauf", "Migrationen laufen automatisch in der Pipeline"},
	{"Don't forget that 100 columns were too few: lines may have 120 characters.", "Keep lines under 100 characters", "format.width", "Lines may have 120 characters"},
	{"Recuerda que a partir de ahora las pruebas se ejecutan con just test.", "Run the tests with make test", "pruebas.comando", "Ejecutar las pruebas con just test"},
	{"From now on merge branches without squashing them.", "Squash the commits of a branch", "merging.history", "Merge branches without squashing"},
}

// TestCorrectionsOfImportedRules plays a person who corrects rules that they imported, and a model that uses what memctl tells
// it: the key in the reminder, and the records near to what it stored. If neither names the rule, it calls update with the
// text of the rule. No old rule may be left beside its correction without a mark.
func TestCorrectionsOfImportedRules(t *testing.T) {
	p := newPlay(t)
	p.write("CLAUDE.md", importedRules)
	p.run("", "memctl", "import", "CLAUDE.md", "--yes")
	p.hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"})
	agent := p.agent("s1")
	ways := map[string]int{}
	for _, c := range corrections {
		way, number, key := p.reminded("s1", c.prompt)
		if number == 0 {
			t.Errorf("%q: the agent gets no reminder", c.prompt)
		}
		call := map[string]any{"key": c.key, "value": c.value, "said_by_user": true, "prompt": number}
		switch {
		case key != "" && strings.Contains(p.run("", "memctl", "show", key), c.rule):
			ways["reminder"]++
			call["key"] = key
			agent.call("remember", call)
		default:
			answer := agent.call("remember", call)
			key = ""
			for _, n := range nearRecord.FindAllStringSubmatch(answer, -1) {
				if strings.Contains(n[2], c.rule) {
					key = n[1]
				}
			}
			if ways["neighbour"]++; key == "" {
				ways["neighbour"]--
				ways["text"]++
				key = lineOf(importedRules, c.rule)
			}
			way += " / " + answer
			call["key"] = key
			way += " / " + agent.call("update", call)
			agent.call("forget", map[string]any{"target": c.key, "said_by_user": true})
		}
		t.Logf("%s: %s %s", c.prompt, way, key)
	}
	t.Logf("the rule was found by: %v", ways)
	p.hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "exit"})
	person, next := p.hook(map[string]string{"session_id": "s2", "hook_event_name": "SessionStart", "source": "startup"})
	t.Logf("%s\n%s", person, next)
	for _, c := range corrections {
		line := lineOf(next, c.value)
		if line == "" || strings.Count(next, c.value) != 1 {
			t.Errorf("%q is not in the next session once", c.value)
		}
		if old := lineOf(next, c.rule); old != "" && old != line {
			t.Errorf("%q is left without a mark beside %q", old, line)
		}
	}
}

// nearRecord is a record in the answer to a write.
var nearRecord = regexp.MustCompile(`(?:near: |; )([a-z][^ ;]*) = ([^;]*)`)

// lineOf is the text of the bullet that has a text, "" for none.
func lineOf(list, text string) string {
	for line := range strings.Lines(list) {
		if strings.Contains(line, text) {
			return strings.TrimLeft(strings.TrimSpace(line), "- ")
		}
	}
	return ""
}

// play is a repository in which a person and an agent use memctl.
type play struct {
	t   *testing.T
	dir string
}

func newPlay(t *testing.T) *play {
	t.Helper()
	p := &play{t, t.TempDir()}
	must(t, os.Mkdir(filepath.Join(p.dir, "repo"), 0o700))
	p.run("", "git", "init", "-q")
	p.run("", "memctl", "init", "-q")
	p.write(".mcp.json", `{"mcpServers":{"memctl":{"command":"memctl","args":["mcp"]}}}`)
	return p
}

func (p *play) write(name, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.dir, "repo", name), []byte(text), 0o600))
}

func (p *play) command(args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir = filepath.Join(p.dir, "repo")
	c.Env = append(os.Environ(), "HOME="+p.dir, "XDG_DATA_HOME="+filepath.Join(p.dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "config"), "MEMCTL_CAPTURE=rules", "MEMCTL_NOW=2026-11-21T09:00:00Z",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=cli")
	return c
}

// run gives what a program prints. The person runs it.
func (p *play) run(stdin string, args ...string) string {
	p.t.Helper()
	c := p.command(args...)
	c.Stdin = strings.NewReader(stdin)
	out, err := c.Output()
	if err != nil {
		p.t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// hook calls Claude Code's hook, and gives what the person and the agent read.
func (p *play) hook(event map[string]string) (person, agent string) {
	p.t.Helper()
	input, err := json.Marshal(event)
	must(p.t, err)
	var answer struct {
		SystemMessage string
		Output        struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if out := p.run(string(input), "memctl", "hook", "--agent", "claude"); out != "" {
		must(p.t, json.Unmarshal([]byte(out), &answer))
	}
	return answer.SystemMessage, answer.Output.Context
}

// reminder is memctl's line to the agent after a prompt.
var reminder = regexp.MustCompile(`prompt"?:? (\d+)(?:, key ([^ ]+))?`)

// reminded gives the prompt to the hook, and what the agent reads: the line, the prompt's number and the key of the rule.
func (p *play) reminded(session, prompt string) (line string, number int, key string) {
	p.t.Helper()
	_, line = p.hook(map[string]string{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": prompt})
	if found := reminder.FindStringSubmatch(line); found != nil {
		must(p.t, json.Unmarshal([]byte(found[1]), &number))
		key = found[2]
	}
	return line, number, key
}

// agent is an agent with memctl's MCP server, which runs until the test ends.
type agent struct {
	t    *testing.T
	to   io.Writer
	from *bufio.Reader
	id   int
}

func (p *play) agent(session string) *agent {
	p.t.Helper()
	c := p.command("memctl", "mcp")
	c.Env = append(c.Env, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID="+session)
	to, err := c.StdinPipe()
	must(p.t, err)
	from, err := c.StdoutPipe()
	must(p.t, err)
	must(p.t, c.Start())
	p.t.Cleanup(func() { to.Close(); _ = c.Wait() })
	a := &agent{t: p.t, to: to, from: bufio.NewReader(from)}
	a.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "claude-code", "version": "1"}})
	_, err = io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	must(p.t, err)
	return a
}

// ask gives the answer to a request.
func (a *agent) ask(method string, params map[string]any) string {
	a.t.Helper()
	a.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	must(a.t, err)
	_, err = a.to.Write(append(line, '\n'))
	must(a.t, err)
	for {
		answer, err := a.from.ReadString('\n')
		must(a.t, err)
		var got struct{ ID int }
		if json.Unmarshal([]byte(answer), &got) == nil && got.ID == a.id {
			return answer
		}
	}
}

// call gives the text of a tool's answer.
func (a *agent) call(tool string, arguments map[string]any) string {
	a.t.Helper()
	answer := a.ask("tools/call", map[string]any{"name": tool, "arguments": arguments})
	var got struct {
		Result struct{ Content []struct{ Text string } }
	}
	must(a.t, json.Unmarshal([]byte(answer), &got))
	if len(got.Result.Content) == 0 {
		a.t.Fatalf("%s %v: %s", tool, arguments, answer)
	}
	return got.Result.Content[0].Text
}

// TestWritesAfterClear stores in a server that runs on after /clear: what the person says then is of a new session, and the
// server still has the name of the first.
func TestWritesAfterClear(t *testing.T) {
	p := newPlay(t)
	start := func(session, source string) {
		p.hook(map[string]string{"session_id": session, "hook_event_name": "SessionStart", "source": source})
	}
	start("s1", "startup")
	agent := p.agent("s1")
	p.reminded("s1", "Remember that the pier is closed on Mondays.")
	for _, next := range [][2]string{{"s1", "s2"}, {"s2", "s3"}} {
		p.hook(map[string]string{"session_id": next[0], "hook_event_name": "SessionEnd", "reason": "clear"})
		start(next[1], "clear")
		_, number, _ := p.reminded(next[1], "Von jetzt an "+next[1]+" bitte nur kurze Antworten, merk dir das.")
		answer := agent.call("remember", map[string]any{"key": "user.answers-" + next[1], "value": "Keep replies brief, " + next[1], "said_by_user": true, "prompt": number})
		if !strings.Contains(answer, "stored as user.answers-"+next[1]) {
			t.Errorf("%s: %s", next[1], answer)
		}
	}
	p.hook(map[string]string{"session_id": "s3", "hook_event_name": "SessionEnd", "reason": "exit"})
	p.hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "exit"})
	person, briefing := p.hook(map[string]string{"session_id": "s4", "hook_event_name": "SessionStart", "source": "startup"})
	if !strings.Contains(person, "the pier is closed on Mondays") || strings.Contains(person, "kurze Antworten") {
		t.Errorf("heard should be the prompt before /clear, which nothing answers:\n%s", person)
	}
	for _, session := range []string{"s2", "s3"} {
		if !strings.Contains(briefing, "Keep replies brief, "+session) {
			t.Errorf("what was said in %s is not in the next session:\n%s", session, briefing)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
