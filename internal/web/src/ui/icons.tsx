import type { JSX } from "preact";

const paths = {
  plus: "M8 3v10M3 8h10",
  send: "M8 13V3M4 7l4-4 4 4",
  stop: "M5 5h6v6H5z",
  close: "M4 4l8 8M12 4l-8 8",
  clip: "M11 5 6.3 9.7a1.6 1.6 0 0 0 2.3 2.3L13 7.6A3.2 3.2 0 0 0 8.4 3L3.9 7.6a4.8 4.8 0 0 0 6.8 6.8",
  folder: "M2 4.5h4l1.4 1.6H14v6.4H2z",
  left: "M10 3 5 8l5 5",
  right: "M6 3l5 5-5 5",
  up: "M3 10l5-5 5 5",
  down: "M3 6l5 5 5-5",
  search: "M7 11.5A4.5 4.5 0 1 0 7 2.5a4.5 4.5 0 0 0 0 9zM10.4 10.4 14 14",
  copy: "M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z",
  edit: "M3 13h2.5L13 5.5 10.5 3 3 10.5z",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5",
  download: "M8 3v7M5 7.5 8 10.5l3-3M3 13h10",
  sliders: "M3 5h6M12 5h1M3 11h1M7 11h6M10.5 3.5v3M5.5 9.5v3",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1V9.4M8 11.6v.1M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z",
  warn: "M8 2.5 14.5 13.5h-13zM8 6.5V10M8 11.7v.1",
  check: "M3 8.5 6.5 12 13 4.5",
  talk: "M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2z",
  chart: "M2.5 2.5v11h11M5 10.5l2.5-3.5 2.5 2 3-4.5",
  server: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5v.1M5 11v.1",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  key: "M10.5 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 12v1.5H5V12h1.5v-1.5z",
} as const;

export type IconName = keyof typeof paths;

/** Icon is decoration: the control it is in has a name. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
