// Vercel's AI SDK. Its model by default is one of the Responses API.
import assert from "node:assert/strict";
import fs from "node:fs";
import { embedMany, generateObject, generateText, isStepCount, stepCountIs, streamText, tool } from "ai";
import { createOpenAI } from "@ai-sdk/openai";
import OpenAI from "openai";
import { z } from "zod";
import { apiKey, answer, baseURL, caller, chat, handbook, notes, ok, picture, question, scripted, shown } from "./common.mjs";

const openai = createOpenAI({ baseURL, apiKey });
const quiet = { maxRetries: 0 };
const steps = (isStepCount ?? stepCountIs)(4);
const tools = { read_file: tool({ description: "Reads a file", inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => (assert.equal(path, "notes.md"), notes) }) };
const talk = async (model, feature) => {
  const whole = await generateText({ ...quiet, model, prompt: question });
  assert.equal(whole.text, answer);
  ok(feature);
  const streamed = streamText({ ...quiet, model, prompt: question });
  let text = "";
  for await (const piece of streamed.textStream) text += piece;
  assert.equal(text, answer);
  assert.ok((await streamed.usage).inputTokens > 0);
  ok(feature + " stream");
};
const call = async (model, feature) => {
  const whole = await generateText({ ...quiet, model, prompt: "How many days?", tools, stopWhen: steps });
  assert.equal(whole.text, answer);
  assert.equal(whole.steps.length, 2);
  shown("steps", whole.steps.map((s) => s.toolCalls.map((c) => `${c.toolName}(${JSON.stringify(c.input)})`).join() || s.text));
  const streamed = streamText({ ...quiet, model, prompt: "How many days?", tools, stopWhen: steps });
  const kinds = [];
  for await (const part of streamed.fullStream) kinds.push(part.type);
  assert.equal(await streamed.text, answer);
  assert.ok(kinds.includes("tool-result") && !kinds.includes("error"), kinds.join());
  ok(feature + " tools");
};
await talk(openai.chat(chat), "chat");
await call(openai.chat(caller), "chat");
await talk(openai(chat), "responses");
await call(openai(caller), "responses"); // the second step refers to the call by its id

const file = await new OpenAI({ baseURL, apiKey }).files.create({ file: fs.createReadStream(handbook), purpose: "user_data" });
const about = (...parts) => [{ role: "user", content: [{ type: "text", text: question }, ...parts] }];
const first = await generateText({ ...quiet, model: openai(chat), messages: about({ type: "file", data: file.id, mediaType: "application/pdf" }) });
assert.equal(first.text, answer);
const sources = first.sources.map((s) => [s.sourceType, s.filename ?? s.title]);
assert.deepEqual(sources, [["document", "handbook.md"]]);
shown("sources", first.sources);
ok("citations");
const previous = first.providerMetadata.openai.responseId;
const second = await generateText({ ...quiet, model: openai(chat), prompt: "And in the trial period?", providerOptions: { openai: { previousResponseId: previous } } });
assert.equal(second.text, answer);
ok("follow-up");
const history = [...about(), ...first.response.messages, { role: "user", content: "And then?" }];
assert.equal((await generateText({ ...quiet, model: openai(chat), messages: history })).text, answer);
ok("history");
const pdf = fs.readFileSync(handbook.replace("handbook.md", "note.pdf"));
assert.equal((await generateText({ ...quiet, model: openai(chat), messages: about({ type: "file", data: pdf, filename: "note.pdf", mediaType: "application/pdf" }) })).text, answer);
ok("file inline");
if (scripted) {
  const seen = await generateText({ ...quiet, model: openai(chat), messages: [{ role: "user", content: [{ type: "text", text: "Who is this?" }, { type: "image", image: picture }] }] });
  assert.equal(seen.text, "I see a picture.");
  ok("image");
  assert.deepEqual((await generateObject({ ...quiet, model: openai(chat), prompt: question, schema: z.object({ weeks: z.number() }) })).object, { weeks: 4 });
  ok("structured output");
}
const { embeddings } = await embedMany({ ...quiet, model: openai.embeddingModel("builtin"), values: ["notice period", "a boat"] });
assert.deepEqual(embeddings.map((v) => v.length), [1024, 1024]);
ok("embeddings");
await assert.rejects(generateText({ ...quiet, model: openai("none"), prompt: "x" }), (e) => e.statusCode === 404);
ok("errors");
