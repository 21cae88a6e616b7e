import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Citation, Result } from "../api/types";
import { openLab } from "../state/lab";
import { showCitation, showFile, source } from "../state/source";
import { askAgain, busy, sourcesOf, type Turn } from "../state/talk";
import { excerpt } from "../text/excerpt";
import { render } from "../text/markdown";
import { number, place, plural, spaced } from "../text/numbers";
import { IconButton, Spinner, Trouble } from "../ui/controls";
import { Icon } from "../ui/icons";
import { fillOf } from "./Gauge";

/** TurnView is a question and its answer. */
export function TurnView({ turn }: { turn: Turn }): JSX.Element {
  const sources = useMemo(() => sourcesOf(turn, marksIn(turn.answer ?? "")), [turn.answer, turn.result]);
  return (
    <article class="turn" aria-label={`Question: ${turn.question.slice(0, 80)}`}>
      <div class="asked">
        <p class="question-text" dir="auto">
          {turn.question}
        </p>
        <FilesOfTurn turn={turn} />
      </div>
      <Decision turn={turn} />
      <Answer turn={turn} citations={sources} />
      {turn.trouble ? <Trouble text={turn.trouble.text} next={turn.trouble.next} /> : null}
      <Sources turn={turn} citations={sources} />
      <Actions turn={turn} />
    </article>
  );
}

function FilesOfTurn({ turn }: { turn: Turn }) {
  if (turn.files.length === 0) return null;
  return (
    <ul class="asked-files">
      {turn.files.map((f) => (
        <li key={f.file_id}>
          <button type="button" onClick={() => showFile(f.file_id, f.name)}>
            <Icon name="file" size={14} /> <bdi>{f.name}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** headline says what was done with the documents. */
export function headline(r: Result): string {
  const cited = r.citations?.length ?? 0;
  switch (r.strategy) {
    case "inject-full-content":
      return `${plural(r.files?.length ?? 0, "document")} in whole`;
    case "retrieval":
      return cited > 0 ? plural(cited, "passage") + (r.passages ? ` of ${number(r.passages)}` : "") : "Passages";
    default:
      return r.near_misses ? "No passage was close enough" : "";
  }
}

function Decision({ turn }: { turn: Turn }) {
  const r = turn.result;
  const head = r ? headline(r) : "";
  if (!r || !head) return null;
  const fill = fillOf(r);
  return (
    <details class="decision">
      <summary>
        <span class={`dot ${r.strategy ?? ""}`} aria-hidden="true" />
        {head}
        {fill ? <span class="muted"> · window of {number(fill.length)}</span> : null}
        <span class="why">Why</span>
      </summary>
      <p>{spaced(r.reason ?? "")}</p>
      {(r.warnings ?? []).map((w, i) => (
        <p key={i} class="warning-text">
          {w.message}
        </p>
      ))}
      <button type="button" class="quiet" onClick={() => openLab(turn)}>
        <Icon name="sliders" /> Open in the lab
      </button>
    </details>
  );
}

function Answer({ turn, citations }: { turn: Turn; citations: Citation[] }) {
  const ref = useRef<HTMLDivElement>(null);
  const html = useMemo(() => {
    const sources = new Map(citations.map((c) => [c.number, `${c.file}, ${place(c)}`]));
    return turn.answer ? render(turn.answer, sources) : "";
  }, [turn.answer, citations]);
  useMarkOfOpen(ref, citations, html);
  if (turn.state === "asking") return <Spinner label="Reading and thinking" />;
  if (turn.answer === null) return null;
  return (
    <>
      <div
        ref={ref}
        class="answer"
        dir="auto"
        aria-busy={turn.state === "answering"}
        onClick={(e) => answerClicked(e, citations)}
        dangerouslySetInnerHTML={{ __html: html }}
      />
      {turn.state === "stopped" ? <p class="muted">Stopped. This answer is not kept.</p> : null}
      <span class="visually-hidden" role="status">
        {turn.state === "done" ? "The answer is complete." : ""}
      </span>
    </>
  );
}

function answerClicked(e: MouseEvent, citations: Citation[]) {
  if (!(e.target instanceof Element)) return;
  const cite = e.target.closest<HTMLElement>("button.cite");
  if (cite) {
    const n = Number(cite.dataset["source"]);
    showCitation(
      citations,
      citations.findIndex((c) => c.number === n),
    );
    return;
  }
  const copy = e.target.closest<HTMLElement>("button.copy-code");
  const code = copy?.parentElement?.querySelector("code")?.textContent;
  if (copy && code) void copied(code, (word) => (copy.textContent = word));
}

async function copied(text: string, say: (word: string) => void) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("Not allowed");
  }
  setTimeout(() => say("Copy"), 1500);
}

/** The mark whose passage the source pane shows looks it. */
function useMarkOfOpen(ref: { current: HTMLDivElement | null }, citations: Citation[], html: string) {
  const open = source.value?.citations === citations ? source.value.citations[source.value.at]?.number : undefined;
  useEffect(() => {
    for (const b of ref.current?.querySelectorAll<HTMLElement>("button.cite") ?? []) {
      b.classList.toggle("open", Number(b.dataset["source"]) === open);
    }
  }, [open, html]);
}

/** Sources are the passages that a model was given, or would be, and those before that its answer refers to. */
function Sources({ turn, citations }: { turn: Turn; citations: Citation[] }) {
  const cited = useMemo(() => new Set(marksIn(turn.answer ?? "")), [turn.answer]);
  if (citations.length === 0 || turn.state === "asking") return null;
  const open = source.value?.citations === citations ? source.value.at : -1;
  const full = turn.answer === null;
  return (
    <ol class={`sources ${full ? "full" : ""}`} aria-label="Passages">
      {citations.map((c, i) => (
        <li key={c.id} class={cited.has(c.number) || full ? "" : "unused"}>
          <button
            type="button"
            aria-current={open === i ? "true" : undefined}
            onClick={() => showCitation(citations, i)}
          >
            <span class="source-number">{c.number}</span>
            <span class="source-words">
              <span class="source-name">
                <bdi>{c.file}</bdi> <span class="muted">{place(c)}</span>
              </span>
              {full ? (
                <span class="source-text" dir="auto">
                  {excerpt(c.text, turn.question, 300)}
                </span>
              ) : null}
            </span>
            <span class="affinity" title="Affinity">
              {c.affinity > 0 ? c.affinity.toFixed(2) : ""}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

const marksIn = (answer: string): number[] =>
  [...answer.matchAll(/\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g)].flatMap((m) => (m[1] ?? "").split(",").map(Number));

function Actions({ turn }: { turn: Turn }) {
  const [copied, setCopied] = useState(false);
  if (turn.state === "asking" || turn.state === "answering") return null;
  const copy = () =>
    void navigator.clipboard.writeText(turn.answer ?? "").then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div class="actions">
      {turn.answer ? (
        <IconButton icon={copied ? "check" : "copy"} label={copied ? "Copied" : "Copy the answer"} onClick={copy} />
      ) : null}
      <IconButton
        icon="edit"
        label="Change the question and ask again"
        disabled={busy.value}
        onClick={() => void askAgain(turn.key)}
      />
      {turn.result?.decision ? (
        <IconButton icon="sliders" label="Open in the lab" onClick={() => openLab(turn)} />
      ) : null}
    </div>
  );
}
