import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { EvaluationPoint } from "../api/types";

interface Props {
  points: EvaluationPoint[];
  threshold: number;
  onChange: (threshold: number) => void;
}

const width = 640;
const height = 240;
const left = 40;
const bottom = 28;

const x = (threshold: number) => left + threshold * (width - left - 12);
const y = (share: number) => 10 + (1 - share) * (height - bottom - 10);

const lines = [
  { key: "hit_rate", label: "right passage", class: "curve-hit" },
  { key: "silent", label: "silent though answerable", class: "curve-silent" },
  { key: "false", label: "passages in vain", class: "curve-false" },
] as const;

/** Curve is what thresholds do to a set of questions, with the chosen one as a line to drag. */
export function Curve({ points, threshold, onChange }: Props): JSX.Element {
  const ref = useRef<SVGSVGElement>(null);
  const sorted = [...points].sort((a, b) => a.threshold - b.threshold);
  const near = sorted.reduce<EvaluationPoint | undefined>(
    (best, p) => (!best || Math.abs(p.threshold - threshold) < Math.abs(best.threshold - threshold) ? p : best),
    undefined,
  );
  const at = (e: PointerEvent) => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const place = ((e.clientX - box.left) / box.width) * width;
    onChange(Math.round(Math.min(1, Math.max(0, (place - left) / (width - left - 12))) * 50) / 50);
  };
  return (
    <figure class="curve">
      <svg
        ref={ref}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Shares of questions by threshold; at ${threshold.toFixed(2)}: ${sayings(near)}`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          at(e);
        }}
        onPointerMove={(e) => {
          if (e.currentTarget.hasPointerCapture(e.pointerId)) at(e);
        }}
      >
        {[0, 0.5, 1].map((s) => (
          <g key={s}>
            <line class="grid" x1={left} x2={width - 12} y1={y(s)} y2={y(s)} />
            <text class="axis" x={left - 8} y={y(s) + 4} text-anchor="end">
              {s * 100} %
            </text>
          </g>
        ))}
        {[0, 0.25, 0.5, 0.75, 1].map((t) => (
          <text key={t} class="axis" x={x(t)} y={height - 8} text-anchor="middle">
            {t}
          </text>
        ))}
        {lines.map((l) => (
          <polyline
            key={l.key}
            class={l.class}
            points={sorted.map((p) => `${x(p.threshold)},${y(p[l.key])}`).join(" ")}
          />
        ))}
        <line class="chosen" x1={x(threshold)} x2={x(threshold)} y1={y(1)} y2={y(0)} />
      </svg>
      <figcaption>
        <label class="curve-threshold">
          Threshold <output>{threshold.toFixed(2)}</output>
          <input
            type="range"
            min="0"
            max="1"
            step="0.02"
            value={threshold}
            onInput={(e) => onChange(Number(e.currentTarget.value))}
          />
        </label>
        <ul class="legend">
          {lines.map((l) => (
            <li key={l.key} class={l.class}>
              {l.label} <b>{near ? `${Math.round(near[l.key] * 100)} %` : ""}</b>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

const sayings = (p: EvaluationPoint | undefined) =>
  p ? lines.map((l) => `${l.label} ${Math.round(p[l.key] * 100)} %`).join(", ") : "nothing measured";
