// OpenAI's own client for JavaScript.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import OpenAI, { toFile } from "openai";
import { apiKey, answer, baseURL, caller, chat as model, handbook, inlay, notes, ok, other, picture, question, scripted, shown } from "./common.mjs";

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const file = await client.files.create({ file: fs.createReadStream(handbook), purpose: "user_data" });
assert.equal(file.filename, path.basename(handbook));

// Chat completions.
const parts = [{ type: "text", text: question }, { type: "file", file: { file_id: file.id } }];
const whole = await client.chat.completions.create({ model, messages: [{ role: "user", content: parts }], inlay });
assert.equal(whole.choices[0].message.content, answer);
assert.equal(whole.inlay.strategy, "retrieval");
assert.ok(whole.choices[0].message.annotations.length > 0);
ok("chat");

let text = "", decided, annotations = [];
for await (const chunk of await client.chat.completions.create({ model, messages: [{ role: "user", content: parts }], inlay, stream: true })) {
  decided ??= chunk.inlay;
  text += chunk.choices[0]?.delta?.content ?? "";
  annotations = chunk.choices[0]?.delta?.annotations ?? annotations;
}
assert.equal(text, answer);
assert.equal(decided.strategy, "retrieval");
assert.equal(annotations[0].file_citation.file_id, file.id);
ok("chat stream");

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false };
const chatTools = [{ type: "function", function: { name: "read_file", description: "Reads a file", parameters } }];
for (const stream of [false, true]) {
  const messages = [{ role: "user", content: "How many days?" }];
  const runner = client.chat.completions.runTools({
    model: caller, messages, stream,
    tools: [{ type: "function", function: { ...chatTools[0].function, parse: JSON.parse, function: ({ path }) => (assert.equal(path, "notes.md"), notes) } }],
  });
  assert.equal(await runner.finalContent(), answer);
}
ok("chat tools");

// Responses.
const input = [{ role: "user", content: [{ type: "input_text", text: question }, { type: "input_file", file_id: file.id }] }];
const first = await client.responses.create({ model, input, instructions: "Be brief.", metadata: { who: "test" }, inlay });
assert.equal(first.output_text, answer);
assert.equal(first.status, "completed");
assert.ok(first.usage.input_tokens > 0 && first.usage.total_tokens === first.usage.input_tokens + first.usage.output_tokens);
ok("responses");
const mark = first.output[0].content[0].annotations[0];
assert.deepEqual([mark.type, mark.file_id, mark.filename, mark.index], ["file_citation", file.id, "handbook.md", answer.indexOf("[1]")]);
shown("annotation", mark);
ok("citations");

const types = [];
let last;
const stream = client.responses.stream({ model, input, inlay });
for await (const event of stream) {
  types.push(event.type);
  last = event;
}
assert.equal((await stream.finalResponse()).output_text, answer);
assert.deepEqual([types[0], types[1], types.at(-1)], ["response.created", "response.in_progress", "response.completed"]);
assert.ok(types.includes("response.output_text.annotation.added"));
assert.equal(last.sequence_number, types.length - 1);
shown("events", [...new Set(types)].join(" "));
ok("responses stream");

const second = await client.responses.create({ model, input: "And in the trial period?", previous_response_id: first.id });
assert.equal(second.previous_response_id, first.id);
assert.ok(["already_in_context", "follow_up"].includes(second.inlay.reason_code), second.inlay.reason_code);
ok("follow-up");
assert.equal((await client.responses.retrieve(first.id)).output_text, answer);
const items = [];
for await (const item of client.responses.inputItems.list(first.id)) items.push(item);
assert.equal(items[0].content[1].file_id, file.id);
await client.responses.delete(second.id);
await assert.rejects(client.responses.retrieve(second.id), OpenAI.NotFoundError);
ok("stored");

