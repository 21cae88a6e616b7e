import { eventsOf } from "./events";
import { getJSON, jsonBody, postJSON, remove, send, ServiceError } from "./http";
import type {
  BoxedPage,
  ChatObject,
  ChatWhole,
  EvaluationObject,
  EvaluationReport,
  FileObject,
  FileText,
  FolderLibrary,
  KeyObject,
  Message,
  ModelObject,
  Readiness,
  Result,
  Searches,
  Store,
  StoreFile,
} from "./types";

interface List<T> {
  data: T[];
  has_more: boolean;
}

export type Mode = "auto" | "full" | "retrieval" | "none";

/** Options of a question, under the names that requests have. */
export interface Options {
  retrieval_limit?: number;
  retrieval_affinity_threshold?: number;
  chunk?: string;
  embedder?: string;
  rerank?: boolean;
  prompt_set?: string;
  coverage?: string;
  context_length?: number;
  library?: string[];
}

export interface FileRef {
  id: string;
  mode?: Mode;
}

export interface Question extends Options {
  messages: Message[];
  chat_id?: string;
  files: FileRef[];
  model?: string;
  dry_run?: boolean;
  debug?: boolean;
}

export const models = async () => (await getJSON<List<ModelObject>>("/v1/models")).data;
export const searches = () => getJSON<Searches>("/v1/search");
export const listFolders = async () => (await getJSON<List<FolderLibrary>>("/v1/libraries")).data;
export const readiness = async (): Promise<Readiness> => {
  const response = await fetch("/readyz");
  return (await response.json()) as Readiness;
};

export const listChats = async () => (await getJSON<List<ChatObject>>("/v1/chats?limit=200")).data;
export const getChat = (id: string, signal?: AbortSignal) =>
  getJSON<ChatWhole>(`/v1/chats/${encodeURIComponent(id)}`, signal);
export const makeChat = (title: string, copy?: { chat_id: string; turns: number }) =>
  postJSON<ChatObject>("/v1/chats", copy ? { title, copy } : { title });
export const renameChat = (id: string, title: string) =>
  postJSON<ChatObject>(`/v1/chats/${encodeURIComponent(id)}`, { title });
export const deleteChat = (id: string) => remove(`/v1/chats/${encodeURIComponent(id)}`);

export const getFile = (id: string, signal?: AbortSignal) =>
  getJSON<FileObject>(`/v1/files/${encodeURIComponent(id)}`, signal);

/** Where a source is: an upload by its id, or a document of a library by its path. */
export type Place = { id: string } | { library: string; path: string };

/** partOf is the address of what the service has of a source: text, boxes, content. */
function partOf(p: Place, part: "text" | "boxes" | "content", query: Record<string, string> = {}): string {
  const upload = "id" in p;
  const of = upload ? `/v1/files/${encodeURIComponent(p.id)}` : `/v1/libraries/${encodeURIComponent(p.library)}`;
  const params = new URLSearchParams(upload ? query : { path: p.path, ...query }).toString();
  return `${of}/${part}${params ? `?${params}` : ""}`;
}

export const sourceText = (p: Place, signal?: AbortSignal) => getJSON<FileText>(partOf(p, "text"), signal);
export const sourceBoxes = async (p: Place, start: number, end: number, signal?: AbortSignal) => {
  const range = { start: String(start), end: String(end) };
  return (await getJSON<{ pages: BoxedPage[] }>(partOf(p, "boxes", range), signal)).pages;
};
export async function sourceContent(p: Place, signal?: AbortSignal): Promise<Blob> {
  const response = await send(partOf(p, "content"), signal ? { signal } : {});
  return response.blob();
}

/** upload sends a file and reports the share that has been sent. */
export async function upload(file: File, signal: AbortSignal): Promise<FileObject> {
  const form = new FormData();
  form.append("purpose", "user_data");
  form.append("file", file, file.name);
  const response = await send("/v1/files", { method: "POST", body: form, signal });
  return (await response.json()) as FileObject;
}

/** preprocess decides, and unless it is a dry run makes the prompt; status hears what is being done. */
export async function preprocess(
  question: Question,
  signal: AbortSignal,
  status: (text: string) => void = () => undefined,
): Promise<Result> {
  const init = jsonBody(question);
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await send("/v1/preprocess", { ...init, headers, signal });
  if (!response.body) throw new ServiceError(0, "no_answer", "The service sent no answer.");
  for await (const { event, data } of eventsOf(response.body)) {
    if (event === "status") status((JSON.parse(data) as { text: string }).text);
    if (event === "result") return JSON.parse(data) as Result;
    if (event === "error") throw failed(data);
  }
  throw new ServiceError(0, "cut_off", "The connection was lost before the result arrived.", "Ask again.");
}

