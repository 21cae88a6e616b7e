import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "../api/http";
import { addStoreFile, deleteStore, getFile, makeStore, renameStore, storeFiles, takeStoreFile } from "../api/service";
import type { FileObject, FolderLibrary, Store, StoreFile } from "../api/types";
import { attached, detach, usable } from "../state/files";
import { choose, libraries, loadLibraries, nameOf } from "../state/libraries";
import { settings } from "../state/settings";
import { FileList } from "../talk/FileList";
import { bytes, plural } from "../text/numbers";
import { pause } from "../text/time";
import { IconButton, Trouble } from "../ui/controls";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/icons";

/** Libraries lists, makes, renames, fills and deletes libraries. */
export function Libraries(): JSX.Element {
  const [trouble, setTrouble] = useState({ text: "", next: "" });
  const { list, folders, loaded } = libraries.value;
  const act = async (work: Promise<unknown>) => {
    try {
      await work;
      setTrouble({ text: "", next: "" });
    } catch (error) {
      setTrouble(wordsOf(error));
    }
    await loadLibraries();
  };
  useEffect(() => void loadLibraries(), []);
  return (
    <section class="view" aria-labelledby="libraries-title">
      <h1 id="libraries-title">Libraries</h1>
      <p class="lead">
        Documents that stay. A library is read once and searched by every question that names it, beside the files of a
        chat.
      </p>
      <Trouble {...trouble} />
      <NewLibrary onMake={(name) => void act(makeStore(name))} />
      {attached.value.length > 0 ? (
        <div class="card">
          <h2>Dropped files</h2>
          <FileList />
        </div>
      ) : null}
      {loaded && list.length === 0 && folders.length === 0 ? (
        <p class="muted">There is none yet. Make one, drop documents on this page, and put them into it.</p>
      ) : null}
      {list.map((l) => (
        <LibraryCard key={l.id} library={l} act={act} />
      ))}
      {folders.map((f) => (
        <FolderCard key={f.name} library={f} />
      ))}
    </section>
  );
}

function NewLibrary({ onMake }: { onMake: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <form
      class="new-key"
      onSubmit={(e) => {
        e.preventDefault();
        onMake(name.trim());
        setName("");
      }}
    >
      <label>
        Name
        <input value={name} maxLength={80} required onInput={(e) => setName(e.currentTarget.value)} />
      </label>
      <button type="submit" class="primary" disabled={!name.trim()}>
        Make
      </button>
    </form>
  );
}

type Act = (work: Promise<unknown>) => Promise<void>;

function LibraryCard({ library: l, act }: { library: Store; act: Act }) {
  const [doomed, setDoomed] = useState(false);
  const [name, setName] = useState<string | null>(null);
  useProgress(l);
  const ready = usable(attached.value);
  return (
    <article class="card library" aria-label={nameOf(l)}>
      <header>
        {name === null ? (
          <h2>
            <bdi>{nameOf(l)}</bdi>
          </h2>
        ) : (
          <Rename
            name={name}
            onName={setName}
            onDone={() => {
              if (name.trim() && name !== l.name) void act(renameStore(l.id, name.trim()));
              setName(null);
            }}
          />
        )}
        <span class="muted">
          {plural(l.file_counts.completed, "document")}, {bytes(l.usage_bytes)}
        </span>
        <IconButton icon="edit" label={`Rename ${nameOf(l)}`} onClick={() => setName(l.name)} />
        <IconButton icon="trash" label={`Delete ${nameOf(l)}`} onClick={() => setDoomed(true)} />
      </header>
      <Files library={l} act={act} />
      <div class="view-actions">
        <AskAlways id={l.id} />
        {ready.length > 0 ? (
          <button type="button" onClick={() => void act(putAll(l.id))}>
            <Icon name="plus" /> Put {plural(ready.length, "dropped file")} into it
          </button>
        ) : null}
      </div>
      {doomed ? (
        <Dialog title="Delete this library?" onClose={() => setDoomed(false)}>
          <p>
            “<bdi>{nameOf(l)}</bdi>” can no longer be asked. Files that were uploaded stay.
          </p>
          <div class="dialog-actions">
            <button type="button" onClick={() => setDoomed(false)}>
              Keep it
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                setDoomed(false);
                choose(l.id, false);
                void act(deleteStore(l.id));
              }}
            >
              Delete
            </button>
          </div>
        </Dialog>
      ) : null}
    </article>
  );
}

