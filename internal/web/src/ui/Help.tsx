import type { JSX } from "preact";
import { Dialog } from "./Dialog";

const keys: [string, string][] = [
  ["[ and ]", "the passage before and after, in the source"],
  ["/", "search in the source; without one, write a question"],
  ["?", "this help"],
  ["Enter", "ask"],
  ["Shift Enter", "a new line"],
  ["Esc", "close the source, or stop an answer"],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="How this works" onClose={onClose}>
      <p>
        Drop documents and ask. The bar above the question shows the model’s context window: what the conversation
        takes, what the documents would take, and the line up to which documents and question may fill what is free.
        What fits goes in whole; of what does not, the passages that bear on the question do.
      </p>
      <p>
        A number in an answer opens the document at the passage that it rests on. The lab shows which passages another
        threshold or limit would bring, and the prompt as it is sent.
      </p>
      <h3>Keys</h3>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>{key.split(" ").map((k) => (k === "and" ? " and " : <kbd key={k}>{k}</kbd>))}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
