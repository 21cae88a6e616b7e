import type { JSX } from "preact";
import { useRef } from "preact/hooks";

interface Props {
  affinities: number[];
  threshold: number;
  onChange: (threshold: number) => void;
}

/** Strip shows how close each passage is, with the threshold as a line to drag. */
export function Strip({ affinities, threshold, onChange }: Props): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const at = (e: PointerEvent) => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const share = Math.min(1, Math.max(0, (e.clientX - box.left) / box.width));
    onChange(Math.round(share * 100) / 100);
  };
  const above = affinities.filter((a) => a > threshold).length;
  return (
    <div class="strip">
      <div
        ref={ref}
        class="strip-field"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          at(e);
        }}
        onPointerMove={(e) => {
          if (e.currentTarget.hasPointerCapture(e.pointerId)) at(e);
        }}
      >
        {affinities.map((a, i) => (
          <span
            key={i}
            class={`tick ${a > threshold ? "above" : ""}`}
            style={{ left: `${100 * a}%`, height: `${tickHeight(i)}px` }}
          />
        ))}
        <div
          class="strip-line"
          role="slider"
          tabIndex={0}
          aria-label="Threshold"
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuenow={threshold}
          aria-valuetext={`${threshold.toFixed(2)}, ${above} passages above`}
          style={{ left: `${100 * threshold}%` }}
          onKeyDown={(e) => {
            const by = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01 }[e.key];
            if (by === undefined) return;
            e.preventDefault();
            onChange(Math.min(1, Math.max(0, Math.round((threshold + by) * 100) / 100)));
          }}
        />
      </div>
      <div class="strip-scale" aria-hidden="true">
        <span>0 unrelated</span>
        <span>affinity</span>
        <span>1 says just this</span>
      </div>
    </div>
  );
}

/** The best passages stand out. */
const tickHeight = (rank: number) => Math.max(10, 34 - 4 * rank);
