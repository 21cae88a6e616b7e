import { effect, signal } from "@preact/signals";
import { isAbort, wordsOf } from "../api/http";
import { preprocess, type FileRef, type Options } from "../api/service";
import type { Citation, Result } from "../api/types";
import { debounced } from "../text/time";
import { attached, usable } from "./files";
import { optionsOf, settings, type Settings } from "./settings";
import { chatFiles, draft, keptTurns, talk, type Turn } from "./talk";

/** The settings that the lab tries. */
export type Trial = Pick<
  Settings,
  "threshold" | "limit" | "promptSet" | "coverage" | "window" | "chunk" | "embedder" | "rerank"
>;

export const labOpen = signal(false);
export const question = signal("");
export const trial = signal<Trial>(trialOf(settings.value));

/** What the settings in force bring, what those of the trial do, and whether it is being found out. */
export const outcome = signal<{ base: Result | null; tried: Result | null; working: boolean; trouble: string }>({
  base: null,
  tried: null,
  working: false,
  trouble: "",
});

/** Of a turn that was asked: the prompt as it was sent. */
export const sent = signal<{ result: Result; question: string } | null>(null);

export function trialOf(s: Settings): Trial {
  const { threshold, limit, promptSet, coverage, window, chunk, embedder, rerank } = s;
  return { threshold, limit, promptSet, coverage, window, chunk, embedder, rerank };
}

export function openLab(turn?: Turn) {
  const last = turn ?? talk.value.turns.at(-1);
  question.value = turn?.question ?? (draft.value.trim() || last?.question || "");
  sent.value = null;
  if (turn) void findSent(turn);
  trial.value = trialOf(settings.value);
  labOpen.value = true;
}

/** findSent is the prompt of a turn that was asked: an answer that was streamed came without it. */
async function findSent(turn: Turn) {
  const at = talk.value.turns.filter((t) => t.kept).indexOf(turn);
  const kept = turn.result?.prompt ? turn : (await keptTurns(talk.value.id).catch(() => []))[at];
  if (kept?.result?.prompt && question.value === turn.question) {
    sent.value = { result: kept.result, question: turn.question };
  }
}

export const tryOut = (part: Partial<Trial>) => {
  trial.value = { ...trial.value, ...part };
};

/** useTrial makes the settings of the trial those of the next question. */
export function useTrial() {
  settings.value = { ...settings.value, ...trial.value };
}

export const changed = () => JSON.stringify(trialOf(settings.value)) !== JSON.stringify(trial.value);

function files(): FileRef[] {
  const refs = new Map<string, FileRef>();
  for (const f of chatFiles.value) refs.set(f.file_id, { id: f.file_id });
  for (const f of usable(attached.value)) refs.set(f.id, f);
  return [...refs.values()].slice(0, 32);
}

async function look(options: Options, signal: AbortSignal): Promise<Result> {
  const model = settings.value.model;
  const messages = [{ role: "user" as const, text: question.value }];
  return preprocess({ messages, files: files(), debug: true, ...(model ? { model } : {}), ...options }, signal);
}

let underWay: AbortController | null = null;
let baseOf = "";

async function run() {
  underWay?.abort();
  const control = new AbortController();
  underWay = control;
  const inForce = optionsOf(settings.value);
  const name = JSON.stringify([inForce, question.value, files(), settings.value.model]);
  outcome.value = { ...outcome.value, working: true, trouble: "" };
  try {
    const base = name === baseOf && outcome.value.base ? outcome.value.base : await look(inForce, control.signal);
    const tried = changed() ? await look(optionsOf({ ...settings.value, ...trial.value }), control.signal) : base;
    if (control.signal.aborted) return;
    baseOf = name;
    outcome.value = { base, tried, working: false, trouble: "" };
  } catch (error) {
    if (isAbort(error) || control.signal.aborted) return;
    baseOf = "";
    outcome.value = { base: null, tried: null, working: false, trouble: wordsOf(error).text };
  }
}

/** beginLab tries again when a control moves, while the lab is open. */
export function beginLab() {
  const soon = debounced(180, () => void run());
  effect(() => {
    const ready =
      labOpen.value &&
      question.value.trim() !== "" &&
      (attached.value.length > 0 || chatFiles.value.length > 0 || settings.value.libraries.length > 0);
    void trial.value;
    void settings.value;
    if (ready) soon();
    else if (outcome.peek().base) outcome.value = { base: null, tried: null, working: false, trouble: "" };
  });
}

/** A passage on the strip: whether the settings in force cite it, and whether those tried do. */
export interface Candidate {
  passage: Citation;
  before: boolean;
  now: boolean;
}

const covers = (list: Citation[], c: Citation) =>
  list.some((o) => o.number > 0 && o.file_id === c.file_id && o.start <= c.start && o.end >= c.end);

/** candidatesOf are the passages of both results, the closest first. */
export function candidatesOf(base: Result | null, tried: Result | null): Candidate[] {
  const all = new Map<string, Citation>();
  const before = base?.citations ?? [];
  const now = tried?.citations ?? [];
  for (const c of [...now, ...before, ...(tried?.debug?.passages ?? []), ...(tried?.near_misses?.best ?? [])]) {
    const key = `${c.file_id}-${c.start}-${c.end}`;
    const inside = [...all.values()].some((o) => o.file_id === c.file_id && o.start <= c.start && o.end >= c.end);
    if (!inside) all.set(key, c);
  }
  return [...all.values()]
    .map((passage) => ({ passage, before: covers(before, passage), now: covers(now, passage) }))
    .sort((a, b) => b.passage.affinity - a.passage.affinity);
}
