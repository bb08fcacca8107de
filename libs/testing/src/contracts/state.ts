/** What every journal does with state that a run writes: part of `journalContract`. */
import { randomUUID } from 'node:crypto';

import type { RunEvent, StateWrite } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import {
  type Append,
  type Journal,
  type OpenRun,
  type StateOwner,
  type StateSource,
  ConflictError,
  StateRefusedError,
} from '@baton/runner';
import { describe, expect, test } from 'vitest';

import { runningRow } from '../samples.ts';

/** Journals as two processes see them, and what is stored of state. */
interface StatePair {
  readonly one: Journal;
  readonly other: Journal;
  readonly state: StateSource;
}

interface StateContract {
  readonly world: () => StatePair;
  readonly newRun: () => Promise<string>;
  readonly opened: (runId: string, journal?: Journal) => Promise<OpenRun>;
}

const written = (values: JsonObject): RunEvent => ({
  type: 'step.succeeded',
  at: 1_800_000_000_002,
  path: 'state-1',
  verb: 'state',
  attempt: 1,
  value: { json: values },
});

const appendOf = (owner: StateOwner, values: JsonObject, unlessChanged?: StateWrite['unlessChanged']): Append => ({
  events: [written(values)],
  row: runningRow(),
  state: { ...owner, by: 'ada', writes: [{ path: 'state-1', values, ...(unlessChanged && { unlessChanged }) }] },
});

const newOwner = (): StateOwner => ({ workflow: `w-${randomUUID()}`, isInline: false });

const unread = { revisions: {}, writers: [] };

export function stateContract({ world, newRun, opened }: StateContract): void {
  const stored = async (owner: StateOwner): Promise<unknown> =>
    Object.fromEntries(
      [...(await world().state.read(owner))].map(([key, { value, revision }]) => [key, [value, revision]]),
    );

  describe('state', () => {
    test('What a run writes is there with its event, and the last write wins', async () => {
      const owner = newOwner();
      const { log } = await opened(await newRun());
      await log.append(appendOf(owner, { a: 1, b: ['x'] }));
      const other = await opened(await newRun(), world().other);
      await other.log.append(appendOf(owner, { a: null }));
      expect(await stored(owner)).toEqual({ a: [null, 2], b: [['x'], 1] });
      expect(await stored({ ...owner, isInline: true })).toEqual({});
    });

    test('Of concurrent writes that are made unless changed, one is stored, and of the others nothing', async () => {
      const owner = newOwner();
      const runs = await Promise.all(Array.from({ length: 6 }, () => newRun()));
      const ends = await Promise.allSettled(
        runs.map(async (runId, n) => {
          const { log } = await opened(runId, n % 2 === 0 ? world().one : world().other);
          await log.append(appendOf(owner, { a: n }, unread));
        }),
      );
      const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      expect(reasons).toHaveLength(5);
      for (const reason of reasons) {
        expect(reason).toBeInstanceOf(StateRefusedError);
        expect(reason).toMatchObject({ path: 'state-1', failure: { code: 'state-changed' } });
      }
      const first = ends.findIndex(({ status }) => status === 'fulfilled');
      expect(await stored(owner)).toEqual({ a: [first, 1] });
      const lengths = await Promise.all(runs.map(async (runId) => (await opened(runId)).events.length));
      expect(lengths).toEqual(ends.map(({ status }) => (status === 'fulfilled' ? 2 : 1)));
    });

    test('A write of the run itself, or of a run that it goes on from, is no change', async () => {
      const owner = newOwner();
      const runId = await newRun();
      const { log } = await opened(runId);
      await log.append(appendOf(owner, { a: 1 }));
      await log.append(appendOf(owner, { a: 2 }, unread));
      const next = await opened(await newRun());
      await next.log.append(appendOf(owner, { a: 3 }, { revisions: {}, writers: [runId] }));
      expect(await stored(owner)).toEqual({ a: [3, 3] });
      await expect(log.append(appendOf(owner, { a: 4 }, unread))).rejects.toBeInstanceOf(StateRefusedError);
    });

    test('A run whose journal another writer has appended to writes no state', async () => {
      const owner = newOwner();
      const runId = await newRun();
      const [one, other] = [await opened(runId), await opened(runId, world().other)];
      await other.log.append({ events: [written({})] });
      await expect(one.log.append(appendOf(owner, { a: 1 }))).rejects.toBeInstanceOf(ConflictError);
      expect(await stored(owner)).toEqual({});
    });

    test('All values of a workflow together are held to a limit', async () => {
      const owner = newOwner();
      const { log } = await opened(await newRun());
      await log.append(appendOf(owner, { a: 'x'.repeat(40_000) }));
      const other = await opened(await newRun());
      const refused = other.log.append(appendOf(owner, { b: 'x'.repeat(40_000) }));
      await expect(refused).rejects.toMatchObject({ failure: { code: 'limit-exceeded' } });
      expect(await stored(owner)).toEqual({ a: ['x'.repeat(40_000), 1] });
    });
  });
}
