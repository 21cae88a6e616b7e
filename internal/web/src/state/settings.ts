import { effect, signal } from "@preact/signals";
import type { Options } from "../api/service";

export type Theme = "auto" | "light" | "dark";

/** What a person set in this browser. */
export interface Settings {
  model: string; // empty: passages only
  unanswered: boolean; // passages only by choice, not because there was no model
  window: number; // context length in tokens; 0: the model's own
  threshold: number | null; // null: the embedder's own
  limit: number;
  promptSet: string;
  coverage: string;
  chunk: string; // size and overlap in tokens; empty: the service's own
  embedder: string; // empty: the service's own
  rerank: boolean; // where the service has a reranker
  theme: Theme;
  libraries: string[]; // ids of those that are asked beside the files
}

const defaults: Settings = {
  model: "",
  unanswered: false,
  window: 0,
  threshold: null,
  limit: 3,
  promptSet: "cited",
  coverage: "auto",
  chunk: "",
  embedder: "",
  rerank: true,
  theme: "auto",
  libraries: [],
};

const name = "inlay.settings";

function load(): Settings {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...defaults };
  }
}

export const settings = signal<Settings>(load());

export function change(part: Partial<Settings>) {
  settings.value = { ...settings.value, ...part };
}

/** What a question is sent with; without a model the window has to be said. */
export function optionsOf(s: Settings): Options {
  // Libraries are searched as they were made.
  const another = s.libraries.length === 0;
  const length = s.window || (s.model ? 0 : passagesWindow);
  return {
    retrieval_limit: s.limit,
    prompt_set: s.promptSet,
    coverage: s.coverage,
    ...(s.threshold === null ? {} : { retrieval_affinity_threshold: s.threshold }),
    ...(another && s.chunk ? { chunk: s.chunk } : {}),
    ...(another && s.embedder ? { embedder: s.embedder } : {}),
    ...(s.rerank ? {} : { rerank: false }),
    ...(s.libraries.length > 0 ? { library: s.libraries } : {}),
    ...(length > 0 ? { context_length: length } : {}),
  };
}

/** The window that is taken where no model says how long its own is. */
export const passagesWindow = 8192;

effect(() => {
  try {
    localStorage.setItem(name, JSON.stringify(settings.value));
  } catch {
    // not kept
  }
});

effect(() => {
  const { theme } = settings.value;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});
