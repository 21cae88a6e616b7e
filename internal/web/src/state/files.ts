import { signal } from "@preact/signals";
import { isAbort, wordsOf } from "../api/http";
import { getFile, upload, type FileRef, type Mode } from "../api/service";
import type { FileObject } from "../api/types";
import { pause } from "../text/time";

/** A file beside the question that is being written. */
export interface Attached {
  key: string;
  name: string;
  path: string; // in the folder that was dropped
  bytes: number;
  mode: Mode;
  state: "sending" | "reading" | "ready" | "failed";
  file: FileObject | null;
  trouble: { text: string; next: string } | null;
  stop: AbortController;
}

export const attached = signal<Attached[]>([]);

let counter = 0;

function update(key: string, part: Partial<Attached>) {
  attached.value = attached.value.map((a) => (a.key === key ? { ...a, ...part } : a));
}

/** attach uploads files and follows how they are read. */
export function attach(files: { file: File; path: string }[]) {
  for (const { file, path } of files) {
    const one: Attached = {
      key: `attached-${++counter}`,
      name: file.name,
      path,
      bytes: file.size,
      mode: "auto",
      state: "sending",
      file: null,
      trouble: null,
      stop: new AbortController(),
    };
    attached.value = [...attached.value, one];
    void bring(one, file);
  }
}

// Browsers open six connections to a server: uploads leave some for questions.
const atOnce = 3;
let sending = 0;
const waiting: (() => void)[] = [];

async function turn<T>(work: () => Promise<T>): Promise<T> {
  if (sending >= atOnce) await new Promise<void>((go) => waiting.push(go));
  sending++;
  try {
    return await work();
  } finally {
    sending--;
    waiting.shift()?.();
  }
}

async function bring(one: Attached, file: File) {
  try {
    const sent = await turn(() => upload(file, one.stop.signal));
    await follow(one.key, sent, one.stop.signal);
  } catch (error) {
    if (isAbort(error)) return;
    update(one.key, { state: "failed", trouble: wordsOf(error) });
  }
}

async function follow(key: string, sent: FileObject, signal: AbortSignal) {
  let file = sent;
  for (let wait = 80; file.inlay.state === "reading"; wait = Math.min(wait * 1.5, 1000)) {
    update(key, { state: "reading", file });
    await pause(wait, signal);
    file = await getFile(file.id, signal);
  }
  const why = file.inlay.error;
  update(key, {
    state: file.inlay.state === "failed" ? "failed" : "ready",
    file,
    trouble: why ? { text: phrase(why.reason), next: phrase(why.next ?? "") } : null,
  });
}

const phrase = (text: string) => text && text.charAt(0).toUpperCase() + text.slice(1) + ".";

/** adopt puts a file beside the question that the service has already. */
export async function adopt(id: string) {
  if (attached.value.some((a) => a.file?.id === id)) return;
  const file = await getFile(id);
  const one: Attached = {
    key: `attached-${++counter}`,
    name: file.filename,
    path: "",
    bytes: file.bytes,
    mode: "auto",
    state: "reading",
    file,
    trouble: null,
    stop: new AbortController(),
  };
  attached.value = [...attached.value, one];
  await follow(one.key, file, one.stop.signal);
}

export function setMode(key: string, mode: Mode) {
  update(key, { mode });
}

export function detach(key: string) {
  attached.value.find((a) => a.key === key)?.stop.abort();
  attached.value = attached.value.filter((a) => a.key !== key);
}

export function clearAttached() {
  attached.value = [];
}

/** Those that a question can be asked of. */
export function usable(list: Attached[]): FileRef[] {
  const refs: FileRef[] = [];
  for (const a of list) {
    if (a.state === "ready" && a.file) refs.push({ id: a.file.id, mode: a.mode });
  }
  return refs;
}
