import { batch, computed, effect, signal } from "@preact/signals";
import { isAbort, wordsOf } from "../api/http";
import { ask, deleteChat, getChat, listChats, makeChat, preprocess, type FileRef } from "../api/service";
import type { Attachment, ChatObject, ChatWhole, Citation, Message, Result } from "../api/types";
import { adopt, attached, clearAttached, setMode, usable } from "./files";
import { modelsAgain } from "./models";
import { route, show } from "./route";
import { optionsOf, settings } from "./settings";
import { closeSource } from "./source";

/** One question and what came of it. */
export interface Turn {
  key: string;
  question: string;
  files: Attachment[];
  result: Result | null;
  answer: string | null; // null: nobody answered
  state: "asking" | "answering" | "done" | "stopped" | "failed";
  trouble: { text: string; next: string } | null;
  kept: boolean; // the service has it
}

export const chats = signal<{ list: ChatObject[]; loaded: boolean; trouble: string }>({
  list: [],
  loaded: false,
  trouble: "",
});
export const talk = signal<{ id: string; title: string; turns: Turn[]; loading: boolean; trouble: string }>({
  id: "",
  title: "",
  turns: [],
  loading: false,
  trouble: "",
});
export const draft = signal("");

export const busy = computed(() => talk.value.turns.some((t) => t.state === "asking" || t.state === "answering"));

/** Every file that the chat knows, each once. */
export const chatFiles = computed<Attachment[]>(() => {
  const seen = new Map<string, Attachment>();
  for (const t of talk.value.turns) for (const f of t.files) seen.set(f.file_id, f);
  return [...seen.values()];
});

let underWay: AbortController | null = null;
let counter = 0;

export async function loadChats() {
  try {
    chats.value = { list: await listChats(), loaded: true, trouble: "" };
  } catch (error) {
    chats.value = { list: [], loaded: true, trouble: wordsOf(error).text };
  }
}

const empty = { id: "", title: "", turns: [], loading: false, trouble: "" };

/** newTalk leaves the chat and begins another with the next question. */
export function newTalk() {
  stop();
  batch(() => {
    talk.value = empty;
    clearAttached();
    closeSource();
    show({ view: "talk", chat: "" });
  });
}

/** openTalk shows a kept chat. */
export async function openTalk(id: string) {
  stop();
  closeSource();
  talk.value = { ...empty, id, loading: true };
  try {
    const whole = await getChat(id);
    if (talk.value.id !== id) return;
    talk.value = { id, title: whole.title, turns: turnsOf(whole), loading: false, trouble: "" };
  } catch (error) {
    if (talk.value.id === id) talk.value = { ...empty, id, trouble: wordsOf(error).text };
  }
}

/** keptTurns are the turns of a chat as the service has them. */
export const keptTurns = async (id: string): Promise<Turn[]> => (id ? turnsOf(await getChat(id)) : []);

/** What the user wrote, which a message keeps beside what was sent. */
export const ownWords = (m: Message): string => m.raw ?? m.injected?.query ?? m.text;

function turnsOf(whole: ChatWhole): Turn[] {
  const turns: Turn[] = [];
  let next = 0; // of the results: a turn without files, or of an answer alone, has none
  for (const m of whole.history.messages) {
    const last = turns[turns.length - 1];
    if (m.role === "user") {
      const at = whole.results.findIndex((r, i) => i >= next && r.result?.message?.text === m.text);
      if (at >= 0) next = at + 1;
      turns.push(keptTurn(m, whole.results[at]?.result ?? null));
    } else if (m.role === "assistant" && last) {
      last.answer = (last.answer ?? "") + m.text;
    }
  }
  return turns;
}

function keptTurn(m: Message, result: Result | null): Turn {
  const citations = m.injected?.citations;
  return {
    key: `turn-${++counter}`,
    question: ownWords(m),
    files: m.attachments ?? [],
    result: result ?? (citations ? { citations } : null),
    answer: null,
    state: "done",
    trouble: null,
    kept: true,
  };
}

function change(key: string, part: Partial<Turn> | ((t: Turn) => Partial<Turn>)) {
  talk.value = {
    ...talk.value,
    turns: talk.value.turns.map((t) =>
      t.key === key ? { ...t, ...(typeof part === "function" ? part(t) : part) } : t,
    ),
  };
}

/** submit asks what is written, of the files beside it. */
export async function submit(text = draft.value) {
  const question = text.trim();
  if (!question || busy.value) return;
  const files = usable(attached.value);
  const names: Attachment[] = attached.value
    .filter((a) => a.state === "ready" && a.file)
    .map((a) => ({ file_id: a.file?.id ?? "", name: a.name }));
  const turn: Turn = {
    key: `turn-${++counter}`,
    question,
    files: names,
    result: null,
    answer: null,
    state: "asking",
    trouble: null,
    kept: false,
  };
  batch(() => {
    talk.value = { ...talk.value, turns: [...talk.value.turns.filter((t) => t.kept), turn], trouble: "" };
    draft.value = "";
    attached.value = attached.value.filter((a) => a.state !== "ready");
  });
  await make(turn, files);
}

