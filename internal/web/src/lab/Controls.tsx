import type { JSX } from "preact";
import type { Result } from "../api/types";
import { changed, trial, trialOf, tryOut, useTrial } from "../state/lab";
import { searches } from "../state/searches";
import { passagesWindow, settings } from "../state/settings";
import { number, sizeOf } from "../text/numbers";

/** Controls are the settings that the lab tries. */
export function Controls({ tried }: { tried: Result | null }): JSX.Element {
  const t = trial.value;
  const threshold = t.threshold ?? tried?.threshold ?? 0.25;
  return (
    <div class="controls">
      <label>
        <span>
          Threshold <output>{threshold.toFixed(2)}</output>
        </span>
        <input
          type="range"
          id="threshold"
          min="0"
          max="1"
          step="0.01"
          value={threshold}
          onInput={(e) => tryOut({ threshold: Number(e.currentTarget.value) })}
        />
      </label>
      <label>
        <span>
          Passages <output>{t.limit}</output>
        </span>
        <input
          type="range"
          id="limit"
          min="1"
          max="20"
          value={t.limit}
          onInput={(e) => tryOut({ limit: Number(e.currentTarget.value) })}
        />
      </label>
      <Pick label="Window" value={String(t.window)} choices={windows} onChange={(v) => tryOut({ window: Number(v) })} />
      <Pick
        label="Wording"
        value={t.promptSet}
        choices={[
          ["cited", "Cited"],
          ["classic", "Classic"],
        ]}
        onChange={(promptSet) => tryOut({ promptSet })}
      />
      <Pick
        label="Coverage"
        value={t.coverage}
        choices={[
          ["auto", "When asked of all"],
          ["always", "Always"],
          ["off", "Off"],
        ]}
        onChange={(coverage) => tryOut({ coverage })}
      />
      <Search />
      <div class="controls-actions">
        <button type="button" class="primary" disabled={!changed()} onClick={useTrial}>
          Use these settings
        </button>
        <button
          type="button"
          class="quiet"
          disabled={!changed()}
          onClick={() => (trial.value = trialOf(settings.value))}
        >
          Reset
        </button>
      </div>
    </div>
  );
}

/** Search is how documents are split, compared and read again: of libraries that was settled when they were made. */
function Search() {
  const { chunk, embedders, reranker } = searches.value;
  const t = trial.value;
  const fixed = settings.value.libraries.length > 0;
  const [own, ...others] = embedders;
  return (
    <>
      <Pick
        label="Passage size"
        value={t.chunk}
        disabled={fixed}
        choices={sizes(chunk, t.chunk)}
        onChange={(v) => tryOut({ chunk: v })}
      />
      {own ? (
        <Pick
          label="Embedder"
          value={t.embedder}
          disabled={fixed || others.length === 0}
          choices={[["", nameOf(own)], ...others.map((e): [string, string] => [e, nameOf(e)])]}
          onChange={(embedder) => tryOut({ embedder })}
        />
      ) : null}
      <Pick
        label="Reranker"
        value={reranker && t.rerank ? "on" : "off"}
        disabled={!reranker}
        choices={
          reranker
            ? [
                ["on", "On"],
                ["off", "Off"],
              ]
            : [["off", "None configured"]]
        }
        onChange={(v) => tryOut({ rerank: v === "on" })}
      />
      {fixed ? <p class="muted controls-note">Libraries are searched as they were made.</p> : null}
    </>
  );
}

const nameOf = (embedder: string) => (embedder === "builtin" ? "Built-in" : embedder);

/** sizes are those to choose from: the service's own, some others, and the one that is tried. */
function sizes(own: string, tried: string): [string, string][] {
  const others = ["100/0", "200/20", "300/0", "500/50", "800/80"].filter((c) => c !== own);
  if (tried && tried !== own && !others.includes(tried)) others.push(tried);
  return [["", own ? sizeOf(own) : "The service’s own"], ...others.map((c): [string, string] => [c, sizeOf(c)])];
}

const windows: [string, string][] = [
  ["0", "The model’s own"],
  ...[1024, 2048, 4096, 8192, 16384, 32768, 131072].map((n): [string, string] => [String(n), `${number(n)} tokens`]),
];

interface PickProps {
  label: string;
  value: string;
  choices: [string, string][];
  disabled?: boolean;
  onChange: (value: string) => void;
}

function Pick(p: PickProps) {
  const choices = p.label === "Window" && !settings.value.model ? withoutModel(p.choices) : p.choices;
  return (
    <label>
      <span>{p.label}</span>
      <select value={p.value} disabled={p.disabled} onChange={(e) => p.onChange(e.currentTarget.value)}>
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

const withoutModel = (choices: [string, string][]): [string, string][] =>
  choices.map(([v, l]) => (v === "0" ? [v, `${number(passagesWindow)} tokens (no model)`] : [v, l]));
