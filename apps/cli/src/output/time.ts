/** Times for people. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `124 ms`, `4.1 s`, `41 s`, `4 m 12 s`, `2 h 3 m`, `3 d 4 h`. */
export function durationText(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < secondMs) return `${Math.round(positive)} ms`;
  if (positive < 10 * secondMs) return `${(Math.floor(positive / 100) / 10).toFixed(1)} s`;
  if (positive < minuteMs) return `${Math.floor(positive / secondMs)} s`;
  if (positive < hourMs) return two(positive, minuteMs, 'm', secondMs, 's');
  if (positive < dayMs) return two(positive, hourMs, 'h', minuteMs, 'm');
  return two(positive, dayMs, 'd', hourMs, 'h');
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** `4 m ago`; the date if it is long ago. */
export function agoText(then: number, nowMs: number): string {
  const ms = nowMs - then;
  if (ms > 30 * dayMs) return new Date(then).toISOString().slice(0, 10);
  if (ms < 5 * secondMs) return 'just now';
  const shown = ms < minuteMs ? `${Math.floor(ms / secondMs)} s` : durationText(ms).replace(/ (\d+ [smh])$/, '');
  return `${shown} ago`;
}

/** Parses an instant of the API; undefined if there is none, or it is invalid. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
