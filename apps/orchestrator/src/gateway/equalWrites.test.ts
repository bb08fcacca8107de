/** When a write asks a person first because an equal one may have happened: decision 14. */
import { AppendQueues, type Principal, RunWatches } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { advance, requested } from '@baton/runner';
import { MemoryBus, MemoryJournal, TestClock } from '@baton/testing';
import { expect, onTestFinished, test } from 'vitest';

import { type GatewayCall, type PlacedCall, GatewayCalls } from './gatewayCalls.ts';

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
const read = { ...write, target: { ...write.target, effect: { effect: 'read', from: 'server' } } } as const;
const elsewhere = { ...write, connection: 'elsewhere' };

type Outcome = 'succeeded' | 'failed' | 'unknown' | 'cancelled' | 'underWay';

class Gateway {
  readonly clock = new TestClock();
  readonly #journal = new MemoryJournal();
  readonly #queues = new AppendQueues();
  readonly #runs: string[] = [];
  readonly #calls: GatewayCalls;

  constructor() {
    const { clock } = this;
    const bus = new MemoryBus();
    this.#calls = new GatewayCalls({
      journal: this.#journal,
      bell: { ring: () => Promise.resolve(), close: () => Promise.resolve() },
      bus,
      clock,
      queues: this.#queues,
      onBellFailed: () => undefined,
      store: { blobs: { get: async () => undefined } },
      watches: new RunWatches({ bus, positions: async () => new Map(), clock }),
      runs: {
        open: async (_principal, _name, _client, after) => {
          if (this.#runs.length === 0 || after === this.#runs.at(-1)) await this.#begin();
          return { runId: this.#runs.at(-1) ?? '', before: this.#runs.at(-2) };
        },
      },
    });
  }

  async #begin(): Promise<void> {
    const trigger = { kind: 'session', detail: { session: 's', client: 'c', version: '1' } } as const;
    const order = { workflow: 'session', definition: 'd', inputs: {}, trigger, by: 'ada' } as const;
    this.#runs.push((await this.#journal.request(requested(order, this.clock.now()))).runId);
  }

  place(call: GatewayCall = write): Promise<PlacedCall> {
    return this.#calls.place(call);
  }

  /** The call ends so, and its client has the answer. */
  async made(call: GatewayCall = write, outcome: Outcome = 'succeeded'): Promise<PlacedCall> {
    const placed = await this.place(call);
    const { runId, path } = placed;
    const failure = { code: 'connection-lost', message: 'Lost.' };
    await this.#append(runId, (at) => {
      const given = {
        verb: 'tool',
        server: 's',
        tool: 'write',
        effect: 'write',
        arguments: { json: { a: 1 } },
      } as const;
      const base = { at, path, verb: 'tool', attempt: 1 } as const;
      const ends: Record<Outcome, RunEvent[]> = {
        succeeded: [{ ...base, type: 'step.succeeded', value: { json: {} } }],
        failed: [{ ...base, type: 'step.failed', failure }],
        unknown: [{ at, path, attempt: 1, type: 'step.unknown', failure }],
        cancelled: [{ at, path, attempt: 1, type: 'step.cancelled', reason: 'stopped' }],
        underWay: [],
      };
      return [{ ...base, type: 'step.started', call: given }, ...ends[outcome]];
    });
    if (outcome !== 'underWay') await this.#append(runId, (at) => [{ type: 'call.delivered', at, path }]);
    return placed;
  }

  /** A request waits for the answer. */
  async waitFor(placed: PlacedCall): Promise<void> {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    void this.#calls.follow(placed, {
      signal: leaving.signal,
      forMs: 60_000,
      stopsAt: () => false,
      onProgress: () => undefined,
    });
  }

  async #append(runId: string, events: (at: number) => readonly RunEvent[]): Promise<void> {
    await advance(this.#journal, runId, (run) => {
      const at = Math.max(this.clock.now(), run.at);
      const claimed = { type: 'run.claimed', at, worker: 'w', claim: run.claim + 1 } as const;
      return run.claim === 0 ? [claimed, ...events(at)] : events(at);
    });
  }

  /** The session ends, and the next call begins another run. */
  async over(): Promise<void> {
    await this.#append(this.#runs.at(-1) ?? '', (at) => [
      { type: 'run.finished', at, status: 'succeeded', outputs: { json: {} } },
    ]);
  }

  /** What a person is asked before the call; undefined: nothing. */
  async question({ runId, path }: PlacedCall): Promise<string | undefined> {
    const { events = [] } = (await this.#journal.open(runId)) ?? {};
    const event = events.find((one) => one.type === 'call.requested' && one.path === path);
    return event?.type === 'call.requested' ? event.approval : undefined;
  }
}

