import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../text/numbers";
import { IconButton } from "../ui/controls";

interface Props {
  word: string;
  at: number;
  count: number;
  waiting: boolean;
  onChange: (word: string) => void;
  onStep: (by: number) => void;
  onClose: () => void;
}

/** SearchBar searches the text that the service read from a file. */
export function SearchBar(p: Props): JSX.Element {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <form
      class="search"
      role="search"
      onSubmit={(e) => {
        e.preventDefault();
        p.onStep(1);
      }}
    >
      <input
        ref={ref}
        type="search"
        aria-label="Search in the source"
        placeholder="Search"
        value={p.word}
        onInput={(e) => p.onChange(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape") {
            e.stopPropagation();
            p.onClose();
          }
          if (e.key === "Enter" && e.shiftKey) {
            e.preventDefault();
            p.onStep(-1);
          }
        }}
      />
      <span class="muted" role="status">
        {p.waiting ? "Reading …" : stateOf(p)}
      </span>
      <IconButton icon="up" label="Previous hit" disabled={p.count === 0} onClick={() => p.onStep(-1)} />
      <IconButton icon="down" label="Next hit" disabled={p.count === 0} onClick={() => p.onStep(1)} />
    </form>
  );
}

function stateOf(p: Props): string {
  if (!p.word.trim()) return "";
  if (p.count === 0) return "Not found";
  return p.count === 1 ? plural(1, "hit") : `${p.at + 1} of ${p.count}`;
}