async function make(turn: Turn, files: FileRef[]) {
  const control = new AbortController();
  underWay = control;
  try {
    await modelsAgain();
    const id = await ensureChat(turn.question);
    if (settings.value.model) await converse(turn, id, files, control.signal);
    else await onlyPassages(turn, id, files, control.signal);
    change(turn.key, { state: "done", kept: true });
  } catch (error) {
    const stopped = isAbort(error);
    change(turn.key, { state: stopped ? "stopped" : "failed", trouble: stopped ? null : wordsOf(error) });
    giveBack(turn, files);
  } finally {
    if (underWay === control) underWay = null;
    void loadChats();
  }
}

/** A question that was not kept is written again, with its files. */
function giveBack(turn: Turn, files: FileRef[]) {
  if (draft.value === "") draft.value = turn.question;
  for (const f of turn.files) {
    if (attached.value.some((a) => a.file?.id === f.file_id)) continue;
    const mode = files.find((r) => r.id === f.file_id)?.mode ?? "auto";
    adopt(f.file_id).then(
      () => {
        const back = attached.value.find((a) => a.file?.id === f.file_id);
        if (back) setMode(back.key, mode);
      },
      () => undefined, // it is gone: the question comes back without it
    );
  }
}

async function ensureChat(question: string): Promise<string> {
  if (talk.value.id) return talk.value.id;
  const made = await makeChat(titleOf(question));
  talk.value = { ...talk.value, id: made.id, title: made.title };
  show({ view: "talk", chat: made.id }, true);
  return made.id;
}

// No title holds controls, or what turns the direction of text.
const titleOf = (question: string) => {
  const line = question.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

async function converse(turn: Turn, chatID: string, files: FileRef[], signal: AbortSignal) {
  const s = settings.value;
  const pieces = ask({ model: s.model, text: turn.question, chatID, files, options: optionsOf(s) }, signal);
  let answer = "";
  for await (const piece of pieces) {
    if (piece.text) answer += piece.text;
    change(turn.key, {
      state: "answering",
      answer,
      ...(piece.result ? { result: piece.result } : {}),
    });
  }
}

async function onlyPassages(turn: Turn, chatID: string, files: FileRef[], signal: AbortSignal) {
  const question = { chat_id: chatID, messages: [{ role: "user" as const, text: turn.question }], files };
  const result = await preprocess({ ...question, ...optionsOf(settings.value) }, signal);
  change(turn.key, { result });
}

export function stop() {
  underWay?.abort();
  underWay = null;
}

/** askAgain leaves a turn and what followed it, and puts its question back to be changed. */
export async function askAgain(key: string) {
  const at = talk.value.turns.findIndex((t) => t.key === key);
  const turn = talk.value.turns[at];
  if (!turn || busy.value) return;
  const before = talk.value.turns.slice(0, at).filter((t) => t.kept);
  if (!turn.kept) {
    draft.value = turn.question;
    talk.value = { ...talk.value, turns: before };
    return;
  }
  const old = talk.value.id;
  const branch =
    before.length > 0 ? await makeChat(titleOf(talk.value.title), { chat_id: old, turns: before.length }) : null;
  batch(() => {
    talk.value = { ...talk.value, id: branch?.id ?? "", turns: before };
    draft.value = turn.question;
    show({ view: "talk", chat: branch?.id ?? "" });
  });
  giveBack(turn, []);
  void loadChats();
}

export async function forgetChat(id: string) {
  await deleteChat(id);
  if (talk.value.id === id) newTalk();
  await loadChats();
}

/** The passages that a turn's prompt shows, by number. */
export function citationsOf(turn: Turn): Citation[] {
  return turn.result?.citations ?? [];
}

/** Those, and the ones of turns before that its answer refers to: numbers go on from turn to turn. */
export function sourcesOf(turn: Turn, marks: number[]): Citation[] {
  const own = citationsOf(turn);
  const missing = new Set(marks);
  for (const c of own) missing.delete(c.number);
  const { turns } = talk.value;
  const before = turns
    .slice(
      0,
      turns.findIndex((t) => t.key === turn.key),
    )
    .reverse();
  const earlier = before.flatMap(citationsOf).filter((c) => missing.delete(c.number));
  return earlier.length > 0 ? [...own, ...earlier] : own;
}

// The address says which chat is shown.
effect(() => {
  const { view, chat } = route.value;
  if (view !== "talk") return;
  const shown = talk.peek();
  if (chat && chat !== shown.id) void openTalk(chat);
  if (!chat && shown.id && !busy.peek()) talk.value = empty;
});