test.each([
  ['whose outcome is not known', 'unknown'],
  ['that was cancelled, and may have been sent', 'cancelled'],
] as const)('A write made again after one %s asks first, however late', async (_, outcome) => {
  const gateway = new Gateway();
  await gateway.made(write, outcome);
  gateway.clock.pass(3_600_000);
  const again = await gateway.place();
  expect(again.isRepeated).toBe(false);
  expect(await gateway.question(again)).toMatch(/write-1.* not known.*May it write/s);
});

test.each(['failed', 'succeeded'] as const)(
  'A write made again after one that has %s is made at once',
  async (outcome) => {
    const gateway = new Gateway();
    await gateway.made(write, outcome);
    const again = await gateway.place();
    expect([again.isRepeated, await gateway.question(again)]).toEqual([false, undefined]);
  },
);

test('A write in doubt is made without a question where its client gives it a key, and another write is, too', async () => {
  const gateway = new Gateway();
  await gateway.made(write, 'unknown');
  expect(await gateway.question(await gateway.place({ ...write, key: 'another' }))).toBeUndefined();
  expect(await gateway.question(await gateway.place({ ...write, arguments: { a: 2 } }))).toBeUndefined();
});

test('A write that a person let be made again is in doubt no more', async () => {
  const gateway = new Gateway();
  await gateway.made(write, 'unknown');
  const second = await gateway.made();
  expect(await gateway.question(second)).toMatch(/not known/);
  expect(await gateway.question(await gateway.place())).toBeUndefined();
});

test('A write in doubt asks also in the next run of its session', async () => {
  const gateway = new Gateway();
  await gateway.made(write, 'unknown');
  await gateway.over();
  const first = await gateway.place({ ...write, arguments: { a: 2 } });
  const again = await gateway.place();
  expect(again.runId).toBe(first.runId);
  expect(await gateway.question(again)).toMatch(/not known/);
});

test('A call that its session ended before is made in the next run, and asks nothing', async () => {
  const gateway = new Gateway();
  const first = await gateway.place();
  await gateway.over();
  await gateway.place({ ...write, arguments: { a: 2 } });
  const again = await gateway.place();
  expect([again.isRepeated, again.runId === first.runId]).toEqual([false, false]);
  expect(await gateway.question(again)).toBeUndefined();
});

test('The same write on another connection of the session asks for a minute, and not after it', async () => {
  const gateway = new Gateway();
  await gateway.made();
  gateway.clock.pass(59_000);
  expect(await gateway.question(await gateway.made())).toBeUndefined();
  gateway.clock.pass(59_000);
  expect(await gateway.question(await gateway.made(elsewhere, 'failed'))).toMatch(/another connection.*May it write/s);
  gateway.clock.pass(1_000);
  expect(await gateway.question(await gateway.place(elsewhere))).toBeUndefined();
});

test('The same write asks while the first one is under way, on whichever connection it comes', async () => {
  const gateway = new Gateway();
  const first = await gateway.made(write, 'underWay');
  await gateway.waitFor(first);
  const second = await gateway.place();
  expect(second.path).not.toBe(first.path);
  expect(await gateway.question(second)).toMatch(/under way/);
});

test('The same read on another connection is made at once', async () => {
  const gateway = new Gateway();
  await gateway.made(read);
  expect(await gateway.question(await gateway.place({ ...read, connection: 'elsewhere' }))).toBeUndefined();
});
