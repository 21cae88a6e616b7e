import { signal } from "@preact/signals";
import type { Place } from "../api/service";
import type { Citation } from "../api/types";

/** What the source pane shows: passages of an answer, and which of them; or a whole file. */
export interface Source {
  citations: Citation[];
  at: number; // place in citations
  file: { at: Place; key: string; name: string };
  opened: number; // counts, so that the same mark clicked again scrolls again
}

export const source = signal<Source | null>(null);

let opened = 0;
let back: HTMLElement | null = null;

const upload = (id: string, name: string) => ({ at: { id }, key: id, name });
const fileOf = (c: Citation) =>
  c.library
    ? { at: { library: c.library, path: c.file }, key: `${c.library}/${c.file}`, name: c.file }
    : upload(c.file_id, c.file);

/** showCitation opens the file of a passage at it. */
export function showCitation(citations: Citation[], at: number) {
  const c = citations[at];
  if (!c) return;
  if (!source.value && document.activeElement instanceof HTMLElement) back = document.activeElement;
  source.value = { citations, at, file: fileOf(c), opened: ++opened };
}

export function showFile(id: string, name: string) {
  if (!source.value && document.activeElement instanceof HTMLElement) back = document.activeElement;
  source.value = { citations: [], at: -1, file: upload(id, name), opened: ++opened };
}

/** step goes to the next passage, or with -1 to the one before. */
export function step(by: number) {
  const s = source.value;
  if (!s || s.citations.length === 0) return;
  showCitation(s.citations, (s.at + by + s.citations.length) % s.citations.length);
}

export function closeSource() {
  source.value = null;
  if (back?.isConnected) back.focus();
  back = null;
}
