import type { JSX } from "preact";
import type { Mode } from "../api/service";
import { attached, detach, setMode, type Attached } from "../state/files";
import { forecast } from "../state/forecast";
import { showFile } from "../state/source";
import { bytes, number, plural } from "../text/numbers";
import { IconButton } from "../ui/controls";
import { Icon } from "../ui/icons";

const modes: { value: Mode; label: string }[] = [
  { value: "auto", label: "Auto" },
  { value: "full", label: "Whole" },
  { value: "retrieval", label: "Passages" },
  { value: "none", label: "Leave out" },
];

/** FileList is the files beside the question, with how reading them goes. */
export function FileList(): JSX.Element | null {
  if (attached.value.length === 0) return null;
  return (
    <ul class="files" aria-label="Files for the next question">
      {attached.value.map((a) => (
        <FileRow key={a.key} file={a} />
      ))}
    </ul>
  );
}

function FileRow({ file }: { file: Attached }) {
  const id = file.file?.id;
  return (
    <li class={`file ${file.state}`}>
      <Icon name={file.state === "failed" ? "warn" : "file"} />
      <div class="file-words">
        <button
          type="button"
          class="file-name"
          disabled={file.state !== "ready"}
          onClick={() => id && showFile(id, file.name)}
        >
          <bdi>{file.name}</bdi>
        </button>
        <span class="file-facts" role="status">
          {factsOf(file)}
        </span>
        <Warnings file={file} />
      </div>
      {file.state === "ready" ? <ModeChoice file={file} /> : null}
      <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => detach(file.key)} />
    </li>
  );
}

/** The share of a dry run's reading: the service names the file it is at. */
function factsOf(file: Attached): string {
  const folder = file.path.includes("/") ? `${file.path.slice(0, file.path.lastIndexOf("/"))} · ` : "";
  switch (file.state) {
    case "sending":
      return `${folder}sending, ${bytes(file.bytes)}`;
    case "reading":
      return `${folder}reading, ${bytes(file.bytes)}`;
    case "failed":
      return [file.trouble?.text, file.trouble?.next].filter(Boolean).join(" ");
    case "ready":
      return folder + readFacts(file);
  }
}

function readFacts(file: Attached): string {
  const read = file.file?.inlay;
  if (read?.image) return "image, for models that see";
  const facts: string[] = [];
  const c = read?.coverage;
  if (c?.pages) facts.push(plural(c.pages, "page"));
  if (c) facts.push(plural(c.characters, "character"));
  const tokens = forecast.value.result?.files?.find((f) => f.file_id === file.file?.id)?.tokens;
  if (tokens) facts.push(`${tokens.method === "at_least" ? "over " : ""}${number(tokens.n)} tokens`);
  return facts.join(" · ");
}

function Warnings({ file }: { file: Attached }) {
  const warnings = file.file?.inlay.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <details class="file-warnings">
      <summary>{plural(warnings.length, "warning")}</summary>
      <ul>
        {warnings.map((w, i) => (
          <li key={i}>{w.message}</li>
        ))}
      </ul>
    </details>
  );
}

function ModeChoice({ file }: { file: Attached }) {
  return (
    <select
      class="mode"
      aria-label={`How ${file.name} is used`}
      value={file.mode}
      onChange={(e) => {
        const chosen = modes.find((m) => m.value === e.currentTarget.value);
        if (chosen) setMode(file.key, chosen.value);
      }}
    >
      {modes.map((m) => (
        <option key={m.value} value={m.value}>
          {m.label}
        </option>
      ))}
    </select>
  );
}
