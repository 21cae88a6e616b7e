// Builds the page into dist/: bundles, styles, the PDF worker, its codecs, and what it
// needs of fonts that documents do not embed, each compressed with gzip. The service hands them out as they are here.
import { build } from "esbuild";
import { gzipSync } from "node:zlib";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

const out = process.argv[2] ?? "dist";
await rm(out, { recursive: true, force: true });
await mkdir(join(out, "wasm"), { recursive: true });

const keep = async (name, data) => {
  await writeFile(join(out, `${name}.gz`), gzipSync(data, { level: 9 }));
};

// hashed gives a file a name that changes with its content, so that browsers may keep it.
const hashed = (name, data) => {
  const sum = createHash("sha256").update(data).digest("hex").slice(0, 10);
  return name.replace(/(\.[a-z]+)$/, `-${sum}$1`);
};

const pdf = "node_modules/pdfjs-dist";
const worker = await readFile(`${pdf}/build/pdf.worker.min.mjs`);
const workerName = hashed("pdf-worker.js", worker);
await keep(workerName, worker);
for (const codec of ["openjpeg.wasm", "jbig2.wasm", "qcms_bg.wasm"]) {
  await keep(join("wasm", codec), await readFile(`${pdf}/wasm/${codec}`));
}

// Codes of East Asian fonts, and the two fonts of symbols that no system has.
for (const [from, to, wanted] of [
  ["cmaps", "cmaps", /\.bcmap$/],
  ["standard_fonts", "fonts", /^Foxit(Symbol|Dingbats)\.pfb$/],
]) {
  await mkdir(join(out, to), { recursive: true });
  const names = (await readdir(join(pdf, from))).filter((name) => wanted.test(name));
  await Promise.all(names.map(async (name) => keep(join(to, name), await readFile(join(pdf, from, name)))));
}

const result = await build({
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  target: ["chrome120", "firefox121", "safari17.4"],
  outdir: out,
  write: false,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  legalComments: "none",
  define: { PDF_WORKER: JSON.stringify(`/assets/${workerName}`) },
  loader: { ".svg": "dataurl" },
});
const names = {};
for (const file of result.outputFiles) {
  const name = basename(file.path);
  if (name.startsWith("app-")) names[name.endsWith(".css") ? "css" : "js"] = name;
  await keep(name, file.contents);
}
const html = (await readFile("src/index.html", "utf8")).replace("APP_JS", names.js).replace("APP_CSS", names.css);
await keep("index.html", html);
