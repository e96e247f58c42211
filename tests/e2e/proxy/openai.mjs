// OpenAI's SDK against `memctl proxy`: one conversation with everything that clients do, and a
// next process that asks for the name.
import assert from "node:assert/strict";
import OpenAI, { APIUserAbortError } from "openai";

const [step] = process.argv.slice(2);
const client = new OpenAI({ maxRetries: 1 }); // OPENAI_BASE_URL and OPENAI_API_KEY
const model = "stand-in";
const ask = (content, more = {}) => client.chat.completions.create({ model, messages: [{ role: "user", content }], ...more });
const text = (answer) => answer.choices[0].message.content;

const steps = {
  async tell() {
    assert.equal(text(await ask("My name is Alice and I love hiking")), "hello from the stand-in");
  },
  async name() {
    await ask("What's my name?");
    const events = await client.responses.create({ model, input: "What's my name, please?", stream: true });
    for await (const event of events) if (event.type === "response.completed") return;
    assert.fail("the answer is not complete");
  },
  async stream() {
    let said = "";
    for await (const chunk of await ask("tell me a story", { stream: true })) said += chunk.choices[0]?.delta?.content ?? "";
    assert.equal(said, "hello from the stand-in");
  },
  async tools() {
    const messages = [{ role: "user", content: "what is the weather?" }];
    const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
    const first = await client.chat.completions.create({ model, messages, tools });
    const call = first.choices[0].message.tool_calls[0];
    assert.equal(call.function.name, "weather");
    messages.push(first.choices[0].message, { role: "tool", tool_call_id: call.id, content: "sunny" });
    assert.equal(text(await client.chat.completions.create({ model, messages, tools })), "hello from the stand-in");
  },
  async image() {
    const url = "data:image/png;base64,iVBORw0KGgo=";
    await ask([{ type: "text", text: "what is this?" }, { type: "image_url", image_url: { url } }]);
  },
  async cancel() {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await assert.rejects(client.chat.completions.create({ model, messages: [{ role: "user", content: "wait for me" }] }, { signal: controller.signal }), APIUserAbortError);
  },
  async two() {
    await Promise.all([ask("My cat is called Tom", { memory_id: "a" }), ask("My cat is called Kit", { memory_id: "b" })]);
  },
  async cats() {
    await Promise.all([ask("what is my cat called?", { memory_id: "a" }), ask("what is my cat called?", { memory_id: "b" })]);
  },
  async several() {
    const answer = await ask("say two things", { n: 2 });
    assert.deepEqual(answer.choices.map((c) => c.message.content), ["one", "two"]);
  },
  async large() {
    await ask("x".repeat(10 << 20));
  },
  async models() {
    assert.deepEqual((await client.models.list()).data, []);
  },
  async down() {
    await assert.rejects(ask("is anybody there?"), (e) => e.status === 502 && /upstream cannot be reached/.test(e.message));
  },
};
await steps[step]();
