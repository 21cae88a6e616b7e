import { signal } from "@preact/signals";
import { wordsOf } from "../api/http";
import { listFolders, listStores } from "../api/service";
import type { FolderLibrary, Store } from "../api/types";
import { change, settings } from "./settings";

/** The libraries that the service keeps: collections of documents that stay searchable. */
export const libraries = signal<{ list: Store[]; folders: FolderLibrary[]; loaded: boolean; trouble: string }>({
  list: [],
  folders: [],
  loaded: false,
  trouble: "",
});

export async function loadLibraries() {
  try {
    const [list, folders] = await Promise.all([listStores(), listFolders()]);
    libraries.value = { list, folders, loaded: true, trouble: "" };
    const left = settings.value.libraries.filter((id) => all().some((l) => l.id === id));
    if (left.length !== settings.value.libraries.length) change({ libraries: left });
  } catch (error) {
    libraries.value = { list: [], folders: [], loaded: true, trouble: wordsOf(error).text };
  }
}

/** What a question can name. */
export interface Choice {
  id: string;
  name: string;
  documents: number;
}

/** all are the libraries that a question can be asked of. */
export const all = (): Choice[] => [
  ...libraries.value.list.map((l) => ({ id: l.id, name: nameOf(l), documents: l.file_counts.completed })),
  ...libraries.value.folders.map((f) => ({ id: f.name, name: f.name, documents: f.documents })),
];

/** Those that the next question is asked of. */
export const chosen = (): Choice[] => all().filter((l) => settings.value.libraries.includes(l.id));

export function choose(id: string, yes: boolean) {
  const others = settings.value.libraries.filter((l) => l !== id);
  change({ libraries: yes ? [...others, id] : others });
}

export const nameOf = (l: Store): string => l.name || "Unnamed";
