import { relativeText } from '@baton/primitives';

import type { Output } from './output.ts';

/** Parses an instant of the API to epoch milliseconds; undefined if there is none, or it is invalid. */
export function instantOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Formats the instants of a list: relative to now for a person, as they are for a program. */
export function instantTextFor({ isTerminal }: Pick<Output, 'isTerminal'>): (instant: string) => string {
  const nowMs = Date.now();
  return (instant) => {
    const at = isTerminal ? instantOf(instant) : undefined;
    return at === undefined ? instant : relativeText(at, nowMs);
  };
}
