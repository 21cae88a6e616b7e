import { signal } from "@preact/signals";
import { searches as fetchSearches } from "../api/service";
import type { Searches } from "../api/types";
import { change, settings } from "./settings";

/** What the service lets questions choose of the search. */
export const searches = signal<Searches>({ embedders: [], chunk: "", reranker: false });

export async function loadSearches() {
  try {
    searches.value = await fetchSearches();
  } catch {
    return; // it is asked again with the next key
  }
  const { embedder } = settings.value;
  if (embedder && !searches.value.embedders.includes(embedder)) change({ embedder: "" });
}
