// Encodes texts with npm's tiktoken, OpenAI's own tokenizer, as plain text.
// Standard input: one JSON string a line. Standard output, a line for each: for
// every encoding the number of tokens and the SHA-256 of their ids, four bytes
// each, little end first; with --ids the ids themselves.
//
//   npm install --prefix DIR tiktoken@1.0.22
//   node scripts/tokens/npm-ids.mjs DIR [--ids]
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [dir, flag] = process.argv.slice(2);
const { get_encoding } = createRequire(join(resolve(dir), "package.json"))("tiktoken");
const encodings = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"].map((n) => [n, get_encoding(n)]);

const describe = (ids) =>
  flag === "--ids"
    ? [...ids]
    : { n: ids.length, sha256: createHash("sha256").update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength)).digest("hex") };

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const out = Object.fromEntries(encodings.map(([name, e]) => [name, describe(e.encode_ordinary(text))]));
  process.stdout.write(JSON.stringify(out) + "\n");
}
