import { setImmediate } from 'node:timers/promises';

import { AppendQueues, type Principal, RunWatches } from '@baton/control';
import { limits } from '@baton/expressions';
import { type BlobStore, type OpenRun, advance, requested, UnavailableError } from '@baton/runner';
import { MemoryBus, MemoryJournal, TestClock } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { type FollowCallOptions, type GatewayCall, GatewayCalls } from './gatewayCalls.ts';

const trigger = { kind: 'session', detail: { session: 's', client: 'c', version: '1' } } as const;
const order = { workflow: 'session', definition: 'd', inputs: {}, trigger, by: 'ada' } as const;

const principal: Principal = { id: 'k', name: 'ada', by: 'ada', scopes: new Set(['admin']), workflows: undefined };
const write: GatewayCall = {
  principal,
  session: 's',
  client: { name: 'c', version: '1', protocol: '2025-11-25', capabilities: '' },
  target: { verb: 'tool', server: 's', tool: 'write', effect: { effect: 'write', from: 'default' } },
  arguments: { a: 1 },
  key: undefined,
  connection: 'here',
  question: 'May it write?',
  needsApproval: false,
  refusal: undefined,
};

async function opened(journal = new MemoryJournal(), get: BlobStore['get'] = async () => undefined) {
  const { runId } = await journal.request(requested(order, 1));
  let next: string | undefined;
  const clock = new TestClock();
  const bus = new MemoryBus();
  return new GatewayCalls({
    journal,
    bell: { ring: () => Promise.resolve(), close: () => Promise.resolve() },
    bus,
    clock,
    queues: new AppendQueues(),
    onBellFailed: () => undefined,
    store: { blobs: { get } },
    watches: new RunWatches({ bus, positions: async () => new Map(), clock }),
    runs: {
      open: async (_principal, _name, _client, after) => {
        if (after !== undefined) next ??= (await journal.request(requested(order, 1))).runId;
        return next === undefined ? { runId, before: undefined } : { runId: next, before: runId };
      },
    },
  });
}

const waitingUntil = (signal: AbortSignal): FollowCallOptions => ({
  signal,
  forMs: 60_000,
  stopsAt: () => false,
  onProgress: () => undefined,
});

const waiting = waitingUntil(new AbortController().signal);

test('a write whose client waits is not the one that another request asks for; one whose client left is', async () => {
  const calls = await opened();
  const first = await calls.place(write);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const followed = calls.follow(first, waitingUntil(leaving.signal));
  const second = await calls.place(write);
  expect(second).toMatchObject({ runId: first.runId, isRepeated: false });
  expect(second.path).not.toBe(first.path);
  leaving.abort();
  expect(await followed).toEqual({ kind: 'left' });
  expect(await calls.place(write)).toMatchObject({ runId: first.runId, isRepeated: true });
});

/** Of two readers, the second one is slow: while it waits for what it read, the delivery of an answer is recorded. */
class SlowSecondRead extends MemoryJournal {
  reads = Number.NEGATIVE_INFINITY;

  override async open(runId: string, after?: number): Promise<OpenRun | undefined> {
    this.reads += 1;
    const isSecond = this.reads === 2;
    const read = await super.open(runId, after);
    if (!isSecond) return read;
    while ((await super.open(runId))?.events.every(({ type }) => type !== 'call.delivered')) await setImmediate();
    await setImmediate();
    return read;
  }
}

test('a write made again while the delivery of its first answer is recorded is another write', async () => {
  const journal = new SlowSecondRead();
  const calls = await opened(journal);
  const first = await calls.place(write);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  void calls.follow(first, waitingUntil(leaving.signal));
  await setImmediate();
  journal.reads = 0;
  calls.answered(first, true);
  expect(await calls.place(write)).toMatchObject({ runId: first.runId, isRepeated: false });
});

class AwayJournal extends MemoryJournal {
  isAway = false;

  override async open(runId: string, after?: number): Promise<OpenRun | undefined> {
    if (this.isAway) throw new UnavailableError('the database cannot be asked now');
    return super.open(runId, after);
  }
}

test('A write whose client was told to make it again, because the journal could not be read, is made once', async () => {
  const journal = new AwayJournal();
  const calls = await opened(journal);
  const first = await calls.place(write);
  journal.isAway = true;
  await expect(calls.follow(first, waiting)).rejects.toThrow(UnavailableError);
  journal.isAway = false;
  expect(await calls.place(write)).toMatchObject({ path: first.path, isRepeated: true });
});

