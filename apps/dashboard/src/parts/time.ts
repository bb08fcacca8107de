/** Time as people say it, and the clock that makes it tick. */
import { useSyncExternalStore } from 'react';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** `124 ms`, `4.1 s`, `41 s`, `4 m 12 s`, `2 h 3 m`, `3 d 4 h`: as the command line says it. */
export function durationText(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < secondMs) return `${Math.round(positive)} ms`;
  if (positive < 10 * secondMs) return `${(Math.floor(positive / 100) / 10).toFixed(1)} s`;
  if (positive < minuteMs) return `${Math.floor(positive / secondMs)} s`;
  if (positive < hourMs) return inTwoUnits(positive, minuteMs, 'm', secondMs, 's');
  if (positive < dayMs) return inTwoUnits(positive, hourMs, 'h', minuteMs, 'm');
  return inTwoUnits(positive, dayMs, 'd', hourMs, 'h');
}

function inTwoUnits(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** `4 m ago`, `in 3 h`; a date where it is far away. */
export function relativeText(then: number, nowMs: number): string {
  const ms = nowMs - then;
  const far = Math.abs(ms);
  if (far > 30 * dayMs) return new Date(then).toISOString().slice(0, 10);
  if (far < 5 * secondMs) return ms >= 0 ? 'just now' : 'now';
  const text = durationText(far).replace(/(\.\d)? s$/, ' s');
  const shown = far < minuteMs ? text : text.replace(/ (\d+ [smh])$/, '');
  return ms > 0 ? `${shown} ago` : `in ${shown}`;
}

export const msOf = (text: string | undefined): number | undefined => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};

export type Zone = 'local' | 'utc';

const dayParts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const timeParts = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-30 06:00:00`, with milliseconds where they are wanted. */
export function instantText(ms: number, zone: Zone, digits: 0 | 3 = 0): string {
  const key = `${zone}${digits}`;
  let format = formats.get(key);
  if (format === undefined) {
    const part = digits === 0 ? {} : { fractionalSecondDigits: digits };
    format = new Intl.DateTimeFormat('sv-SE', {
      ...dayParts,
      ...timeParts,
      ...part,
      ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
    });
    formats.set(key, format);
  }
  return format.format(ms).replace(',', '.') + (zone === 'utc' ? ' UTC' : '');
}

const tickMs = 1_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Epoch milliseconds, once a second. */
export const useNow = (): number =>
  useSyncExternalStore(listen, () => (timer === undefined ? (now = Date.now()) : now));
