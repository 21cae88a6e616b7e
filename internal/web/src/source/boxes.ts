import type { Box, BoxedPage } from "../api/types";

export interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** linesOf joins the words of a page that stand beside each other. */
export function linesOf(boxes: Box[]): Rect[] {
  const out: Rect[] = [];
  for (const b of boxes) {
    const last = out[out.length - 1];
    if (last && beside(last, b)) {
      last.x0 = Math.min(last.x0, b.x0);
      last.x1 = Math.max(last.x1, b.x1);
      last.y0 = Math.min(last.y0, b.y0);
      last.y1 = Math.max(last.y1, b.y1);
    } else out.push({ x0: b.x0, y0: b.y0, x1: b.x1, y1: b.y1 });
  }
  return out;
}

function beside(line: Rect, word: Rect): boolean {
  const height = Math.min(line.y1 - line.y0, word.y1 - word.y0);
  const overlap = Math.min(line.y1, word.y1) - Math.max(line.y0, word.y0);
  const gap = Math.max(word.x0 - line.x1, line.x0 - word.x1);
  return overlap > 0.5 * height && gap < 2.5 * Math.max(1, height);
}

/** within keeps the words that are in one of the ranges; without ranges, all. */
export function within(pages: BoxedPage[], ranges: { start: number; end: number }[]): BoxedPage[] {
  if (ranges.length === 0) return pages;
  const inside = (b: Box) => ranges.some((r) => b.start < r.end && b.end > r.start);
  return pages.map((p) => ({ ...p, boxes: p.boxes.filter(inside) })).filter((p) => p.boxes.length > 0);
}

const encoder = new TextEncoder();
const sizeOf = (text: string): number => encoder.encode(text.replace(/\s+/g, "")).length;

/** placed is the share of a passage, white space aside, whose place is known. */
export function placed(pages: BoxedPage[], text: string): number {
  const whole = sizeOf(text);
  if (whole === 0) return 0;
  let found = 0;
  for (const p of pages) for (const b of p.boxes) found += b.end - b.start;
  return Math.min(1, found / whole);
}
