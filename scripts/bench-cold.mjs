// Indexes a document by LangChain.js: its recursive splitter, its in-memory
// store and a hash embedding of 1024 dimensions. Prints, as JSON, the
// milliseconds of the best of RUNS by two measures of length: tokens of
// cl100k_base, as inlay counts, and characters.
// node bench-cold.mjs FILE RUNS
import { readFileSync } from "node:fs";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Embeddings } from "@langchain/core/embeddings";
import { RecursiveCharacterTextSplitter } from "@langchain/textsplitters";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";

const dimensions = 1024;

// One coordinate for each word, by FNV-1a.
class HashEmbeddings extends Embeddings {
  constructor() {
    super({});
  }
  async embedQuery(text) {
    const vector = new Array(dimensions).fill(0);
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
      let hash = 2166136261;
      for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 16777619);
      vector[hash & (dimensions - 1)] += hash & dimensions ? 1 : -1;
    }
    return vector;
  }
  async embedDocuments(texts) {
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  }
}

async function index(text, splitter) {
  const start = performance.now();
  const documents = await splitter.createDocuments([text]);
  await MemoryVectorStore.fromDocuments(documents, new HashEmbeddings());
  return { millis: performance.now() - start, chunks: documents.length };
}

async function best(text, splitter, runs) {
  let least = await index(text, splitter);
  for (let i = 1; i < runs; i++) {
    const next = await index(text, splitter);
    if (next.millis < least.millis) least = next;
  }
  return least;
}

const [file, runs] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const encoder = new Tiktoken(cl100k);
const tokens = { chunkSize: 300, chunkOverlap: 0, lengthFunction: (s) => encoder.encode(s).length };
console.log(JSON.stringify({
  tokens: await best(text, new RecursiveCharacterTextSplitter(tokens), Number(runs)),
  characters: await best(text, new RecursiveCharacterTextSplitter({ chunkSize: 1200, chunkOverlap: 0 }), Number(runs)),
}));