const tools = [{ type: "function", name: "read_file", description: "Reads a file", parameters, strict: true }];
for (const streamed of [false, true]) {
  const ask = async (body) => (streamed ? client.responses.stream(body).finalResponse() : client.responses.create(body));
  const called = await ask({ model: caller, input: "How many days?", tools });
  const call = called.output.find((item) => item.type === "function_call");
  assert.deepEqual([call.name, JSON.parse(call.arguments)], ["read_file", { path: "notes.md" }]);
  const output = { type: "function_call_output", call_id: call.call_id, output: notes };
  assert.equal((await ask({ model: caller, previous_response_id: called.id, input: [output], tools })).output_text, answer);
  const again = [{ role: "user", content: "How many days?" }, ...called.output, output];
  assert.equal((await ask({ model: caller, store: false, input: again, tools })).output_text, answer);
}
ok("responses tools");

const data = "data:text/markdown;base64," + fs.readFileSync(handbook).toString("base64");
const inline = await client.responses.create({
  model, store: false, input: [{ role: "user", content: [{ type: "input_text", text: "What is this?" }, { type: "input_file", filename: "handbook.md", file_data: data }] }],
});
assert.equal(inline.inlay.strategy, "inject-full-content");
ok("file inline");

// A conversation that the server does not keep: its system prompt has a clock, the document stays in the window all the same.
const attached = { type: "file", file: { file_data: data, filename: "handbook.md" } };
const same = [{ type: "text", text: question }, attached];
const clock = () => ({ role: "system", content: `You are helpful. It is ${new Date().toISOString()}.` });
const opening = await client.chat.completions.create({ model, messages: [clock(), { role: "user", content: same }] });
assert.equal(opening.inlay.strategy, "inject-full-content");
const later = [opening.choices[0].message, { role: "user", content: "Please translate that to French." }];
for (const [name, use, content, head] of [
  ["a later clock", model, same, [clock()]],
  ["another model", other, same, [clock()]],
  ["a trimmed question", model, [{ type: "text", text: question.slice(0, -1) }, attached], [clock()]],
  ["parts the other way round", model, [attached, same[0]], [clock()]],
  ["no system prompt", model, same, []],
]) {
  const turn = await client.chat.completions.create({ model: use, messages: [...head, { role: "user", content }, ...later] });
  assert.equal(turn.inlay.reason_code, "already_in_context", name);
  const room = opening.usage.prompt_tokens;
  assert.ok(turn.usage.prompt_tokens > room - 100, `${name}: ${turn.usage.prompt_tokens} tokens after ${room}`);
  shown(`follow-up, ${name}`, `${turn.inlay.reason_code}, ${turn.usage.prompt_tokens} prompt tokens (first turn ${room})`);
}
ok("history");
if (scripted) {
  const seen = await client.responses.create({ model, input: [{ role: "user", content: [{ type: "input_text", text: "Who is this?" }, { type: "input_image", image_url: picture, detail: "auto" }] }] });
  assert.equal(seen.output_text, "I see a picture.");
  ok("image");
  const format = { type: "json_schema", name: "notice", strict: true, schema: { type: "object", properties: { weeks: { type: "number" } }, required: ["weeks"], additionalProperties: false } };
  assert.deepEqual((await client.responses.parse({ model, input: question, text: { format } })).output_parsed, { weeks: 4 });
  ok("structured output");
}

const vectors = await client.embeddings.create({ model: "builtin", input: ["notice period", "the period of notice", "a boat"] });
const dot = (a, b) => a.embedding.reduce((sum, x, i) => sum + x * b.embedding[i], 0);
assert.ok(dot(vectors.data[0], vectors.data[1]) > dot(vectors.data[0], vectors.data[2]));
ok("embeddings");

const bytes = fs.readFileSync(handbook);
const upload = await client.uploads.create({ bytes: bytes.length, filename: "parts.md", mime_type: "text/markdown", purpose: "user_data" });
const half = bytes.length >> 1;
const sent = await Promise.all([bytes.subarray(0, half), bytes.subarray(half)].map(async (b) => client.uploads.parts.create(upload.id, { data: await toFile(b, "part") })));
const done = await client.uploads.complete(upload.id, { part_ids: sent.map((p) => p.id) });
assert.equal(await (await client.files.content(done.file.id)).text(), bytes.toString());
ok("uploads");

