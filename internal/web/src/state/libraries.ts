import { signal } from "@preact/signals";
import { ServiceError, wordsOf } from "../api/http";
import { getFile, listStores, storeFiles } from "../api/service";
import type { Store } from "../api/types";
import { change, settings } from "./settings";

/** The libraries that the service keeps: collections of documents that stay searchable. */
export const libraries = signal<{ list: Store[]; loaded: boolean; trouble: string }>({
  list: [],
  loaded: false,
  trouble: "",
});

export async function loadLibraries() {
  try {
    const list = await listStores();
    libraries.value = { list, loaded: true, trouble: "" };
    const left = settings.value.libraries.filter((id) => list.some((l) => l.id === id));
    if (left.length !== settings.value.libraries.length) change({ libraries: left });
  } catch (error) {
    libraries.value = { list: [], loaded: true, trouble: wordsOf(error).text };
  }
}

/** Those that the next question is asked of. */
export const chosen = (): Store[] => libraries.value.list.filter((l) => settings.value.libraries.includes(l.id));

export function choose(id: string, yes: boolean) {
  const others = settings.value.libraries.filter((l) => l !== id);
  change({ libraries: yes ? [...others, id] : others });
}

export const nameOf = (l: Store): string => l.name || "Unnamed";

/** named writes the names of libraries for their ids, by which the service calls them. */
export function named(text: string): string {
  let out = text;
  for (const l of libraries.value.list) out = out.replaceAll(l.id, `“${nameOf(l)}”`);
  return out;
}

/** uploadOf is the upload that a file of a library was made of. */
export async function uploadOf(library: string, name: string): Promise<string> {
  for (const f of await storeFiles(library)) {
    if ((await getFile(f.id)).filename === name) return f.id;
  }
  throw new ServiceError(404, "not_found", `The library has no file “${name}” any more.`);
}
