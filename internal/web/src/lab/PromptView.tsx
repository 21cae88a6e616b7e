import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Result } from "../api/types";
import { IconButton } from "../ui/controls";
import { piecesOf } from "./prompt";

/** PromptView is a prompt exactly as it is sent, coloured by where its parts come from. */
export function PromptView({ result, question }: { result: Result; question: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const pieces = useMemo(() => piecesOf(result, question), [result, question]);
  if (!result.prompt) return <p class="muted">There is no prompt: the question goes to the model as it is.</p>;
  const copy = () => void navigator.clipboard.writeText(result.prompt ?? "").then(() => setCopied(true));
  return (
    <div class="prompt-view">
      <div class="prompt-legend">
        <span class="from-wording">wording</span>
        <span class="from-source hue-1">documents</span>
        <span class="from-question">question</span>
        <IconButton icon={copied ? "check" : "copy"} label={copied ? "Copied" : "Copy the prompt"} onClick={copy} />
      </div>
      <pre class="prompt" tabIndex={0} aria-label="Prompt" dir="auto">
        {pieces.map((p, i) => (
          <span
            key={i}
            class={p.from === "source" ? `from-source hue-${(((p.number ?? 1) - 1) % 6) + 1}` : `from-${p.from}`}
            title={p.from === "source" ? `${p.number ?? ""} ${p.name ?? ""}` : p.from}
          >
            {p.text}
          </span>
        ))}
      </pre>
    </div>
  );
}
