import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { attach, attached } from "../state/files";
import { chosen } from "../state/libraries";
import { models } from "../state/models";
import { settings } from "../state/settings";
import { busy, draft, stop, submit } from "../state/talk";
import { chosenFiles, isBulk, pastedFile } from "../text/drop";
import { plural } from "../text/numbers";
import { Icon } from "../ui/icons";
import { AddLibrary, ChosenLibraries } from "./LibraryChoice";
import { FileList } from "./FileList";
import { Gauge } from "./Gauge";

/** Composer is where a question is written, with its files and the window it would fill. */
export function Composer(): JSX.Element {
  const [paste, setPaste] = useState("");
  const waiting = attached.value.some((a) => a.state === "sending" || a.state === "reading");
  return (
    <form
      class="composer"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <FileList />
      <ChosenLibraries />
      {attached.value.length > 0 || chosen().length > 0 || draft.value ? <Gauge /> : null}
      {paste ? <PasteOffer text={paste} onDone={() => setPaste("")} /> : null}
      <Question onBulk={setPaste} />
      <div class="composer-row">
        <AddFiles />
        <AddLibrary />
        <span class="composer-note muted">{noteOf(waiting)}</span>
        {busy.value ? (
          <button
            key="stop" // another element than Ask: the click that stops must not ask
            type="button"
            class="primary round"
            aria-label="Stop the answer"
            title="Stop the answer"
            onClick={stop}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            key="ask"
            type="submit"
            class="primary round"
            aria-label="Ask"
            title="Ask"
            disabled={!draft.value.trim() || waiting || !models.value.loaded}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

function noteOf(waiting: boolean): string {
  if (waiting) return "Waiting for the files to be read";
  if (models.value.loaded && !settings.value.model) return "No model: you get the passages";
  return "";
}

function Question({ onBulk }: { onBulk: (text: string) => void }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = ref.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
  }, [draft.value]);
  return (
    <textarea
      ref={ref}
      id="question"
      rows={1}
      dir="auto"
      placeholder="Ask about your documents"
      aria-label="Question"
      value={draft.value}
      onInput={(e) => (draft.value = e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
        e.preventDefault();
        e.currentTarget.form?.requestSubmit();
      }}
      onPaste={(e) => {
        const data = e.clipboardData;
        if (!data) return;
        if (data.files.length > 0) {
          e.preventDefault();
          attach([...data.files].map((file) => ({ file, path: "" })));
          return;
        }
        const text = data.getData("text/plain");
        if (isBulk(text)) onBulk(text);
      }}
    />
  );
}

/** PasteOffer offers to make a document of a long paste, which is in the question until then. */
function PasteOffer({ text, onDone }: { text: string; onDone: () => void }) {
  const move = () => {
    draft.value = draft.value.replace(text, "").replace(text.replace(/\r\n?/g, "\n"), "").trim();
    attach([
      {
        file: pastedFile(
          text,
          attached.value.map((a) => a.name),
        ),
        path: "",
      },
    ]);
    onDone();
  };
  return (
    <div class="offer" role="status">
      <span>You pasted {plural(text.length, "character")}.</span>
      <button type="button" onClick={move}>
        Make it a document
      </button>
      <button type="button" class="quiet" onClick={onDone}>
        Leave it
      </button>
    </div>
  );
}

function AddFiles() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    if (input.files) attach(chosenFiles(input.files).files);
    input.value = "";
  };
  useEffect(() => {
    folder.current?.setAttribute("webkitdirectory", "");
  }, []);
  return (
    <>
      <button type="button" class="quiet add" onClick={() => files.current?.click()}>
        <Icon name="clip" /> Files
      </button>
      <button type="button" class="quiet add" onClick={() => folder.current?.click()}>
        <Icon name="folder" /> Folder
      </button>
      <input ref={files} id="choose-files" type="file" multiple hidden onChange={(e) => take(e.currentTarget)} />
      <input ref={folder} id="choose-folder" type="file" multiple hidden onChange={(e) => take(e.currentTarget)} />
    </>
  );
}
