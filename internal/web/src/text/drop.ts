/** A file with its path in the folder it came in. */
export interface Dropped {
  file: File;
  path: string;
}

const most = 200;

/** droppedFiles reads what was dropped: files, and folders with all that is in them. */
export async function droppedFiles(data: DataTransfer): Promise<{ files: Dropped[]; cut: boolean }> {
  const entries: FileSystemEntry[] = [];
  for (const item of data.items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    if (entry) entries.push(entry);
  }
  if (entries.length === 0) {
    return { files: [...data.files].slice(0, most).map((file) => ({ file, path: "" })), cut: data.files.length > most };
  }
  const files: Dropped[] = [];
  for (const entry of entries) await walk(entry, "", files);
  return { files: files.slice(0, most), cut: files.length > most };
}

async function walk(entry: FileSystemEntry, folder: string, into: Dropped[]): Promise<void> {
  if (into.length > most || entry.name.startsWith(".")) return;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    into.push({ file, path: folder ? `${folder}/${file.name}` : "" });
    return;
  }
  if (!isFolder(entry)) return;
  const path = folder ? `${folder}/${entry.name}` : entry.name;
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await walk(one, path, into);
  }
}

const isFile = (e: FileSystemEntry): e is FileSystemFileEntry => e.isFile;
const isFolder = (e: FileSystemEntry): e is FileSystemDirectoryEntry => e.isDirectory;

/** chosenFiles are those of an input; of a folder they have their paths. */
export function chosenFiles(list: FileList): { files: Dropped[]; cut: boolean } {
  const files = [...list].filter((f) => !f.webkitRelativePath.split("/").some((part) => part.startsWith(".")));
  return {
    files: files.slice(0, most).map((file) => ({ file, path: file.webkitRelativePath })),
    cut: files.length > most,
  };
}

/** A paste of so many characters, or lines, is offered as a document. */
const bulkCharacters = 2000;
const bulkLines = 30;

export const isBulk = (text: string): boolean =>
  text.length >= bulkCharacters || text.split("\n", bulkLines + 1).length > bulkLines;

/** pastedFile makes a document of pasted text. */
export function pastedFile(text: string, taken: string[]): File {
  let n = 1;
  while (taken.includes(`pasted-${n}.txt`)) n++;
  return new File([text], `pasted-${n}.txt`, { type: "text/plain" });
}
