/** What every journal does: `journalContract('…', open)` in the test file of each implementation. */
import { createHash, randomUUID } from 'node:crypto';

import type { EventOf, RunEvent, RunRow } from '@baton/engine';
import {
  type BlobStore,
  type Journal,
  type OpenRun,
  type StateSource,
  ConflictError,
  UnavailableError,
} from '@baton/runner';
import type { RequestOutcome, RunRequest } from '@baton/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { requestedEvent, runningRow } from '../samples.ts';
import { stateContract } from './state.ts';

/** Journals as two processes see them, and what hangs on them. */
export interface JournalPair {
  readonly one: Journal;
  readonly other: Journal;
  readonly blobs: BlobStore;
  readonly state: StateSource;
  request(request: RunRequest): Promise<RequestOutcome>;
  /** What lists show of the run. */
  row(runId: string): Promise<RunRow | undefined>;
  /**
   * The connection of `one` breaks at its next commit: before the database heard of it, or when it had committed and
   * was about to say so.
   */
  cutOne(when: 'before' | 'after'): void;
  close(): Promise<void>;
}

const claimed = (claim: number): RunEvent => ({ type: 'run.claimed', at: 1_800_000_000_001, worker: 'w1', claim });

const signal = (name: string): RunEvent => ({
  type: 'signal.received',
  at: 1_800_000_000_002,
  name,
  payload: null,
  by: 'x',
});

const running = runningRow();

const namesOf = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'signal.received' ? [event.name] : []));

