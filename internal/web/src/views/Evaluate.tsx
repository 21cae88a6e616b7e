import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { isAbort, wordsOf } from "../api/http";
import { evaluationResult, startEvaluation, watchEvaluation } from "../api/service";
import type { EvaluationObject, EvaluationReport } from "../api/types";
import { Curve } from "../lab/Curve";
import { attached, usable } from "../state/files";
import { searches } from "../state/searches";
import { change } from "../state/settings";
import { chatFiles } from "../state/talk";
import { questionsOf, type Asked } from "../text/csv";
import { number, plural, sizeOf } from "../text/numbers";
import { Spinner, Trouble } from "../ui/controls";
import { Icon } from "../ui/icons";
import { FileList } from "../talk/FileList";

interface State {
  name: string;
  chunks: string[]; // sizes of passages to compare; none: the service's own
  questions: Asked[];
  running: EvaluationObject | null;
  report: EvaluationReport | null;
  setting: number; // place in the report's settings
  limit: number;
  threshold: number;
  used: boolean;
  trouble: { text: string; next: string } | null;
}

const start: State = {
  name: "",
  chunks: [],
  questions: [],
  running: null,
  report: null,
  setting: 0,
  limit: 3,
  threshold: 0.25,
  used: false,
  trouble: null,
};

const state = signal<State>(start);
const set = (part: Partial<State>) => (state.value = { ...state.value, ...part });
let control: AbortController | null = null;

function files(): string[] {
  return [...new Set([...chatFiles.value.map((f) => f.file_id), ...usable(attached.value).map((f) => f.id)])];
}

async function read(file: File) {
  try {
    const questions = questionsOf(await file.text());
    state.value = { ...start, chunks: state.value.chunks, name: file.name.replace(/\.csv$/i, ""), questions };
  } catch (error) {
    state.value = {
      ...start,
      trouble: { text: wordsOf(error).text, next: "Give the columns question, file, page and quote." },
    };
  }
}

async function run() {
  control = new AbortController();
  set({ trouble: null, report: null, used: false });
  try {
    const made = await startEvaluation({
      name: state.value.name,
      files: files().map((id) => ({ id })),
      questions: state.value.questions,
      thresholds: "0:1:0.02",
      limits: [1, 3, 5, 10],
      ...(state.value.chunks.length > 0 ? { chunks: state.value.chunks } : {}),
    });
    set({ running: made });
    await watchEvaluation(made.id, control.signal, (running) => set({ running }));
    const why = state.value.running?.error;
    if (why) {
      set({ trouble: { text: why.reason, next: why.next ?? "" }, running: null });
      return;
    }
    const report = await evaluationResult(made.id);
    const { limit, threshold, chunk } = report.recommended;
    const setting = Math.max(
      0,
      report.settings.findIndex((x) => x.chunk === chunk),
    );
    set({ report, running: null, setting, limit, threshold });
  } catch (error) {
    set({ running: null, trouble: isAbort(error) ? null : wordsOf(error) });
  }
}

function use() {
  const { threshold, limit, report, setting, chunks } = state.value;
  const chunk = report?.settings[setting]?.chunk;
  change({
    threshold,
    limit,
    ...(chunks.length > 0 && chunk ? { chunk: chunk === searches.value.chunk ? "" : chunk } : {}),
  });
  set({ used: true });
}

const example = `question,file,page,quote
How long is the notice period?,handbook.md,,"four weeks to the end of a month"
Who won the cup in 1974?,,,`;

/** Evaluate finds the threshold and limit that suit a person's documents. */
export function Evaluate(): JSX.Element {
  const s = state.value;
  const ready = s.questions.length > 0 && files().length > 0 && s.running === null;
  return (
    <section class="view" aria-labelledby="evaluate-title">
      <h1 id="evaluate-title">Evaluate</h1>
      <p class="lead">
        Which threshold and how many passages suit your documents? Ask questions whose answers you know, and some that
        the documents do not answer.
      </p>
      <div class="steps">
        <div class="card">
          <h2>Documents</h2>
          {files().length === 0 ? (
            <p class="muted">Drop them on this page.</p>
          ) : (
            <p>{plural(files().length, "document")} of this chat.</p>
          )}
          <FileList />
        </div>
        <Questions />
        <Sizes />
      </div>
      <div class="view-actions">
        <button type="button" class="primary" disabled={!ready} onClick={() => void run()}>
          Run
        </button>
        {s.running ? <Progress running={s.running} /> : null}
      </div>
      {s.trouble ? <Trouble text={s.trouble.text} next={s.trouble.next} /> : null}
      {s.report ? <Report report={s.report} /> : null}
    </section>
  );
}

