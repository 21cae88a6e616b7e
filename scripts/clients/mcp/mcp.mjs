// The official client of the Model Context Protocol for TypeScript, against a library "notes" with notes/whale.md in it and, over standard input and
// output, a folder with open.txt, secret.env (ignored) and link.txt (leads out).
//
//   node mcp.mjs stdio INLAY ARG...
//   node mcp.mjs http URL KEY
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, target, ...rest] = process.argv.slice(2);
const stdio = kind === "stdio";
const ok = (feature) => console.log("ok " + feature);
const transport = stdio
  ? new StdioClientTransport({ command: target, args: rest, env: { ...process.env } })
  : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: "Bearer " + rest[0] } } });
const client = new Client({ name: "inlay-test", version: "1" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "inlay");
assert.match(client.getInstructions(), /notes/);
ok("connect");

const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
assert.deepEqual(names.filter((n) => /add|delete/.test(n)), [], "read-only by default");
assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.outputSchema));
const call = async (name, args, options) => client.callTool({ name, arguments: args }, undefined, options); // the client holds structured content to the output schema
const found = await call("search_documents", { query: "What is the largest animal?", library: ["notes"], path_globs: ["*.md"] });
const [cited] = found.structuredContent.citations;
assert.equal(cited.file, "notes/whale.md");
assert.match(cited.text, /blue whale/);
assert.match(found.content[0].text, /\[1\] notes\/whale.md/);
ok("tools, structured content");
const read = await client.readResource({ uri: cited.uri });
assert.equal(read.contents[0].text.slice(cited.start, cited.end), cited.text);
const { resources } = await client.listResources();
assert.ok(resources.some((r) => r.uri === cited.uri));
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
await assert.rejects(client.readResource({ uri: "inlay://library/notes/none.md" }));
ok("resources");
const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((p) => p.name), ["ask_documents"]);
const prompt = await client.getPrompt({ name: "ask_documents", arguments: { question: "What do whales eat?", library: "notes" } });
assert.match(prompt.messages[0].content.text, /krill/);
ok("prompt");
const steps = []; // as they arrive: the client drops a step that it reads together with the result
const deliver = client.transport.onmessage;
client.transport.onmessage = (message, extra) => {
  if (message.method === "notifications/progress") steps.push(message.params.message);
  deliver(message, extra);
};
const built = await call("build_context", { question: "What do whales eat?", context_length: 4000, mode: "retrieval" }, { onprogress: () => {} });
assert.match(built.structuredContent.prompt, /krill/);
assert.ok(steps.length > 0, "progress");
console.log("   " + steps.join(" | ").slice(0, 200));
ok("progress");
const stop = new AbortController();
const running = call("build_context", { question: "What do whales eat?", context_length: 4000, mode: "retrieval" }, { signal: stop.signal });
queueMicrotask(() => stop.abort("enough"));
await assert.rejects(running);
assert.equal((await call("decide", { question: "What do whales eat?", context_length: 4000 })).structuredContent.strategy, "inject-full-content");
ok("cancel");
for (const path of ["../secret", "/etc/passwd", "secret.env", "link.txt", "none.txt"]) assert.ok((await call("read_document", { path })).isError, path);
assert.ok((await call("search_documents", { query: "x", library: ["hidden"] })).isError);
if (stdio) assert.equal((await call("read_document", { path: "open.txt", from_line: 2, to_line: 2 })).structuredContent.text, "two\n");
else assert.ok((await call("read_document", { path: "open.txt" })).isError, "a service offers no folder");
ok("bounds");
await client.close();
