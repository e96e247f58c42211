// A client of the TypeScript SDK against `memctl mcp`, over stdin and stdout
// and over HTTP. It checks answers against the tools' schemas (the SDK does
// so by itself), and stands in for the person when it is asked.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [memctl, work] = process.argv.slice(2);
const token = "a-token-of-the-end-to-end-test";
const env = { ...process.env, MEMCTL_MCP_TOKEN: token };

async function session(name, transport) {
  const client = new Client(
    { name: "ts-client", version: "1" },
    { capabilities: { elicitation: {}, roots: { listChanged: true } } },
  );
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, (request) => {
    asked.push(request.params.message);
    return { action: "accept", content: { yes: true } };
  });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(work).href }] }));
  await client.connect(transport);

  const { tools } = await client.listTools();
  assert.equal(tools.length, 5);
  const call = async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const text = result.content[0].text;
    if (result.structuredContent) assert.deepEqual(JSON.parse(text), result.structuredContent);
    return { ...result, text };
  };
  assert.ok((await call("list")).structuredContent.items.some((item) => item.key === "writing.tone"));
  const key = "tests." + name;
  const said = await call("remember", { key, value: `run the ${name} tests before every commit`, said_by_user: true });
  assert.equal(said.text, `stored as ${key} (private)`);
  const confirmed = await call("update", { key, confirm: true });
  assert.ok(!confirmed.isError, confirmed.text);
  assert.match(asked[0], /^ts-client asks memctl to confirm/);
  assert.equal((await call("recall", { query: "tests commit" })).structuredContent.items[0].key.slice(0, 6), "tests.");
  assert.ok((await call("list")).structuredContent.scopes.length > 0);
  const secret = await call("remember", { key: "ci.login", value: "password: hunter2hunter2" });
  assert.ok(secret.isError && secret.text.includes("secret"));
  const forgotten = await call("forget", { target: key, said_by_user: true });
  assert.ok(!forgotten.isError, forgotten.text);
  const back = await call("remember", { key, value: `run the ${name} tests before every commit` });
  assert.ok(back.isError && back.text.includes("forgotten"));
  const { contents } = await client.readResource({ uri: "memctl://bootstrap" });
  assert.match(contents[0].text, /concise, no filler/);
  await client.close();
  console.log(`ok typescript ${name}`);
}

await session("stdio", new StdioClientTransport({ command: memctl, args: ["mcp", "--resources"], env, cwd: "/" }));

const server = spawn(memctl, ["mcp", "--resources", "--http", "127.0.0.1:0"], { env, cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
const [line] = await once(createInterface({ input: server.stderr }), "line");
const url = new URL(/http:\/\/\S+/.exec(line)[0]);
const denied = await fetch(url, { method: "POST", body: "{}" });
assert.equal(denied.status, 401);
await session("http", new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
server.kill("SIGTERM");
const [status] = await once(server, "exit");
assert.equal(status, 0);
console.log("ok typescript http ends");
