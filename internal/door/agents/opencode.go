package agents

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// openCode is OpenCode. It has plugins and no hooks: ours is a small file that
// calls the hook. Tried with 1.18.33.
type openCode struct{}

func (openCode) Name() string  { return "opencode" }
func (openCode) Title() string { return "OpenCode" }

func (openCode) Settings(m Machine) string {
	if dir := m.Getenv("XDG_CONFIG_HOME"); dir != "" {
		m.Home = dir
		return m.settingsFolder("", "opencode")
	}
	return m.settingsFolder("", ".config", "opencode")
}

func (o openCode) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, o.Settings(m), []string{"plugins", "memctl.js"}, []string{".opencode", "plugins", "memctl.js"})
	if err != nil {
		return nil, err
	}
	files := []File{{Path: path, What: "plugin", Mode: mode, Editor: whole{openCodePlugin}}}
	return withServer(files, scope, o.config(m), openCodeServer()), nil
}

// config is the person's settings file: either name will do, with the same
// content.
func (o openCode) config(m Machine) string {
	path := filepath.Join(o.Settings(m), "opencode.json")
	if _, err := os.Lstat(path + "c"); err == nil {
		return path + "c"
	}
	return path
}

func openCodeServer() jsonServer {
	return jsonServer{list: "mcp", entry: []jsontext.Member{
		{Name: "type", Value: jsontext.Item{Raw: `"local"`}},
		{Name: "command", Value: jsontext.Item{Items: []jsontext.Item{{Raw: `"memctl"`}, {Raw: `"mcp"`}}}},
		{Name: "enabled", Value: jsontext.Item{Raw: "true"}},
	}}
}

func (o openCode) Servers(m Machine) []File {
	return servers(openCodeServer(), o.Settings(m), filepath.Base(o.config(m)), m.Root, "opencode.json")
}

func (openCode) Remark(string) string { return "" }

func (openCode) Event(own string) string { return known(own) }

func (openCode) Answer(own, text string) any {
	if own != briefing.EventSessionStart {
		return nil
	}
	return contextAnswer(own, text)
}

// pluginMark is the first line of the plugin, by which it is known as ours.
const pluginMark = "// memctl:plugin, written by `memctl hooks install opencode`"

// openCodePlugin asks for the briefing once a session, and adds it to the
// system prompt. Any fault leaves the prompt as it was. OpenCode does not name the agent
// whose prompt this is, so the plugin compares the prompt with those of the agents that
// OpenCode calls for itself: titles and summaries need no memory.
const openCodePlugin = pluginMark + `
import { spawn } from "node:child_process"

function briefing(directory, sessionID) {
  return new Promise((resolve) => {
    let out = ""
    const child = spawn("memctl", ["hook", "--agent", "opencode"], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 5000,
      killSignal: "SIGKILL",
    })
    setTimeout(() => resolve(""), 5000).unref?.()
    child.on("error", () => resolve(""))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).hookSpecificOutput.additionalContext)
      } catch {
        resolve("")
      }
    })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => { out += data })
    child.stdin.end(JSON.stringify({
      hook_event_name: "SessionStart",
      source: "startup",
      session_id: sessionID,
      turn_id: String(process.pid), // a session that is resumed at once has another process, and no event says that it ended
      cwd: directory,
    }))
  })
}

// The agents that OpenCode calls for itself, not for the person.
const internal = ["title", "summary", "compaction"]

async function internalPrompts(client) {
  try {
    const { data } = await client.app.agents()
    return data.filter((agent) => agent.prompt && internal.includes(agent.name)).map((agent) => agent.prompt)
  } catch {
    return []
  }
}

export const Memctl = async ({ client, directory }) => {
  const known = new Map()
  let prompts
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const id = input && input.sessionID
      if (!id) return
      prompts = prompts || internalPrompts(client)
      if ((await prompts).some((prompt) => output.system[0].startsWith(prompt))) return
      if (!known.has(id)) known.set(id, briefing(directory, id))
      const text = await known.get(id)
      if (text) output.system.push(text)
    },
  }
}
`

// errForeign says that a file of our name was made by somebody else.
var errForeign = errors.New("was not written by memctl")

// whole is a file that is ours from the first byte to the last.
type whole struct{ text string }

func (w whole) State(src []byte) (State, error) {
	switch {
	case src == nil:
		return Absent, nil
	case string(src) == w.text:
		return Installed, nil
	case bytes.HasPrefix(src, []byte(strings.SplitAfter(w.text, "\n")[0])):
		return Partly, nil
	}
	return "", errForeign
}

func (w whole) Install(src []byte) ([]byte, error) {
	if _, err := w.State(src); err != nil {
		return nil, err
	}
	return []byte(w.text), nil
}

func (w whole) Remove(src []byte) ([]byte, error) {
	_, err := w.State(src)
	return nil, err
}
