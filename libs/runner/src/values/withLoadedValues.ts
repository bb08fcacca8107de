/**
 * Calls a pure function and loads the values that it asks for: blobs, and values that a run left in its journal.
 */
import { type Blobs, BlobsNeeded, positionIn, valueIn } from '@baton/engine';
import type { Json } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import { UnavailableError } from '../ports/journal.ts';

/** Where values are loaded from. `journal` includes everything that was appended to the run. */
export type ValueSources = Pick<Ports, 'blobs' | 'cache' | 'journal'>;

/** Bytes of journal values that are loaded ahead: undoing reads the journal backwards. */
const pastBytes = 8 * 1024 * 1024;

/**
 * Calls `compute` again until every value that it needs is loaded. Rejects with `UnavailableError`, and with
 * `LostValueError`.
 */
export async function withLoadedValues<T>(
  sources: ValueSources,
  runId: string,
  compute: (blobs: Blobs) => T,
): Promise<T> {
  let loaded: ReadonlyMap<string, Json> = new Map();
  const { cache } = sources;
  const nameOf = (key: string): string => (positionIn(key) === undefined ? key : `${runId}${key}`);
  for (;;) {
    try {
      return compute((key) => cache.get(nameOf(key)) ?? loaded.get(key));
    } catch (error) {
      if (!(error instanceof BlobsNeeded)) throw error;
      const positions = error.keys.map(positionIn).filter((one) => one !== undefined);
      const digests = error.keys.filter((key) => positionIn(key) === undefined);
      const past = positions.length === 0 ? [] : await pastValues(sources, runId, positions);
      loaded = new Map([...loaded, ...past, ...(await cache.load(sources.blobs, digests))]);
    }
  }
}

/** Loads the values at these positions, and caches earlier ones up to `pastBytes`. */
async function pastValues(
  { journal, cache }: ValueSources,
  runId: string,
  positions: readonly number[],
): Promise<ReadonlyMap<string, Json>> {
  const opened = await journal.open(runId);
  if (opened === undefined) throw new UnavailableError(`run ${runId} cannot be read`);
  const { events } = opened;
  const found = new Map<string, Json>();
  let room = pastBytes;
  for (let position = Math.max(...positions); position > 0 && (room > 0 || found.size < positions.length); position--) {
    const event = events[position - 1];
    const json = event && valueIn(event);
    if (json === undefined) continue;
    const bytes = JSON.stringify(json).length;
    room -= bytes;
    if (room > 0) cache.put(`${runId}#${position}`, json, bytes);
    if (positions.includes(position)) found.set(`#${position}`, json);
  }
  if (found.size < positions.length) throw new UnavailableError(`the journal of run ${runId} is behind`);
  return found;
}
