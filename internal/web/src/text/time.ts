/** pause waits, unless the signal ends it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });
}

/** debounced calls only when nothing was called for so long. */
export function debounced<A extends unknown[]>(ms: number, call: (...args: A) => void): (...args: A) => void {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => call(...args), ms);
  };
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** ago is how long ago a time in seconds was. */
export function ago(seconds: number, now = Date.now() / 1000): string {
  const past = now - seconds;
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of units) {
    if (past >= size) return words.format(-Math.floor(past / size), unit);
  }
  return "just now";
}
