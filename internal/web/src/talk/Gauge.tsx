import type { JSX } from "preact";
import type { Result } from "../api/types";
import { forecast } from "../state/forecast";
import { count, number, spaced } from "../text/numbers";

/** The parts of a window in tokens. */
export interface Fill {
  length: number;
  history: number;
  files: number;
  question: number;
  room: number; // for the answer
  line: number; // up to which files and question may fill it
  share: number; // of what is free, which the line is at
  over: boolean; // the files do not fit below the line
}

/** fillOf is how a decision leaves a window. */
export function fillOf(r: Result): Fill | null {
  const d = r.decision;
  if (!d || d.window.length.n <= 0) return null;
  const length = d.window.length.n;
  const history = Math.min(length, d.window.in_context.n);
  const question = Math.min(length - history, d.prompt.n);
  const line = Math.min(length, history + d.available);
  const over = d.strategy === "retrieval";
  const files = Math.max(0, Math.min(d.files.n, length - history - question));
  const taken = over && r.used && r.used.n > 0 ? r.used.n : question + files;
  return {
    length,
    history,
    files,
    question,
    line,
    share: d.target_context_use,
    over,
    room: Math.max(0, length - history - taken),
  };
}

const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;

/** verdict says in a few words what would happen. */
export function verdict(r: Result): string {
  const files = r.files ?? [];
  const some = files.filter((f) => f.strategy === "retrieval").length;
  const whole = files.filter((f) => f.strategy === "inject-full-content").length;
  if (files.length === 0 || r.reason_code === "no_files") return "No documents";
  if (some > 0 && whole > 0) return `${whole} whole, ${some} as passages`;
  if (some > 0 || r.strategy === "retrieval") return "As passages";
  if (whole > 0 || r.strategy === "inject-full-content") return files.length === 1 ? "Whole" : "All whole";
  return "Left out";
}

/** Gauge is the window as it would be if the question were asked now. */
export function Gauge(): JSX.Element | null {
  const { result, working, trouble } = forecast.value;
  if (trouble) {
    return (
      <div class="gauge">
        <p class="gauge-why warning-text" role="status">
          {trouble.text} {trouble.next}
        </p>
      </div>
    );
  }
  const fill = result && fillOf(result);
  if (!result || !fill) return <div class="gauge gauge-empty" aria-hidden="true" />;
  return (
    <div class={`gauge ${fill.over ? "over" : ""}`}>
      <div class="gauge-head">
        <strong class={`verdict ${result.strategy ?? ""}`}>{verdict(result)}</strong>
        <span class="muted">{number(fill.length)} tokens</span>
      </div>
      <Bar fill={fill} label={describe(fill)} />
      <Legend fill={fill} result={result} />
      <p class="gauge-why" role="status">
        {working || whyOf(result)}
      </p>
    </div>
  );
}

/** whyOf is the sentence of the decision, for a person. */
function whyOf(r: Result): string {
  if (r.reason_code === "no_files") return "Drop documents to see what would become of them.";
  return spaced(r.reason ?? "");
}

const describe = (f: Fill) =>
  `Window of ${number(f.length)} tokens: history ${number(f.history)}, files ${number(f.files)}${f.over ? " and more" : ""}, ` +
  `question ${number(f.question)}, room for the answer ${number(f.room)}. Files and question may reach ${number(f.line)}.`;

function Bar({ fill, label }: { fill: Fill; label: string }) {
  return (
    <div class="bar" role="img" aria-label={label}>
      <div class="part history" style={{ width: percent(fill.history, fill.length) }} />
      <div class="part question" style={{ width: percent(fill.question, fill.length) }} />
      <div class="part files" style={{ width: percent(fill.files, fill.length) }} />
      <div class="limit-line" style={{ left: percent(fill.line, fill.length) }}>
        <span>{Math.round(fill.share * 100)} %</span>
      </div>
    </div>
  );
}

function Legend({ fill, result }: { fill: Fill; result: Result }) {
  const files = result.decision?.files;
  return (
    <ul class="legend">
      <li class="history">
        history <b>{number(fill.history)}</b>
      </li>
      <li class="question">
        question <b>{number(fill.question)}</b>
      </li>
      <li class="files">
        files <b>{files ? count(files) : 0}</b>
      </li>
      {fill.over ? null : (
        <li class="room">
          room for the answer <b>{number(fill.room)}</b>
        </li>
      )}
    </ul>
  );
}
