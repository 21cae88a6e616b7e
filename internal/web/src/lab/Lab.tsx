import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Result } from "../api/types";
import { candidatesOf, labOpen, outcome, question, sent, trial, tryOut } from "../state/lab";
import { showCitation } from "../state/source";
import { excerpt } from "../text/excerpt";
import { count, number, place, spaced } from "../text/numbers";
import { IconButton, Segments, Spinner, Trouble } from "../ui/controls";
import { Controls } from "./Controls";
import { PromptView } from "./PromptView";
import { Strip } from "./Strip";

type Tab = "passages" | "prompt" | "why";

/** Lab shows what other settings would change, and the prompt as it is sent. */
export function Lab(): JSX.Element | null {
  const [tab, setTab] = useState<Tab>("passages");
  if (!labOpen.value) return null;
  const { base, tried, working, trouble } = outcome.value;
  return (
    <section class="lab" aria-label="Lab">
      <header class="lab-head">
        <h2>Lab</h2>
        <input
          class="lab-question"
          aria-label="Question to try"
          placeholder="A question to try"
          dir="auto"
          value={question.value}
          onInput={(e) => {
            question.value = e.currentTarget.value;
            sent.value = null;
          }}
        />
        <Segments
          label="What the lab shows"
          name="lab-tab"
          value={tab}
          choices={[
            { value: "passages", label: "Passages" },
            { value: "prompt", label: "Prompt" },
            { value: "why", label: "Why" },
          ]}
          onChange={(v) => setTab(v === "prompt" || v === "why" ? v : "passages")}
        />
        <IconButton icon="close" label="Close the lab" onClick={() => (labOpen.value = false)} />
      </header>
      <div class="lab-body">
        <Controls tried={tried} />
        <div class="lab-view" aria-busy={working}>
          <Trouble text={trouble} />
          {!tried && !trouble ? working ? <Spinner label="Trying" /> : <Nothing /> : null}
          {tried && tab === "passages" ? <Passages base={base} tried={tried} /> : null}
          {tried && tab === "prompt" ? <Prompt tried={tried} /> : null}
          {tried && tab === "why" ? <Why result={tried} /> : null}
        </div>
      </div>
    </section>
  );
}

const Nothing = () => (
  <p class="muted lab-nothing">
    Attach a document and write a question: its passages appear here, with how close each is.
  </p>
);

function Passages({ base, tried }: { base: Result | null; tried: Result }) {
  const candidates = candidatesOf(base, tried);
  const gained = candidates.filter((c) => c.now && !c.before).length;
  const lost = candidates.filter((c) => c.before && !c.now).length;
  const whole = tried.strategy === "inject-full-content";
  const cited = candidates.filter((c) => c.now).map((c) => c.passage);
  return (
    <>
      <p class="lab-summary" role="status">
        <strong>{whole ? "The documents go in whole" : `${cited.length} cited`}</strong>
        {whole ? ", so nothing is searched. Take a smaller window to see passages." : ""}
        {gained > 0 ? <span class="gained">+{gained}</span> : null}
        {lost > 0 ? <span class="lost">−{lost}</span> : null}
        {tried.used ? <span class="muted">{count(tried.used)} tokens of prompt</span> : null}
        {tried.passages ? <span class="muted">{number(tried.passages)} passages searched</span> : null}
      </p>
      {whole ? null : (
        <>
          <Strip
            affinities={tried.debug?.affinities ?? []}
            threshold={trial.value.threshold ?? tried.threshold ?? 0.25}
            onChange={(threshold) => tryOut({ threshold })}
          />
          <ol class="candidates">
            {candidates.map((c) => (
              <li key={`${c.passage.file_id}-${c.passage.start}-${c.passage.end}`} class={classOf(c.before, c.now)}>
                <button
                  type="button"
                  onClick={() =>
                    showCitation(
                      candidates.map((x) => x.passage),
                      candidates.indexOf(c),
                    )
                  }
                >
                  <span class="affinity">{c.passage.affinity.toFixed(2)}</span>
                  <span class="candidate-words">
                    <span class="source-name">
                      <bdi>{c.passage.file}</bdi> <span class="muted">{place(c.passage)}</span>
                      <span class="badge">{badgeOf(c.before, c.now)}</span>
                    </span>
                    <span class="source-text" dir="auto">
                      {excerpt(c.passage.text, question.value, 240)}
                    </span>
                  </span>
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

const classOf = (before: boolean, now: boolean) => (now ? (before ? "in" : "in gained") : before ? "out lost" : "out");
const badgeOf = (before: boolean, now: boolean) =>
  now ? (before ? "cited" : "gained") : before ? "lost" : "near miss";

function Prompt({ tried }: { tried: Result }) {
  const was = sent.value;
  return (
    <>
      {was ? <p class="muted">As it was sent with this question.</p> : null}
      <PromptView result={was?.result ?? tried} question={was?.question ?? question.value} />
    </>
  );
}

function Why({ result }: { result: Result }) {
  const d = result.decision;
  return (
    <div class="why-view">
      <p>{spaced(result.reason ?? "")}</p>
      {d ? (
        <dl>
          {row("Window", `${count(d.window.length)} tokens${d.window.length.by ? `, by ${d.window.length.by}` : ""}`)}
          {row("History", `${count(d.window.in_context)} tokens`)}
          {row(
            "Available",
            `${number(d.available)} tokens: ${number(d.window.remaining)} free, of which ${d.target_context_use * 100} %`,
          )}
          {row("Files", `${count(d.files)} tokens${d.files.by ? `, counted with ${d.files.by}` : ""}`)}
          {row("Question", `${count(d.prompt)} tokens`)}
          {result.embedder ? row("Searched with", result.embedder) : null}
          {result.threshold !== undefined ? row("Threshold", result.threshold.toFixed(2)) : null}
        </dl>
      ) : null}
      {(result.warnings ?? []).map((w, i) => (
        <p key={i} class="warning-text">
          {w.message}
        </p>
      ))}
    </div>
  );
}

const row = (name: string, value: string) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