test('A write whose client was told to make it again, because its answer could not be read, is made once', async () => {
  const journal = new MemoryJournal();
  const calls = await opened(journal, async () => {
    throw new UnavailableError('the database cannot be asked now');
  });
  const first = await calls.place(write);
  const { path, runId } = first;
  const blob = { sha256: 'a'.repeat(64), bytes: 70_000, preview: '{' };
  const call = { verb: 'tool', server: 's', tool: 'write', effect: 'write', arguments: { json: { a: 1 } } } as const;
  await advance(journal, runId, ({ at, claim }) => [
    { type: 'run.claimed', at, worker: 'w', claim: claim + 1 },
    { type: 'step.started', at, path, verb: 'tool', attempt: 1, call },
    { type: 'step.succeeded', at, path, verb: 'tool', attempt: 1, value: { blob } },
  ]);
  await expect(calls.follow(first, waiting)).rejects.toThrow(UnavailableError);
  expect(await calls.place(write)).toMatchObject({ path, isRepeated: true });
});

test('A write that two requests wait for is held until both have left', async () => {
  const calls = await opened();
  const first = await calls.place(write);
  const leavings = [new AbortController(), new AbortController()];
  const followed = leavings.map(({ signal }) => calls.follow(first, waitingUntil(signal)));
  leavings[0]?.abort();
  await followed[0];
  const { isRepeated } = await calls.place(write);
  leavings[1]?.abort();
  await followed[1];
  expect([isRepeated, await calls.place(write)]).toEqual([false, { ...first, isRepeated: true }]);
});

test('The call after the last that a session may have begins another run, and repeats no write of the first', async () => {
  const journal = new MemoryJournal();
  const calls = await opened(journal);
  const first = await calls.place(write);
  await advance(journal, first.runId, ({ at }) =>
    Array.from({ length: limits.session.calls - 1 }, (_, n) => ({
      type: 'call.requested',
      at,
      path: `write-${n + 2}`,
      target: write.target,
      arguments: { json: { n } },
      by: 'ada',
      digest: `${n}`,
    })),
  );
  const other = await calls.place({ ...write, arguments: { a: 2 } });
  expect(other).toMatchObject({ path: 'write-1', isRepeated: false });
  expect(other.runId).not.toBe(first.runId);
  expect(await calls.place(write)).toEqual({ runId: first.runId, path: first.path, isRepeated: true });
});

test('A write whose answer is lost has not ended for its client while the declared check asks whether it happened', async () => {
  const journal = new MemoryJournal();
  const calls = await opened(journal);
  const check = { declared: { tool: 'find', happened: 'true' }, effect: { effect: 'read', from: 'server' } } as const;
  const place = await calls.place({ ...write, target: { ...write.target, check } as GatewayCall['target'] });
  const { path, runId } = place;
  const at = Date.now();
  const call = { verb: 'tool', server: 's', tool: 'write', arguments: { json: {} }, effect: 'write' } as const;
  const checking = { ...call, tool: 'find', effect: 'read' } as const;
  const failure = { code: 'outcome-unknown', message: 'The answer is lost.' };
  await advance(journal, runId, () => [
    { type: 'run.claimed', at, worker: 'w', claim: 1 },
    { type: 'step.started', at, path, verb: 'tool', attempt: 1, call },
    { type: 'step.unknown', at, path, attempt: 1, failure },
    { type: 'step.started', at, path: `${path}/@check1/tool-1`, verb: 'tool', attempt: 1, call: checking },
  ]);
  const leaving = new AbortController();
  const followed = calls.follow(place, waitingUntil(leaving.signal));
  await setImmediate();
  leaving.abort();
  expect(await followed).toEqual({ kind: 'left' });
  const value = { json: { content: [] } };
  await advance(journal, runId, () => [
    { type: 'step.succeeded', at, path: `${path}/@check1/tool-1`, verb: 'tool', attempt: 1, value },
    { type: 'step.succeeded', at, path, verb: 'tool', attempt: 1, value },
  ]);
  expect(await calls.follow(place, waiting)).toMatchObject({ kind: 'ended', state: { status: 'succeeded' } });
});