/** FolderCard is a library of folders, which the command keeps up to date. */
function FolderCard({ library: f }: { library: FolderLibrary }) {
  return (
    <article class="card library" aria-label={f.name}>
      <header>
        <h2>
          <bdi>{f.name}</bdi>
        </h2>
        <span class="muted">
          {plural(f.documents, "document")}, {bytes(f.text_bytes)} of text
        </span>
      </header>
      <p class="muted">
        Of folders; <code>inlay library sync {f.name}</code> brings it up to date.
        {f.failed > 0 ? ` ${plural(f.failed, "file")} could not be read.` : ""}
      </p>
      <AskAlways id={f.name} />
    </article>
  );
}

function AskAlways({ id }: { id: string }) {
  const asked = settings.value.libraries.includes(id);
  return (
    <label class="check">
      <input type="checkbox" checked={asked} onChange={(e) => choose(id, e.currentTarget.checked)} /> Ask it with every
      question
    </label>
  );
}

function Rename({ name, onName, onDone }: { name: string; onName: (n: string) => void; onDone: () => void }) {
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        onDone();
      }}
    >
      <input aria-label="New name" value={name} maxLength={80} onInput={(e) => onName(e.currentTarget.value)} />
      <button type="submit">Rename</button>
    </form>
  );
}

/** putAll moves the dropped files into a library. */
async function putAll(id: string) {
  for (const a of attached.value) {
    if (a.state !== "ready" || !a.file) continue;
    await addStoreFile(id, a.file.id);
    detach(a.key);
  }
}

/** While documents of a library are being read, it is looked at again. */
function useProgress(l: Store) {
  useEffect(() => {
    if (l.status !== "in_progress") return;
    const control = new AbortController();
    pause(700, control.signal).then(loadLibraries, () => undefined);
    return () => control.abort();
  }, [l]);
}

interface Held {
  file: StoreFile;
  upload: FileObject | null; // null: it was deleted
}

function Files({ library: l, act }: { library: Store; act: Act }) {
  const [held, setHeld] = useState<Held[]>([]);
  useEffect(() => {
    let gone = false;
    void holdings(l.id).then(
      (h) => !gone && setHeld(h),
      () => undefined, // the library is gone: its card is too, with the next list
    );
    return () => {
      gone = true;
    };
  }, [l]);
  if (held.length === 0) {
    return l.file_counts.total === 0 ? (
      <p class="muted">It is empty. Drop documents on this page and put them into it.</p>
    ) : null;
  }
  return (
    <ul class="library-files">
      {held.map(({ file, upload }) => (
        <li key={file.id}>
          <bdi>{upload?.filename ?? "deleted file"}</bdi>
          <span class={file.status === "failed" ? "warning-text" : "muted"}>{stateOf(file)}</span>
          <IconButton
            icon="close"
            label={`Take ${upload?.filename ?? "file"} out`}
            onClick={() => void act(takeStoreFile(l.id, file.id))}
          />
        </li>
      ))}
    </ul>
  );
}

const stateOf = (f: StoreFile) =>
  f.status === "completed" ? "" : f.status === "in_progress" ? "being read" : (f.last_error?.message ?? f.status);

async function holdings(id: string): Promise<Held[]> {
  const files = await storeFiles(id);
  return Promise.all(files.map(async (file) => ({ file, upload: await getFile(file.id).catch(() => null) })));
}
