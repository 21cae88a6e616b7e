import { effect, signal } from "@preact/signals";
import { isAbort, wordsOf } from "../api/http";
import { preprocess } from "../api/service";
import type { Result } from "../api/types";
import { debounced } from "../text/time";
import { attached, usable } from "./files";
import { models } from "./models";
import { session } from "./session";
import { optionsOf, settings } from "./settings";
import { busy, draft, talk } from "./talk";

/** What the next question would do to the window, before it is asked. */
export const forecast = signal<{
  result: Result | null;
  working: string;
  trouble: { text: string; next: string } | null;
}>({
  result: null,
  working: "",
  trouble: null,
});

/** Stands for a question that is not written yet: the service refuses an empty one. */
const unwritten = "…";

let underWay: AbortController | null = null;

async function look() {
  underWay?.abort();
  const control = new AbortController();
  underWay = control;
  const s = settings.value;
  const files = usable(attached.value);
  const text = draft.value.trim();
  if (!text && files.length === 0 && s.libraries.length === 0) {
    forecast.value = { result: null, working: "", trouble: null };
    return;
  }
  const question = {
    messages: [{ role: "user" as const, text: text || unwritten }],
    files,
    dry_run: true,
    ...(talk.value.id ? { chat_id: talk.value.id } : {}),
    ...(s.model ? { model: s.model } : {}),
    ...optionsOf(s),
  };
  try {
    const result = await preprocess(question, control.signal, (working) => {
      if (!control.signal.aborted) forecast.value = { ...forecast.value, working };
    });
    if (!control.signal.aborted) forecast.value = { result, working: "", trouble: null };
  } catch (error) {
    if (isAbort(error) || control.signal.aborted) return;
    forecast.value = { result: null, working: "", trouble: wordsOf(error) };
  }
}

/** beginForecast asks again, a little after anything changes that matters. */
export function beginForecast() {
  const soon = debounced(220, () => void look());
  effect(() => {
    void attached.value;
    void draft.value;
    void settings.value;
    void talk.value.id;
    void session.key.value;
    underWay?.abort(); // it is of what was before
    if (models.value.loaded && !busy.value && !session.asked.value) soon();
  });
}
