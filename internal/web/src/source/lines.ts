/** A line of a text, by its place in the string. */
export interface Line {
  number: number; // from 1
  start: number;
  end: number; // without the line break
}

export interface Span {
  start: number;
  end: number;
}

export type Block = { kind: "line"; line: Line } | { kind: "table"; head: Line; rows: Line[] };

/** linesIn are the lines of a text. */
export function linesIn(text: string): Line[] {
  const out: Line[] = [];
  let start = 0;
  for (;;) {
    const at = text.indexOf("\n", start);
    out.push({ number: out.length + 1, start, end: at < 0 ? text.length : at });
    if (at < 0) return out;
    start = at + 1;
  }
}

/** lineAt is the index of the line that a place is on. */
export function lineAt(lines: Line[], place: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

const isRow = (text: string, line: Line | undefined): boolean => line !== undefined && text.charAt(line.start) === "|";
const isRule = (text: string, line: Line | undefined): boolean =>
  line !== undefined && /^\|[\s:|-]+\|\s*$/.test(text.slice(line.start, line.end));

/** blocksIn are the lines from one to another, with tables put together. */
export function blocksIn(text: string, lines: Line[], from: number, to: number): Block[] {
  const out: Block[] = [];
  for (let i = from; i < to; i++) {
    const line = lines[i];
    if (!line) break;
    const head = isRow(text, line) ? headOf(text, lines, i) : -1;
    const headLine = lines[head];
    if (headLine === undefined) {
      out.push({ kind: "line", line });
      continue;
    }
    const rows: Line[] = [];
    for (; i < to && isRow(text, lines[i]); i++) {
      const row = lines[i];
      if (row && i > head + 1) rows.push(row);
    }
    i--;
    out.push({ kind: "table", head: headLine, rows });
  }
  return out;
}

/** headOf is the index of the header of the table that a row is in; -1: it is in none. */
function headOf(text: string, lines: Line[], row: number): number {
  let first = row;
  while (first > 0 && isRow(text, lines[first - 1])) first--;
  return isRule(text, lines[first + 1]) ? first : -1;
}

/** cellsOf are the cells of a row of a Markdown table, with their places. */
export function cellsOf(text: string, line: Line): Span[] {
  const out: Span[] = [];
  let start = line.start + 1;
  for (let i = start; i < line.end; i++) {
    if (text.charAt(i) === "\\") i++;
    else if (text.charAt(i) === "|") {
      out.push({ start, end: i });
      start = i + 1;
    }
  }
  return out;
}

const most = 5000;

/** find is every place of a word in a text, whatever its case. */
export function find(text: string, word: string): Span[] {
  const out: Span[] = [];
  const pattern = new RegExp(
    word
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\s+/g, "\\s+"),
    "giu",
  );
  for (const m of text.matchAll(pattern)) {
    if (m[0] === "" || out.length >= most) break;
    out.push({ start: m.index, end: m.index + m[0].length });
  }
  return out;
}
