// OpenAI's client for JavaScript against a running inlay: node openai-client.mjs BASE_URL FILE MODEL [OTHER_MODEL]
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import OpenAI from "openai";

const [baseURL, document, model, other = model] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: process.env.INLAY_KEY ?? "any", maxRetries: 0 });

const file = await client.files.create({ file: fs.createReadStream(document), purpose: "user_data" });
assert.equal(file.filename, path.basename(document));
console.log("uploaded", file.id, file.status);

const parts = [{ type: "text", text: "How long is the notice period?" }, { type: "file", file: { file_id: file.id } }];
const inlay = { mode: "retrieval", retrieval_limit: 2 };
const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content: parts }], inlay });
assert.ok(answer.choices[0].message.content.length > 0);
assert.equal(answer.inlay.strategy, "retrieval");
assert.ok(answer.choices[0].message.annotations.length > 0);
console.log("answered:", answer.choices[0].message.content);
console.log("decided:", answer.inlay.strategy, answer.inlay.reason_code);

let text = "", decided, annotations = [];
for await (const chunk of await client.chat.completions.create({ model, messages: [{ role: "user", content: parts }], inlay, stream: true })) {
  decided ??= chunk.inlay;
  text += chunk.choices[0]?.delta?.content ?? "";
  annotations = chunk.choices[0]?.delta?.annotations ?? annotations;
}
assert.equal(text, answer.choices[0].message.content);
assert.equal(decided.strategy, "retrieval");
assert.equal(annotations[0].file_citation.file_id, file.id);
console.log("streamed the same, with", annotations.length, "annotations");

const data = "data:text/markdown;base64," + fs.readFileSync(document).toString("base64");
const inline = [{ type: "text", text: "What is this?" }, { type: "file", file: { file_data: data, filename: "handbook.md" } }];
const whole = await client.chat.completions.create({ model, messages: [{ role: "user", content: inline }] });
console.log("inline:", whole.inlay.strategy);

// A conversation that the server does not keep: its system prompt has a clock, the document stays in the window all the same.
const question = { type: "text", text: "How long is the notice period?" };
const attached = { type: "file", file: { file_data: data, filename: "handbook.md" } };
const clock = () => ({ role: "system", content: `You are helpful. It is ${new Date().toISOString()}.` });
const opening = await client.chat.completions.create({ model, messages: [clock(), { role: "user", content: [question, attached] }] });
assert.equal(opening.inlay.strategy, "inject-full-content");
const later = [opening.choices[0].message, { role: "user", content: "Please translate that to French." }];
const same = [question, attached];
for (const [name, use, content, head] of [
  ["a later clock", model, same, [clock()]],
  ["another model", other, same, [clock()]],
  ["a trimmed question", model, [{ type: "text", text: "How long is the notice period" }, attached], [clock()]],
  ["parts the other way round", model, [attached, question], [clock()]],
  ["no system prompt", model, same, []],
]) {
  const turn = await client.chat.completions.create({ model: use, messages: [...head, { role: "user", content }, ...later] });
  assert.equal(turn.inlay.reason_code, "already_in_context", name);
  const room = opening.usage.prompt_tokens;
  assert.ok(turn.usage.prompt_tokens > room - 100, `${name}: ${turn.usage.prompt_tokens} tokens after ${room}`);
  console.log(`follow-up, ${name}: ${turn.inlay.reason_code}, ${turn.usage.prompt_tokens} prompt tokens (first turn ${room})`);
}

const ids = [];
for await (const f of client.files.list({ limit: 1 })) ids.push(f.id);
assert.ok(ids.includes(file.id));
assert.equal(await (await client.files.content(file.id)).text(), fs.readFileSync(document, "utf8"));
assert.equal((await client.files.delete(file.id)).deleted, true);
await assert.rejects(client.files.retrieve(file.id), (e) => e instanceof OpenAI.NotFoundError && e.code === "file_not_found");
await assert.rejects(client.chat.completions.create({ model: "none", messages: [{ role: "user", content: "x" }] }), (e) => e.code === "model_not_found");
console.log("models:", (await client.models.list()).data.map((m) => m.id).join(", "));
console.log("all good");
