/** The journals that were removed on purpose according to audit entries, as places in seals. */
import type { ChainedEntry } from './entries.ts';

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

  /** `entry` must match its hash. */
  take({ action, detail }: Pick<ChainedEntry, 'action' | 'detail'>): void {
    if (action !== 'runs.removed') return;
    const { runs, seals } = JSON.parse(detail) as Removal;
    this.#runs += runs;
    for (const [seal, text] of Object.entries(seals)) {
      const ranges = this.#seals.get(Number(seal)) ?? [];
      this.#seals.set(Number(seal), [...ranges, ...readRanges(text)]);
    }
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

const readRanges = (text: string): (readonly [number, number])[] =>
  text.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return [from, to];
  });
