import type { Result } from "../api/types";
import { Offsets } from "../text/offsets";

/** A piece of a prompt and where it comes from. */
export interface Piece {
  text: string;
  from: "wording" | "question" | "source";
  number?: number; // of the citation, or of the file
  name?: string;
}

interface Found {
  start: number;
  end: number;
  piece: Omit<Piece, "text">;
}

/** piecesOf parts a prompt into what the templates say, the sources, and the question. */
export function piecesOf(result: Result, question: string): Piece[] {
  const prompt = result.prompt ?? "";
  const found = [...wholeFiles(result), ...passages(result, prompt)];
  const asked = question ? prompt.lastIndexOf(question) : -1;
  if (asked >= 0) found.push({ start: asked, end: asked + question.length, piece: { from: "question" } });
  found.sort((a, b) => a.start - b.start);
  const out: Piece[] = [];
  let at = 0;
  for (const f of found) {
    if (f.start < at) continue;
    if (f.start > at) out.push({ text: prompt.slice(at, f.start), from: "wording" });
    out.push({ text: prompt.slice(f.start, f.end), ...f.piece });
    at = f.end;
  }
  if (at < prompt.length) out.push({ text: prompt.slice(at), from: "wording" });
  return out;
}

function wholeFiles(result: Result): Found[] {
  const whole = result.message?.injected?.whole ?? [];
  const offsets = new Offsets(result.prompt ?? "");
  const names = new Map((result.files ?? []).map((f) => [f.file_id, f.name]));
  return whole.map((w, i) => ({
    start: offsets.unit(w.start),
    end: offsets.unit(w.end),
    piece: { from: "source", number: i + 1, name: names.get(w.file_id) ?? "file" },
  }));
}

function passages(result: Result, prompt: string): Found[] {
  const out: Found[] = [];
  let from = 0;
  for (const c of result.citations ?? []) {
    const start = prompt.indexOf(c.text, from);
    if (start < 0 || c.text === "") continue;
    from = start + c.text.length;
    out.push({ start, end: from, piece: { from: "source", number: c.number, name: c.file } });
  }
  return out;
}
