//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
)

// pushing is a command that the stand-in's model runs, and atPush is what memory says of it.
const (
	pushing = "git -C . push --dry-run nowhere"
	atPush  = "git.push: ask before pushing"
)

func last(list []request) request { return list[len(list)-1] }

// noMoment says why a client's hook cannot hand in text before a tool runs.
func noMoment() map[string]string {
	return map[string]string{
		"gemini":   "Gemini CLI 0.61.0 takes no text from the hook before a tool, and gemini -p hangs where the hook asks",
		"opencode": "memctl's plugin for OpenCode does not look at tools",
		"qwen":     "Qwen Code 0.24.4 takes no text before a tool",
	}
}

func playBeforeTool(r *trial) { r.beforeTool() }

// playBeforeToolAsk has nobody who could be asked. Clients whose deny was tested run the command at the second
// call, and a subagent does at its first one. To others the agent's call is as without --ask.
func playBeforeToolAsk(r *trial) {
	if r.c.name != "claude" && r.c.name != "codex" {
		r.beforeTool("--ask")
		return
	}
	r.add(atPush, "--command", "git push*", "--ask")
	r.answer(delegating, append([]play{r.c.shell(pushing), r.c.shell(pushing)}, r.c.subagent...)...)
	r.answer(errand, r.c.shell(pushing))
	all := r.session(delegating)
	body := last(r.talk(all, delegating)).body
	const denial = "Run it again if the person's request covers it."
	if n := strings.Count(body, denial); n != 1 {
		r.t.Errorf("the call was denied %d times, want once\n%s", n, body)
	}
	if !strings.Contains(body, "fatal: ") {
		r.t.Errorf("the second call did not run\n%s", body)
	}
	ran := false
	for _, a := range all {
		if !strings.Contains(a.body, delegating) {
			ran = ran || strings.Contains(a.body, "fatal: ")
			if strings.Contains(a.body, denial) {
				r.t.Errorf("a subagent was denied too\n%s", a.body)
			}
		}
	}
	if !ran {
		r.t.Error("the subagent did not run the command")
	}
}

func (r *trial) beforeTool(flags ...string) {
	r.t.Helper()
	r.add(atPush, append([]string{"--command", "git push*"}, flags...)...)
	r.answer(prompt, r.c.shell(pushing))
	requests := r.talk(r.session(prompt), prompt)
	checkBriefed(r.t, requests)
	body := last(requests).body
	if !strings.Contains(body, "fatal: ") {
		r.t.Errorf("the command did not run\n%s", body)
	}
	if n := strings.Count(body, "From memory, about this action"); n != 1 || !strings.Contains(body, atPush) {
		r.t.Errorf("the request after the command holds the memory %d times\n%s", n, body)
	}
	r.checkRecord("PreToolUse")
}

// recallTool is what the clients call the tool recall of memctl's MCP server.
// Claude Code names it in a list, and sends it once the model asks for it.
var recallTool = regexp.MustCompile(`"(mcp__memctl__recall|mcp__memctl|mcp_memctl_recall|memctl_recall|memctl-recall)"|\\nmcp__memctl__recall\\n`)

// playServer looks for the tools of the MCP server, and for nothing of it once memctl is
// uninstalled.
func playServer(r *trial) {
	args := r.c.first(prompt)
	if r.c.name == "claude" { // its server is registered after a question only
		args = append(args, "--mcp-config", `{"mcpServers":{"memctl":{"command":"memctl","args":["mcp"]}}}`, "--strict-mcp-config")
	}
	if first := r.talk(r.play(args), prompt)[0]; !recallTool.MatchString(first.body) {
		r.t.Errorf("the tool recall is not in the first request\n%s", first.body)
	}
	if r.settings() == "" {
		r.t.Error("memctl is in no settings")
	}
	r.scratch.run("memctl", "hooks", "uninstall", r.c.name)
	requests := r.talk(r.session(prompt), prompt)
	checkUnbriefed(r.t, requests)
	if recallTool.MatchString(requests[0].body) {
		r.t.Errorf("after uninstalling, the tool recall is in a request\n%s", requests[0].body)
	}
	if left := r.settings(); left != "" {
		r.t.Errorf("after uninstalling, memctl is in %s", left)
	}
}

// settings are the files below the home folder in which memctl is installed.
func (r *trial) settings() string {
	out, _ := r.try("grep", "-rlE", "--include=*.json", "--include=*.toml", "--include=*.js", "memctl hook|mcp_servers.memctl|memctl:plugin", r.home)
	return out
}

// playShellWrite lets the agent keep something by a command in the client's own shell. It is the agent's own conclusion, as
// no prompt has a word of it: it waits for the person.
func playShellWrite(r *trial) {
	r.write(filepath.Join(r.home, ".profile"), "PATH='"+programs+"':$PATH\n") // Codex runs a login shell
	r.answer(prompt, r.c.shell("memctl add project.gate 'an owl sits on the gate'"))
	requests := r.talk(r.session(prompt), prompt)
	if got := r.scratch.run("memctl", "review", "--json"); !strings.Contains(got, "an owl sits on the gate") {
		r.t.Errorf("%q waits for the person\n%s", got, last(requests).body)
	}
	checkBriefed(r.t, requests)
}
