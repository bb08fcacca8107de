/** What earlier undos of a run have taken back. */
import { type PastWrite, type RunEvent, pastWrites, resolve } from '@baton/engine';
import { isObject } from '@baton/primitives';
import { type Store, undosOf } from '@baton/store';

import { withBlobs } from '../../shapes/withBlobs.ts';

/** By the path of the write. `unknown`: its undo was called, and the answer was lost. */
export type UndoneBefore = ReadonlyMap<string, PastWrite['outcome']>;

export interface EarlierUndos {
  /** The newest one. */
  readonly newest: { readonly id: string; readonly isOpen: boolean; readonly succeeded: boolean } | undefined;
  readonly undone: UndoneBefore;
}

/** Rejects with `UnavailableError`. */
export async function earlierUndos(store: Store, runId: string): Promise<EarlierUndos> {
  const undos = await undosOf(store, runId);
  const undone = new Map<string, PastWrite['outcome']>();
  let newest: EarlierUndos['newest'];
  for (const id of undos) {
    const { events = [] } = (await store.journal.open(id)) ?? {};
    const end = events.at(-1);
    newest ??= {
      id,
      isOpen: end?.type !== 'run.finished',
      succeeded: end?.type === 'run.finished' && end.status === 'succeeded',
    };
    for (const [path, outcome] of await undoneIn(store, events))
      if (undone.get(path) !== 'succeeded') undone.set(path, outcome);
  }
  return { newest, undone };
}

/** The inputs of an undo say which write each of its calls takes back. */
const undoneIn = ({ blobs }: Store, events: readonly RunEvent[]): Promise<UndoneBefore> =>
  withBlobs(blobs, (loaded) => {
    const [first] = events;
    const inputs = first?.type === 'run.requested' ? resolve(first.inputs, loaded) : null;
    const calls = isObject(inputs) && isObject(inputs['calls']) ? inputs['calls'] : {};
    return new Map(
      pastWrites(events, loaded).flatMap(({ path, outcome }) => {
        const call = calls[path.split('/')[0] ?? ''];
        return isObject(call) && typeof call['of'] === 'string' ? [[call['of'], outcome]] : [];
      }),
    );
  });
