/** excerpt is the stretch of a passage that has most of a question's words, from the start of a sentence where one is near. */
export function excerpt(text: string, question: string, length: number): string {
  if (text.length <= length) return text;
  const words = new Set(wordsOf(question));
  const hits: { at: number; worth: number }[] = [];
  for (const m of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = m[0].toLowerCase();
    if (words.has(word)) hits.push({ at: m.index, worth: word.length });
  }
  let best = 0;
  let most = 0;
  for (const first of hits) {
    const worth = hits
      .filter((h) => h.at >= first.at && h.at < first.at + length * 0.7)
      .reduce((sum, h) => sum + h.worth, 0);
    if (worth > most) [most, best] = [worth, first.at];
  }
  const start = sentenceStart(text, best);
  const end = wordEnd(text, start + length);
  return (start > 0 ? "… " : "") + text.slice(start, end).trim() + (end < text.length ? " …" : "");
}

const wordsOf = (text: string) => [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((m) => m[0].toLowerCase());

function sentenceStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 160), at);
  const cut = Math.max(before.lastIndexOf(". "), before.lastIndexOf("\n"));
  if (cut >= 0) return at - before.length + cut + 1;
  return at <= 160 ? 0 : at - (before.length - before.lastIndexOf(" ", before.length - 2)) + 1;
}

/** wordEnd is at, or the end of the word before it where it would cut one. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const cut = text.lastIndexOf(" ", at);
  return cut > at - 30 ? cut : at;
}