const store = await client.vectorStores.create({ name: "manuals", metadata: { team: "red" }, expires_after: { anchor: "last_active_at", days: 7 } });
assert.equal(store.object, "vector_store");
const kept = await client.vectorStores.files.createAndPoll(store.id, { file_id: done.file.id, attributes: { kind: "handbook", year: 2026 } });
assert.deepEqual([kept.status, kept.attributes.kind], ["completed", "handbook"]);
const rota = await client.vectorStores.files.uploadAndPoll(store.id, await toFile(Buffer.from("The notice period of the kitchen rota is one day."), "rota.txt"));
assert.equal(rota.status, "completed", JSON.stringify(rota));
const batch = await client.vectorStores.fileBatches.createAndPoll(store.id, { file_ids: [file.id], attributes: { kind: "copy" }, chunking_strategy: { type: "static", static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 20 } } });
assert.deepEqual([batch.status, batch.file_counts.completed], ["completed", 1]);
const now = await client.vectorStores.retrieve(store.id);
assert.deepEqual([now.status, now.file_counts.completed, now.metadata.team], ["completed", 3, "red"]);
const inStore = [];
for await (const f of client.vectorStores.files.list(store.id, { limit: 1, order: "asc" })) inStore.push(f.id);
assert.deepEqual(inStore, [done.file.id, rota.id, file.id]);
const filters = { type: "and", filters: [{ type: "eq", key: "kind", value: "handbook" }, { type: "gte", key: "year", value: 2020 }] };
const hits = await client.vectorStores.search(store.id, { query: question, max_num_results: 3, filters });
shown("search", hits.data[0]);
assert.ok(hits.data.length > 0 && hits.data.every((hit) => hit.filename === "parts.md" && hit.attributes.kind === "handbook"));
await client.vectorStores.files.update(rota.id, { vector_store_id: store.id, attributes: { kind: "rota" } });
assert.equal((await client.vectorStores.search(store.id, { query: "kitchen", filters: { type: "eq", key: "kind", value: "rota" } })).data[0].file_id, rota.id);
assert.equal((await client.vectorStores.update(store.id, { name: "handbooks" })).name, "handbooks");
const texts = [];
for await (const part of client.vectorStores.files.content(rota.id, { vector_store_id: store.id })) texts.push(part.text);
assert.equal(texts.join(""), "The notice period of the kitchen rota is one day.");
const stores = [];
for await (const one of client.vectorStores.list({ limit: 1 })) stores.push(one.id);
assert.ok(stores.includes(store.id));
ok("vector stores");

const fileSearch = { model, input: question, include: ["file_search_call.results"], inlay: { mode: "retrieval" }, tools: [{ type: "file_search", vector_store_ids: [store.id], max_num_results: 2, filters }] };
for (const body of [fileSearch, { ...fileSearch, stream: true }]) {
  const searched = body.stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
  const [call, message] = searched.output;
  assert.deepEqual([call.type, call.status, call.queries], ["file_search_call", "completed", [question]]);
  assert.ok(call.results.length > 0 && call.results.every((one) => one.file_id === done.file.id));
  const mark = message.content[0].annotations[0];
  assert.deepEqual([mark.type, mark.file_id, mark.filename], ["file_citation", done.file.id, "parts.md"]);
  shown("file search", call.results[0]);
}
ok("file search");
assert.equal((await client.vectorStores.files.delete(rota.id, { vector_store_id: store.id })).deleted, true);
assert.equal((await client.vectorStores.delete(store.id)).deleted, true);
await assert.rejects(client.vectorStores.retrieve(store.id), (e) => e instanceof OpenAI.NotFoundError);

const ids = [];
for await (const f of client.files.list({ limit: 1 })) ids.push(f.id);
assert.ok(ids.includes(file.id) && ids.includes(done.file.id));
assert.equal((await client.files.delete(file.id)).deleted, true);
await assert.rejects(client.files.retrieve(file.id), (e) => e instanceof OpenAI.NotFoundError && e.code === "file_not_found");
await assert.rejects(client.responses.create({ model: "none", input: "x" }), (e) => e.code === "model_not_found");
await assert.rejects(client.responses.create({ model, input: "x", tools: [{ type: "web_search" }] }), (e) => e.status === 400 && /web_search/.test(e.message));
ok("errors");