function Questions() {
  const input = useRef<HTMLInputElement>(null);
  const s = state.value;
  const open = s.questions.filter((q) => q.expected.length === 0).length;
  return (
    <div class="card">
      <h2>Questions</h2>
      {s.questions.length > 0 ? (
        <p>
          {plural(s.questions.length, "question")} of {s.name}.csv, {open} without an answer.
        </p>
      ) : (
        <>
          <p class="muted">A CSV file. A question without file and quote is one that the documents do not answer.</p>
          <pre class="example">{example}</pre>
        </>
      )}
      <button type="button" onClick={() => input.current?.click()}>
        <Icon name="clip" /> Choose a CSV file
      </button>
      <input
        ref={input}
        id="choose-questions"
        type="file"
        accept=".csv,text/csv"
        hidden
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          if (file) void read(file);
          e.currentTarget.value = "";
        }}
      />
    </div>
  );
}

const compared = ["100/0", "200/20", "300/0", "500/50", "800/80"];

/** Sizes are those of passages that are compared, beside the service's own. */
function Sizes() {
  const s = state.value;
  const own = searches.value.chunk;
  const toggle = (chunk: string, yes: boolean) => {
    const others = s.chunks.filter((c) => c !== chunk && c !== own);
    const list = yes ? [...others, chunk] : others;
    set({ chunks: list.length > 0 && own ? [own, ...list] : list });
  };
  return (
    <div class="card sizes" role="group" aria-labelledby="sizes-title">
      <h2 id="sizes-title">Passage sizes to compare</h2>
      <label class="check">
        <input type="checkbox" checked disabled /> {own ? sizeOf(own) : "The service’s own"}
      </label>
      {compared
        .filter((c) => c !== own)
        .map((c) => (
          <label key={c} class="check">
            <input
              type="checkbox"
              checked={s.chunks.includes(c)}
              onChange={(e) => toggle(c, e.currentTarget.checked)}
            />
            {sizeOf(c)}
          </label>
        ))}
    </div>
  );
}

function Progress({ running }: { running: EvaluationObject }) {
  return (
    <div class="progress">
      <progress max={1} value={running.progress.share} aria-label="Progress of the evaluation" />
      <Spinner label={running.status === "queued" ? "Waiting" : stageOf(running.progress)} />
      <button type="button" class="quiet" onClick={() => control?.abort()}>
        Leave it
      </button>
    </div>
  );
}

/** stageOf says what an evaluation is doing. */
function stageOf({ share, setting, done, total }: EvaluationObject["progress"]): string {
  const percent = `${Math.round(share * 100)} %`;
  return setting && total ? `${percent} · ${setting}, ${number(done ?? 0)} of ${number(total)}` : percent;
}

function Report({ report }: { report: EvaluationReport }) {
  const s = state.value;
  const r = report.recommended;
  const limits = [...new Set(report.points.map((p) => p.limit))].sort((a, b) => a - b);
  const points = report.points.filter((p) => p.limit === s.limit && p.setting === s.setting);
  const sizes = report.settings.length > 1 ? ` of ${sizeOf(r.chunk)}` : "";
  return (
    <div class="report">
      <h2>
        Cite at most {plural(r.limit, "passage")}
        {sizes} above {r.threshold.toFixed(2)}
      </h2>
      <p>
        Of the {plural(report.set.answerable, "question")} that the documents answer, {Math.round(r.hit_rate * 100)} %
        get a right passage; of the {report.set.unanswerable} that they do not, {Math.round(r.false * 100)} % get one
        all the same.
      </p>
      {report.settings.length > 1 ? (
        <div class="limit-choice" role="group" aria-label="Passage size">
          {report.settings.map((x, i) => (
            <button key={x.chunk} type="button" aria-pressed={i === s.setting} onClick={() => set({ setting: i })}>
              {sizeOf(x.chunk)}
            </button>
          ))}
        </div>
      ) : null}
      <div class="limit-choice" role="group" aria-label="Most passages">
        {limits.map((l) => (
          <button key={l} type="button" aria-pressed={l === s.limit} onClick={() => set({ limit: l })}>
            {plural(l, "passage")}
          </button>
        ))}
      </div>
      <Curve points={points} threshold={s.threshold} onChange={(threshold) => set({ threshold })} />
      <div class="view-actions">
        <button type="button" class="primary" onClick={use}>
          Use these settings
        </button>
        <span class="muted" role="status">
          {s.used
            ? "The next question uses them."
            : `threshold ${s.threshold.toFixed(2)}, at most ${plural(s.limit, "passage")}`}
        </span>
      </div>
      <Failures report={report} />
    </div>
  );
}

function Failures({ report }: { report: EvaluationReport }) {
  if (report.failures.length === 0) return null;
  return (
    <details>
      <summary>{plural(report.failures.length, "question")} went wrong</summary>
      <ul class="failures">
        {report.failures.map((f) => (
          <li key={f.question}>
            {f.text} <span class="muted">{f.reason.replaceAll("_", " ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
