/** What the service answers, as far as the page reads it. See /openapi.json. */

export interface Count {
  n: number;
  method: "exact" | "estimated" | "at_least";
  by?: string;
}

export interface Coverage {
  pages?: number;
  characters: number;
  scanned?: number[];
  failed?: number[];
}

export interface Warning {
  code: string;
  message: string;
}

export interface ReadingError {
  code: string;
  reason: string;
  next?: string;
}

export interface FileObject {
  id: string;
  bytes: number;
  filename: string;
  created_at: number;
  inlay: {
    state: "reading" | "ready" | "failed";
    image?: boolean;
    media_type?: string;
    coverage?: Coverage;
    warnings?: Warning[];
    error?: ReadingError;
  };
}

export interface Citation {
  id: string;
  number: number;
  text: string;
  file: string;
  file_id: string;
  library?: string;
  page?: number;
  page_end?: number;
  slide?: number;
  sheet?: string;
  row_start?: number;
  row_end?: number;
  time_start?: string;
  part?: string;
  heading?: string;
  line_start: number;
  line_end: number;
  start: number;
  end: number;
  /** That the text is joined from, where headers and footers of pages are left out. */
  ranges?: { start: number; end: number }[];
  affinity: number;
  rank: number;
}

export interface Decision {
  strategy: Strategy;
  reason_code: string;
  reason: string;
  window: { length: Count; in_context: Count; remaining: number; occupied_percent: number };
  files: Count;
  prompt: Count;
  available: number;
  target_context_use: number;
}

export type Strategy = "inject-full-content" | "retrieval" | "none";

export interface FileReport {
  file_id: string;
  name: string;
  new: boolean;
  in_context?: boolean;
  strategy: Strategy;
  tokens?: Count;
  citations: number;
  coverage: Coverage;
}

export interface NearMisses {
  best: Citation[];
  affinities: number[];
}

/** inlay.result/v1, or the part of it that chat completions carry. */
export interface Result {
  strategy?: Strategy;
  reason_code?: string;
  reason?: string;
  decision?: Decision;
  prompt?: string;
  query?: string;
  used?: Count;
  files?: FileReport[];
  embedder?: string;
  threshold?: number;
  limit?: number;
  passages?: number;
  citations?: Citation[];
  near_misses?: NearMisses;
  warnings?: Warning[];
  failures?: { name?: string; code: string; reason: string; next?: string }[];
  message?: Message;
  debug?: { affinities?: number[]; passages?: Citation[]; retrieve_ms: number };
}

export interface WholeText {
  file_id: string;
  start: number;
  end: number;
}

export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  raw?: string;
  attachments?: Attachment[];
  injected?: { strategy: Strategy; query?: string; citations?: Citation[]; file_ids?: string[]; whole?: WholeText[] };
}

export interface Attachment {
  file_id: string;
  name: string;
  media_type?: string;
}

export interface ChatObject {
  id: string;
  title: string;
  created_at: number;
  updated_at: number;
  turns: number;
}

export interface ChatWhole extends ChatObject {
  history: { messages: Message[] };
  files: Attachment[];
  results: { turn: number; result: Result | null }[];
}

export interface ModelObject {
  id: string;
  owned_by: string;
}

export interface Section {
  kind: string;
  label?: string;
  number?: number;
  level?: number;
  start: number;
  end: number;
}

export interface FileText {
  id: string;
  filename: string;
  media_type: string;
  text: string;
  sections: Section[];
}

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  start: number;
  end: number;
}

export interface BoxedPage {
  page: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  rotate: number;
  boxes: Box[];
}

export interface KeyObject {
  id: string;
  name: string;
  owner: string;
  scope: "read" | "write" | "admin";
  secret?: string;
  created_at?: number;
  expires_at?: number;
}

export interface Readiness {
  status: string;
  version?: string;
  disk: string;
  upstreams?: { name: string; state: string; models: number; code?: string; retry_after?: number }[];
}

export interface Recommendation {
  aim: string;
  chunk: string;
  limit: number;
  threshold: number;
  hit_rate: number;
  silent: number;
  false: number;
}

export interface EvaluationObject {
  id: string;
  name: string;
  status: "queued" | "running" | "done" | "canceled" | "failed";
  questions: number;
  progress: { share: number; setting?: string; done?: number; total?: number };
  error?: ReadingError;
  recommended?: Recommendation;
}

export interface EvaluationPoint {
  setting: number;
  limit: number;
  threshold: number;
  hit_rate: number;
  silent: number;
  false: number;
  cost: number;
}

export interface EvaluationReport {
  set: { questions: number; answerable: number; unanswerable: number };
  recommended: Recommendation;
  settings: { chunk: string; embedder: string }[];
  points: EvaluationPoint[];
  failures: { question: string; text: string; reason: string }[];
}

export interface Store {
  id: string;
  name: string;
  created_at: number;
  usage_bytes: number;
  status: "expired" | "in_progress" | "completed";
  file_counts: { in_progress: number; completed: number; failed: number; total: number };
}

export interface StoreFile {
  id: string;
  status: "in_progress" | "completed" | "cancelled" | "failed";
  last_error: { code: string; message: string } | null;
}

/** A library that folders are in, which the command inlay library keeps. */
export interface FolderLibrary {
  name: string;
  documents: number;
  text_bytes: number;
  failed: number;
}

/** What questions may choose of the search. */
export interface Searches {
  embedders: string[];
  chunk: string;
  reranker: boolean;
}
