import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { blocksIn, cellsOf, lineAt, linesIn, type Line, type Span } from "./lines";

interface Props {
  text: string;
  passage: Span | null;
  hits: Span[]; // of a search
  hit: number; // the one to show, or -1
  focus: string; // of what is shown: another one scrolls
  code: boolean;
}

const reach = 250; // lines drawn before and after what is shown
const more = 400; // lines that scrolling adds

/** TextView shows a text by lines, and tables as such; of a long one a stretch. */
export function TextView(p: Props): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesIn(p.text), [p.text]);
  const target = p.hits[p.hit] ?? p.passage;
  const at = target ? lineAt(lines, target.start) : 0;
  const [stretch, setStretch] = useState({ from: 0, to: 0 });
  useEffect(() => {
    const last = target ? lineAt(lines, target.end) : 0;
    setStretch({ from: Math.max(0, at - reach), to: Math.min(lines.length, last + reach) });
  }, [lines, p.focus, at]);
  useEffect(() => {
    const box = ref.current;
    const mark = box?.querySelector<HTMLElement>(p.hit >= 0 ? "mark.current" : "mark, tr.marked");
    if (box && mark)
      box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    else if (box && !target) box.scrollTop = 0;
  }, [stretch, p.focus, p.hit]);
  const blocks = useMemo(() => blocksIn(p.text, lines, stretch.from, stretch.to), [p.text, lines, stretch]);
  return (
    <div class={`text ${p.code ? "is-code" : ""}`} ref={ref} tabIndex={0} role="region" aria-label="Text">
      {stretch.from > 0 ? (
        <button
          type="button"
          class="quiet"
          onClick={() => setStretch((s) => ({ ...s, from: Math.max(0, s.from - more) }))}
        >
          Earlier lines
        </button>
      ) : null}
      {blocks.map((b) =>
        b.kind === "line" ? (
          <TextLine key={b.line.number} line={b.line} {...p} />
        ) : (
          <TableBlock key={b.head.number} head={b.head} rows={b.rows} {...p} />
        ),
      )}
      <More
        key={stretch.to}
        done={stretch.to >= lines.length}
        onMore={() => setStretch((s) => ({ ...s, to: Math.min(lines.length, s.to + more) }))}
      />
    </div>
  );
}

/** More asks for what follows when it comes into view. */
function More({ done, onMore }: { done: boolean; onMore: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (!element || done) return;
    const observer = new IntersectionObserver((e) => e.some((one) => one.isIntersecting) && onMore(), {
      root: element.parentElement,
      rootMargin: "400px 0px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [done]);
  return <div ref={ref} class="more" />;
}

function TextLine({ line, ...p }: Props & { line: Line }) {
  const words = p.text.slice(line.start, line.end);
  const heading = /^#{1,6} /.test(words) && !p.code;
  return (
    <div class={`line ${heading ? "heading" : ""}`}>
      <span class="line-number" aria-hidden="true">
        {line.number}
      </span>
      <span class="line-words" dir="auto">
        <Marked {...p} start={line.start} end={line.end} />
        {words === "" ? "\u200b" : null}
      </span>
    </div>
  );
}

function TableBlock({ head, rows, ...p }: Props & { head: Line; rows: Line[] }) {
  const inPassage = (l: Line) => p.passage !== null && l.start < p.passage.end && l.end > p.passage.start;
  return (
    <div class="table-box">
      <table>
        <thead>
          <tr>
            {cellsOf(p.text, head).map((c, i) => (
              <th key={i} scope="col" dir="auto">
                <Marked {...p} passage={null} {...trimmed(p.text, c)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.number} class={inPassage(r) ? "marked" : ""}>
              {cellsOf(p.text, r).map((c, i) => (
                <td key={i} dir="auto">
                  <Marked {...p} passage={null} {...trimmed(p.text, c)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function trimmed(text: string, s: Span): Span {
  let { start, end } = s;
  while (start < end && text.charAt(start) === " ") start++;
  while (end > start && text.charAt(end - 1) === " ") end--;
  return { start, end };
}

/** Marked is a piece of the text with what is marked of it: a search's hits before the passage. */
function Marked({ text, passage, hits, hit, start, end }: Props & Span) {
  const cuts = new Set([start, end]);
  const spans = hits.filter((h) => h.start < end && h.end > start);
  for (const s of [...spans, ...(passage ? [passage] : [])]) {
    if (s.start > start && s.start < end) cuts.add(s.start);
    if (s.end > start && s.end < end) cuts.add(s.end);
  }
  const places = [...cuts].sort((a, b) => a - b);
  const current = hits[hit];
  return (
    <>
      {places.slice(0, -1).map((from, i) => {
        const to = places[i + 1] ?? end;
        const piece = text.slice(from, to);
        const inside = (s: Span) => s.start <= from && s.end >= to;
        if (spans.some(inside)) {
          return (
            <mark key={from} class={current && inside(current) ? "hit current" : "hit"}>
              {piece}
            </mark>
          );
        }
        return passage && inside(passage) && piece.trim() !== "" ? <mark key={from}>{piece}</mark> : piece;
      })}
    </>
  );
}
