import type { JSX } from "preact";
import { choose, chosen, libraries, nameOf } from "../state/libraries";
import { plural } from "../text/numbers";
import { IconButton } from "../ui/controls";
import { Icon } from "../ui/icons";

/** ChosenLibraries are the libraries that the next question is asked of. */
export function ChosenLibraries(): JSX.Element | null {
  if (chosen().length === 0) return null;
  return (
    <ul class="files" aria-label="Libraries for the next question">
      {chosen().map((l) => (
        <li key={l.id} class="file ready-library">
          <Icon name="folder" />
          <div class="file-words">
            <bdi>{nameOf(l)}</bdi>
            <span class="file-facts">library of {plural(l.file_counts.completed, "document")}</span>
          </div>
          <IconButton icon="close" label={`Do not ask ${nameOf(l)}`} onClick={() => choose(l.id, false)} />
        </li>
      ))}
    </ul>
  );
}

/** AddLibrary chooses a library to ask. */
export function AddLibrary(): JSX.Element | null {
  const others = libraries.value.list.filter((l) => !chosen().includes(l));
  if (others.length === 0) return null;
  return (
    <select
      class="mode add-library"
      aria-label="Ask a library"
      value=""
      onChange={(e) => {
        choose(e.currentTarget.value, true);
        e.currentTarget.value = "";
      }}
    >
      <option value="">Library</option>
      {others.map((l) => (
        <option key={l.id} value={l.id}>
          {nameOf(l)}
        </option>
      ))}
    </select>
  );
}