export function journalContract(name: string, open: () => Promise<JournalPair>): void {
  describe(`the journal: ${name}`, () => {
    let world: JournalPair;

    beforeAll(async () => {
      world = await open();
    });

    afterAll(() => world.close());

    async function newRun(more: Partial<EventOf<'run.requested'>> = {}): Promise<string> {
      const { kind, runId } = await world.request({ event: requestedEvent(more) });
      expect(kind).toBe('created');
      return runId;
    }

    async function opened(runId: string, journal = world.one, after = 0): Promise<OpenRun> {
      const run = await journal.open(runId, after);
      if (run === undefined) throw new Error(`there is no run ${runId}`);
      return run;
    }

    describe('reading', () => {
      test('a requested run begins with its request', async () => {
        const event = requestedEvent({ tags: ['a', 'b "c" \\ {d}, NULL', ''], priority: 3 });
        const { runId } = await world.request({ event });
        const { events, log } = await opened(runId);
        expect(events).toEqual([event]);
        expect(log.seq).toBe(1);
        expect(log.runId).toBe(runId);
      });

      test('what is no run is not there', async () => {
        await expect(world.one.open(randomUUID())).resolves.toBeUndefined();
        await expect(world.one.open('no-such-run')).resolves.toBeUndefined();
        await expect(world.one.open('\0')).resolves.toBeUndefined();
      });

      test('the tail can be read from any position', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        await log.append({ events: [signal('a'), signal('b'), signal('c')] });
        const tail = await opened(runId, world.other, 2);
        expect(namesOf(tail.events)).toEqual(['b', 'c']);
        expect(tail.log.seq).toBe(4);
        const end = await opened(runId, world.other, 4);
        expect(end.events).toEqual([]);
        await end.log.append({ events: [signal('d')] });
        expect(namesOf((await opened(runId)).events)).toEqual(['a', 'b', 'c', 'd']);
      });

      test('text comes back as it was written, with any characters', async () => {
        const hostile = ['\0', '\ud800', '\udfff\ud83d', '😀', '"\\\n\r\u2028\u202e', '\\u0000', "';--", '{', ''];
        const runId = await newRun({ inputs: { json: hostile } });
        const { log } = await opened(runId);
        const event: RunEvent = { type: 'signal.received', at: 1, name: 'x\0y', payload: hostile, by: '\ud800' };
        const numbers = signal('numbers') as EventOf<'signal.received'>;
        const figures = [0, -1, 1e-7, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];
        await log.append({ events: [event, { ...numbers, payload: figures }] });
        const { events } = await opened(runId, world.other);
        expect(events).toEqual([
          requestedEvent({ inputs: { json: hostile } }),
          event,
          { ...numbers, payload: figures },
        ]);
      });

      test('a long journal comes whole and in order', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const names = Array.from({ length: 5_000 }, (_, index) => `s${index}`);
        await log.append({ events: names.map(signal) });
        const { events, log: again } = await opened(runId, world.other);
        expect(namesOf(events)).toEqual(names);
        expect(again.seq).toBe(5_001);
        await again.append({ events: [signal('last')] });
      });
    });

    describe('appending', () => {
      test('appends of one log keep their order, though none waits for the one before', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
        const done: string[] = [];
        await Promise.all(names.map((one) => log.append({ events: [signal(one)] }).then(() => done.push(one))));
        expect(done).toEqual(names);
        expect(namesOf((await opened(runId, world.other)).events)).toEqual(names);
        expect(log.seq).toBe(101);
      });

      test('an append without a waiting caller is written before the next one, or after a delay', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const patient = ['a', 'b'].map((one) => log.append({ events: [signal(one)], mayWait: true }));
        await log.append({ events: [signal('c')] });
        expect(namesOf((await opened(runId, world.other)).events)).toEqual(['a', 'b', 'c']);
        await Promise.all(patient);
        await log.append({ events: [signal('d')], mayWait: true });
        const hurried = log.append({ events: [signal('e')], mayWait: true });
        log.flush();
        await hurried;
        expect(namesOf((await opened(runId, world.other)).events)).toEqual(['a', 'b', 'c', 'd', 'e']);
      });

      test('who comes second loses, all of it, and the first one has lost nothing', async () => {
        const runId = await newRun();
        const first = await opened(runId, world.one);
        const second = await opened(runId, world.other);
        await first.log.append({ events: [signal('first')] });
        const losing = second.log.append({ events: [signal('second'), signal('third')], row: running });
        await expect(losing).rejects.toBeInstanceOf(ConflictError);
        await expect(losing).rejects.toMatchObject({ runId });
        expect(namesOf((await opened(runId)).events)).toEqual(['first']);
        await expect(world.row(runId)).resolves.toMatchObject({ status: 'queued' });
        await first.log.append({ events: [signal('more')] });
        expect(namesOf((await opened(runId)).events)).toEqual(['first', 'more']);
      });

      test('two logs of one process race as two processes do', async () => {
        const runId = await newRun();
        const logs = await Promise.all(Array.from({ length: 10 }, () => opened(runId)));
        const ends = await Promise.allSettled(
          logs.map(({ log }, index) => log.append({ events: [signal(`${index}`), signal(`${index}`)] })),
        );
        const losers = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
        expect(losers).toHaveLength(9);
        expect(losers.every((error) => error instanceof ConflictError)).toBe(true);
        expect(new Set(namesOf((await opened(runId)).events)).size).toBe(1);
      });

      test('many writers in two processes, each trying until it wins, write one order', async () => {
        const runId = await newRun();
        await Promise.all(
          Array.from({ length: 12 }, async (_, writer) => {
            const journal = writer % 2 === 0 ? world.one : world.other;
            for (;;) {
              const { log } = await opened(runId, journal);
              const end = await log.append({ events: [signal(`${writer}`)] }).catch((error: unknown) => error);
              if (end === undefined) return;
              expect(end).toBeInstanceOf(ConflictError);
            }
          }),
        );
        const names = namesOf((await opened(runId)).events);
        expect(names.toSorted()).toEqual(Array.from({ length: 12 }, (_, writer) => `${writer}`).toSorted());
      });

      test('behind a lost append all others of that log fail too, and the log is spent', async () => {
        const runId = await newRun();
        const first = await opened(runId, world.one);
        const second = await opened(runId, world.other);
        await first.log.append({ events: [signal('first')] });
        const appends = [second.log.append({ events: [signal('a')] }), second.log.append({ events: [signal('b')] })];
        // Those are on their way when the next one comes.
        await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))));
        appends.push(second.log.append({ events: [signal('c')] }));
        const ends = await Promise.allSettled(appends);
        expect(ends.map((end) => end.status === 'rejected' && end.reason instanceof ConflictError)).toEqual([
          true,
          true,
          true,
        ]);
        await expect(second.log.append({ events: [signal('d')] })).rejects.toBeInstanceOf(ConflictError);
        expect(namesOf((await opened(runId)).events)).toEqual(['first']);
      });

      test('among many runs that are written together, only the loser is told', async () => {
        const runIds = await Promise.all(Array.from({ length: 50 }, () => newRun()));
        const runs = await Promise.all(runIds.map((runId) => opened(runId)));
        const lost = new Set([runIds[3], runIds[17], runIds[49]]);
        for (const runId of lost) {
          const { log } = await opened(runId ?? '', world.other);
          await log.append({ events: [signal('other')] });
        }
        const ends = await Promise.allSettled(
          runs.map(({ log }) => log.append({ events: [signal('one')], row: running })),
        );
        expect(runIds.filter((_, index) => ends[index]?.status === 'rejected')).toEqual([...lost]);
        for (const runId of runIds) {
          expect(namesOf((await opened(runId)).events)).toEqual([lost.has(runId) ? 'other' : 'one']);
        }
      });

      test('large batches of many runs are written whole', async () => {
        const runIds = await Promise.all(Array.from({ length: 300 }, () => newRun()));
        const runs = await Promise.all(runIds.map((runId) => opened(runId)));
        const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
        await Promise.all(runs.flatMap(({ log }) => names.map((one) => log.append({ events: [signal(one)] }))));
        const journals = await Promise.all(runIds.map((runId) => opened(runId, world.other)));
        expect(journals.every(({ events }) => namesOf(events).join() === names.join())).toBe(true);
      });

      test('megabytes in one append are one append', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const large = 'x'.repeat(60_000);
        const events = Array.from(
          { length: 200 },
          (_, index): RunEvent => ({ ...signal(`${index}`), payload: large }) as RunEvent,
        );
        await log.append({ events });
        expect((await opened(runId, world.other)).events.slice(1)).toEqual(events);
      });
    });

    describe('rows', () => {
      test('a request is queued, and due when it says so', async () => {
        await expect(world.row(await newRun())).resolves.toMatchObject({ status: 'queued', isCancelling: false });
        const later = await newRun({ notBefore: 1_900_000_000_000 });
        await expect(world.row(later)).resolves.toMatchObject({ status: 'queued', wakeAt: 1_900_000_000_000 });
      });

      test('a row is as the last append that changed it says', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const ended: RunRow = {
          ...running,
          status: 'failed',
          endedAt: 1_800_000_000_005,
          failure: { code: 'tool-failed', message: 'no\0pe', step: 'a/b' },
        };
        await Promise.all([
          log.append({ events: [claimed(1)], row: { ...running, questions: 2, wakeAt: 1_800_000_000_004 } }),
          log.append({ events: [signal('a')] }),
          log.append({ events: [signal('b')], row: ended }),
          log.append({ events: [signal('c')] }),
        ]);
        await expect(world.row(runId)).resolves.toMatchObject(ended);
      });

      test('outputs are kept with the row, inline or by reference', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const outputs = { blob: { sha256: 'ab'.repeat(32), bytes: 70_000, preview: '[\u0000' } };
        const row: RunRow = { ...running, status: 'succeeded', endedAt: 1_800_000_000_009, outputs };
        await log.append({ events: [signal('end')], row });
        await expect(world.row(runId)).resolves.toMatchObject(row);
      });
    });

    describe('blobs', () => {
      test('are there when the events that name them are, and may come twice', async () => {
        const text = JSON.stringify({ large: '\0\ud800😀'.repeat(10_000) });
        const sha256 = createHash('sha256').update(text).digest('hex');
        await expect(world.blobs.get(sha256)).resolves.toBeUndefined();
        for (const runId of [await newRun(), await newRun()]) {
          const { log } = await opened(runId);
          await log.append({ events: [signal('x')], blobs: [{ sha256, text }] });
          await expect(world.blobs.get(sha256)).resolves.toBe(text);
        }
      });

      test('come with a request too', async () => {
        const text = JSON.stringify(randomUUID());
        const sha256 = createHash('sha256').update(text).digest('hex');
        await world.request({ event: requestedEvent(), blobs: [{ sha256, text }] });
        await expect(world.blobs.get(sha256)).resolves.toBe(text);
      });

      test('what is no digest is no blob', async () => {
        await expect(world.blobs.get('../etc/passwd\0')).resolves.toBeUndefined();
      });
    });

    describe('requests', () => {
      const key = (): { scope: string; key: string; digest: string } => ({
        scope: 'key-1 POST /v1/runs',
        key: randomUUID(),
        digest: 'd1',
      });

      test('without a key each is a run of its own', async () => {
        const runs = await Promise.all(Array.from({ length: 20 }, () => world.request({ event: requestedEvent() })));
        expect(new Set(runs.map(({ runId }) => runId)).size).toBe(20);
        expect(runs.every(({ kind }) => kind === 'created')).toBe(true);
      });

      test('the same key with the same body is the same run, however often and however concurrently', async () => {
        const idempotency = key();
        const runs = await Promise.all(
          Array.from({ length: 20 }, () => world.request({ event: requestedEvent(), idempotency })),
        );
        runs.push(await world.request({ event: requestedEvent(), idempotency }));
        expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
        expect(runs.filter(({ kind }) => kind === 'created')).toHaveLength(1);
        expect(runs.filter(({ kind }) => kind === 'existing')).toHaveLength(20);
      });

      test('the same key with another body is told apart, and makes nothing', async () => {
        const idempotency = key();
        const { runId } = await world.request({ event: requestedEvent(), idempotency });
        const again = await world.request({ event: requestedEvent(), idempotency: { ...idempotency, digest: 'd2' } });
        expect(again).toEqual({ kind: 'key-reused', runId });
      });

      test('the same key in another scope is another key', async () => {
        const idempotency = key();
        const first = await world.request({ event: requestedEvent(), idempotency });
        const second = await world.request({
          event: requestedEvent(),
          idempotency: { ...idempotency, scope: 'key-2' },
        });
        expect(second.kind).toBe('created');
        expect(second.runId).not.toBe(first.runId);
      });

      test('a step asks for its child once, however often it is asked again', async () => {
        const parent = { runId: await newRun(), path: 'items/3/child', attempt: 1 };
        const children = await Promise.all(
          Array.from({ length: 10 }, () => world.request({ event: requestedEvent({ parent, depth: 1 }) })),
        );
        expect(new Set(children.map(({ runId }) => runId)).size).toBe(1);
        expect(children.filter(({ kind }) => kind === 'created')).toHaveLength(1);
        const next = await world.request({ event: requestedEvent({ parent: { ...parent, attempt: 2 }, depth: 1 }) });
        expect(next.kind).toBe('created');
      });

      test('A child begins only while the worker that asks for it drives its parent', async () => {
        const runId = await newRun();
        const { log } = await opened(runId);
        const ask = (path: string): Promise<RequestOutcome> => {
          const event = requestedEvent({ parent: { runId, path, attempt: 1 }, depth: 1 });
          return world.request({ event, parentWorker: 'w1' });
        };
        await expect(ask('queued')).rejects.toBeInstanceOf(UnavailableError);
        await log.append({ events: [claimed(1)], row: runningRow({ worker: 'w1' }) });
        const { runId: child } = await ask('driven');
        await log.append({ events: [signal('x')], row: runningRow({ worker: 'w2' }) });
        await expect(ask('taken')).rejects.toBeInstanceOf(UnavailableError);
        await expect(ask('driven')).resolves.toEqual({ kind: 'existing', runId: child });
        await log.append({ events: [signal('y')], row: runningRow({ worker: 'w1', status: 'failed', endedAt: 1 }) });
        await expect(ask('ended')).rejects.toBeInstanceOf(UnavailableError);
      });
    });

    stateContract({ world: () => world, newRun: () => newRun(), opened });

    describe('a connection that breaks', () => {
      test.each([
        { when: 'before', written: [] },
        { when: 'after', written: ['a', 'b'] },
      ] as const)('$when it committed: the writer does not claim to know, and the journal says', async (cut) => {
        const runId = await newRun();
        const { log } = await opened(runId);
        world.cutOne(cut.when);
        const ends = await Promise.allSettled(['a', 'b'].map((one) => log.append({ events: [signal(one)] })));
        expect(ends.map((end) => end.status === 'rejected' && end.reason instanceof UnavailableError)).toEqual([
          true,
          true,
        ]);
        await expect(log.append({ events: [signal('c')] })).rejects.toBeInstanceOf(UnavailableError);
        expect(namesOf((await opened(runId, world.other)).events)).toEqual(cut.written);
        const again = await opened(runId);
        await again.log.append({ events: [signal('d')] });
        expect(namesOf((await opened(runId, world.other)).events)).toEqual([...cut.written, 'd']);
      });

      test('at a request with a key: asking again finds out', async () => {
        const idempotency = { scope: 's', key: randomUUID(), digest: 'd' };
        world.cutOne('after');
        const first = await world.request({ event: requestedEvent(), idempotency }).catch((error: unknown) => error);
        expect(first).toBeInstanceOf(UnavailableError);
        await expect(world.request({ event: requestedEvent(), idempotency })).resolves.toMatchObject({
          kind: 'existing',
        });
      });
    });
  });
}
