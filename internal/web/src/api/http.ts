import { session } from "../state/session";

/** A refusal of the service in words: what is wrong, and what to do. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly next = "",
  ) {
    super(message);
    this.name = "ServiceError";
  }
}

interface Problem {
  code?: string;
  subject?: string;
  detail?: string;
  next?: string;
  error?: { message?: string; code?: string };
}

function problemOf(status: number, p: Problem): ServiceError {
  if (p.error) return new ServiceError(status, p.error.code ?? "", sentence(p.error.message ?? ""));
  const next = p.next ?? "";
  const detail = (p.detail ?? "").replace(` (${next})`, "");
  return new ServiceError(status, p.code ?? "", sentence(detail), next);
}

/** sentence makes a service's phrase one that can be shown alone. */
function sentence(text: string): string {
  const trimmed = text.trim().replace(/\.$/, "");
  if (!trimmed) return "The service refused the request.";
  const plain = /^[a-z]+[ ,]/.test(trimmed); // and no name of a file or field
  return (plain ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed) + ".";
}

async function refuse(response: Response): Promise<never> {
  let problem: Problem = {};
  try {
    problem = (await response.json()) as Problem;
  } catch {
    // no JSON: the status has to do
  }
  const error = problemOf(response.status, problem);
  if (response.status === 401) session.expired(error.message);
  throw error;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** send asks the service and returns its answer, or throws a ServiceError. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = session.key.value;
  if (key) headers.set("Authorization", `Bearer ${key}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ServiceError(0, "unreachable", "The service cannot be reached.", "See whether inlay is still running.");
  }
  if (!response.ok) await refuse(response);
  return response;
}

export async function getJSON<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, signal ? { signal } : {});
  return (await response.json()) as T;
}

export function jsonBody(body: unknown, method = "POST"): RequestInit {
  return { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

export async function postJSON<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { ...jsonBody(body), ...(signal ? { signal } : {}) });
  return (await response.json()) as T;
}

export async function remove(path: string): Promise<void> {
  await send(path, { method: "DELETE" });
}

/** wordsOf is an error as it is shown. */
export function wordsOf(error: unknown): { text: string; next: string } {
  if (error instanceof ServiceError) {
    const next = error.next && error.next.charAt(0).toUpperCase() + error.next.slice(1).replace(/\.?$/, ".");
    return { text: error.message, next };
  }
  return { text: error instanceof Error ? error.message : "Something went wrong.", next: "" };
}
