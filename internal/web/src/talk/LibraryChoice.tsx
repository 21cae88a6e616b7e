import type { JSX } from "preact";
import { all, choose, chosen } from "../state/libraries";
import { settings } from "../state/settings";
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
            <bdi>{l.name}</bdi>
            <span class="file-facts">library of {plural(l.documents, "document")}</span>
          </div>
          <IconButton icon="close" label={`Do not ask ${l.name}`} onClick={() => choose(l.id, false)} />
        </li>
      ))}
    </ul>
  );
}

/** AddLibrary chooses a library to ask. */
export function AddLibrary(): JSX.Element | null {
  const others = all().filter((l) => !settings.value.libraries.includes(l.id));
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
          {l.name}
        </option>
      ))}
    </select>
  );
}
