/** Formats durations and instants for people. */

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
  if (positive < hourMs) return inTwoUnits(positive, minuteMs, 'm', secondMs, 's');
  if (positive < dayMs) return inTwoUnits(positive, hourMs, 'h', minuteMs, 'm');
  return inTwoUnits(positive, dayMs, 'd', hourMs, 'h');
}

/** The smallest unit that `durationText` shows of a time from so many milliseconds on. */
const shownDownTo = [
  [dayMs, hourMs],
  [hourMs, minuteMs],
] as const;

/** As `durationText`, of whole seconds, rounded up: who waits for so long does not come too early. */
export function delayText(ms: number): string {
  const [, smallMs = secondMs] = shownDownTo.find(([fromMs]) => ms >= fromMs) ?? [];
  const whole = Math.max(1, Math.ceil(ms / smallMs)) * smallMs;
  return durationText(whole).replace('.0 s', ' s');
}

const writtenUnits = { d: dayMs, h: hourMs, m: minuteMs, s: secondMs };

/** As workflows and `mcp.json` write it, in the largest unit without a rest: `500ms`, `30s`, `90s`, `2h`. */
export function writtenDuration(ms: number): string {
  const whole = Math.round(ms);
  const unit = Object.entries(writtenUnits).find(([, unitMs]) => whole >= unitMs && whole % unitMs === 0);
  return unit === undefined ? `${whole}ms` : `${whole / unit[1]}${unit[0]}`;
}

function inTwoUnits(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** `4 m ago`, `in 3 h`; a date if it is more than 30 days away. Both are epoch milliseconds. */
export function relativeText(then: number, nowMs: number): string {
  const ms = nowMs - then;
  const far = Math.abs(ms);
  if (far > 30 * dayMs) return new Date(then).toISOString().slice(0, 10);
  if (far < 5 * secondMs) return ms >= 0 ? 'just now' : 'now';
  const text = durationText(far).replace(/(\.\d)? s$/, ' s');
  // A future instant keeps both units: `in 1 d 23 h`, since `in 1 d` would be too early.
  const shown = far < minuteMs || ms < 0 ? text : text.replace(/ (\d+ [smh])$/, '');
  return ms > 0 ? `${shown} ago` : `in ${shown}`;
}