function failed(data: string): ServiceError {
  const p = JSON.parse(data) as { code?: string; detail?: string; next?: string; error?: { message?: string } };
  return new ServiceError(0, p.code ?? "", p.detail ?? p.error?.message ?? "The service failed.", p.next ?? "");
}

/** One piece of a streamed answer. */
export interface Piece {
  result?: Result;
  text?: string;
  done?: boolean;
}

interface Chunk {
  inlay?: Result;
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  error?: { message?: string; code?: string };
}

/** Ask is a question to a model in a kept chat. */
export interface Ask {
  model: string;
  text: string;
  chatID: string;
  files: FileRef[];
  options: Options;
}

function completionBody(a: Ask): unknown {
  const modes: Record<string, Mode> = {};
  for (const f of a.files) if (f.mode && f.mode !== "auto") modes[f.id] = f.mode;
  return {
    model: a.model,
    stream: true,
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: a.text }, ...a.files.map((f) => ({ type: "file", file: { file_id: f.id } }))],
      },
    ],
    inlay: {
      chat_id: a.chatID,
      ...a.options,
      ...(Object.keys(modes).length > 0 ? { file_modes: modes } : {}),
    },
  };
}

/** ask streams a model's answer. A stream that ends without its last event was cut off. */
export async function* ask(a: Ask, signal: AbortSignal): AsyncGenerator<Piece> {
  const response = await send("/v1/chat/completions", { ...jsonBody(completionBody(a)), signal });
  if (!response.body) throw new ServiceError(0, "no_answer", "The service sent no answer.");
  try {
    for await (const { data } of eventsOf(response.body)) {
      if (data === "[DONE]") {
        yield { done: true };
        return;
      }
      const chunk = JSON.parse(data) as Chunk;
      if (chunk.error) throw new ServiceError(0, chunk.error.code ?? "", chunk.error.message ?? "The model failed.");
      const text = chunk.choices?.[0]?.delta?.content;
      yield { ...(chunk.inlay ? { result: chunk.inlay } : {}), ...(text ? { text } : {}) };
    }
  } catch (error) {
    if (error instanceof TypeError) throw cutOff();
    throw error;
  }
  throw cutOff();
}

const cutOff = () =>
  new ServiceError(0, "cut_off", "The connection was lost in the middle of the answer.", "Ask again.");

export const listKeys = async () => (await getJSON<List<KeyObject>>("/v1/keys")).data;
export const makeKey = (name: string, scope: string, days: number) =>
  postJSON<KeyObject>("/v1/keys", { name, scope, ...(days > 0 ? { expires_in: days * 86400 } : {}) });
export const revokeKey = (id: string) => remove(`/v1/keys/${encodeURIComponent(id)}`);

export const startEvaluation = (body: unknown) => postJSON<EvaluationObject>("/v1/evaluations", body);
export const evaluationResult = (id: string) => getJSON<EvaluationReport>(`/v1/evaluations/${id}/result`);

/** watchEvaluation reports an evaluation's progress until it is over. */
export async function watchEvaluation(id: string, signal: AbortSignal, report: (e: EvaluationObject) => void) {
  const response = await send(`/v1/evaluations/${id}`, { headers: { Accept: "text/event-stream" }, signal });
  if (!response.body) return;
  for await (const { event, data } of eventsOf(response.body)) {
    if (event === "progress" || event === "result") report(JSON.parse(data) as EvaluationObject);
    if (event === "error") throw failed(data);
  }
}

const store = (id: string) => `/v1/vector_stores/${encodeURIComponent(id)}`;
export const listStores = async () => (await getJSON<List<Store>>("/v1/vector_stores?limit=100")).data;
export const makeStore = (name: string) => postJSON<Store>("/v1/vector_stores", { name });
export const renameStore = (id: string, name: string) => postJSON<Store>(store(id), { name });
export const deleteStore = (id: string) => remove(store(id));
export const storeFiles = async (id: string) => (await getJSON<List<StoreFile>>(`${store(id)}/files?limit=100`)).data;
export const addStoreFile = (id: string, file: string) => postJSON<StoreFile>(`${store(id)}/files`, { file_id: file });
export const takeStoreFile = (id: string, file: string) => remove(`${store(id)}/files/${encodeURIComponent(file)}`);
