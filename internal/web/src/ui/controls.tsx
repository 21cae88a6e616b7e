import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
  expanded?: boolean;
  class?: string;
}

/** IconButton is a button whose name only screen readers and tooltips show. */
export function IconButton(p: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${p.class ?? ""}`}
      aria-label={p.label}
      title={p.label}
      disabled={p.disabled}
      aria-pressed={p.pressed}
      aria-expanded={p.expanded}
      onClick={p.onClick}
    >
      <Icon name={p.icon} />
    </button>
  );
}

/** Trouble says what went wrong and what to do. */
export function Trouble({ text, next, children }: { text: string; next?: string; children?: ComponentChildren }) {
  if (!text) return null;
  return (
    <div class="trouble" role="alert">
      <Icon name="warn" />
      <div>
        <p>{text}</p>
        {next && next !== text && !text.includes(next.replace(/\.$/, "")) ? <p class="muted">{next}</p> : null}
        {children}
      </div>
    </div>
  );
}

interface Choice {
  value: string;
  label: string;
}

interface SegmentsProps {
  label: string;
  name: string;
  value: string;
  choices: Choice[];
  onChange: (value: string) => void;
}

/** Segments is a choice of a few, side by side. */
export function Segments(p: SegmentsProps): JSX.Element {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{p.label}</legend>
      {p.choices.map((c) => (
        <label key={c.value} class={c.value === p.value ? "chosen" : ""}>
          <input
            type="radio"
            name={p.name}
            value={c.value}
            checked={c.value === p.value}
            onChange={() => p.onChange(c.value)}
          />
          {c.label}
        </label>
      ))}
    </fieldset>
  );
}

export function Spinner({ label }: { label: string }): JSX.Element {
  return (
    <span class="working" role="status">
      <span class="spinner" aria-hidden="true" />
      {label}
    </span>
  );
}
