// LangChain.js: chat completions by default, and the Responses API.
import assert from "node:assert/strict";
import fs from "node:fs";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { z } from "zod";
import { apiKey, answer, baseURL, caller, chat, handbook, notes, ok, picture, question, scripted, shown } from "./common.mjs";

const open = (model, more = {}) => new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL }, ...more });
const readFile = tool(async ({ path }) => (assert.equal(path, "notes.md"), notes), { name: "read_file", description: "Reads a file", schema: z.object({ path: z.string() }) });
const data = fs.readFileSync(handbook).toString("base64");

for (const [feature, more] of [["chat", {}], ["responses", { useResponsesApi: true }]]) {
  const said = await open(chat, more).invoke(question);
  assert.equal(said.text, answer);
  ok(feature);
  let text = "";
  for await (const chunk of await open(chat, more).stream(question)) text += chunk.text;
  assert.equal(text, answer);
  ok(feature + " stream");
  const bound = open(caller, more).bindTools([readFile]);
  for (const streamed of [false, true]) {
    const ask = async (messages) => {
      if (!streamed) return bound.invoke(messages);
      let sum;
      for await (const chunk of await bound.stream(messages)) sum = sum === undefined ? chunk : sum.concat(chunk);
      return sum;
    };
    const messages = [new HumanMessage("How many days?")];
    const called = await ask(messages);
    assert.deepEqual([called.tool_calls[0].name, called.tool_calls[0].args], ["read_file", { path: "notes.md" }]);
    const result = await readFile.invoke(called.tool_calls[0]);
    assert.ok(result instanceof ToolMessage);
    assert.equal((await ask([...messages, called, result])).text, answer);
  }
  ok(feature + " tools");
}
const model = open(chat, { useResponsesApi: true });
const file = { type: "file", mimeType: "text/markdown", data, metadata: { filename: "handbook.md" } };
const first = await model.invoke([new HumanMessage({ contentBlocks: [{ type: "text", text: question }, file] })]);
assert.equal(first.text, answer);
const marks = first.content.flatMap((part) => part.annotations ?? []);
shown("annotations", marks);
assert.ok(marks.some((m) => JSON.stringify(m).includes("handbook.md")));
ok("file inline");
ok("citations");
const next = await model.invoke("And in the trial period?", { previous_response_id: first.response_metadata.id });
assert.equal(next.text, answer);
ok("follow-up");
assert.equal((await model.invoke([new HumanMessage(question), first, new HumanMessage("And then?")])).text, answer);
assert.equal((await model.invoke([new HumanMessage(question), new AIMessage("Four."), new HumanMessage("And then?")])).text, answer);
ok("history");
if (scripted) {
  const seen = await model.invoke([new HumanMessage({ content: [{ type: "text", text: "Who is this?" }, { type: "image_url", image_url: { url: picture } }] })]);
  assert.equal(seen.text, "I see a picture.");
  ok("image");
  for (const more of [{}, { useResponsesApi: true }]) {
    const structured = open(chat, more).withStructuredOutput(z.object({ weeks: z.number() }), { method: "jsonSchema" });
    assert.deepEqual(await structured.invoke(question), { weeks: 4 });
  }
  ok("structured output");
}
const vectors = await new OpenAIEmbeddings({ model: "builtin", apiKey, maxRetries: 0, configuration: { baseURL } }).embedDocuments(["notice period", "a boat"]);
assert.deepEqual(vectors.map((v) => v.length), [1024, 1024]);
ok("embeddings");
await assert.rejects(open("none", { useResponsesApi: true }).invoke("x"), (e) => e.status === 404);
ok("errors");
