// memctl:plugin, written by `memctl hooks install opencode`
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
