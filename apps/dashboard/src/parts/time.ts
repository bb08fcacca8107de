/** Formats times for people, and provides a ticking clock. */
import { relativeText } from '@baton/primitives';
import { useSyncExternalStore } from 'react';

export const dayMs = 24 * 3_600_000;

export const msOf = (text: string | undefined): number | undefined => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};

/** Formats an instant of the API relative to now. */
export const relativeTo = (text: string): string => relativeText(Date.parse(text), Date.now());

/** Keeps each number on one line with its unit. */
export const unbroken = (sentence: string): string => sentence.replaceAll(/(?<=\d) (?=(?:d|h|m|ms|s)\b)/g, '\u00A0');

export type Zone = 'local' | 'utc';

const dayParts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const timeParts = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-30 06:00:00`, with milliseconds if `digits` is 3. */
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

/** Ticks while a component listens. */
class PageClock {
  readonly #listeners = new Set<() => void>();
  #now = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;

  readonly get = (): number => {
    if (this.#timer === undefined) this.#now = Date.now();
    return this.#now;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };

  #tick(): void {
    this.#now = Date.now();
    for (const listener of this.#listeners) listener();
  }
}

const clock = new PageClock();

/** Epoch milliseconds, once a second. */
export const useNow = (): number => useSyncExternalStore(clock.subscribe, clock.get);
