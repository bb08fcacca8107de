/** The journals that were removed on purpose according to audit entries, as places in seals. */
import { type Json, isObject } from '@baton/primitives';

import type { ChainedEntry } from './entries.ts';
import { detailIn } from './readRecord.ts';

/** The detail of an entry `runs.removed`. */
export interface Removal {
  readonly endedBefore: string;
  readonly runs: number;
  /** Ranges of places by number of the seal: `0-499`, `3,5-7`. */
  readonly seals: Readonly<Record<string, string>>;
}

/** Writes ascending places as ranges: `3,5-7`. */
export function writeRanges(places: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last?.[1] === place - 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export class Removals {
  readonly #seals = new Map<number, (readonly [number, number])[]>();
  #runs = 0;

  get runs(): number {
    return this.#runs;
  }

  /** `entry` must match its hash. False where its detail is not one that Baton writes; then nothing is taken. */
  take({ action, detail }: Pick<ChainedEntry, 'action' | 'detail'>): boolean {
    if (action !== 'runs.removed') return true;
    const { runs, seals } = detailIn(detail) ?? {};
    if (typeof runs !== 'number' || !isObject(seals)) return false;
    const read = Object.entries(seals).map(([seal, text]) => [Number(seal), readRanges(text)] as const);
    if (read.some(([, ranges]) => ranges === undefined)) return false;
    this.#runs += runs;
    for (const [seal, ranges = []] of read) this.#seals.set(seal, [...(this.#seals.get(seal) ?? []), ...ranges]);
    return true;
  }

  has(seal: number, place: number): boolean {
    return this.#seals.get(seal)?.some(([from, to]) => place >= from && place <= to) ?? false;
  }

  /** Whether all runs of the seal were removed. */
  hasAll(seal: number, runs: number): boolean {
    const ranges = this.#seals.get(seal) ?? [];
    return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0) === runs;
  }
}

function readRanges(text: Json): (readonly [number, number])[] | undefined {
  if (typeof text !== 'string' || !/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(text)) return undefined;
  return text.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return [from, to];
  });
}
