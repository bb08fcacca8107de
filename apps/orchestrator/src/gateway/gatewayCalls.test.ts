import { setImmediate } from 'node:timers/promises';

import type { OpenRun } from '@baton/runner';
import { requested } from '@baton/runner';
import { MemoryBus, MemoryJournal } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { AppendQueues } from '../intake/runAppender.ts';
import type { Principal } from '../keys/scopes.ts';
import { RunWatches } from '../live/watches.ts';
import { TestClock } from '../testing/testClock.ts';
import type { GatewayCall } from './gatewayCalls.ts';
import { GatewayCalls } from './gatewayCalls.ts';

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
  approval: undefined,
  refusal: undefined,
};

async function opened(journal = new MemoryJournal()) {
  const { runId } = await journal.request(requested(order, 1));
  const clock = new TestClock();
  const bus = new MemoryBus();
  return new GatewayCalls({
    journal,
    bell: { ring: () => Promise.resolve(), close: () => Promise.resolve() },
    bus,
    clock,
    queues: new AppendQueues(),
    onBellFailed: () => undefined,
    store: { blobs: { get: () => Promise.resolve(undefined) } },
    watches: new RunWatches({ bus, positions: async () => new Map(), clock }),
    runs: { open: () => Promise.resolve(runId) },
  });
}

test('a write whose client waits is not the one that another request asks for; one whose client left is', async () => {
  const calls = await opened();
  const first = await calls.place(write);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const followed = calls.follow(first, {
    signal: leaving.signal,
    forMs: 60_000,
    stopsAt: () => false,
    onProgress: () => undefined,
  });
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
  void calls.follow(first, {
    signal: leaving.signal,
    forMs: 60_000,
    stopsAt: () => false,
    onProgress: () => undefined,
  });
  await setImmediate();
  journal.reads = 0;
  calls.answered(first, true);
  expect(await calls.place(write)).toMatchObject({ runId: first.runId, isRepeated: false });
});
