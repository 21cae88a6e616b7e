import type { Citation, Count } from "../api/types";

const plain = new Intl.NumberFormat("en");

export const number = (n: number): string => plain.format(n);

/** spaced parts the digits of long numbers in a sentence. */
export const spaced = (text: string): string => text.replace(/(?<![\w.])\d{4,}(?![\w.]*\d)/g, (n) => number(Number(n)));

export const plural = (n: number, word: string): string => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

/** count says a number of tokens as honestly as it was made. */
export function count(c: Count): string {
  if (c.method === "at_least") return `more than ${number(Math.max(0, c.n - 1))}`;
  return c.method === "estimated" ? `about ${number(c.n)}` : number(c.n);
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)} kB`;
  return `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`;
}

const range = (word: string, from: number, to?: number) =>
  to && to > from ? `${word}s ${from}–${to}` : `${word} ${from}`;

/** place says where in its file a passage is. */
export function place(c: Citation): string {
  if (c.page) return range("page", c.page, c.page_end);
  if (c.slide) return range("slide", c.slide);
  const parts: string[] = [];
  if (c.sheet) parts.push(c.sheet);
  if (c.row_start) parts.push(range("row", c.row_start, c.row_end));
  if (c.time_start) parts.push(c.time_start);
  if (parts.length === 0) parts.push(range("line", c.line_start, c.line_end));
  return parts.join(", ");
}

/** sizeOf says a size of passages in tokens, as "300/20" with what neighbours share. */
export function sizeOf(chunk: string): string {
  const [size, overlap] = chunk.split("/");
  return `${size} tokens${overlap && overlap !== "0" ? `, ${overlap} shared` : ""}`;
}
